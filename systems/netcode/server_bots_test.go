package netcode_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

type serverPlayer = netcode.Player[runner, input]

// bot adds a bot to a match.
func (m *match) bot(think func(p *serverPlayer, t netcode.Tick) input) *serverPlayer {
	m.t.Helper()
	p, err := m.server.AddBot(think)
	if err != nil {
		m.t.Fatal(err)
	}
	return p
}

func runRight(*serverPlayer, netcode.Tick) input { return input{X: 1} }

// A bot is a player with one input in each tick, whenever the inputs of clients run. Clients see it
// run as they see other players run. It takes part in the step of bodies.
func TestBotsPlay(t *testing.T) {
	for _, mode := range inputModes {
		m := newMatchOf(t, boxProtocol(t, boxes()), func(c *netcode.ServerConfig[runner, input]) { c.InputMode = mode })
		raft := m.box(box{X: 3, Z: 4})
		a := m.join(seeds(1), nil)
		m.run(time.Second, nil)
		var ticks []netcode.Tick
		p := m.bot(func(p *serverPlayer, at netcode.Tick) input {
			if at != m.server.Tick() {
				t.Fatalf("think is called for %d in %d", at, m.server.Tick())
			}
			ticks = append(ticks, at)
			return runRight(p, at)
		})
		first, x := m.server.Tick(), p.State.X
		m.run(5*time.Second, nil)
		m.mustPlay()
		for i, at := range ticks {
			if at != first.Add(i) {
				t.Fatalf("input mode %v: the call %d of think is for tick %d, want %d", mode, i, at, first.Add(i))
			}
		}
		if n := int(m.server.Tick().Sub(first)); len(ticks) != n {
			t.Errorf("input mode %v: %d calls of think in %d ticks", mode, len(ticks), n)
		}
		if ran := p.State.X - x; math.Abs(float64(ran)-0.1*float64(len(ticks))) > 0.3 {
			// the box holds it up
			t.Errorf("input mode %v: the bot ran %.2f m in %d ticks at 6 m/s", mode, ran, len(ticks))
		}
		if m.boxOf(raft).X < 4 {
			t.Errorf("input mode %v: the bot has not pushed the box, which is at %.2f", mode, m.boxOf(raft).X)
		}
		replica := a.client.Replica(m.id(p.Entity))
		if replica.IsZero() {
			t.Fatalf("input mode %v: the client does not see the bot", mode)
		}
		if behind := p.State.X - a.visual(replica)[0]; behind < 0 || behind > 6*0.6 {
			t.Errorf("input mode %v: the picture of the bot is %.2f m behind", mode, behind)
		}
		w := a.engine.World()
		if r := (*netcode.Replicated)(w.Get(replica, arche.ComponentID[netcode.Replicated](w))); r.Owner != p.Number() {
			t.Errorf("input mode %v: the replica is owned by %d, want %d", mode, r.Owner, p.Number())
		}
	}
}

// All bots think before any player is stepped, so that they see the same world.
func TestBotsThinkBeforeTheStep(t *testing.T) {
	m := newMatch(t, nil)
	all := make([]*serverPlayer, 3)
	seen := make([][3]float32, 3)
	for i := range all {
		all[i] = m.bot(func(*serverPlayer, netcode.Tick) input {
			for k, other := range all {
				seen[i][k] = other.State.X
			}
			return input{X: 1}
		})
	}
	m.run(time.Second, func() {
		if seen[0] != seen[1] || seen[1] != seen[2] {
			t.Fatalf("bots saw players at %v", seen)
		}
	})
	if seen[0][0] < 5 {
		t.Errorf("a bot was seen at %.2f after a second", seen[0][0])
	}
}

// A bot has no connection, and nothing about it tells otherwise.
func TestBotsHaveNoConnection(t *testing.T) {
	var confirmed, authenticated int
	p := newProtocol(t, netcode.Config{})
	shots := netcode.NewMessage[shot](p, "shot")
	m := newMatchOf(t, p, func(c *netcode.ServerConfig[runner, input]) {
		c.Confirmed = func(*serverPlayer) { confirmed++ }
		c.Authenticate = func(netcode.JoinRequest) error { authenticated++; return nil }
		c.Interest = netcode.Interest{Radius: 20}
	})
	a := m.join(perfect(), nil)
	m.run(time.Second, nil)
	b := m.bot(runRight)
	m.run(40*time.Second, func() { m.server.Broadcast(shots.Pack(shot{})) }) // longer than Grace
	m.mustPlay()
	if !b.Connected() || b.Addr() != "" || b.Token() != nil || b.ResumeID() != (netcode.ResumeID{}) || b.PreviousResumeID() != (netcode.ResumeID{}) {
		t.Errorf("connected %v, %q, %q, %v", b.Connected(), b.Addr(), b.Token(), b.ResumeID())
	}
	if b.Knows(m.of(a).Entity) || b.Stats() != (netcode.PacketStats{}) || b.InputStats() != (netcode.InputStats{}) || b.ArrivalStats() != (netcode.ArrivalStats{}) {
		t.Error("a bot has counters or knows of others")
	}
	for range 1000 { // far more than any queue holds
		if b.Send(shots.Pack(shot{})) != nil || b.SendUnreliable(shots.Pack(shot{})) != nil {
			t.Fatal("a message to a bot is an error")
		}
	}
	if b.Send([]byte("raw")) == nil {
		t.Error("a raw message to a bot is no error")
	}
	if s := m.server.Stats(); s.Players != 1 || s.Away != 0 || s.Joined != 2 || s.LeastRate <= 0 {
		t.Errorf("%+v", s)
	}
	listed := 0
	m.server.Players(func(*serverPlayer) { listed++ })
	if listed != 2 || m.server.Player(b.Number()) != b {
		t.Errorf("%d players are listed", listed)
	}
	if confirmed != 1 || authenticated != 1 {
		t.Errorf("%d were confirmed and %d authenticated, want one each", confirmed, authenticated)
	}
	b.Teleport(runner{X: -50})
	m.run(time.Second/tickRate, nil)
	if at := m.transform(b.Entity).Get().Position[0]; at > -49 {
		t.Errorf("a bot that was teleported is at %v", at)
	}
}

