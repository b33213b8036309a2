//go:build !unix

package capacity

import "time"

func processorTime() time.Duration { return 0 }
