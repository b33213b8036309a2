package netcode_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// kill ends a client's process without a word: nothing is sent or received any more.
func (m *match) kill(p *player) {
	m.clients = slices.DeleteFunc(m.clients, func(c *player) bool { return c == p })
}

// claim starts a process with a place.
func (m *match) claim(path linksim.Path, place []byte) *player {
	m.t.Helper()
	return m.join(path, func(c *netcode.ClientConfig[runner, input]) { c.Place = place })
}

// inPlay reports whether a client plays, predicts, and shows n replicas.
func (p *player) inPlay(n int) bool {
	_, ok := p.client.State()
	return ok && p.client.Stats().Status == netcode.Playing && p.client.Stats().Replicas == n
}

// A player whose process is killed comes back with its place: number, entity and state are the
// same, the session is new, and the server counts no join.
func TestPlaceBringsThePlayerBack(t *testing.T) {
	for _, mode := range inputModes {
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.InputMode = mode })
		a, other := m.join(seeds(3), nil), m.join(seeds(4), nil)
		if a.client.Place() != nil {
			t.Error("there is a place before the client has joined")
		}
		m.run(4*time.Second, nil)
		m.mustPlay()
		a.input = func(netcode.Tick) input { return input{X: 1} }
		m.run(3*time.Second, nil)
		place, p := a.client.Place(), m.of(a)
		number, entity, resumeID := p.Number(), p.Entity, p.ResumeID()
		if len(place) != 18 {
			t.Fatalf("a place of %d bytes", len(place))
		}
		m.kill(a)
		m.run(time.Second, nil)
		state := p.State
		if state.X < 15 {
			t.Fatalf("the player is at %v; this test does not show any more what it is for", state)
		}
		b := m.claim(seeds(5), place)
		b.input = func(netcode.Tick) input { return input{X: -1} }
		m.run(3*time.Second, nil)
		m.mustPlay()
		if m.of(b) != p || p.Number() != number || p.Entity != entity || p.ResumeID() != resumeID {
			t.Error("it is another player")
		}
		if s := m.server.Stats(); s.Joined != 2 || s.Resumed != 1 || s.Left != 0 || s.Players != 2 || s.Malformed != 0 {
			t.Errorf("%+v", s)
		}
		if !bytes.Equal(b.client.Place(), place) || !b.inPlay(2) || b.client.Entity().IsZero() {
			t.Errorf("back with %x, want %x; %+v", b.client.Place(), place, b.client.Stats())
		}
		if own, _ := b.client.State(); own.X > state.X-12 || own.X < state.X-19 {
			t.Errorf("it was at %.1f, and 3 s later it has run to %.1f, want up to 18 m less", state.X, own.X)
		}
		if got := other.visual(other.client.Replica(m.id(entity)))[0]; got > state.X-9 {
			t.Errorf("the other player sees it at %.1f, and it began at %.1f", got, state.X)
		}
		// messages flow both ways on the new session
		if err := errors.Join(b.client.Send([]byte("up")), p.Send([]byte("down"))); err != nil {
			t.Fatal(err)
		}
		m.run(2*time.Second, nil)
		if !slices.Equal(m.heard, []string{"up"}) || !slices.Equal(b.heard, []string{"down"}) {
			t.Errorf("messages: %q and %q", m.heard, b.heard)
		}
	}
}

