package arena

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode"
)

func rules() Rules { return Rules{Level: NewLevel(), Rate: 60} }

// settled is a tick in which all doors have been shut for long.
const settled = 1000

func randomInput(r *rand.Rand) Input {
	return Input{
		X: int8(r.IntN(15) - 7), Z: int8(r.IntN(15) - 7), Yaw: uint16(r.IntN(4096)), Pitch: int8(r.IntN(201) - 100),
		Jump: r.IntN(10) == 0, Fire: r.IntN(3) == 0, Rocket: r.IntN(9) == 0,
	}
}

// The same inputs give the same player to the bit, on every machine, also from a state that
// has travelled.
func TestStepIsDeterministic(t *testing.T) {
	a, b := rules(), rules()
	random := rand.New(rand.NewPCG(1, 2))
	sa := State{Pos: mgl32.Vec3{3, 0, 9}, Grounded: true}
	sb := sa
	var in Input
	for i := range 20000 {
		if i%90 == 0 {
			in = randomInput(random)
		}
		sa = a.Step(sa, in, netcode.Tick(i))
		var buf [128]byte
		w := netcode.NewWriter(buf[:])
		stateCodec{}.Write(&w, sb)
		r := netcode.NewReader(w.Bytes())
		sb = b.Step(stateCodec{}.Read(&r), in, netcode.Tick(i))
		if sa != sb {
			t.Fatalf("after %d ticks %+v and %+v", i, sa, sb)
		}
	}
	if sa.Shots == 0 || sa.Teleports == 0 {
		t.Errorf("%d shots, %d portals (modulo 256): the walk has tried too little", sa.Shots, sa.Teleports)
	}
}

// With any input a player stays in the arena and out of solid things, and moves no faster than
// it can.
func TestPlayersStayInTheArena(t *testing.T) {
	r := rules()
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		s := State{Pos: r.Level.Spawns[random.IntN(len(r.Level.Spawns))], Grounded: true}
		begin := netcode.Tick(random.Uint32())
		for i := range 600 {
			before := s
			s = r.Step(s, randomInput(random), begin.Add(i))
			if abs(s.Pos[0]) > Half || abs(s.Pos[2]) > Half || s.Pos[1] < 0 || s.Pos[1] > 12 || s.Pos != s.Pos {
				t.Fatalf("tick %d: %+v", i, s)
			}
			if moved := s.Pos.Sub(before.Pos).Len(); s.Teleports == before.Teleports && moved > 0.75 {
				t.Fatalf("tick %d: moved %.2f m from %+v to %+v", i, moved, before, s)
			}
			for _, b := range r.Level.Blocks {
				in := true
				for axis := range 3 {
					in = in && s.Pos[axis] > b.Min[axis]+1e-3 && s.Pos[axis] < b.Max[axis]-1e-3
				}
				if in {
					t.Fatalf("tick %d: %v is inside of %v", i, s.Pos, b)
				}
			}
		}
	})
}

func TestMoving(t *testing.T) {
	r := rules()
	run := func(s State, in Input, ticks int) State {
		for i := range ticks {
			s = r.Step(s, in, netcode.Tick(i))
		}
		return s
	}
	start := State{Pos: mgl32.Vec3{-15, 0, 13}, Grounded: true}
	s := run(start, Input{X: 7}, 60)
	if got := s.Vel.Len(); math.Abs(float64(got)-Speed) > 1e-3 {
		t.Errorf("runs %v m/s, want %v", got, Speed)
	}
	if s = run(s, Input{}, 30); s.Vel != (mgl32.Vec3{}) {
		t.Errorf("still moves by %v half a second after the key was let go", s.Vel)
	}
	if s := run(start, Input{X: 7, Z: 7}, 30); s.Vel.Len() > Speed+1e-3 {
		t.Errorf("runs %v m/s diagonally", s.Vel.Len())
	}
	top := float32(0)
	for i := range 60 {
		s = r.Step(s, Input{Jump: i == 0}, netcode.Tick(i))
		top = max(top, s.Pos[1])
	}
	if want := float32(JumpSpeed * JumpSpeed / (2 * Gravity)); abs(top-want) > 0.1 || !s.Grounded {
		t.Errorf("jumps %.2f m high, want %.2f; on the ground: %v", top, want, s.Grounded)
	}
	shots := run(start, Input{Fire: true}, 121).Shots
	if shots != 9 {
		t.Errorf("%d shots in two seconds, want one at once and one every quarter", shots)
	}
}

// A crate at a wall stops a player that pushes it.
func TestCratesBlock(t *testing.T) {
	r := rules()
	s := State{Pos: mgl32.Vec3{Half - 4, 0, 13}, Grounded: true}
	g := netcode.BodyGroup[State, Input, Crate]{
		Players: []netcode.Actor[State, Input]{{State: &s}},
		Bodies:  []netcode.Body[Crate]{{State: CrateAt(Half-2, 13, 0)}},
	}
	for k := range 180 {
		s = r.Step(s, Input{X: 7}, netcode.Tick(k))
		r.StepCrates(&g, netcode.Tick(k))
	}
	c := g.Bodies[0].State
	if gap := c.Pos[0] - s.Pos[0]; c.Pos[0] < Half-CrateRadius-0.1 || gap < Radius+CrateRadius-0.05 {
		t.Errorf("the crate is at %v, the player at %v", c.Pos, s.Pos)
	}
}

