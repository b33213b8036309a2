package netcode_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// drawnWay is what one screen shows of an entity: the longest way in a frame, and how long it took
// to its place on a new parent.
type drawnWay struct {
	most    float32
	settled time.Duration

	seen   bool
	last   mgl32.Vec3
	local  mgl32.Vec3
	parent arche.Entity
	since  time.Duration // of the parent
}

func (d *drawnWay) look(w *arche.World, e arche.Entity, now time.Duration) {
	if e.IsZero() || !w.Alive(e) {
		d.seen = false
		return
	}
	at := hierarchy.Of(w).VisualWorld(e).Col(3).Vec3()
	local := component[components.Visual3D](w, e).Get().Position
	var parent arche.Entity
	if has[components.Parent](w, e) {
		parent = component[components.Parent](w, e).Entity
	}
	switch {
	case !d.seen || parent != d.parent:
		d.parent, d.since = parent, now
	case local.Sub(d.local).Len() > 0.002 && now < d.since+time.Second:
		d.settled = max(d.settled, now-d.since)
	}
	if d.seen {
		d.most = max(d.most, at.Sub(d.last).Len())
	}
	d.last, d.local, d.seen = at, local, true
}

// playBack plays a recording, at 120 frames a second, by the eyes of a player if there is a number.
// It calls look after each frame.
func playBack(t testing.TB, file *tapeFile, p *protocol, eyes uint16, look func(v *viewer, now time.Duration)) {
	t.Helper()
	v := newViewerOf(t, file.open(t), p)
	if eyes != 0 {
		v.client.Replay().FollowEyes(eyes)
	}
	for now := time.Duration(0); v.client.Replay().At() < v.client.Replay().Length(); now += time.Second / 120 {
		v.engine.Update(time.Second / 120)
		look(v, now)
	}
}

// reparentByHand gives an entity of the server another parent, at the same place in the world.
func (m *match) reparentByHand(child, parent arche.Entity) {
	pose := m.transform(child).Get()
	if has[components.Parent](m.engine.World(), child) {
		if old := component[components.Parent](m.engine.World(), child).Entity; !old.IsZero() {
			pose = m.transform(old).Get().Mul(pose)
		}
	}
	if !parent.IsZero() {
		pose = m.transform(parent).Get().Inverse().Mul(pose)
	}
	m.hang(child, parent, pose)
}

// A crate that the game gives to a player, to another one, to a lift, and sets down is never seen
// to leap: neither by the player that carries it, which is drawn ahead of the crate, nor by others,
// nor in a recording. On the screen of that player it is in its place within 0.3 s.
func TestCargo(t *testing.T) {
	for _, test := range []struct {
		round time.Duration
		loss  float64
	}{{0, 0}, {50 * time.Millisecond, 0}, {150 * time.Millisecond, 0}, {200 * time.Millisecond, 0}, {200 * time.Millisecond, 0.15}} {
		for _, how := range []string{"in a step", "between frames", "by hand"} {
			playCargo(t, how, test.round, test.loss)
		}
	}
}

func playCargo(t *testing.T, how string, round time.Duration, loss float64) {
	t.Helper()
	line := func(seed uint64) linkPath {
		return linksim.Symmetric(linksim.Condition{Delay: round / 2, Loss: loss, Jitter: time.Duration(loss * float64(100*time.Millisecond)), Seed: seed})
	}
	m := newMatchOf(t, eyesProtocol(t), nil)
	tree := quietHierarchy(true)
	m.engine.Install(tree)
	// two carriers and a friend
	players := []*player{m.join(line(11), nil), m.join(line(12), nil), m.join(line(13), nil)}
	names := []string{"its carrier", "the second carrier", "a friend"}
	m.run(3*time.Second, nil)
	m.mustPlay()
	for i, p := range players[:2] {
		m.of(p).Teleport(runner{Z: float32(2 * i)})
		p.input = func(netcode.Tick) input { return input{X: 1} }
	}
	crate, lift, body := m.crate(kindCrate, components.At3D(13, 0, 1)), m.crate(kindLift, liftPath(0)), m.box(box{X: 90, Z: 6, VX: 1})
	file := &tapeFile{}
	recording := replay.NewFile(file, replay.Info{Game: "cargo"})
	if err := m.server.Record(recording); err != nil {
		t.Fatal(err)
	}
	clientFile, clientRecording := players[0].recorded(t)
	reparent := func(to arche.Entity) {
		if how == "by hand" {
			m.reparentByHand(crate, to)
		} else if err := tree.Reparent(crate, to); err != nil {
			t.Fatal(err)
		}
	}
	var next *arche.Entity
	m.engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		if next != nil {
			reparent(*next)
			next = nil
		}
	}))
	var all [3]drawnWay
	first, second := m.of(players[0]).Entity, m.of(players[1]).Entity
	m.run(2*time.Second, nil)
	var from arche.Entity
	for k, to := range []arche.Entity{first, second, first, lift, {}, first, body, first, {}} {
		if how == "between frames" {
			reparent(to)
		} else {
			next = &to
		}
		screens := [3]drawnWay{}
		m.run(2*time.Second, func() {
			for i, p := range players {
				screens[i].look(p.engine.World(), p.client.Replica(m.id(crate)), m.now)
			}
		})
		for i, s := range screens {
			all[i].most, all[i].settled = max(all[i].most, s.most), max(all[i].settled, s.settled)
			// in which a runner runs 0.05 m
			if limit := [...]float32{0.15, 0.15, 0.08}[i]; s.most > limit || s.settled > 300*time.Millisecond && (to == first || from == first) && i == 0 {
				t.Errorf("%s, %v, loss %v, change %d: on the screen of %s %.3f m in a frame, in its place after %v", how, round, loss, k, names[i], s.most, s.settled)
			}
		}
		from = to
	}
	for _, r := range []*replay.File{recording, clientRecording} {
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	out := fmt.Sprintf("%s, %v, loss %v: its carrier %.3f m in a frame, the second %.3f m, a friend %.3f m", how, round, loss, all[0].most, all[1].most, all[2].most)
	for _, r := range []struct {
		name string
		file *tapeFile
		eyes uint16
		most float32
	}{
		{"the recording", file, 0, 0.08}, {"the recording by its eyes", file, players[0].client.Number(), 0.15},
		{"the recording of the carrier", clientFile, 0, 0.08},
	} {
		s := drawnWay{}
		id, frames := m.id(crate), 0
		playBack(t, r.file, eyesProtocol(t), r.eyes, func(v *viewer, now time.Duration) {
			if frames++; frames > 120 {
				s.look(v.engine.World(), v.client.Replica(id), now)
			}
		})
		if out += fmt.Sprintf(", %s %.3f m", r.name, s.most); s.most > r.most || s.most == 0 {
			t.Errorf("%s, %v, loss %v: in %s %.3f m in a frame", how, round, loss, r.name, s.most)
		}
	}
	t.Log(out)
}