// At 200 ms round trip and 15 % loss the player is back in about 250 ms after the dial, if hello
// and welcome are not lost on the way. It takes as long as a join on the same line.
func TestPlaceIsAsFastAsAJoin(t *testing.T) {
	back := func(seed uint64, withPlace bool) time.Duration {
		m := newMatch(t, nil)
		a := m.join(perfect(), nil)
		m.run(time.Second, nil)
		m.mustPlay()
		place := a.client.Place()
		m.kill(a)
		m.run(time.Second, nil)
		if !withPlace {
			place = nil
		}
		b := m.claim(seeds(100+seed), place)
		began := m.now
		for _, ok := b.client.State(); !ok && m.now < began+5*time.Second; _, ok = b.client.State() {
			m.run(time.Second/120, nil)
		}
		return m.now - began
	}
	var took, joined []time.Duration
	for seed := range uint64(30) {
		took = append(took, back(seed, true))
		joined = append(joined, back(seed, false))
	}
	slices.Sort(joined)
	slices.Sort(took)
	if median := took[len(took)/2]; median > 260*time.Millisecond || took[0] < 180*time.Millisecond || took[len(took)-1] > time.Second {
		t.Errorf("back after %v, in the middle %v; want about 250 ms", took, median)
	}
	if join := joined[len(joined)/2]; (join - took[len(took)/2]).Abs() > 2*time.Second/tickRate {
		t.Errorf("back after %v, and joined after %v, in the middle", took[len(took)/2], join)
	}
	t.Logf("back after %v to %v, in the middle %v", took[0], took[len(took)-1], took[len(took)/2])
}

// A process may be killed at any moment of joining, be it the first or one with a place. The next
// one with the place is the same player.
func TestPlaceAfterAKillAtAnyStage(t *testing.T) {
	const frames = 50 // of a 120th of a second: 6 of them one way, so two and more of each stage
	path := linksim.Symmetric(linksim.Condition{Delay: 50 * time.Millisecond, Seed: 1})
	stages := map[netcode.Status]int{}
	for frame := range frames {
		m := newMatch(t, nil)
		first := m.join(path, nil)
		m.run(time.Duration(frame+1)*time.Second/120, nil)
		place := first.client.Place()
		status, _ := first.client.Status()
		if stages[status]++; (place != nil) != (status == netcode.Playing) {
			t.Errorf("frame %d: a place of %d bytes while %v", frame, len(place), status)
		}
		m.kill(first)
		if place == nil {
			continue
		}
		for k := range 3 { // each is killed as early
			p := m.claim(path, place)
			m.run(time.Duration(k*frame/2+1)*time.Second/120, nil)
			m.kill(p)
		}
		last := m.claim(path, place)
		m.run(2*time.Second, nil)
		m.mustPlay()
		if m.of(last) != m.joined[0] || len(m.joined) != 1 || !last.inPlay(1) || m.server.Stats().Malformed != 0 {
			t.Errorf("frame %d: %d have joined; %+v", frame, len(m.joined), m.server.Stats())
		}
	}
	for _, s := range []netcode.Status{netcode.Joining, netcode.Playing} {
		if stages[s] < 5 {
			t.Errorf("%d kills while %v, want some of each", stages[s], s)
		}
	}
	// Kills of a process that claims a place, from the dial to well after it plays.
	m := newMatch(t, nil)
	first := m.join(path, nil)
	m.run(time.Second, nil)
	place := first.client.Place()
	m.kill(first)
	stages = map[netcode.Status]int{}
	for frame := range frames {
		p := m.claim(path, place)
		m.run(time.Duration(frame+1)*time.Second/120, nil)
		status, _ := p.client.Status()
		stages[status]++
		m.kill(p)
	}
	last := m.claim(path, place)
	m.run(2*time.Second, nil)
	m.mustPlay()
	if m.of(last) != m.joined[0] || len(m.joined) != 1 || !last.inPlay(1) || min(stages[netcode.Joining], stages[netcode.Playing]) < 5 {
		t.Errorf("%d have joined, kills by status %v; %+v", len(m.joined), stages, m.server.Stats())
	}
}

