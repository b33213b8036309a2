package play

import (
	"fmt"
	"io"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/app"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
)

// match is this process's part of a match: at most one server, and seats that are drawn side by
// side. It is an [app.Content].
type match struct {
	set     settings.Settings
	server  *server // nil: it is elsewhere
	alone   bool    // nobody else takes part
	seats   []*view.Seat
	pilot   human     // at the first seat, if somebody plays
	virtual bool      // nothing outside takes part: time runs as fast as the machine can
	settle  func()    // waits until the seats' last datagrams have left; nil: it is not needed
	log     io.Writer // gets changes of status
	said    []said    // by seat: what was written last
	brushes []scene.Brush
}

// begin applies the settings to the seats, and gives the first seat to a human unless it plays by
// itself. Changes of the seats' status go to log.
func (m *match) begin(o *options.Options, log io.Writer) {
	m.set, m.log = o.Settings, log
	m.set.Link.SendRate = 0 // the server decides
	m.said, m.brushes = make([]said, len(m.seats)), make([]scene.Brush, len(m.seats))
	if !o.Headless && !o.Autopilot {
		m.seats[0].SetPilot(&m.pilot)
	}
	for _, s := range m.seats {
		s.Set(switches(m.set))
	}
}

// switches returns the settings of a seat.
func switches(set settings.Settings) view.Switches {
	return view.Switches{
		Predict: set.Predict, Reconcile: set.Reconcile, Kind: set.Kind, Ghosts: set.Ghosts, Still: set.Still,
		Graphs: set.Graphs, Overlay: set.Overlay == settings.OverlayAll, Captions: set.Overlay != settings.OverlayNone,
	}
}

// Info implements [app.Content].
func (m *match) Info() scene.Info {
	return scene.Info{Name: settings.Arena, Linked: true, Match: true, Alone: m.alone, Greeting: "W A S D to run, the mouse to aim and shoot, H for all keys"}
}

// Title implements [app.Content].
func (m *match) Title() string {
	if n := m.seats[0].Client().Number(); n > 0 {
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
	for i, s := range m.seats {
		s.Set(switches(set))
		if set.Link != m.set.Link {
			if err := s.SetLink(linkOf(set.Link, i)); err != nil {
				return err
			}
		}
	}
	m.set = set
	return nil
}

// linkOf returns the link of the n-th player of this process: the same but for its chances.
func linkOf(link settings.Link, n int) settings.Link {
	link.Seed += uint64(n) * 1000
	return link
}

// Act implements [app.Content].
func (m *match) Act(a keys.Action) error {
	switch a {
	case keys.Push:
		m.pilot.pushed = true
	case keys.ResetCamera:
		for _, s := range m.seats {
			s.ResetCamera()
		}
	}
	return nil
}

// said is where a client stands, in a line of its own.
type said struct {
	status     string
	reconnects uint64
}

// Event implements [app.Content].
func (m *match) Event(e render.Event, _ render.Size) {
	m.pilot.event(e)
	if e.Kind == render.Scroll {
		for _, s := range m.seats {
			s.Zoom(e.Y)
		}
	}
}

// finest is the longest time that passes at once in a match in virtual time. Clips have few frames
// a second; a network needs shorter steps.
const finest = time.Second / 240

// Advance implements [app.Content].
func (m *match) Advance(real time.Duration) {
	for ; m.virtual && real > finest; real -= finest {
		m.update(finest)
	}
	m.update(real)
	for i, s := range m.seats {
		// A client that has tried another connection beside a silent one goes over to it at once.
		now := said{s.Status(), s.Client().Stats().Reconnects}
		if now != m.said[i] {
			m.said[i] = now
			fmt.Fprintf(m.log, "%s%s\n", m.name(i), now.status)
		}
	}
}

// update advances the server and the seats.
func (m *match) update(real time.Duration) {
	if m.server != nil {
		m.server.host.Update(real)
	}
	for _, s := range m.seats {
		s.Advance(real)
	}
}

// name returns the prefix of lines about a seat if there are several.
func (m *match) name(i int) string {
	if len(m.seats) == 1 {
		return ""
	}
	return fmt.Sprintf("client %d: ", i+1)
}

// Trace implements [app.Content].
func (m *match) Trace(row func(now ecs.Time, name string, logical, visual components.Pose3D)) {
	for i, s := range m.seats {
		prefix := ""
		if len(m.seats) > 1 {
			prefix = fmt.Sprintf("%d:", i+1)
		}
		now := s.Engine().Time()
		s.Trace(func(name string, logical, visual components.Pose3D) { row(now, prefix+name, logical, visual) })
	}
}

// Draw implements [app.Content]: every seat in a column of its own.
func (m *match) Draw(f *render.Frame, now *app.Moment) {
	for i, s := range m.seats {
		part := render.Whole()
		if len(m.seats) > 1 {
			part = part.Column(i, len(m.seats), 0.006)
		}
		s.Hint = now.Live
		m.brushes[i].Reset()
		s.Draw(f, part, &m.brushes[i])
	}
}

// Over implements [app.Content].
func (m *match) Over() bool {
	for _, s := range m.seats {
		if !s.Ended() {
			return false
		}
	}
	return true
}

// Summary implements [app.Content].
func (m *match) Summary(frames int) (text string) {
	for i, s := range m.seats {
		st := s.Client().Stats()
		if i > 0 {
			text += "\n"
		}
		text += fmt.Sprintf("%s%d frames, %d snapshots, rtt %d ms, delay %d ms, loss %.1f %%, starved %.2f %%, corrections %d, reconnects %d", m.name(i), frames, st.Snapshots,
			st.RTT.Milliseconds(), st.Delay.Milliseconds(), 100*st.Loss, 100*float64(st.Starved)/float64(max(st.Sampled, 1)), st.Corrections, st.Reconnects)
	}
	return text
}

// Close implements [app.Content].
func (m *match) Close() {
	for _, s := range m.seats {
		s.Close()
	}
	if m.settle != nil {
		m.settle()
	}
	if m.server != nil {
		m.server.host.Close()
	}
}
