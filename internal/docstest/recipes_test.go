package docstest

import (
	"slices"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/netcodetest"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// The code of docs/recipes.md and docs/07-world-state.md: a game with a door, coins, a chat,
// players that come back, and spectators.

type hero struct{ X, Z float32 }

type keys struct {
	X, Z int8 `range:"-1,1"`
	Use  bool
}

// door is the state of the door: what it does, and since when.
type door struct {
	Open  bool
	Since netcode.Tick
}

type score struct{ Coins int32 }

type health struct{ Points int32 }

type chatLine struct {
	From uint16 // the server sets it
	Text string `max:"200"`
}

const (
	kindHero = 1
	kindDoor = 2
	kindCoin = 3
)

// rules is what one end of the game needs beside its engine.
type rules struct {
	*netcode.Protocol[hero, keys]
	door  *netcode.MatchState[door]
	goals *netcode.MatchState[goals]
	chat  *netcode.Message[chatLine]
}

// newRules makes them. The server calls it, and each client.
func newRules() *rules {
	r := &rules{}
	var err error
	r.Protocol, err = netcode.NewProtocol(netcode.Config{}, netcode.Game[hero, keys]{
		Step: r.step,
		Pose: func(h hero) components.Pose3D { return components.At3D(h.X, 0, h.Z) },
	})
	if err != nil {
		panic(err)
	}
	r.door = netcode.NewMatchState(r.Protocol, "door", nil, door{})
	r.goals = netcode.NewMatchState(r.Protocol, "goals", nil, goals{})
	r.SetScriptedMover(kindDoor, r.doorPath)
	netcode.ReplicateComponent(r.Protocol, "score", netcode.StructComponent[score](), netcode.Immediate())
	r.chat = netcode.NewMessage[chatLine](r.Protocol, "chat")
	return r
}

// doorPath rises by 2 m in half a second when the door opens, and sinks when it shuts.
func (r *rules) doorPath(t netcode.Tick) components.Pose3D {
	d := r.door.At(t)
	way := min(float32(t.Sub(d.Since))/30, 1) // 0 to 1
	if !d.Open {
		way = 1 - way
	}
	return components.At3D(10, 2*way, 0)
}

func (r *rules) step(h hero, in keys, t netcode.Tick) hero {
	next := hero{h.X + 0.1*float32(in.X), h.Z + 0.1*float32(in.Z)}
	if shut := r.doorPath(t).Position[1] < 1.5; shut && h.X <= 9.5 && next.X > 9.5 {
		next.X = h.X // the door stops the player
	}
	return next
}

// world is the server's part of the game.
type world struct {
	*rules
	engine *ecs.Engine
	server *netcode.Server[hero, keys]
	heroes generic.Map3[components.Transform3D, netcode.Replicated, score]
	things generic.Map2[components.Transform3D, netcode.Replicated]
	hurt   map[uint16]health // by the number of the player
}

// put makes an entity.
func (w *world) put(kind uint16, x, z float32) arche.Entity {
	at := components.NewLogical(components.At3D(x, 0, z))
	return w.things.NewWith(&at, &netcode.Replicated{Archetype: kind})
}

// body makes the entity of a player.
func (w *world) body(h hero) arche.Entity {
	at := components.NewLogical(components.At3D(h.X, 0, h.Z))
	return w.heroes.NewWith(&at, &netcode.Replicated{Archetype: kindHero}, &score{})
}

// openDoor lets players that press Use before the door open it, and shuts it after four seconds.
func (w *world) openDoor(*arche.World) {
	t := w.server.Tick()
	soon := t.Add(30) // half a second: more than a round trip
	now := w.door.At(soon)
	w.server.Players(func(p *netcode.Player[hero, keys]) {
		if p.Input.Use && p.State.X > 8 && !now.Open {
			w.door.Set(door{Open: true, Since: soon}, soon)
		}
	})
	if now.Open && soon.Sub(now.Since) > 4*60 {
		w.door.Set(door{Open: false, Since: soon}, soon)
	}
}

// takeCoins gives each coin to the first player within a metre.
func (w *world) takeCoins(*arche.World) {
	var players []*netcode.Player[hero, keys]
	w.server.Players(func(p *netcode.Player[hero, keys]) {
		if !p.Entity.IsZero() {
			players = append(players, p)
		}
	})
	for query := generic.NewFilter2[components.Transform3D, netcode.Replicated]().Query(w.engine.World()); query.Next(); {
		coin, replicated := query.Get()
		if replicated.Archetype != kindCoin {
			continue
		}
		at := coin.Get().Position
		near := func(p *netcode.Player[hero, keys]) bool { return max(p.State.X-at[0], at[0]-p.State.X) < 1 }
		if k := slices.IndexFunc(players, near); k >= 0 {
			_, _, score := w.heroes.Get(players[k].Entity)
			score.Coins++
			w.engine.Commands().Despawn(query.Entity()) // when this system has returned
		}
	}
}

// hit takes points from a player. A player without points begins anew at the start.
func (w *world) hit(p *netcode.Player[hero, keys], points int32) {
	left := health{w.hurt[p.Number()].Points - points}
	if left.Points <= 0 {
		left = health{100}
		p.Teleport(hero{Z: p.State.Z}) // drawn as a jump, on all screens
	}
	w.hurt[p.Number()] = left
}

// enter turns a spectator into a player.
func (w *world) enter(p *netcode.Player[hero, keys]) {
	first := hero{Z: 2}
	p.Entity = w.body(first)
	p.Teleport(first)
}

// newWorld adds the game to the engine of a server.
func newWorld(e *ecs.Engine, r *rules) (*world, netcode.ServerConfig[hero, keys]) {
	w := &world{rules: r, engine: e, hurt: map[uint16]health{}}
	w.heroes = generic.NewMap3[components.Transform3D, netcode.Replicated, score](e.World())
	w.things = generic.NewMap2[components.Transform3D, netcode.Replicated](e.World())
	w.put(kindDoor, 10, 0)
	for x := range 3 {
		w.put(kindCoin, float32(12+2*x), 0)
	}
	e.Add(ecs.FixedUpdate, ecs.SystemFunc(w.openDoor), ecs.SystemFunc(w.takeCoins))
	return w, netcode.ServerConfig[hero, keys]{
		Joined: func(p *netcode.Player[hero, keys]) (hero, arche.Entity) {
			w.hurt[p.Number()] = health{100}
			if string(p.Token()) == "watch" {
				return hero{}, arche.Entity{} // a spectator
			}
			return hero{}, w.body(hero{})
		},
		Message: func(p *netcode.Player[hero, keys], data []byte, _ bool) {
			if line, ok := r.chat.Read(data); ok {
				if line.Text == "/play" && p.Entity.IsZero() {
					w.enter(p)
					return
				}
				line.From = p.Number()
				w.server.Broadcast(r.chat.Pack(line))
			}
		},
	}
}

// newGame is a match of the game on a line with a round trip of 200 ms and 10 % loss.
func newGame(t *testing.T) (m *netcodetest.Match[hero, keys], w *world, join func(c netcode.ClientConfig[hero, keys]) (*netcodetest.Client[hero, keys], *rules)) {
	var ends []*rules
	m = netcodetest.New(t, netcodetest.Config[hero, keys]{
		Protocol: func() *netcode.Protocol[hero, keys] {
			ends = append(ends, newRules())
			return ends[len(ends)-1].Protocol
		},
		Server: func(e *ecs.Engine) (c netcode.ServerConfig[hero, keys]) {
			w, c = newWorld(e, ends[0])
			return c
		},
	})
	w.server = m.Server
	line := linksim.Symmetric(linksim.Condition{Delay: 100 * time.Millisecond, Loss: 0.1})
	return m, w, func(c netcode.ClientConfig[hero, keys]) (*netcodetest.Client[hero, keys], *rules) {
		a := m.Join(line, c)
		return a, ends[len(ends)-1]
	}
}

// A player runs to a door, opens it, runs through, and takes three coins. The door, which was
// announced, costs no correction.
func TestRecipesDoorAndPickups(t *testing.T) {
	m, w, join := newGame(t)
	stood := 0
	var a *netcodetest.Client[hero, keys]
	a, _ = join(netcode.ClientConfig[hero, keys]{Input: func(netcode.Tick) keys {
		if state, _ := a.State(); state.X > 9.3 && state.X < 9.55 {
			stood++
			return keys{X: 1, Use: stood > 60} // a second later
		}
		return keys{X: 1}
	}})
	m.Run(7*time.Second, nil)
	state, playing := a.State()
	if !playing || stood < 60+30 || state.X < 16 {
		t.Errorf("playing %v, the player stood at the door for %d ticks and is at %.1f m", playing, stood, state.X)
	}
	if n := a.Stats().Corrections; n > 0 {
		t.Errorf("the door costs %d corrections", n)
	}
	scores := generic.NewMap1[score](a.Engine.World())
	if got := scores.Get(a.Entity()); got.Coins != 3 {
		t.Errorf("the client shows %d coins, want 3", got.Coins)
	}
	if n := w.server.Stats().Entities; n != 2 {
		t.Errorf("%d entities are left, want the door and the player", n)
	}
	kinds := map[uint16]float32{}
	for query := generic.NewFilter2[netcode.Replicated, components.Visual3D]().Query(a.Engine.World()); query.Next(); {
		r, visual := query.Get()
		kinds[r.Archetype] = visual.Get().Position[1]
	}
	if kinds[kindDoor] != 2 {
		t.Errorf("the door is drawn at %v m", kinds[kindDoor])
	}
	m.Run(4*time.Second, nil)
	if height := w.doorPath(m.Server.Tick()).Position[1]; height != 0 {
		t.Errorf("the door is at %v m later", height)
	}
}

// A spectator chats and becomes a player. Another player is hit, and begins anew.
func TestRecipesChatSpectatorRespawn(t *testing.T) {
	m, w, join := newGame(t)
	var lines []chatLine
	var rulesOf *rules
	a, _ := join(netcode.ClientConfig[hero, keys]{Input: func(netcode.Tick) keys { return keys{X: 1} }})
	m.Run(2*time.Second, nil)
	b, r := join(netcode.ClientConfig[hero, keys]{
		Token: []byte("watch"),
		Input: func(netcode.Tick) keys { return keys{} },
		Message: func(data []byte, _ bool) {
			if line, ok := rulesOf.chat.Read(data); ok {
				lines = append(lines, line)
			}
		},
	})
	rulesOf = r
	m.Run(2*time.Second, nil)
	say := func(text string) {
		if err := b.Send(r.chat.Pack(chatLine{Text: text})); err != nil {
			t.Fatal(err)
		}
		m.Run(time.Second, nil)
	}
	if !b.Entity().IsZero() || b.Stats().Replicas != 5 {
		t.Errorf("a spectator has the entity %v and sees %d things", b.Entity(), b.Stats().Replicas)
	}
	say("hello")
	if want := (chatLine{b.Number(), "hello"}); len(lines) != 1 || lines[0] != want {
		t.Errorf("the chat shows %v", lines)
	}
	say("/play")
	if b.Entity().IsZero() {
		t.Error("the spectator has no entity")
	}
	if here, _ := b.State(); here != (hero{Z: 2}) || m.Server.Player(b.Number()).State != here {
		t.Errorf("the new player is at %v", here)
	}

	p := m.Server.Player(a.Number())
	w.hit(p, 60)
	m.Run(time.Second, nil)
	if here, _ := a.State(); here.X < 9 {
		t.Errorf("a player that was hit is at %.1f m", here.X)
	}
	w.hit(p, 60)
	m.Run(time.Second/2, nil)
	if here, _ := a.State(); here.X > 6 {
		t.Errorf("a player without points is at %.1f m", here.X)
	}
}
