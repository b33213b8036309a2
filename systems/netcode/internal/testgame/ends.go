// Package testgame is the game of the tests that measure. Players run on a plain and look
// about, among bodies that follow paths. The package makes the server and the clients, each with an
// engine of its own. The caller drives the engines, in virtual time.
package testgame

import (
	"log/slog"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// These are the archetypes of the game's entities.
const (
	KindPlayer = 1
	KindBody   = 2
)

// These are the netcode's types for this game.
type (
	Protocol     = netcode.Protocol[State, Input]
	Player       = netcode.Player[State, Input]
	ServerConfig = netcode.ServerConfig[State, Input]
	ClientConfig = netcode.ClientConfig[State, Input]
)

// Server is a server with its engine.
type Server struct {
	*netcode.Server[State, Input]
	Engine *ecs.Engine
	spawn  generic.Map2[components.Transform3D, netcode.Replicated]
}

// Serve makes a server. Start is called with each player that joins, and returns where it begins.
// A nil Log in the configuration discards what is logged.
func Serve(p *Protocol, c ServerConfig, start func(*Player) State) (*Server, error) {
	engine, err := ecs.New(ecs.Config{FixedRate: p.TickRate()})
	if err != nil {
		return nil, err
	}
	s := &Server{Engine: engine, spawn: generic.NewMap2[components.Transform3D, netcode.Replicated](engine.World())}
	c.Log = quiet(c.Log)
	c.Joined = func(p *Player) (State, arche.Entity) {
		first := start(p)
		return first, s.add(KindPlayer, Pose(first))
	}
	if s.Server, err = netcode.NewServer(p, c); err != nil {
		return nil, err
	}
	engine.Install(s.Server)
	return s, nil
}

// add makes a replicated entity.
func (s *Server) add(kind uint16, pose components.Pose3D) arche.Entity {
	l := components.NewLogical(pose)
	return s.spawn.NewWith(&l, &netcode.Replicated{Archetype: kind})
}

// AddBodies adds replicated bodies that follow a path. The path returns the pose of the body with a
// number at the end of a step. The bodies begin at their poses of the zero time.
func (s *Server) AddBodies(count int, path func(i int, t ecs.Time) components.Pose3D) []arche.Entity {
	bodies := make([]arche.Entity, count)
	for i := range bodies {
		bodies[i] = s.add(KindBody, path(i, ecs.Time{}))
	}
	transforms := generic.NewMap1[components.Transform3D](s.Engine.World())
	s.Engine.Add(ecs.FixedUpdate, ecs.SystemFunc(func(*arche.World) {
		t := s.Engine.Time()
		for i, e := range bodies {
			transforms.Get(e).Set(path(i, t))
		}
	}))
	return bodies
}

// Client is a client with its engine.
type Client struct {
	*netcode.Client[State, Input]
	Engine *ecs.Engine
}

// Join makes a client, and installs it behind the given plugins. A nil Log in the configuration
// discards what is logged.
func Join(p *Protocol, c ClientConfig, plugins ...ecs.Plugin) (*Client, error) {
	c.Log = quiet(c.Log)
	client, err := netcode.NewClient(p, c)
	if err != nil {
		return nil, err
	}
	engine, err := ecs.New(ecs.Config{FixedRate: p.TickRate()})
	if err != nil {
		return nil, err
	}
	engine.Install(append(plugins, client)...)
	return &Client{client, engine}, nil
}

// Playing reports whether the client plays.
func (c *Client) Playing() bool {
	status, _ := c.Status()
	return status == netcode.Playing
}

func quiet(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return log
}
