module github.com/tandem-ecs/tandem/systems/netcode/zones

go 1.25.0

require pgregory.net/rapid v1.3.0

replace github.com/tandem-ecs/tandem => ../../..
