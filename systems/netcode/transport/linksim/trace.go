package linksim

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// ParseTrace reads a trace in the form of mahimahi. Each line is a whole number of milliseconds, at
// which 1500 bytes may pass. The numbers ascend, and several may be equal. After the last one the
// trace begins anew. An error names the line.
func ParseTrace(r io.Reader) ([]time.Duration, error) {
	trace := []time.Duration{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		at, err := strconv.ParseUint(strings.TrimSpace(lines.Text()), 10, 40)
		if err != nil {
			return nil, fmt.Errorf("linksim: line %d of a trace: want a whole number of milliseconds", len(trace)+1)
		}
		if len(trace) == maxPackets {
			break // validTrace returns the error
		}
		trace = append(trace, time.Duration(at)*time.Millisecond)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("linksim: a trace: %w", err)
	}
	if err := validTrace(trace); err != nil {
		return nil, fmt.Errorf("linksim: %w", err)
	}
	return trace, nil
}

// gaps writes a trace as the times between its moments.
func gaps(trace []time.Duration) string {
	var parts []string
	last := time.Duration(0)
	for i := 0; i < len(trace); {
		gap, n := trace[i]-last, 0
		for ; i < len(trace) && trace[i]-last == gap; i++ {
			last = trace[i]
			n++
		}
		part := gap.String()
		if n > 1 {
			part += "*" + strconv.Itoa(n)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ",")
}

// parseGaps reads the text of gaps.
func parseGaps(text string) ([]time.Duration, error) {
	var trace []time.Duration
	last := time.Duration(0)
	for part := range strings.SplitSeq(text, ",") {
		gap, times, several := strings.Cut(part, "*")
		n, err := 1, error(nil)
		if several {
			n, err = strconv.Atoi(times)
		}
		by, wrong := time.ParseDuration(gap)
		if err != nil || wrong != nil || n < 1 || n > maxPackets-len(trace) || by < 0 || by > maxTime/time.Duration(n) || last > maxTime {
			return nil, fmt.Errorf("want the times between its moments, such as 5ms*8,40ms, and at most %d of them", maxPackets)
		}
		for range n {
			last += by
			trace = append(trace, last)
		}
	}
	return trace, nil
}
