//go:build !linux

// Command framebench measures what frames of the stress scene cost the processor. Linux only:
// elsewhere there is no drawing off screen.
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Println("note Nothing was measured: frames of the stress scene are measured on Linux only.")
		fmt.Println("end")
	}
}
