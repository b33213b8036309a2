module github.com/tandem-ecs/tandem/examples/09-arche-model

go 1.25.0

require (
	github.com/go-gl/mathgl v1.2.0
	github.com/mlange-42/arche v0.15.3
	github.com/mlange-42/arche-model v0.10.0
	github.com/tandem-ecs/tandem v0.0.0
)

require golang.org/x/exp v0.0.0-20230418202329-0354be287a23 // indirect

replace github.com/tandem-ecs/tandem => ../..