// Of two processes with one place the later one plays. The earlier one is replaced, for good: also
// if it had lost its connection, or was trying a second one, and learns of it only when it returns.
func TestTwoProcessesWithOnePlace(t *testing.T) {
	for _, earlier := range []string{"plays", "is lost", "tries a second connection"} {
		m := newMatch(t, nil)
		a := m.join(perfect(), nil)
		m.run(2*time.Second, nil)
		m.mustPlay()
		place := a.client.Place()
		switch earlier {
		case "is lost":
			a.Conn.Close(transport.Reason{Code: transport.Failed})
		case "tries a second connection":
			if err := a.Conn.SetPath(linksim.Symmetric(linksim.Condition{Loss: 1})); err != nil {
				t.Fatal(err)
			}
			m.run(5900*time.Millisecond, nil)
		}
		b := m.claim(perfect(), place)
		m.run(5*time.Second, nil)
		for _, end := range []struct {
			what string
			p    *player
			want netcode.Status
		}{{"earlier", a, netcode.Ended}, {"later", b, netcode.Playing}} {
			if s, r := end.p.client.Status(); s != end.want || s == netcode.Ended && r.Code != transport.Replaced {
				t.Errorf("the earlier one %s: the %s process is %v (%v), want %v", earlier, end.what, s, r, end.want)
			}
		}
		if a.client.Place() != nil {
			t.Errorf("the earlier one %s: it has ended, and keeps its place", earlier)
		}
		if n := m.server.Stats().Resumed; n != 1 || b.client.Stats().Reconnects != 0 || len(m.joined) != 1 || !b.inPlay(1) {
			t.Errorf("the earlier one %s: the place was taken %d times; %+v", earlier, n, b.client.Stats())
		}
		// the later one returns by itself after a lost connection
		b.Conn.Close(transport.Reason{Code: transport.Failed})
		m.run(3*time.Second, nil)
		if s, r := b.client.Status(); s != netcode.Playing || b.client.Stats().Reconnects != 1 || m.server.Stats().Malformed != 0 {
			t.Errorf("the earlier one %s: after a lost connection the later one is %v (%v)", earlier, s, r)
		}
	}
}

// A place that is wrong, or that the server does not have any more, makes a new player. The server
// finds the former one by its ResumeID.
func TestPlacesThatAreGone(t *testing.T) {
	for _, how := range []string{"wrong secret", "wrong number", "kicked", "left", "closed", "out of grace"} {
		m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) { c.Timeout, c.Grace = time.Second, time.Second })
		a := m.join(perfect(), nil)
		m.run(time.Second, nil)
		m.mustPlay()
		place, former := a.client.Place(), m.of(a).ResumeID()
		switch how {
		case "wrong secret":
			place[17] ^= 1
		case "wrong number":
			place[1] ^= 4
		case "kicked":
			m.of(a).Kick("too loud")
		case "left":
			a.client.Leave()
		case "closed":
			a.engine.Close()
			m.kill(a)
		case "out of grace":
			m.kill(a)
			m.run(3*time.Second, nil)
		}
		m.run(time.Second/10, nil)
		if how == "left" && a.client.Place() != nil {
			t.Error("a client that has left keeps its place")
		}
		b := m.claim(perfect(), place)
		m.run(2*time.Second, nil)
		if !b.inPlay(1) && !b.inPlay(2) || len(m.joined) != 2 || b.client.Number() == m.joined[0].Number() {
			t.Errorf("%s: it plays as %d, and %d have joined", how, b.client.Number(), len(m.joined))
			continue
		}
		if known := m.of(b).PreviousResumeID() == former; known != (how != "wrong secret") {
			t.Errorf("%s: the server knows the former player: %v", how, known)
		}
		if bytes.Equal(b.client.Place(), place) {
			t.Errorf("%s: the new player has the old place", how)
		}
	}
}