// Cargo in a hand of the player, which is an entity of its own, is in its place as soon as cargo of
// the player, and so it is when it leaves the hand.
func TestCargoInTheHandOfItsCarrier(t *testing.T) {
	for _, round := range []time.Duration{0, 100 * time.Millisecond, 200 * time.Millisecond} {
		line := func(seed uint64) linkPath {
			return linksim.Symmetric(linksim.Condition{Delay: round / 2, Seed: seed})
		}
		m := newMatch(t, nil)
		tree := quietHierarchy(true)
		m.engine.Install(tree)
		carrier, friend := m.join(line(31), nil), m.join(line(32), nil)
		m.run(3*time.Second, nil)
		m.mustPlay()
		carrier.input = func(netcode.Tick) input { return input{X: 1} }
		arm := m.crate(kindCrate, components.At3D(50, 0, 0))
		m.hang(arm, m.of(carrier).Entity, components.At3D(0.5, 1, 0))
		hand := m.crate(kindCrate, components.At3D(50, 0, 0))
		m.hang(hand, arm, components.At3D(0.5, 0, 0))
		crate := m.crate(kindCrate, components.At3D(m.serverWorld(arm)[0]+6, 0, 1))
		m.run(2*time.Second, nil)
		for _, to := range []arche.Entity{hand, {}, hand, {}} {
			if err := tree.Reparent(crate, to); err != nil {
				t.Fatal(err)
			}
			var own, others drawnWay
			m.run(1500*time.Millisecond, func() {
				own.look(carrier.engine.World(), carrier.client.Replica(m.id(crate)), m.now)
				others.look(friend.engine.World(), friend.client.Replica(m.id(crate)), m.now)
			})
			if own.most > 0.15 || others.most > 0.08 || own.settled > 300*time.Millisecond {
				t.Errorf("%v to %v: %.3f m in a frame, in its place after %v, on a friend's screen %.3f m", round, to, own.most, own.settled, others.most)
			}
		}
	}
}

// A change of parents that leads elsewhere is a jump: nothing sweeps through the world.
func TestCargoThatJumps(t *testing.T) {
	m := newMatch(t, nil)
	a, b := m.join(seeds(21), nil), m.join(seeds(22), nil)
	m.run(3*time.Second, nil)
	m.mustPlay()
	sword := m.crate(kindCrate, components.At3D(30, 0, 0))
	m.run(2*time.Second, nil)
	parents := generic.NewMap1[components.Parent](m.engine.World())
	m.onServer(func() {
		if !has[components.Parent](m.engine.World(), sword) {
			// its pose now counts there
			parents.Assign(sword, &components.Parent{Entity: m.of(a).Entity})
			m.transform(sword).Set(components.At3D(1, 0, 0))
		}
	})
	var ways [2]map[int]bool
	for i := range ways {
		ways[i] = map[int]bool{}
	}
	m.run(2*time.Second, func() {
		for i, p := range []*player{a, b} {
			ways[i][int(p.world(p.client.Replica(m.id(sword)))[0]+0.5)] = true
		}
	})
	for i, seen := range ways {
		if len(seen) != 2 {
			t.Errorf("screen %d: the sword is seen at %v m, want at two places", i, seen)
		}
	}
}
