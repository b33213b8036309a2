package play

import (
	"fmt"
	"io"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/hud"
	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
)

// match is this process's part of a match: at most one server, and clients that are drawn side by
// side. It is an [app.Content].
type match struct {
	set      settings.Settings
	server   *server // nil: in another process
	other    *match  // the same match drawn naively, beside this one; nil: none
	alone    bool    // no other process takes part
	clients  []*view.Client
	controls controls  // of the first client, unless a bot plays
	virtual  bool      // no other process takes part: time runs as fast as the machine can
	drain    func()    // waits until the clients' last datagrams have been sent; may be nil
	log      io.Writer // log of status changes
	statuses []status  // by client: the last one logged
	brushes  []scene.Brush
}

// begin applies the settings to the clients. It gives the first client the user's controls, unless
// a bot plays. It logs status changes to log.
func (m *match) begin(o *options.Options, log io.Writer) {
	m.set, m.log = o.Settings, log
	m.set.Link.SendRate = 0 // the server decides
	m.statuses, m.brushes = make([]status, len(m.clients)), make([]scene.Brush, len(m.clients))
	if !o.Headless && !o.Autopilot {
		m.clients[0].SetController(&m.controls)
	}
	for _, s := range m.clients {
		s.Set(m.set)
	}
	if m.other != nil {
		m.compare(o)
	}
}

// Info implements [app.Content].
func (m *match) Info() scene.Info {
	return scene.Info{Name: settings.Arena, Linked: true, Match: true, Alone: m.alone, Greeting: "W A S D: run, mouse: aim and shoot, H: all keys"}
}

// Title implements [app.Content].
func (m *match) Title() string {
	if n := m.clients[0].Net().Number(); n > 0 {
		return fmt.Sprintf("Tandem arena, player %d", n)
	}
	return "Tandem arena"
}

// Theme implements [app.Content].
func (m *match) Theme() render.Theme { return view.Theme() }

// Settings implements [app.Content].
func (m *match) Settings() settings.Settings { return m.set }

// Apply implements [app.Content].
func (m *match) Apply(set settings.Settings) error {
	for i, s := range m.clients {
		s.Set(set)
		if set.Link != m.set.Link {
			if err := s.SetLink(linkOf(set.Link, i)); err != nil {
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

// linkOf returns the link of the n-th player of this process: the same link with another seed.
func linkOf(link settings.Link, n int) settings.Link {
	link.Seed += uint64(n) * 1000
	return link
}

// Act implements [app.Content].
func (m *match) Act(a keys.Action) error {
	switch a {
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
func (m *match) Event(e render.Event, _ render.Size) {
	m.controls.event(e)
	if e.Kind == render.Scroll {
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
func (m *match) Advance(real time.Duration) {
	whole := real
	for ; m.virtual && real > maxVirtualStep; real -= maxVirtualStep {
		m.update(maxVirtualStep)
	}
	m.update(real)
	for i, s := range m.clients {
		// A client with a silent connection tries another one beside it. The status need not
		// change, but the count does.
		now := status{s.Status(), s.Net().Stats().Reconnects}
		if now != m.statuses[i] {
			m.statuses[i] = now
			fmt.Fprintf(m.log, "%s%s\n", m.name(i), now.status)
		}
	}
	if m.other != nil { // behind this one, whose inputs it takes
		m.other.virtual = m.virtual
		m.other.Advance(whole)
	}
}

// update advances the server and the clients.
func (m *match) update(real time.Duration) {
	if m.server != nil {
		m.server.host.Update(real)
	}
	for _, s := range m.clients {
		s.Advance(real)
	}
}

// name returns the prefix of log lines about a client if there are several.
func (m *match) name(i int) string {
	if len(m.clients) == 1 {
		return ""
	}
	return fmt.Sprintf("client %d: ", i+1)
}

// Trace implements [app.Content].
func (m *match) Trace(row func(now ecs.Time, name string, logical, visual components.Pose3D)) {
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
func (m *match) Draw(f *render.Frame, now hud.Moment) {
	if m.other != nil {
		m.drawBoth(f, now)
		return
	}
	for i, s := range m.clients {
		part := now.Room
		if len(m.clients) > 1 {
			part = hud.Beside(f, part, i, len(m.clients), 0.006)
		}
		s.Hint, s.Bare = now.Live, now.Covered
		s.Cross = i == 0 && m.controls.aimed // a bot needs none
		m.brushes[i].Reset()
		s.Draw(f, part, &m.brushes[i])
	}
}

// Over implements [app.Content].
func (m *match) Over() bool {
	for _, s := range m.clients {
		if !s.Ended() {
			return false
		}
	}
	return true
}

// Summary implements [app.Content].
func (m *match) Summary(frames int) (text string) {
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
func (m *match) Close() {
	for _, s := range m.clients {
		s.Close()
	}
	if m.drain != nil {
		m.drain()
	}
	if m.server != nil {
		m.server.host.Close()
	}
	if m.other != nil {
		m.other.Close()
	}
}
