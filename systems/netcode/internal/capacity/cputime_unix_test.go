//go:build unix

package capacity

import (
	"syscall"
	"time"
)

// processorTime returns the time that this process has used of all processors.
func processorTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
