//go:build !js

package main

import (
	"fmt"
	"os"
)

func start() {
	fmt.Fprintln(os.Stderr, "demo/web/golden runs in a browser, for the tests of tools/browser: make browser-test")
	os.Exit(2)
}
