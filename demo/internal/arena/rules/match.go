// Package rules runs the arena on a server: it spawns what is there, decides shots with lag
// compensation, and keeps the score. It has no picture and no clock of its own.
package rules

import (
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/arena"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/host"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// Player is a player of the arena on the server.
type Player = netcode.Player[arena.State, arena.Input]

// Config configures a [Match]. Every zero value but those of Host and Listener, one of which is
// required, means the default that its comment states.
type Config struct {
	Host       *host.Host         // brings players, and closes the match; nil: none
	Listener   transport.Listener // brings players, too; nil: none
	Rate       int                // ticks per second; zero: 60
	SendRate   int                // snapshots per second; zero: as SendRate says
	InputMode  netcode.InputMode
	Bank       time.Duration // of silence that players make up for then; zero: 100 ms
	MaxPlayers int           // zero: 64
	// of them, at most, of one address; zero: a quarter, negative: any number
	PerAddress int
	Crates     int           // zero: 24; negative: none
	Seed       uint64        // of where crates and players stand
	Grace      time.Duration // how long a lost player is awaited back; zero: 30 s
	// shots hit where targets are now, to see what lag compensation is for
	NoRewind bool
	Log      *slog.Logger              // nil: slog.Default(), or that of the host
	Shot     func(p *Player, hit bool) // is called for every shot; nil: nothing
	Pushed   func(p *Player)           // is called for every push; nil: nothing
}

// Match is a running arena.
type Match struct {
	rules  arena.Rules
	config Config
	engine *ecs.Engine
	server *netcode.Server[arena.State, arena.Input]
	random *rand.Rand

	spawn   generic.Map3[components.Transform3D, netcode.Replicated, arena.Pawn]
	pawns   generic.Map1[arena.Pawn]
	poses   generic.Map1[components.Transform3D]
	boxes   generic.Map1[arena.Crate]
	players map[*Player]*tracked
	crates  []arche.Entity
	pushes  []*Player
	message []byte
}

// tracked is what is remembered of a player between ticks.
type tracked struct {
	shots, warps uint8
	pushed       uint64 // tick of his last push
	// he wants to, in this tick: he may say so any number of times, and takes nobody else's turn by
	// it
	pushes bool
}

const (
	pushRadius = 4.5
	pushEvery  = time.Second / 2
)

// SendRate returns how many snapshots a second a match of so many ticks sends when nobody has said.
func SendRate(rate int) int { return min(20, rate) }

// New sets up a match, or says what is wrong with the configuration.
func New(c Config) (*Match, error) {
	if c.Rate == 0 {
		c.Rate = 60
	}
	if c.SendRate == 0 {
		c.SendRate = SendRate(c.Rate)
	}
	switch {
	case c.Crates == 0:
		c.Crates = 24
	case c.Crates < 0:
		c.Crates = 0
	}
	if c.MaxPlayers == 0 {
		c.MaxPlayers = 64
	}
	level := arena.NewLevel()
	if room := arena.MaxEntities - c.MaxPlayers - len(level.Platforms); c.Crates > room {
		return nil, fmt.Errorf("%d crates; beside %d players there is room for %d", c.Crates, c.MaxPlayers, room)
	}
	m := &Match{
		rules:   arena.Rules{Level: level, Rate: c.Rate},
		config:  c,
		random:  rand.New(rand.NewPCG(c.Seed, 1)),
		players: map[*Player]*tracked{},
	}
	engine, err := ecs.New(ecs.Config{FixedRate: c.Rate, MaxSteps: 2 * c.Rate, MaxDelta: time.Second})
	if err != nil {
		return nil, err
	}
	protocol, err := m.rules.NewProtocol()
	if err != nil {
		return nil, err
	}
	config := netcode.ServerConfig[arena.State, arena.Input]{
		Listener: c.Listener, Joined: m.joined, Left: m.left, MaxPlayers: c.MaxPlayers, MaxPerAddress: c.PerAddress, SnapshotRate: c.SendRate, InputMode: c.InputMode, InputCredit: c.Bank, Grace: c.Grace, Log: c.Log,
		Message: func(p *Player, data []byte, reliable bool) {
			if known := m.players[p]; reliable && arena.IsPush(data) && known != nil && !known.pushes {
				known.pushes = true
				m.pushes = append(m.pushes, p)
			}
		},
	}
	if c.Host != nil {
		m.server, err = host.NewServer(c.Host, engine, protocol, config)
	} else if m.server, err = netcode.NewServer(protocol, config); err == nil {
		engine.Install(m.server)
	}
	if err != nil {
		return nil, err
	}
	m.engine = engine
	w := engine.World()
	m.spawn = generic.NewMap3[components.Transform3D, netcode.Replicated, arena.Pawn](w)
	m.pawns = generic.NewMap1[arena.Pawn](w)
	m.poses = generic.NewMap1[components.Transform3D](w)
	m.boxes = generic.NewMap1[arena.Crate](w)
	m.furnish()
	engine.Add(ecs.FixedUpdate, &system{m})
	return m, nil
}

// furnish puts up platforms and crates.
func (m *Match) furnish() {
	things := generic.NewMap2[components.Transform3D, netcode.Replicated](m.engine.World())
	for i := range m.rules.Level.Platforms {
		l := components.NewLogical(m.rules.Level.Platform(i, 0))
		things.NewWith(&l, &netcode.Replicated{Archetype: arena.KindPlatform + uint16(i)})
	}
	boxes := generic.NewMap3[components.Transform3D, netcode.Replicated, arena.Crate](m.engine.World())
	for range m.config.Crates {
		const edge = arena.Half - 2
		c := arena.CrateAt(0, 0, float32(m.random.Float64()*2*math.Pi))
		for try := 0; ; try++ {
			c.Pos[0], c.Pos[2] = float32(m.random.Float64()*2-1)*edge, float32(m.random.Float64()*2-1)*edge
			if moved := m.rules.Glide(c); try > 50 || moved.Pos == c.Pos && m.clear(c.Pos) {
				break
			}
		}
		l := components.NewLogical(c.Pose())
		m.crates = append(m.crates, boxes.NewWith(&l, &netcode.Replicated{Archetype: arena.KindCrate}, &c))
	}
}

func (m *Match) clear(at mgl32.Vec3) bool {
	for _, c := range m.crates {
		if m.boxes.Get(c).Pos.Sub(at).Len() < 2*arena.CrateRadius {
			return false
		}
	}
	for _, p := range m.rules.Level.Portals {
		if p.Exit.Sub(at).Len() < 2 || p.Place.Sub(at).Len() < 2 {
			return false
		}
	}
	return true
}

// Update advances the match by real time.
func (m *Match) Update(real time.Duration) { m.engine.Update(real) }

// Engine returns the match's engine.
func (m *Match) Engine() *ecs.Engine { return m.engine }

// Server returns the net system.
func (m *Match) Server() *netcode.Server[arena.State, arena.Input] { return m.server }

// Rules returns the game's rules.
func (m *Match) Rules() arena.Rules { return m.rules }

// Close ends the match; players are told.
func (m *Match) Close() { m.engine.Close() }

func (m *Match) joined(p *Player) (arena.State, arche.Entity) {
	state := arena.State{Pos: m.spawnPoint(), Ground: true}
	m.players[p] = &tracked{}
	l := components.NewLogical(state.Pose())
	return state, m.spawn.NewWith(&l, &netcode.Replicated{Archetype: arena.KindPlayer}, &arena.Pawn{Health: arena.FullHealth})
}

func (m *Match) left(p *Player, _ transport.Reason) { delete(m.players, p) }

// spawnPoint returns the free place that is farthest from everybody.
func (m *Match) spawnPoint() mgl32.Vec3 {
	spawns := m.rules.Level.Spawns
	best, most := spawns[m.random.IntN(len(spawns))], float32(-1)
	for i, first := 0, m.random.IntN(len(spawns)); i < len(spawns); i++ {
		at := spawns[(first+i)%len(spawns)]
		nearest := float32(8)
		m.server.Players(func(p *Player) { nearest = min(nearest, p.State.Pos.Sub(at).Len()) })
		if nearest > most {
			best, most = at, nearest
		}
	}
	return best
}

// system runs the rules in every fixed step, after the players' inputs have run.
type system struct{ m *Match }

func (s *system) Initialize(*arche.World) {}
func (s *system) Finalize(*arche.World)   {}
func (s *system) Name() string            { return "arena rules" }
func (s *system) Update(*arche.World) {
	m := s.m
	m.server.Players(m.follow)
	for _, p := range m.pushes {
		m.push(p)
	}
	m.pushes = m.pushes[:0]
}

// follow does what a player's step has asked for.
func (m *Match) follow(p *Player) {
	known := m.players[p]
	if known == nil {
		return
	}
	if p.State.Warps != known.warps {
		known.warps = p.State.Warps
		p.Teleport(p.State)
	}
	if p.State.Shots != known.shots {
		known.shots = p.State.Shots
		m.shoot(p)
	}
}

func (m *Match) pawn(p *Player) *arena.Pawn {
	if p.Entity.IsZero() || !m.engine.World().Alive(p.Entity) {
		return nil
	}
	return m.pawns.Get(p.Entity)
}
