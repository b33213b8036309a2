package netcode

import (
	"net/netip"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// Clients can be refused and players can join and leave any number of times. Neither may fill the
// disk of the log, nor displace lines about other players.

// logLimit bounds the lines of a kind. The first ones in each interval are written; further ones
// are counted, and the count is written when the interval is over. Connections of this machine and
// of private networks have most lines. Other networks have twice as many together, and each of them
// a quarter of most, so that no single network uses up the lines of others.
type logLimit struct {
	most     int // in an interval, of this machine and of private networks
	began    time.Duration
	local    int // written, of those
	foreign  int // written, of other networks
	withheld int
	networks map[netip.Prefix]int // written, of each other network
}

const (
	linesEvery   = time.Minute
	mostRefusals = 20 // lines in an interval
	mostOfPlayer = 4  // lines in an interval about a player that has played for one
)

func newLogLimit(most int) logLimit { return logLimit{most: most, networks: map[netip.Prefix]int{}} }

// mostJoins returns the limit for players that join, are lost, return and leave: enough for all of
// them to leave and return at once.
func mostJoins(players int) int { return max(100, 2*players) }

// allow reports whether a line about a network, as of networkOf, may be written now; otherwise it
// counts the line.
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

// logJoin logs that a player has joined or left, and reports whether it did. Players that were
// kicked or have played for an interval have lines of their own, which other players cannot use up.
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

// logLate logs that a player has joined, if that was withheld and the player has stayed.
func (s *Server[S, I]) logLate(p *Player[S, I], now time.Duration) {
	if p.joinUnlogged && now-p.joinedAt >= linesEvery {
		from := []any{"addr", p.Addr()}
		if p.bot != nil {
			from = []any{"bot", true}
		}
		p.joinUnlogged = !s.logJoin(p, "joined", append(from, "ago", now-p.joinedAt)...)
	}
}

// logRefusal logs why a client was refused.
func (s *Server[S, I]) logRefusal(conn Conn, reason Reason, now time.Duration) {
	if s.refusalLines.allow(now, networkOf(conn.RemoteAddr())) {
		s.config.Log.Info("tandem: refused", "addr", conn.RemoteAddr(), "reason", reason.String())
	}
}

// logWithheld logs the numbers of withheld lines.
func (s *Server[S, I]) logWithheld(refused, cameAndWent int) {
	if refused > 0 {
		s.config.Log.Info("tandem: more were refused", "times", refused)
	}
	if cameAndWent > 0 {
		s.config.Log.Info("tandem: more players came and went", "times", cameAndWent)
	}
}
