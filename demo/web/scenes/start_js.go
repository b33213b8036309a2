package main

import "github.com/tandem-ecs/tandem/demo/internal/page"

func start() { page.Main(nil, nil) }
