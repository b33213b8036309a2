package report

import (
	"strconv"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// TickRate is the tick rate of server and client in all cases, in Hz.
const tickRate = 60

// network is the condition of a case.
type network struct {
	Name string
	Down linksim.Condition // server to client; the seed is filled in by the run
	Up   linksim.Condition // client to server

	SnapshotRate int           // Hz; zero means 30
	FrameRate    float64       // Hz; zero means 60
	Drift        float64       // of the client's clock against the server's, in parts per million
	Epoch        time.Duration // what the client's clock shows when the server's shows zero

	// Pause stops the server's simulation and its time from the first instant to the second.
	Pause [2]time.Duration

	// Suspend stops the client between the two instants, like a tab in the background of a browser.
	// Its network continues.
	Suspend [2]time.Duration

	// Calm, if it is not zero, is the instant at which all loss ends.
	Calm time.Duration
}

func (n *network) frameRate() float64 {
	if n.FrameRate == 0 {
		return 60
	}
	return n.FrameRate
}

// line returns the condition of the path down in linksim's notation. The seed of a run is twice the
// run's number.
func (n *network) line() string {
	return strings.TrimSuffix(n.Down.String(), " seed="+strconv.FormatUint(n.Down.Seed, 10))
}

func (n *network) ticksPerSnapshot() int {
	if n.SnapshotRate == 0 {
		return tickRate / 30
	}
	return tickRate / n.SnapshotRate
}

// interval returns the time between two snapshots.
func (n *network) interval() time.Duration {
	return time.Duration(n.ticksPerSnapshot()) * time.Second / tickRate
}

// duplex returns a network with the same condition in both directions.
func duplex(name string, c linksim.Condition) network { return network{Name: name, Down: c, Up: c} }

const ms = time.Millisecond

var (
	ideal    = duplex("no delay at all", linksim.Condition{})
	base     = duplex("base: 100±10 ms", linksim.Condition{Delay: 100 * ms, Jitter: 10 * ms})
	seeds    = duplex("seeds: 100±10 ms, 15 % loss", linksim.Condition{Delay: 100 * ms, Jitter: 10 * ms, Loss: 0.15})
	ordered  = duplex("seeds over an ordered stream", linksim.Condition{Delay: 100 * ms, Jitter: 10 * ms, Loss: 0.15, Ordered: true})
	bursts   = duplex("bursts: 2 % into 8 lost", linksim.Condition{Delay: 100 * ms, Jitter: 10 * ms, Burst: linksim.Burst{Enter: 0.02, Leave: 0.125, BadLoss: 1}})
	jittery  = duplex("100±50 ms", linksim.Condition{Delay: 100 * ms, Jitter: 50 * ms})
	repeated = duplex("base, 30 % duplicates", linksim.Condition{Delay: 100 * ms, Jitter: 10 * ms, Duplicate: 0.3})
	shuffled = duplex("base, 10 % 60 ms late", linksim.Condition{Delay: 100 * ms, Jitter: 10 * ms, Reorder: 0.1, ReorderBy: 60 * ms})
)

// at10 returns the network with ten snapshots a second.
func at10(n network) network {
	n.SnapshotRate = 10
	n.Name += ", 10 Hz"
	return n
}

// drifting returns the network with a client whose clock is fast by a number of parts per million.
func drifting(n network, name string, ppm float64) network {
	n.Drift = ppm
	n.Name = name
	return n
}

// scripted returns the network with events on the path down.
func scripted(n network, name string, events ...linksim.Event) network {
	n.Down.Script = events
	n.Name = name
	return n
}
