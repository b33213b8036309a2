//go:build !unix

package main

import "time"

func processorTime() (time.Duration, bool) { return 0, false }