// A kick that has not been carried out yet voids the place too, and a ban keeps it away: the server
// asks Authenticate, and says that the client resumes.
func TestPlacesAreAuthenticated(t *testing.T) {
	banned := false
	var asked []netcode.JoinRequest
	m := newMatch(t, func(c *netcode.ServerConfig[runner, input]) {
		c.Authenticate = func(r netcode.JoinRequest) error {
			r.Token = nil
			if asked = append(asked, r); banned {
				return errors.New("banned")
			}
			return nil
		}
	})
	a := m.join(perfect(), nil)
	m.run(time.Second, nil)
	place, p := a.client.Place(), m.of(a)
	m.kill(a)
	b := m.claim(perfect(), place)
	m.run(time.Second, nil)
	if len(asked) != 2 || asked[0].Resumes || !asked[1].Resumes || asked[1].ResumeID != p.ResumeID() {
		t.Errorf("asked %+v", asked)
	}
	m.kill(b)
	banned = true
	b = m.claim(perfect(), place)
	m.run(time.Second, nil)
	if s, r := b.client.Status(); s != netcode.Ended || r.Code != transport.Unauthorized || r.Text != "banned" {
		t.Errorf("a banned player that comes with its place is %v (%v)", s, r)
	}
	banned = false
	m.kill(b)
	b = m.claim(perfect(), place)
	m.run(time.Second, nil)
	if !b.inPlay(1) || m.of(b) != p {
		t.Error("a refused claim has ended the place")
	}
}

// A Place of another size is a mistake that NewClient names. Neither it nor a hello with nonsense
// in its new bits costs a player its place.
func TestMalformedPlaces(t *testing.T) {
	for _, n := range []int{1, 17, 19, 300} {
		_, err := netcode.NewClient(newProtocol(t, netcode.Config{}), netcode.ClientConfig[runner, input]{
			Dial: func() (transport.Conn, error) { return nil, nil }, Input: func(netcode.Tick) input { return input{} }, Place: make([]byte, n),
		})
		if err == nil || !strings.Contains(err.Error(), "Client.Place") {
			t.Errorf("a Place of %d bytes: %v", n, err)
		}
	}
	var m *match
	var a *player
	var whole []byte
	begin := func() {
		m = newMatch(t, nil)
		a = m.join(perfect(), nil)
		m.run(time.Second, nil)
		m.mustPlay()
		w := netcode.NewWriter(make([]byte, 200))
		m.protocol.WritePlaceForTest(&w, a.client.Place())
		whole = w.Bytes()
	}
	begin()
	tried, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		hello := slices.Clone(whole)
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			bit := rapid.IntRange(0, 8*len(hello)-1).Draw(t, "bit")
			hello[bit/8] ^= 1 << (bit % 8)
		}
		if rapid.Bool().Draw(t, "cut off") {
			hello = hello[:rapid.IntRange(0, len(hello)).Draw(t, "length")]
		}
		before := m.server.Stats()
		conn := (&cheat{m: m}).dial()
		m.run(time.Second/60, nil)
		conn.Poll(m.now)
		_ = conn.Send(append([]byte{'H'}, hello...))
		m.run(time.Second/30, nil)
		after := m.server.Stats()
		tried++
		if after.Refused > before.Refused {
			refused++
		}
		s, r := a.client.Status()
		switch {
		case after.Resumed > before.Resumed: // it is still whole: another rate, or a plain return
			if s != netcode.Ended || r.Code != transport.Replaced {
				t.Fatalf("the place was claimed, and the player is %v (%v)", s, r)
			}
			begin()
		case s != netcode.Playing:
			t.Fatalf("the player is %v (%v)", s, r)
		default:
			conn.Close(transport.Reason{Code: transport.Left})
			m.run(time.Second/60, nil)
		}
	})
	if !testing.Short() && (refused == 0 || refused == tried) {
		t.Errorf("%d hellos were tried, and %d refused; want some of each", tried, refused)
	}
}

// A hello with a place has the bytes of a return, but for bits that are zero in a return.
func TestHelloWithAPlace(t *testing.T) {
	m := newMatch(t, nil)
	w := netcode.NewWriter(make([]byte, 200))
	m.protocol.WritePlaceForTest(&w, make([]byte, 18))
	claim := slices.Clone(w.Bytes())
	w = netcode.NewWriter(make([]byte, 200))
	m.protocol.WriteResumeForTest(&w, 0, [16]byte{})
	plain := w.Bytes()
	if last := len(plain) - 1; len(claim) != len(plain) || !bytes.Equal(claim[:last], plain[:last]) || claim[last] == plain[last] {
		t.Errorf("% x and % x: want a difference in the last byte alone", plain, claim)
	}
}