// A stranger cannot take a bot's place, which has no secret to know.
func TestBotsCannotBeResumed(t *testing.T) {
	m := newMatch(t, nil)
	b := m.bot(runRight)
	conn := m.listener.Dial()
	buf := make([]byte, 256)
	buf[0] = 0x48
	w := netcode.NewWriter(buf[1:])
	m.protocol.WriteResumeForTest(&w, b.Number(), [16]byte{})
	sent := false
	m.run(time.Second/5, func() {
		if conn.Poll(m.now); !sent && conn.State() == transport.Open {
			sent = conn.Send(buf[:1+len(w.Bytes())]) == nil
		}
	})
	if s := m.server.Stats(); !sent || s.Resumed != 0 || s.Joined != 2 || s.Players != 1 || b.Addr() != "" {
		t.Errorf("%+v, the bot's address is %q", s, b.Addr())
	}
}

// A bot aims at what is there: it has no view that is old.
func TestRewindOfBotsIsThePresent(t *testing.T) {
	m := newMatch(t, nil)
	target := m.crate(kindCrate, components.At3D(0, 0, 0))
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		m.transform(target).Set(components.At3D(float32(m.engine.Time().Tick), 0, 0))
	}))
	looks := 0
	look := func(at func(arche.Entity) (components.Pose3D, bool)) {
		looks++
		if pose, ok := at(target); !ok || pose != m.transform(target).Get() {
			t.Fatalf("the target is at %v, %v; it is truly at %v", pose.Position, ok, m.transform(target).Get().Position)
		}
		if _, ok := at(arche.Entity{}); ok {
			t.Fatal("no entity has a pose")
		}
	}
	m.run(time.Second, nil)
	m.bot(func(p *serverPlayer, _ netcode.Tick) input {
		p.Rewind(look)
		return input{}
	})
	m.run(time.Second, nil)
	if looks < 50 {
		t.Errorf("%d looks", looks)
	}
}

// An input that holds a NaN counts as the neutral one.
func TestBotsThatThinkOfNoNumber(t *testing.T) {
	p, err := netcode.NewProtocol(netcode.Config{TickRate: tickRate}, netcode.Game[float64, float32]{
		Step:     func(s float64, in float32, _ netcode.Tick) float64 { return s + float64(in) },
		Pose:     func(s float64) components.Pose3D { return components.At3D(float32(s), 0, 0) },
		Distance: func(a, b float64) float64 { return math.Abs(a - b) },
		Rules:    netcode.InputRules[float32]{Neutral: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := netcode.NewServer(p, netcode.ServerConfig[float64, float32]{
		Listener: loopback.Listen(loopback.Config{}), Log: quiet(),
		Joined: func(*netcode.Player[float64, float32]) (float64, arche.Entity) { return 0, arche.Entity{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	e, err := ecs.New(ecs.Config{FixedRate: tickRate})
	if err != nil {
		t.Fatal(err)
	}
	e.Install(s)
	b, err := s.AddBot(func(*netcode.Player[float64, float32], netcode.Tick) float32 { return float32(math.NaN()) })
	if err != nil {
		t.Fatal(err)
	}
	for range 60 {
		e.Update(time.Second / 60)
	}
	if b.State != 2*float64(s.Tick()) || b.Input != 2 {
		t.Errorf("after %d ticks the bot is at %v with the input %v", s.Tick(), b.State, b.Input)
	}
}

// Bots join and leave with a line in the log.
func TestBotsAreLogged(t *testing.T) {
	var log bytes.Buffer
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	m.bot(runRight).Kick("enough")
	m.run(time.Second, nil)
	if text := log.String(); !strings.Contains(text, "joined\" player=1 bot=true") || !strings.Contains(text, "left\" player=1 reason=") {
		t.Errorf("the log is %s", text)
	}
}

// Where many join at once, the lines about bots that stay come later. They too name bots.
func TestBotsAreLoggedLate(t *testing.T) {
	var log bytes.Buffer
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	for range 150 { // 100 lines a minute are for all
		m.bot(runRight).Kick("enough")
		m.run(time.Second/30, nil)
	}
	stays := m.bot(runRight)
	m.run(2*time.Minute, nil)
	want := fmt.Sprintf("joined\" player=%d bot=true ago=", stays.Number())
	if text := log.String(); !strings.Contains(text, want) || strings.Contains(text, "addr=") {
		t.Errorf("%q is missing in the log\n%s", want, text)
	}
}

// A tick with bots allocates nothing.
func TestBotsAllocateNothing(t *testing.T) {
	for _, mode := range inputModes {
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.InputMode = mode })
		for range 32 {
			m.bot(func(p *serverPlayer, at netcode.Tick) input { return input{X: int8(at/30%3) - 1, Dash: at%50 == 0} })
		}
		m.run(3*time.Second, nil)
		if n := testing.AllocsPerRun(10, func() { m.run(time.Second, nil) }); n > 0 {
			t.Errorf("input mode %v: %v allocations in a second", mode, n)
		}
	}
}
