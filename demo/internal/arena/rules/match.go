// Package rules runs the arena on a server: it spawns the level, decides shots with lag
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

// Server is the arena's server, and ServerConfig its configuration.
type (
	Server       = netcode.Server[arena.State, arena.Input]
	ServerConfig = netcode.ServerConfig[arena.State, arena.Input]
)

// Config configures a [Match]. Every zero value but those of Host and Listener, one of which is
// required, means the default stated in its comment.
type Config struct {
	Host        *host.Host         // accepts players, and closes the match; nil: none
	Listener    transport.Listener // accepts players, too; nil: none
	Rate        int                // ticks per second; zero: 60
	SendRate    int                // snapshots per second; zero: see SendRate
	InputMode   netcode.InputMode  // zero: one input per tick
	InputCredit time.Duration      // of silence for which late inputs run on arrival; zero: 100 ms
	MaxPlayers  int                // zero: 64
	// the most players of one address; zero: a quarter of MaxPlayers; negative: no limit
	PerAddress int
	// goroutines that encode and send snapshots; zero: one
	Workers int
	Crates  int
	// length of a round; zero: the match has no rounds, and players can always shoot
	Round time.Duration
	Seed  uint64 // of the places of crates and players
	// no lag compensation: shots hit targets where they are now
	NoRewind bool
	// Level is the floor; nil: that of arena.NewLevel. Extend adds to the protocol; nil: nothing.
	Level  *arena.Level
	Extend func(p *arena.Protocol)
	// Serve makes the server of a match that is a zone of a world, in the place of one for Host or
	// Listener, and installs it. Border is that zone. The zone calls Populate, Spawn, Arrived,
	// Departed and Receive. Nil: the match is alone.
	Serve  func(e *ecs.Engine, p *arena.Protocol, c ServerConfig) (*Server, error)
	Border Border
	Log    *slog.Logger              // nil: the host's, or slog.Default()
	Shot   func(p *Player, hit bool) // called for every shot; may be nil
	Rocket func(p *Player, hit bool) // called at the end of every rocket; may be nil
	Pushed func(p *Player)           // called for every push; may be nil
	Joined func(p *Player)           // called for every player; may be nil
	Left   func(p *Player)           // called for every player that has left; may be nil
}

// Match is a running arena.
type Match struct {
	rules  arena.Rules
	config Config
	engine *ecs.Engine
	server *Server
	random *rand.Rand

	spawn   generic.Map3[components.Transform3D, netcode.Replicated, arena.Pawn]
	things  generic.Map2[components.Transform3D, netcode.Replicated]
	wooden  generic.Map3[components.Transform3D, netcode.Replicated, arena.Crate]
	pawns   generic.Map1[arena.Pawn]
	names   generic.Map1[arena.Name]
	poses   generic.Map1[components.Transform3D]
	boxes   generic.Map1[arena.Crate]
	players map[*Player]*playerRecord
	crates  []arche.Entity
	pushes  []*Player
	unnamed []*Player      // have just given their names
	held    []netcode.Tick // by door: the tick until which it stays open
	phase   arena.Phase
	rockets rockets
	foreign foreign
	message []byte
}

// playerRecord holds the match's data of a player between ticks.
type playerRecord struct {
	shots  uint8
	pushed uint64       // tick of the last push
	left   mgl32.Vec3   // where the player was when it was last sent to a spawn point
	void   netcode.Tick // until when others may not know that
	// wants to push in this tick; further requests in the tick are ignored
	pushes bool
	name   netcode.Text
}

const (
	pushRadius = 4.5
	pushEvery  = time.Second / 2
)

// SendRate returns the default number of snapshots per second for a tick rate.
func SendRate(rate int) int { return min(20, rate) }

