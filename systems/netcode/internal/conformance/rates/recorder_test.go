package rates

import (
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance/match"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// play plays a match and returns its figures. The same setting gives the same figures.
func play(s match.Setting) (figures, error) {
	r := &recorder{}
	s.Watch[0] = r
	var err error
	if r.match, err = match.New(s); err != nil {
		return figures{}, err
	}
	r.match.Server.Engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) { r.measureRewind() }))
	r.match.Play()
	return r.figures((s.Length - match.WarmUp).Seconds()), nil
}

// recorder measures the pictures of the first client and the inputs of the second.
type recorder struct {
	match                  *match.Match
	lag, lead, age, rewind []time.Duration
	circle, flips          float64
	client                 span[netcode.ClientStats]
	server                 span[netcode.ServerStats]
	inputs                 span[prediction.BufferStats]
}

// span holds the values at the end of the warm-up and now.
type span[T any] struct{ before, now T }

func (s *span[T]) set(now time.Duration, value T) {
	if s.now = value; now <= match.WarmUp {
		s.before = value
	}
}

// Dialled implements [match.Watcher].
func (r *recorder) Dialled(down, up *linksim.Link) {}

// Sent implements [match.Watcher].
func (r *recorder) Sent(int, []byte, time.Duration) {}

// Step implements [match.Watcher].
func (r *recorder) Step(now, view time.Duration, playing bool) {}

// Turn implements [match.Watcher].
func (r *recorder) Turn(now time.Duration, inputs prediction.BufferStats) {
	r.inputs.set(now, inputs)
	r.server.set(now, r.match.Server.Stats())
}

// Frame implements [match.Watcher].
func (r *recorder) Frame(f *match.Frame) {
	r.client.set(f.Now, f.Stats)
	if !f.Playing || f.Now <= match.WarmUp {
		return
	}
	r.lag = append(r.lag, f.Now-f.Shown)
	r.lead = append(r.lead, f.Stats.Lead)
	if at := r.match.Pressed(f.Shown); at > 0 {
		r.age = append(r.age, f.Now-at)
	}
	r.circle, r.flips = max(r.circle, f.Off[match.Circle]), max(r.flips, f.Off[match.Flips])
}

// measureRewind measures how far in the past the first player's picture is, by a body whose
// position gives the time.
func (r *recorder) measureRewind() {
	m := r.match
	t := m.Server.Engine.Time()
	if t.Real <= match.WarmUp {
		return
	}
	for _, p := range m.Players {
		if p.Number() != m.Clients[0].Number() || !p.Connected() {
			continue
		}
		p.Rewind(func(at func(arche.Entity) (components.Pose3D, bool)) {
			if seen, ok := at(m.Bodies[match.Straight]); ok {
				seconds := (float64(seen.Position[0]) - match.StartX) / match.StraightSpeed
				r.rewind = append(r.rewind, t.StepStart-time.Duration(seconds*float64(time.Second)))
			}
		})
	}
}

// figures returns the figures of the seconds after the warm-up.
func (r *recorder) figures(seconds float64) figures {
	share := func(part, of float64) float64 { return part / max(of, 1) }
	percentile := func(all []time.Duration, p float64) float64 { return conformance.Percentile(all, p).Seconds() }
	since := func(now, before uint64) float64 { return float64(now - before) }
	client, server, inputs := &r.client, &r.server, &r.inputs
	// The server sends the same to both players.
	sent, bytes := since(server.now.Sent, server.before.Sent)/2, since(server.now.SentBytes, server.before.SentBytes)/2
	packets, upBytes := float64(r.match.Clients[0].Packets), float64(r.match.Clients[0].Bytes)
	ticks := since(inputs.now.Ticks, inputs.before.Ticks)
	return figures{
		lag50: percentile(r.lag, 0.50), lag95: percentile(r.lag, 0.95),
		starved:   share(since(client.now.Starved, client.before.Starved), since(client.now.Sampled, client.before.Sampled)),
		circleOff: r.circle, flipsOff: r.flips,
		down: (bytes + sent*overheadDown) / seconds / 1000, up: (upBytes + packets*overheadUp) / seconds / 1000,
		downSize: share(bytes, sent), upSize: share(upBytes, packets),
		lead: percentile(r.lead, 0.50), age: percentile(r.age, 0.50), rewind: percentile(r.rewind, 0.95),
		missed:      share(ticks-since(inputs.now.Received, inputs.before.Received), ticks),
		corrections: since(client.now.Corrections, client.before.Corrections) / seconds * 60,
	}
}

// Without loss the cost of a rate can be calculated: the view waits for one interval.
func TestHalvedRateCostsAnInterval(t *testing.T) {
	lag := map[int]float64{}
	for _, rate := range []int{30, 60} {
		f, err := play(match.Setting{Network: networks()[0], TickRate: 60, SnapshotRate: rate, Length: 20 * time.Second, Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		lag[rate] = f[lag50]
		if f[starved] != 0 || f[missed] != 0 || f[corrections] != 0 {
			t.Errorf("at %d Hz on a LAN: %+v", rate, f)
		}
		if least := float64(rate * (overheadDown + 43)); 1000*f[down] < least {
			t.Errorf("at %d Hz %.0f bytes a second, which is less than the %.0f of empty snapshots", rate, 1000*f[down], least)
		}
		if testing.Short() {
			continue
		}
		if again, err := play(match.Setting{Network: networks()[0], TickRate: 60, SnapshotRate: rate, Length: 20 * time.Second, Seed: 7}); err != nil || again != f {
			t.Errorf("the same setting gives %+v and %+v", f, again)
		}
	}
	if cost, want := lag[30]-lag[60], 1.0/60; cost < want-0.002 || cost > want+0.002 {
		t.Errorf("30 snapshots instead of 60 cost %v s, want %v", cost, want)
	}
}

// A path of the caller's can be measured.
func TestSatellite(t *testing.T) {
	const ms = time.Millisecond
	satellite := match.Network{Name: "satellite", Path: linksim.Condition{Delay: 300 * ms, Jitter: 5 * ms}}
	f, err := play(match.Setting{Network: satellite, TickRate: 60, SnapshotRate: 20, Length: 30 * time.Second, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	rounded := func(seconds float64) time.Duration {
		return time.Duration(seconds * float64(time.Second)).Round(50 * ms)
	}
	if shown, pressed := rounded(f[lag50]), rounded(f[age]); shown != 350*ms || pressed != 700*ms {
		t.Errorf("others are shown %v late and have pressed %v ago, want 350 and 700 ms", shown, pressed)
	}
}
