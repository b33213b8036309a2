package netcode

import (
	"net/netip"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// A stranger is refused as often as it knocks, and a player may come and go all day: neither may
// fill the disk that the log is on, nor keep the log from telling of others.

// lines bounds how many lines of a kind are written. In each interval the first ones are; those
// after them are counted, and their number is written when the interval is over. Connections of
// this machine and of private networks have as many lines as mostly suffice. Networks of strangers
// have twice as many together, and one of them a quarter: so it takes many to silence others.
type logLimit struct {
	most     int // in an interval, of this machine and of private networks
	began    time.Duration
	local    int // written, of those
	foreign  int // written, of networks of strangers
	withheld int
	networks map[netip.Prefix]int // written, of each network of strangers
}

const (
	linesEvery   = time.Minute
	mostRefusals = 20 // lines in an interval
	mostOfPlayer = 4  // lines in an interval about a player who has been in for one
)

func newLogLimit(most int) logLimit { return logLimit{most: most, networks: map[netip.Prefix]int{}} }

// mostJoins is for players that join, are lost, come back and leave: as many as come and go when
// all are sent away at once and return.
func mostJoins(players int) int { return max(100, 2*players) }

// allow reports whether a line about a network, as networkOf has it, may be written at a time;
// otherwise it is counted.
func (l *logLimit) allow(now time.Duration, network netip.Prefix) bool {
	written := l.local + l.foreign
	if written > 0 && l.withheld == 0 && now-l.began >= linesEvery {
		l.rest()
		written = 0
	}
	if written == 0 {
		l.began = now
	}
	switch {
	case !network.IsValid() && l.local < l.most:
		l.local++
	case network.IsValid() && l.foreign < 2*l.most && l.networks[network] < l.most/4:
		l.foreign++
		l.networks[network]++
	default:
		l.withheld++
		return false
	}
	return true
}

// take returns how many lines were withheld in an interval that is over, and begins another one.
func (l *logLimit) take(now time.Duration) (withheld int) {
	if l.withheld == 0 || now-l.began < linesEvery {
		return 0
	}
	return l.rest()
}

// rest returns how many lines were withheld, and begins another interval.
func (l *logLimit) rest() (withheld int) {
	withheld = l.withheld
	l.local, l.foreign, l.withheld = 0, 0, 0
	clear(l.networks)
	return withheld
}

// logJoin writes that a player has come or gone, and reports whether it did. A player that has
// been in for an interval has lines of its own, which no storm of others uses up; so has one that
// was kicked.
func (s *Server[S, I]) logJoin(p *Player[S, I], message string, details ...any) bool {
	now := s.real()
	budget := &s.joins
	if p.kick.Code != transport.NoReason {
		budget = &s.kickLines
	}
	p.lines.take(now)
	own := now-p.joinedAt >= linesEvery && p.lines.allow(now, netip.Prefix{})
	if !own && !budget.allow(now, networkOfCustomer(p.customer)) {
		return false
	}
	s.config.Log.Info("tandem: "+message, append([]any{"player", p.number}, details...)...)
	return true
}

// logLate writes of a player that stays that it has joined, if that was not written at its time.
func (s *Server[S, I]) logLate(p *Player[S, I], now time.Duration) {
	if p.unwritten && now-p.joinedAt >= linesEvery {
		p.unwritten = !s.logJoin(p, "joined", "addr", p.Addr(), "ago", now-p.joinedAt)
	}
}

// logRefusal writes why a client was not let in.
func (s *Server[S, I]) logRefusal(conn Conn, reason Reason, now time.Duration) {
	if s.refusalLines.allow(now, networkOf(conn.RemoteAddr())) {
		s.config.Log.Info("tandem: refused", "addr", conn.RemoteAddr(), "reason", reason.String())
	}
}

// logWithheld writes how often something happened that was not written each time.
func (s *Server[S, I]) logWithheld(refused, cameAndWent int) {
	if refused > 0 {
		s.config.Log.Info("tandem: more were refused", "times", refused)
	}
	if cameAndWent > 0 {
		s.config.Log.Info("tandem: more players came and went", "times", cameAndWent)
	}
}