// A passenger without input keeps its place on the platform, and one that jumps straight up comes
// down on it, though elsewhere, since the platform does not move evenly.
func TestPlatformsCarry(t *testing.T) {
	r := rules()
	for i := range r.Level.Platforms {
		for _, jump := range []bool{false, true} {
			at := r.Level.Platforms[i](0).Add(mgl32.Vec3{0.5, PlatformHeight/2 + 0.3, 0.4})
			s := State{Pos: at}
			var spot mgl32.Vec3
			for k := range 900 {
				s = r.Step(s, Input{Jump: jump && k == 200}, netcode.Tick(k))
				here := s.Pos.Sub(r.Level.Platforms[i](r.Seconds(netcode.Tick(k + 1))))
				if k == 60 {
					spot = here
					if s.Platform != uint8(i+1) {
						t.Fatalf("platform %d: has not landed: %+v", i, s)
					}
				}
				if drift := flat(here.Sub(spot)).Len(); k > 60 && (!jump || k < 200) && drift > 0.01 {
					t.Fatalf("platform %d: slides by %.3f m in tick %d", i, drift, k)
				}
			}
			if drift := flat(s.Pos.Sub(r.Level.Platforms[i](r.Seconds(900))).Sub(spot)).Len(); s.Platform != uint8(i+1) || drift > 1.3 {
				t.Errorf("platform %d, jump %v: ends %.2f m from where it stood, riding %d", i, jump, drift, s.Platform)
			}
		}
	}
}

func TestPortals(t *testing.T) {
	r := rules()
	for i, p := range r.Level.Portals {
		twin := r.Level.Portals[p.To]
		if twin.To != i {
			t.Fatalf("portal %d leads to %d, which leads to %d", i, p.To, twin.To)
		}
		s := r.Step(State{Pos: p.Place, Grounded: true}, Input{}, 0)
		if s.Teleports != 1 || s.Pos != twin.Exit {
			t.Errorf("portal %d: %+v, want a warp to %v", i, s, twin.Exit)
		}
		if s = r.Step(s, Input{}, 1); s.Teleports != 1 {
			t.Errorf("portal %d: came back at once", i)
		}
	}
}

func TestShots(t *testing.T) {
	level := NewLevel()
	from := mgl32.Vec3{-15, Muzzle, 13}
	for _, test := range []struct {
		name      string
		target    mgl32.Vec3
		reach     float32
		hit       bool
		distance  float32
		tolerance float32
	}{
		{"ahead", mgl32.Vec3{-15, 0, 8}, Range, true, 5 - HitRadius, 0.01},
		{"behind", mgl32.Vec3{-15, 0, 16}, Range, false, 0, 0},
		{"beside", mgl32.Vec3{-14.4, 0, 8}, Range, false, 0, 0},
		{"grazed", mgl32.Vec3{-14.6, 0, 8}, Range, true, 5 - HitRadius, 0.2},
		{"too far", mgl32.Vec3{-15, 0, 8}, 4, false, 0, 0},
		{"above", mgl32.Vec3{-15, 2, 8}, Range, false, 0, 0},
	} {
		d, hit := Shot{from, Direction(0, 0)}.Hits(test.target, HitRadius, Height, test.reach)
		if hit != test.hit || hit && abs(d-test.distance) > test.tolerance {
			t.Errorf("%s: %v at %v, want %v at %v", test.name, hit, d, test.hit, test.distance)
		}
	}
	if reach := (Shot{mgl32.Vec3{-11, 1, 0}, Direction(0, 0)}).reach(level); abs(reach-4.5) > 1e-4 {
		t.Errorf("a shot at a wall reaches %v, want 4.5", reach)
	}
	if reach := (Shot{mgl32.Vec3{-16, 1, 0}, Direction(math.Pi/2, 0)}).reach(level); abs(reach-4) > 1e-4 {
		t.Errorf("a shot at the arena's edge reaches %v, want 4", reach)
	}
	random := rand.New(rand.NewPCG(3, 3))
	for range 1000 {
		to := mgl32.Vec3{random.Float32()*20 - 10, random.Float32() * 4, random.Float32()*20 - 10}
		yaw, pitch := Toward(from, to)
		y, p := Input{Yaw: yaw, Pitch: pitch}.angles()
		if dir, want := Direction(y, p), to.Sub(from).Normalize(); dir.Dot(want) < 0.9999 {
			t.Fatalf("aims along %v at %v, want %v", dir, to, want)
		}
	}
}

