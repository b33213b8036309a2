//go:build unix

package main

import (
	"os"
	"syscall"
)

// suspend stops a process, and resume lets it go on.
func suspend(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }

func resume(p *os.Process) { _ = p.Signal(syscall.SIGCONT) }

// interrupt asks a process to end.
func interrupt(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
