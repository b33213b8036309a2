package arena

import (
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

// serverRules returns rules whose match states can be set.
func serverRules(t interface{ Fatal(...any) }) *Rules {
	r := rules()
	p, err := r.NewProtocol()
	if err != nil {
		t.Fatal(err)
	}
	s, err := netcode.NewServer(p, netcode.ServerConfig[State, Input]{
		Listener: loopback.Listen(loopback.Config{}),
		Joined:   func(*netcode.Player[State, Input]) (s State, e arche.Entity) { return s, e },
	})
	if err != nil {
		t.Fatal(err)
	}
	e, err := ecs.New(ecs.Config{})
	if err != nil {
		t.Fatal(err)
	}
	e.Install(s)
	return &r
}

// A door slides for 0.6 s, which are 36 ticks: from shut to open, and back.
func TestDoorsSlide(t *testing.T) {
	r := serverRules(t)
	r.Doors[0].Set(Door{Open: true, Since: 100}, 100)
	r.Doors[0].Set(Door{Since: 200}, 200)
	for at, want := range map[netcode.Tick]float32{50: 0, 100: 0, 109: 0.25, 118: 0.5, 136: 1, 199: 1, 200: 1, 209: 0.75, 236: 0, 1000: 0} {
		if got := r.DoorAt(0, at).lowered(at, 60); abs(got-want) > 1e-5 {
			t.Errorf("in tick %d %.3f of the door is in the floor, want %.3f", at, got, want)
		}
		if got, want := r.doorPose(0, at).Position[1], DoorHeight*(0.5-want); abs(got-want) > 1e-5 {
			t.Errorf("in tick %d the door's middle is at a height of %.3f m, want %.3f", at, got, want)
		}
		// The step of a tick collides with the door as its end has it.
		if b, up := r.doorBox(0, at-1); up != (want < 1) && at != 136 || up && at != 100 && at != 200 && abs(b.Max[1]-DoorHeight*(1-want)) > 1e-5 {
			t.Errorf("in tick %d the door ends at %v: %v, want %.3f m", at, b.Max, up, DoorHeight*(1-want))
		}
	}
	last := r.DoorAhead(0, 200)
	if from := r.Announce(last, 210); from != 246 {
		t.Errorf("in tick 210 the next slide is announced for %d, want 0.6 s later", from)
	}
	if from := r.Announce(last, 190); from != 237 {
		t.Errorf("in tick 190 the next slide is announced for %d, want the end of the last one, 237", from)
	}
}

// A shut door stops players, shots and crates. An open one does not.
func TestDoorsStop(t *testing.T) {
	for _, open := range []bool{false, true} {
		r := serverRules(t)
		r.Doors[1].Set(Door{Open: open, Since: 1}, 1)
		d := r.Level.Doors[1].Shut
		front := mgl32.Vec3{d.Center()[0], 0, d.Max[2] + 3}
		s := State{Pos: front, Grounded: true}
		g := netcode.BodyGroup[State, Input, Crate]{Bodies: []netcode.Body[Crate]{{State: CrateAt(front[0], front[2], 0)}}}
		c := &g.Bodies[0].State
		c.Vel = mgl32.Vec3{0, 0, -12}
		for k := range 120 {
			s = r.Step(s, Input{Z: -7}, netcode.Tick(settled+k))
			r.StepCrates(&g, netcode.Tick(settled+k))
		}
		if through := s.Pos[2] < d.Min[2]; through != open || !open && abs(s.Pos[2]-d.Max[2]-Radius) > 1e-3 {
			t.Errorf("open %v: the player has come to %v", open, s.Pos)
		}
		if through := c.Pos[2] < d.Min[2]; through != open || !open && c.Pos[2] < d.Max[2]+CrateRadius-1e-3 {
			t.Errorf("open %v: the crate has come to %v", open, c.Pos)
		}
		shot := Shot{From: front.Add(mgl32.Vec3{0, Muzzle, 0}), Direction: mgl32.Vec3{0, 0, -1}}
		if reach := r.Reach(shot, settled); (abs(reach-3) < 1e-4) == open {
			t.Errorf("open %v: a shot flies %.2f m", open, reach)
		}
	}
}

// A door that shuts under a player lifts the player, and one that shuts under a crate moves the
// crate aside.
func TestDoorsLift(t *testing.T) {
	r := serverRules(t)
	r.Doors[0].Set(Door{Open: true, Since: 1}, 1)
	r.Doors[0].Set(Door{Since: settled}, settled)
	at := r.Level.Doors[0].Shut.Center()
	at[1] = 0
	s := State{Pos: at, Grounded: true}
	g := netcode.BodyGroup[State, Input, Crate]{Bodies: []netcode.Body[Crate]{{State: CrateAt(at[0], at[2]+0.1, 0)}}}
	c := &g.Bodies[0].State
	c.Awake = false
	for k := settled - 60; k < settled+120; k++ {
		player, crate := s.Pos, c.Pos
		s = r.Step(s, Input{}, netcode.Tick(k))
		r.StepCrates(&g, netcode.Tick(k))
		if k < settled && (s.Pos != at || c.Pos != crate) {
			t.Fatalf("in tick %d the open door moves the player to %v, or the crate to %v", k, s.Pos, c.Pos)
		}
		if up, aside := s.Pos.Sub(player).Len(), c.Pos.Sub(crate).Len(); up > DoorHeight/36+1e-4 || aside > playerPushOut/60+1e-4 {
			t.Fatalf("in tick %d the door moves the player %.3f m and the crate %.3f m", k, up, aside)
		}
	}
	if want := at.Add(mgl32.Vec3{0, DoorHeight, 0}); s.Pos != want || !s.Grounded {
		t.Errorf("the player ends at %v, want on top at %v", s.Pos, want)
	}
	if r.Level.Doors[0].Blocked(c.Pos, CrateRadius-1e-3) || c.Awake {
		t.Errorf("the crate ends at %+v, want beside the door and at rest", c)
	}
}

// Whatever doors and players do, no player is moved farther in a tick than players run and doors
// slide, and no player ends inside of a door.
func TestPlayersAtDoors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		r := serverRules(t)
		last := Door{}
		for at := netcode.Tick(20); at < 600; at += netcode.Tick(40 + random.IntN(80)) {
			last = Door{!last.Open, at}
			r.Doors[0].Set(last, at)
		}
		d := r.Level.Doors[0].Shut
		s := State{Pos: mgl32.Vec3{d.Center()[0] + random.Float32()*3 - 1.5, 0, d.Center()[2] + random.Float32()*4 - 2}, Grounded: true}
		in := Input{}
		for k := netcode.Tick(0); k < 600; k++ {
			if k%20 == 0 {
				in = randomInput(random)
				if d.Center().Sub(s.Pos).Len() > 3 { // back to the door
					way := flat(d.Center().Sub(s.Pos)).Normalize()
					in.X, in.Z = int8(way[0]*7), int8(way[2]*7)
				}
			}
			before := s.Pos
			s = r.Step(s, in, k)
			if moved := s.Pos.Sub(before).Len(); moved > 0.75 {
				t.Fatalf("tick %d: moved %.2f m from %v to %v", k, moved, before, s.Pos)
			}
			if b, up := r.doorBox(0, k); up && s.Pos[1] < b.Max[1]-1e-3 && b.reaches(s.Pos, -1e-3) {
				t.Fatalf("tick %d: %v is inside of the door, which ends at %v", k, s.Pos, b.Max)
			}
		}
	})
}

// Players shoot in a round and in a match without rounds.
func TestNoShotsInTheWarmUp(t *testing.T) {
	r := serverRules(t)
	r.Round.Set(Round{WarmUp, 60}, 1)
	r.Round.Set(Round{Running, 120}, 60)
	r.Round.Set(Round{Over, 180}, 120)
	s, shots := State{Pos: mgl32.Vec3{-15, 0, 13}, Grounded: true}, map[Phase]uint8{}
	for k := netcode.Tick(1); k < 180; k++ {
		before := s.Shots
		s = r.Step(s, Input{Fire: true}, k)
		shots[r.RoundAt(k).Phase] += s.Shots - before
	}
	if shots[WarmUp] != 0 || shots[Running] != 4 || shots[Over] != 0 {
		t.Errorf("%v shots by phase, want 4 in the second of the round and none in others", shots)
	}
}