// A player that lands on a crate stands on it, moves with it, and jumps off it again.
func TestStandOnCrates(t *testing.T) {
	r := rules()
	me := State{Pos: mgl32.Vec3{-15.2, 1.3, 13.8}}
	g := netcode.BodyGroup[State, Input, Crate]{
		Players: []netcode.Actor[State, Input]{{Number: 1, State: &me}},
		Bodies:  []netcode.Body[Crate]{{ID: 1, State: CrateAt(-15, 14, 0)}},
	}
	c := &g.Bodies[0].State
	at := netcode.Tick(0)
	step := func(in Input) {
		me = r.Step(me, in, at)
		r.StepCrates(&g, at)
		at++
	}
	for range 20 {
		step(Input{})
	}
	if me.Pos[1] != CrateSize || !me.Grounded || c.Pos != CrateAt(-15, 14, 0).Pos {
		t.Fatalf("the player is at %v, the crate at %v: it does not stand on it", me.Pos, c.Pos)
	}
	c.Vel, c.Awake = mgl32.Vec3{4, 0, 0}, true
	begin, on := c.Pos, me.Pos.Sub(c.Pos)
	for range 60 {
		step(Input{})
	}
	if c.Pos.Sub(begin)[0] < 0.8 || me.Pos.Sub(c.Pos).Sub(on).Len() > 0.08 || me.Pos[1] != CrateSize {
		t.Errorf("the crate went %v m, and the player is %v from where it stood on it", c.Pos.Sub(begin)[0], me.Pos.Sub(c.Pos).Sub(on))
	}
	step(Input{Jump: true})
	if me.Grounded || me.Vel[1] < JumpSpeed/2 {
		t.Errorf("the player does not jump: %+v", me)
	}
	for range 120 {
		step(Input{X: 7})
	}
	if me.Pos[1] != 0 || c.Vel != (mgl32.Vec3{}) {
		t.Errorf("the player walks off it to %v, and the crate moves at %v", me.Pos, c.Vel)
	}
}

func TestCrates(t *testing.T) {
	r := rules()
	c := CrateAt(-15, 13, 0)
	feet := mgl32.Vec3{-15.9, 0, 13}
	pushed := c
	if !r.push(&pushed, feet, mgl32.Vec3{Speed, 0, 0}, settled) || pushed.Vel[0] != Speed {
		t.Errorf("pushed to %+v", pushed)
	}
	// It glides further than it must give way.
	if moved := r.Glide(pushed, settled).Pos.Sub(c.Pos)[0]; abs(moved-(Speed-crateDrag/60)/60) > 1e-4 {
		t.Errorf("pushed, it moves %v m in a tick, want %v", moved, (Speed-crateDrag/60.0)/60)
	}
	// A player deep inside a crate does not throw it away.
	deep := c
	if !r.push(&deep, c.Pos.Sub(mgl32.Vec3{0.1, CrateSize / 2, 0}), mgl32.Vec3{}, settled) || abs(deep.Pos.Sub(c.Pos)[0]-cratePushOut/60) > 1e-4 {
		t.Errorf("from within it is moved %v m in a tick, want %v", deep.Pos.Sub(c.Pos)[0], cratePushOut/60)
	}
	if above := c; r.push(&above, mgl32.Vec3{-15.9, CrateSize, 13}, mgl32.Vec3{Speed, 0, 0}, settled) {
		t.Error("pushed by a player that stands on it")
	}
	for range 120 {
		pushed = r.Glide(pushed, settled)
	}
	if !pushed.Rests() || pushed.Pos[0] < -14 || pushed.Pos[0] > -11 {
		t.Errorf("glides to %+v, want rest after %v m", pushed, Speed*Speed/(2*crateDrag))
	}
	a, b := CrateAt(0, 15, 0), CrateAt(0.5, 15, 0)
	for ticks := 0; r.separate(&a, &b); ticks++ {
		if ticks > 10 {
			t.Fatalf("crates stay in each other: %v, %v", a.Pos, b.Pos)
		}
	}
	if d := b.Pos.Sub(a.Pos).Len(); abs(d-2*CrateRadius) > 1e-4 {
		t.Errorf("crates part to %v m, want %v", d, 2*CrateRadius)
	}
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		c := CrateAt(random.Float32()*30-15, random.Float32()*30-15, 0)
		c.Vel = mgl32.Vec3{random.Float32()*40 - 20, 0, random.Float32()*40 - 20}
		for range 200 {
			c = r.Glide(c, settled)
			if abs(c.Pos[0]) > Half || abs(c.Pos[2]) > Half || c.Pos[1] != CrateSize/2 {
				t.Fatalf("%+v has left the floor", c)
			}
		}
	})
}

// A player that appears at a spawn point or behind a portal stands free.
func TestPlayersAppearInTheOpen(t *testing.T) {
	r := rules()
	places := slices.Clone(r.Level.Spawns)
	for _, p := range r.Level.Portals {
		places = append(places, p.Exit)
	}
	for _, at := range places {
		s := State{Pos: at, Grounded: true}
		for k := range 30 {
			s = r.Step(s, Input{}, netcode.Tick(settled+k))
		}
		if s.Pos != at || s.Teleports != 0 {
			t.Errorf("a player that appears at %v is at %v after half a second, through %d portals", at, s.Pos, s.Teleports)
		}
		for _, d := range r.Level.Doors {
			if _, on := d.OnPlate(at); on {
				t.Errorf("%v is on a switch plate", at)
			}
		}
	}
}
