package netcode

import "time"

// A stranger is refused as often as he likes to knock, and a player may come and go all day: neither may fill the disk that the log is on.

// lines bounds how many lines of a kind are written. In each interval the first ones are; those after them are counted, and their number is told when it is over. So a log says what happens,
// and how often, and grows no faster than an interval's lines.
type lines struct {
	most     int // in an interval
	began    time.Duration
	written  int
	withheld int
}

const (
	linesEvery   = time.Minute
	mostRefusals = 20 // lines in an interval
)

// mostComings is for players who join, are lost, come back and leave: as many as come and go when all are sent away at once and return.
func mostComings(players int) int { return max(100, 2*players) }

// allow reports whether a line may be written at a time; otherwise it is counted.
func (l *lines) allow(now time.Duration) bool {
	if l.written > 0 && l.withheld == 0 && now-l.began >= linesEvery {
		l.written = 0
	}
	if l.written == 0 {
		l.began = now
	}
	if l.written >= l.most {
		l.withheld++
		return false
	}
	l.written++
	return true
}

// take returns how many lines were withheld in an interval that is over, and begins another one.
func (l *lines) take(now time.Duration) (withheld int) {
	if l.withheld == 0 || now-l.began < linesEvery {
		return 0
	}
	return l.rest()
}

// rest returns how many lines were withheld, and begins another interval.
func (l *lines) rest() (withheld int) {
	withheld = l.withheld
	l.written, l.withheld = 0, 0
	return withheld
}

// logComing writes that a player has come or gone.
func (s *Server[S, I]) logComing(message string, details ...any) {
	if s.comings.allow(s.real()) {
		s.config.Log.Info("tandem: "+message, details...)
	}
}

// logWithheld tells how often something happened that was not written each time.
func (s *Server[S, I]) logWithheld(refused, cameAndWent int) {
	if refused > 0 {
		s.config.Log.Info("tandem: more were refused", "times", refused)
	}
	if cameAndWent > 0 {
		s.config.Log.Info("tandem: more players came and went", "times", cameAndWent)
	}
}
