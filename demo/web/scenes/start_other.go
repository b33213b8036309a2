//go:build !js

package main

import (
	"fmt"
	"os"
)

func start() {
	fmt.Fprintln(os.Stderr, "demo/web/scenes runs in a browser: make web builds it with its page")
	os.Exit(2)
}
