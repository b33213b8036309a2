package netcode_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/loopback"
)

var update = flag.Bool("update", false, "write testdata/wire anew instead of comparing with it")

// A small game with one of everything that is sent. Its numbers are exact in every format, so that
// only the format determines the bytes.
type (
	wirePlayer struct{ X, Z float32 }
	wireInput  struct {
		X    int8 `range:"-1,1"`
		Fire bool
	}
	wireName struct{ Number uint16 }
	wireBall struct{ Spin float32 }
)

const (
	wireHero = 1 + iota
	wireThing
	wireBody
)

func wirePose(p wirePlayer) components.Pose3D { return components.At3D(p.X, 0, p.Z) }

func wireProtocol(t testing.TB) *netcode.Protocol[wirePlayer, wireInput] {
	t.Helper()
	p, err := netcode.NewProtocol(netcode.Config{TickRate: 60, MaxEntities: 64, Version: 7}, netcode.Game[wirePlayer, wireInput]{
		Step: func(p wirePlayer, in wireInput, _ netcode.Tick) wirePlayer {
			p.X += float32(in.X) / 4
			return p
		},
		Pose: wirePose, States: netcode.StructState[wirePlayer](), Inputs: netcode.StructInput[wireInput](),
		Distance: func(a, b wirePlayer) float64 { return float64(mgl32.Abs(a.X-b.X) + mgl32.Abs(a.Z-b.Z)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	netcode.ReplicateComponent(p, "name", netcode.StructComponent[wireName]())
	netcode.PredictBodies(p, "ball", netcode.Bodies[wirePlayer, wireInput, wireBall]{
		Archetypes: []uint16{wireBody}, Codec: netcode.StructComponent[wireBall](), Near: 8,
		Step:     func(*netcode.BodyGroup[wirePlayer, wireInput, wireBall], netcode.Tick) {},
		Pose:     func(wireBall) components.Pose3D { return components.At3D(2, 0, 0) },
		Distance: func(a, b wireBall) float64 { return float64(mgl32.Abs(a.Spin - b.Spin)) },
		ProxyState: func(r netcode.Replicated, pose components.Pose3D, _ mgl32.Vec3, _ wireInput) (wirePlayer, bool) {
			return wirePlayer{X: pose.Position[0]}, r.Archetype == wireHero
		},
	})
	return p
}

// wireTap records the datagrams of a connection.
type wireTap struct {
	transport.Conn
	lines *[]string
	count *[2]int
}

func (c wireTap) note(way int, b []byte) {
	c.count[way]++
	if n := c.count[way]; n > 3 && n <= wireQuiet { // as others
		return
	}
	*c.lines = append(*c.lines, fmt.Sprintf("%s %d: %x", [...]string{"client", "server"}[way], c.count[way], b))
}

func (c wireTap) Send(b []byte) error {
	c.note(0, b)
	return c.Conn.Send(b)
}

func (c wireTap) Recv(b []byte) (int, bool) {
	n, ok := c.Conn.Recv(b)
	if ok {
		c.note(1, b[:n])
	}
	return n, ok
}

// wireQuiet is the number of datagrams that either end sends before the first event. By then the
// client predicts.
const wireQuiet = 30

// wireTalk plays the game for a few ticks and returns all datagrams.
func wireTalk(t *testing.T) []string {
	t.Helper()
	var lines []string
	engines := [2]*ecs.Engine{}
	for i := range engines {
		e, err := ecs.New(ecs.Config{FixedRate: 60})
		if err != nil {
			t.Fatal(err)
		}
		engines[i] = e
	}
	w := engines[0].World()
	listener := loopback.Listen(loopback.Config{})
	spawn := generic.NewMap2[components.Transform3D, netcode.Replicated](w)
	var joined *netcode.Player[wirePlayer, wireInput]
	server, err := netcode.NewServer(wireProtocol(t), netcode.ServerConfig[wirePlayer, wireInput]{
		Listener: listener, Random: rand.NewChaCha8([32]byte{1}), Log: quiet(), SnapshotRate: 60,
		Joined: func(p *netcode.Player[wirePlayer, wireInput]) (wirePlayer, arche.Entity) {
			joined = p
			l := components.NewLogical(wirePose(wirePlayer{}))
			return wirePlayer{}, spawn.NewWith(&l, &netcode.Replicated{Archetype: wireHero})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	engines[0].Install(hierarchy.New3D(), server)
	l := components.NewLogical(components.Pose3D{Position: mgl32.Vec3{8, 1, -4}, Rotation: mgl32.Quat{W: 1}, Scale: mgl32.Vec3{1, 2, 1}})
	thing := spawn.NewWith(&l, &netcode.Replicated{Archetype: wireThing})
	names := generic.NewMap1[wireName](w)
	names.Assign(thing, &wireName{513})
	children := generic.NewMap3[components.Transform3D, netcode.Replicated, components.Parent](w)
	child := children.NewWith(&l, &netcode.Replicated{Archetype: wireThing}, &components.Parent{Entity: thing})
	balls := generic.NewMap3[components.Transform3D, netcode.Replicated, wireBall](w)
	balls.NewWith(&l, &netcode.Replicated{Archetype: wireBody}, &wireBall{Spin: 3})
	var count [2]int
	in := wireInput{}
	client, err := netcode.NewClient(wireProtocol(t), netcode.ClientConfig[wirePlayer, wireInput]{
		Token: []byte("a token"), SnapshotRate: 60, Log: quiet(), Input: func(netcode.Tick) wireInput { return in },
		Dial: func() (transport.Conn, error) { return wireTap{listener.Dial(), &lines, &count}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	engines[1].Install(interpolation.New3D(), client)
	long := make([]byte, 600) // three pieces
	for i := range long {
		long[i] = byte(i)
	}
	transforms := generic.NewMap1[components.Transform3D](w)
	for frame := range wireQuiet + 12 {
		switch frame - wireQuiet {
		case 2:
			transforms.Get(thing).Set(components.At3D(8, 1.5, -4))
			names.Get(thing).Number = 514
			for _, text := range [][]byte{[]byte("news"), long} {
				for _, send := range []func([]byte) error{joined.Send, joined.SendUnreliable, client.Send, client.SendUnreliable} {
					if err := send(text); err != nil {
						t.Fatal(err)
					}
				}
			}
			in = wireInput{X: 1, Fire: true}
		case 5:
			names.Remove(thing)
			transforms.Get(thing).Teleport(components.At3D(-8, 0, 0))
			joined.Teleport(wirePlayer{X: 1, Z: 1})
		case 7:
			w.RemoveEntity(child)
		case 10:
			client.Leave()
		}
		for _, e := range engines {
			e.Update(time.Second / 60)
		}
	}
	if s, r := client.Status(); s != netcode.Ended || min(count[0], count[1]) < wireQuiet+5 {
		t.Fatalf("the client is %v: %v, after %d datagrams", s, r, count)
	}
	return append(lines, fmt.Sprintf("reason: %x", transport.Reason{Code: transport.Kicked, Text: "too loud"}.Append(nil)))
}

// Builds whose bytes differ must refuse each other, by snapshot.ProtocolVersion. Otherwise they
// misread each other. So the bytes are stored, in one file for each version.
func TestWireFormatIsThatOfItsVersion(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the clocks reckon with floating-point numbers, which other processors may round otherwise")
	}
	got := strings.Join(wireTalk(t), "\n") + "\n"
	name := filepath.Join("testdata", "wire", fmt.Sprintf("v%d.txt", snapshot.ProtocolVersion))
	if *update {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if all, _ := filepath.Glob(filepath.Join("testdata", "wire", "*")); len(all) != 1 || all[0] != name {
		t.Errorf("there are %v: want %s alone; write it with -update, and remove those of other versions", all, name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(text), "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(want) || line != want[i] {
			t.Fatalf("line %d of %s is now\n%s\nIf an older build would read that otherwise, or not at all: raise snapshot.ProtocolVersion by one. If it is only that other things are said, in the same format, leave it. "+
				"Either way, write the file anew with go test -run TestWireFormat ./systems/netcode -update", i+1, name, line)
		}
	}
	if strings.Count(got, "\n") != len(want)-1 {
		t.Errorf("%s has %d lines more", name, len(want)-1-strings.Count(got, "\n"))
	}
}
