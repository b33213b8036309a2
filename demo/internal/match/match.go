// Package match shows the clients of a match of the arena in this process, side by side, and lets
// the user play the first of them. It opens no connection.
package match

import (
	"fmt"
	"io"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/hud"
	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// Server is a match's server in this process.
type Server interface {
	Update(real time.Duration)
	Close()
}

// Config configures a [Match].
type Config struct {
	Settings settings.Settings
	Clients  []*view.Client // at least one; New gives them the settings
	Server   Server         // nil: in another process
	Alone    bool           // no other process takes part
	Virtual  bool           // time runs as fast as the machine can
	Manual   bool           // the user controls the first client
	Drain    func()         // waits until the clients' last datagrams have been sent; may be nil
	Log      io.Writer      // of status changes
	Other    *Config        // the same match, drawn naively beside this one; nil: none
	Ring     *replay.Ring   // records the match, to show its last seconds again; nil: none

	// Of a single client that has a replay: the moment at which it begins, the player that it
	// follows (0: the first one), and the parts that are missing.
	At     time.Duration
	Follow uint16
	View   view.View
	Gaps   []replay.Gap
}

// Match is this process's part of a match. It is an [app.Content].
type Match struct {
	config   Config
	set      settings.Settings
	other    *Match // the same match drawn naively, beside this one; nil: none
	clients  []*view.Client
	controls controls
	statuses []status // by client: the last one logged
	brushes  []scene.Brush
	playback *playback // nil: a match that is played
	again    *Match    // the last seconds, in the place of the picture; nil: they are not shown
}

// New returns a match, which closes the clients and the server at its end.
func New(c Config) *Match {
	m := &Match{config: c, set: c.Settings, clients: c.Clients}
	m.set.Link.SendRate = 0 // the server decides
	m.statuses, m.brushes = make([]status, len(m.clients)), make([]scene.Brush, len(m.clients))
	if c.Manual {
		m.clients[0].SetController(&m.controls)
	}
	for _, s := range m.clients {
		s.Set(m.set)
	}
	if c.Other != nil {
		m.compare(*c.Other)
	}
	if m.clients[0].Net().Replay() != nil {
		m.playback = newPlayback(m.clients[0], c)
	}
	return m
}

// Clients returns the clients in the order of their columns.
func (m *Match) Clients() []*view.Client { return m.clients }

// Info implements [app.Content].
func (m *Match) Info() scene.Info {
	if m.again != nil {
		return m.again.Info()
	}
	if m.playback != nil {
		return m.playback.info()
	}
	return scene.Info{Name: settings.Arena, Linked: true, Match: true, Alone: m.config.Alone, Greeting: "W A S D: run, mouse: aim and shoot, H: all keys"}
}

// Title implements [app.Content].
func (m *Match) Title() string {
	if m.playback != nil {
		return "Tandem arena, a replay"
	}
	if n := m.clients[0].Net().Number(); n > 0 {
		return fmt.Sprintf("Tandem arena, player %d", n)
	}
	return "Tandem arena"
}

// Theme implements [app.Content].
func (m *Match) Theme() render.Theme { return view.Theme() }

// Settings implements [app.Content].
func (m *Match) Settings() settings.Settings {
	if m.again != nil {
		return m.again.set
	}
	return m.set
}

// Apply implements [app.Content].
func (m *Match) Apply(set settings.Settings) error {
	if m.again != nil {
		if err := m.again.Apply(set); err != nil {
			return err
		}
		set.Speed, set.Paused = m.set.Speed, m.set.Paused // those of the replay
	}
	if m.playback != nil && m.set.Paused && !set.Paused && m.playback.ended() {
		m.playback.seek(0) // once more
	}
	for i, s := range m.clients {
		s.Set(set)
		if set.Link != m.set.Link {
			if err := s.SetLink(LinkOf(set.Link, i)); err != nil {
				return err
			}
		}
	}
	m.set = set
	if m.other != nil {
		return m.other.Apply(naive(set))
	}
	return nil
}

// LinkOf returns the link of the n-th player of this process: the same link with another seed.
func LinkOf(link settings.Link, n int) settings.Link {
	link.Seed += uint64(n) * 1000
	return link
}

// Act implements [app.Content].
func (m *Match) Act(a keys.Action) error {
	switch {
	case m.again != nil:
		err := m.again.Act(a)
		m.endAgain()
		return err
	case m.playback != nil:
		m.playback.act(a)
	}
	switch a {
	case keys.Again:
		m.openAgain()
	case keys.Push:
		m.controls.pushed = true
	case keys.ResetCamera:
		for _, s := range m.clients {
			s.ResetCamera()
		}
		if m.other != nil {
			return m.other.Act(a)
		}
	}
	return nil
}

// status is the logged state of a client.
type status struct {
	status     string
	reconnects uint64
}

// Event implements [app.Content].
func (m *Match) Event(e render.Event, size render.Size) {
	switch {
	case m.again != nil:
		m.again.Event(e, size)
		m.endAgain()
		return
	case m.playback != nil:
		if set := m.playback.event(e, m.set); set != m.set {
			_ = m.Apply(set) // a replay has no line, which alone can fail
		}
		return
	}
	m.controls.event(e, size)
	if e.Kind == render.Scroll && e.Finger == 0 {
		for _, s := range m.clients {
			s.Zoom(e.Y)
		}
		if m.other != nil {
			m.other.Event(e, render.Size{})
		}
	}
}

// maxVirtualStep is the longest single update of a match in virtual time. Clips have few frames per
// second; a network needs shorter steps.
const maxVirtualStep = time.Second / 240

// Advance implements [app.Content].
func (m *Match) Advance(real time.Duration) {
	whole := real
	for ; m.config.Virtual && real > maxVirtualStep; real -= maxVirtualStep {
		m.update(maxVirtualStep)
	}
	m.update(real)
	if m.playback != nil {
		if m.clients[0].Net().Number() == 0 { // no player had joined yet
			m.clients[0].NextPlayer()
		}
		return
	}
	for i, s := range m.clients {
		// A client with a silent connection tries another one beside it. The status need not
		// change, but the count does.
		now := status{s.Status(), s.Net().Stats().Reconnects}
		if now != m.statuses[i] {
			m.statuses[i] = now
			fmt.Fprintf(m.config.Log, "%s%s\n", m.name(i), now.status)
		}
	}
	if m.other != nil { // behind this one, whose inputs it takes
		m.other.Advance(whole)
	}
	if m.again != nil {
		m.again.Advance(whole)
		m.endAgain()
	}
}

// update advances the server and the clients.
func (m *Match) update(real time.Duration) {
	if m.config.Server != nil {
		m.config.Server.Update(real)
	}
	for _, s := range m.clients {
		s.Advance(real)
	}
}

// name returns the prefix of log lines about a client if there are several.
func (m *Match) name(i int) string {
	if len(m.clients) == 1 {
		return ""
	}
	return fmt.Sprintf("client %d: ", i+1)
}

// Trace implements [app.Content].
func (m *Match) Trace(row func(now ecs.Time, name string, logical, visual components.Pose3D)) {
	for i, s := range m.clients {
		prefix := ""
		if len(m.clients) > 1 {
			prefix = fmt.Sprintf("%d:", i+1)
		}
		now := s.Engine().Time()
		s.Trace(func(name string, logical, visual components.Pose3D) { row(now, prefix+name, logical, visual) })
	}
	if m.other != nil {
		m.other.Trace(func(now ecs.Time, name string, logical, visual components.Pose3D) {
			row(now, "naive:"+name, logical, visual)
		})
	}
}

// Draw implements [app.Content]: each client has its own column.
func (m *Match) Draw(f *render.Frame, now hud.Moment) {
	switch {
	case m.again != nil:
		m.again.Draw(f, now)
		return
	case m.other != nil:
		m.drawBoth(f, now)
		return
	case m.playback != nil:
		m.playback.draw(f, now, m.set)
	}
	for i, s := range m.clients {
		part := now.Room
		if len(m.clients) > 1 {
			part = hud.Beside(f, part, i, len(m.clients), 0.006)
		}
		s.Hint, s.Bare, s.Thumbs = now.Live && !now.Touched, now.Covered, now.Touched
		s.Cross = i == 0 && m.controls.aimed // a bot needs none
		m.brushes[i].Reset()
		s.Draw(f, part, &m.brushes[i])
	}
	if m.config.Manual && now.Touched && !now.Covered {
		m.controls.thumbs.draw(&f.Overlay)
	}
}

// Over implements [app.Content].
func (m *Match) Over() bool {
	if m.playback != nil {
		return m.playback.over(m.set)
	}
	for _, s := range m.clients {
		if !s.Ended() {
			return false
		}
	}
	return true
}

// Summary implements [app.Content].
func (m *Match) Summary(frames int) (text string) {
	if m.playback != nil {
		return m.playback.summary(frames)
	}
	for i, s := range m.clients {
		st := s.Net().Stats()
		if i > 0 {
			text += "\n"
		}
		text += fmt.Sprintf("%s%d frames, %d snapshots, rtt %d ms, delay %d ms, loss %.1f %%, starved %.2f %%, corrections %d, reconnects %d", m.name(i), frames, st.Snapshots,
			st.RTT.Milliseconds(), st.Delay.Milliseconds(), 100*st.Loss, 100*float64(st.Starved)/float64(max(st.Sampled, 1)), st.Corrections, st.Reconnects)
		if a := s.Agreement(); a.Hits > 0 {
			text += fmt.Sprintf(", screen and server agree on %d of %d hits", a.Agreed, a.Hits)
		}
	}
	return text
}

// Close implements [app.Content].
func (m *Match) Close() {
	if m.again != nil {
		m.again.Close()
	}
	for _, s := range m.clients {
		s.Close()
	}
	if m.config.Drain != nil {
		m.config.Drain()
	}
	if m.config.Server != nil {
		m.config.Server.Close()
	}
	if m.other != nil {
		m.other.Close()
	}
}
