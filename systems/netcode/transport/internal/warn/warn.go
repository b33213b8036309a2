// Package warn writes warnings that strangers can cause: seldom, and with what they sent in a
// harmless form.
package warn

import (
	"log/slog"
	"strconv"
	"sync"
	"time"
)

// Interval is the least time between two lines of a [Warning].
const Interval = time.Minute

// Warning is a cause of warnings. The zero value is ready. It is safe for concurrent use.
type Warning struct {
	mu       sync.Mutex
	last     time.Time // zero: there was no line
	withheld int       // since the last line
}

// Log writes a line at level warning, unless the last one is younger than [Interval]. The line has
// the number of those that were withheld since then.
func (w *Warning) Log(log *slog.Logger, message string, details ...any) {
	w.mu.Lock()
	now := time.Now()
	if !w.last.IsZero() && now.Sub(w.last) < Interval {
		w.withheld++
		w.mu.Unlock()
		return
	}
	withheld := w.withheld
	w.last, w.withheld = now, 0
	w.mu.Unlock()
	if withheld > 0 {
		details = append(details, "withheld", withheld)
	}
	log.Warn(message, details...)
}

// maxText bounds what [Text] returns of a text, in bytes of the text.
const maxText = 200

// Text returns a stranger's text in printable ASCII, without line breaks, and cut if it is long.
func Text(text string) string {
	cut := ""
	if len(text) > maxText {
		text, cut = text[:maxText], "..."
	}
	quoted := strconv.QuoteToASCII(text)
	return quoted[1:len(quoted)-1] + cut
}
