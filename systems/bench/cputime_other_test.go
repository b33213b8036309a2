//go:build !unix

package bench

import "time"

func processorTime() (time.Duration, bool) { return 0, false }
