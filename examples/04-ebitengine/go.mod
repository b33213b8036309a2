module github.com/tandem-ecs/tandem/examples/04-ebitengine

go 1.25.0

require (
	github.com/go-gl/mathgl v1.2.0
	github.com/hajimehoshi/ebiten/v2 v2.8.8
	github.com/mlange-42/arche v0.15.3
	github.com/tandem-ecs/tandem v0.0.0
)

require (
	github.com/ebitengine/gomobile v0.0.0-20240911145611-4856209ac325 // indirect
	github.com/ebitengine/hideconsole v1.0.0 // indirect
	github.com/ebitengine/purego v0.8.0 // indirect
	github.com/jezek/xgb v1.1.1 // indirect
	golang.org/x/sync v0.8.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
)

replace github.com/tandem-ecs/tandem => ../..
