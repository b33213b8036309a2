module github.com/tandem-ecs/tandem

go 1.25.0

require (
	github.com/coder/websocket v1.8.15
	github.com/go-gl/gl v0.0.0-20231021071112-07e5d0ea2e71
	github.com/go-gl/glfw/v3.3/glfw v0.0.0-20260823155953-d41da22a9587
	github.com/go-gl/mathgl v1.2.0
	github.com/jakecoffman/cp/v2 v2.2.0
	github.com/mlange-42/arche v0.15.3
	github.com/pion/dtls/v3 v3.1.15
	github.com/pion/logging v0.2.4
	github.com/quic-go/quic-go v0.61.0
	github.com/quic-go/webtransport-go v0.12.0
	golang.org/x/crypto v0.54.0
	golang.org/x/image v0.45.0
	golang.org/x/net v0.56.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/dunglas/httpsfv v1.1.0 // indirect
	github.com/pion/transport/v5 v5.0.0 // indirect
	github.com/quic-go/qpack v0.6.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/text v0.41.0 // indirect
)
