//go:build !unix

package main

import (
	"errors"
	"os"
)

// suspend stops a process, and resume lets it go on.
func suspend(*os.Process) error {
	return errors.New("this system cannot stop a process for a while; kill it")
}

func resume(*os.Process) {}

// interrupt ends a process, which has no time to save.
func interrupt(p *os.Process) error { return p.Kill() }