// New sets up a match. It returns an error for a configuration that cannot work.
func New(c Config) (*Match, error) {
	if c.Rate == 0 {
		c.Rate = 60
	}
	if c.SendRate == 0 {
		c.SendRate = SendRate(c.Rate)
	}
	if c.MaxPlayers == 0 {
		c.MaxPlayers = 64
	}
	level := c.Level
	if level == nil {
		level = arena.NewLevel()
	}
	if room := arena.MaxEntities - c.MaxPlayers - len(level.Platforms) - len(level.Doors); c.Crates > room {
		return nil, fmt.Errorf("%d crates are too many: beside %d players there is room for %d", c.Crates, c.MaxPlayers, room)
	}
	m := &Match{
		rules:   arena.Rules{Level: level, Rate: c.Rate},
		config:  c,
		random:  rand.New(rand.NewPCG(c.Seed, 1)),
		players: map[*Player]*playerRecord{},
		held:    make([]netcode.Tick, len(level.Doors)),
	}
	engine, err := ecs.New(ecs.Config{FixedRate: c.Rate, MaxSteps: 2 * c.Rate, MaxDelta: time.Second})
	if err != nil {
		return nil, err
	}
	protocol, err := m.rules.NewProtocol()
	if err != nil {
		return nil, err
	}
	if c.Extend != nil {
		c.Extend(protocol)
	}
	config := ServerConfig{
		Listener: c.Listener, Joined: m.joined, Left: m.left, MaxPlayers: c.MaxPlayers, MaxPerAddress: c.PerAddress, Workers: c.Workers, SnapshotRate: c.SendRate, InputMode: c.InputMode, InputCredit: c.InputCredit, Log: c.Log,
		Message: func(p *Player, data []byte, reliable bool) {
			known := m.players[p]
			if !reliable || known == nil {
				return
			}
			if arena.IsPush(data) && !known.pushes {
				known.pushes = true
				m.pushes = append(m.pushes, p)
			}
			if name, ok := arena.ReadName(data); ok && known.name == (netcode.Text{}) {
				known.name = name
				m.unnamed = append(m.unnamed, p)
			}
		},
	}
	if c.Serve != nil {
		m.server, err = c.Serve(engine, protocol, config)
	} else if c.Host != nil {
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
	m.names = generic.NewMap1[arena.Name](w)
	m.poses = generic.NewMap1[components.Transform3D](w)
	m.rockets = newRockets(w)
	m.boxes = generic.NewMap1[arena.Crate](w)
	m.things = generic.NewMap2[components.Transform3D, netcode.Replicated](w)
	m.wooden = generic.NewMap3[components.Transform3D, netcode.Replicated, arena.Crate](w)
	if c.Border != nil {
		m.watchBorder()
	} else {
		m.Populate(func(mgl32.Vec3) bool { return true })
	}
	engine.Add(ecs.FixedUpdate, ecs.SystemFunc(m.step))
	return m, nil
}

// Populate spawns the platforms, doors and crates whose places are inside the land of the match.
func (m *Match) Populate(inside func(at mgl32.Vec3) bool) {
	shut := netcode.Tick(m.config.Rate) // in this tick all doors are shut
	for i := range m.rules.Level.Platforms {
		if pose := m.rules.Level.Platform(i, 0); inside(pose.Position) {
			m.Spawn(arena.ArchetypePlatform+uint16(i), pose)
		}
	}
	for i, d := range m.rules.Level.Doors {
		if at := d.Shut.Center(); inside(at) {
			m.Spawn(arena.ArchetypeDoor+uint16(i), components.At3D(at[0], at[1], at[2]))
		}
	}
	for range m.config.Crates {
		edge := m.rules.Level.Half - 2
		c := arena.CrateAt(0, 0, float32(m.random.Float64()*2*math.Pi))
		for try := 0; ; try++ {
			c.Pos[0], c.Pos[2] = float32(m.random.Float64()*2-1)*edge, float32(m.random.Float64()*2-1)*edge
			if moved := m.rules.Glide(c, shut); inside(c.Pos) && (try > 50 || moved.Pos == c.Pos && m.clear(c.Pos)) {
				break
			}
		}
		*m.boxes.Get(m.Spawn(arena.ArchetypeCrate, c.Pose())) = c
	}
}

// Spawn spawns an entity of the level, or a player's body. The zero entity means that this match
// does not know the archetype, or that players' steps make such entities.
func (m *Match) Spawn(archetype uint16, pose components.Pose3D) arche.Entity {
	l, replicated := components.NewLogical(pose), netcode.Replicated{Archetype: archetype}
	switch level := m.rules.Level; {
	case archetype == arena.ArchetypePlayer:
		return m.spawn.NewWith(&l, &replicated, &arena.Pawn{Health: arena.FullHealth})
	case archetype == arena.ArchetypeCrate:
		c := arena.RestoreCrate(arena.Crate{Awake: true}, pose)
		e := m.wooden.NewWith(&l, &replicated, &c)
		m.crates = append(m.crates, e)
		return e
	case archetype >= arena.ArchetypePlatform && int(archetype-arena.ArchetypePlatform) < len(level.Platforms),
		archetype >= arena.ArchetypeDoor && int(archetype-arena.ArchetypeDoor) < len(level.Doors):
		return m.things.NewWith(&l, &replicated)
	}
	return arche.Entity{}
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

// Engine returns the match's engine.
func (m *Match) Engine() *ecs.Engine { return m.engine }

// Rules returns the rules that the match plays by.
func (m *Match) Rules() *arena.Rules { return &m.rules }

// Server returns the netcode's server.
func (m *Match) Server() *Server { return m.server }

func (m *Match) joined(p *Player) (arena.State, arche.Entity) {
	if string(p.Token()) == arena.SpectatorToken {
		return arena.Spectator(), arche.Entity{}
	}
	state := arena.State{Pos: m.spawnPoint(), Grounded: true}
	m.players[p] = &playerRecord{}
	m.server.Mark("joins", p.Number())
	if m.config.Joined != nil {
		m.config.Joined(p)
	}
	return state, m.Spawn(arena.ArchetypePlayer, state.Pose())
}

func (m *Match) left(p *Player, _ transport.Reason) {
	delete(m.players, p)
	m.server.Mark("leaves", p.Number())
	if m.config.Left != nil {
		m.config.Left(p)
	}
}

// spawnPoint returns the spawn point that is farthest from all players.
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

// step runs the rules in every fixed step, after the players' inputs have run.
func (m *Match) step(w *arche.World) {
	m.stepRound()
	m.stepDoors()
	m.server.Players(m.applyStep)
	m.stepRockets(w)
	for _, p := range m.pushes {
		m.push(p)
	}
	m.pushes = m.pushes[:0]
	for _, p := range m.unnamed {
		if known := m.players[p]; known != nil && m.pawn(p) != nil {
			m.names.Assign(p.Entity, &arena.Name{Text: known.name})
		}
	}
	m.unnamed = m.unnamed[:0]
}

// applyStep carries out the shots of a player's step.
func (m *Match) applyStep(p *Player) {
	known := m.players[p]
	if known == nil {
		return
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
