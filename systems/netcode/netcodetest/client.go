package netcodetest

import (
	"math/rand/v2"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// Client is a client of a [Match], with an engine of its own, as in a process of its own. Make it
// with [Match.Join].
type Client[S any, I comparable] struct {
	*netcode.Client[S, I]
	Engine *ecs.Engine
	// Conn is the newest connection; nil before the client's first frame. Its SetPath changes the
	// conditions of the line from now on, such as to Loss: 1 for a cut.
	Conn *linksim.Conn
	// Path has the conditions of the connections that the client dials from now on.
	Path linksim.Path
	// Frame is the time between two of the client's frames, in whole frames of [Match.Run]. Zero is
	// one.
	Frame time.Duration

	match  *Match[S, I]
	frozen time.Duration // for which it stands still
	behind time.Duration // since its last frame
}

// Freeze lets the client's process stand still for a time, from the next frame on, like a process
// that hangs or a machine that sleeps. Datagrams wait for it. Its next frame then takes in the
// whole time, of which the engine drops all but ecs.Config.MaxDelta. A client that is frozen for
// longer than the test is like one whose process was killed. Zero ends it.
func (a *Client[S, I]) Freeze(d time.Duration) { a.frozen = d }

// pass lets time pass for the client. It returns the real time that its next frame takes in, or
// zero if there is no frame now.
func (a *Client[S, I]) pass(d time.Duration) (real time.Duration) {
	a.behind += d
	switch {
	case a.frozen > 0:
		a.frozen -= d
	case a.behind >= a.Frame-frame/2: // the nearest, since a 30th is not quite four 120ths
		real, a.behind = a.behind, 0
	}
	return real
}

// Dial makes a connection to the match's server over the line with the conditions of Path. A client
// whose configuration has no Dial uses it. A Dial of a test's own may call it, to fail at times, or
// to wrap the connection.
func (a *Client[S, I]) Dial() (netcode.Conn, error) {
	m := a.match
	line := a.Path
	if m.dialed++; line.Send.Seed == 0 && line.Receive.Seed == 0 {
		seeds := rand.NewPCG(m.config.Seed, m.dialed)
		line.Send.Seed, line.Receive.Seed = seeds.Uint64(), seeds.Uint64()
	}
	conn, err := linksim.Wrap(m.Listener.Dial(), line)
	if err != nil {
		return nil, err
	}
	a.Conn = conn
	return conn, nil
}
