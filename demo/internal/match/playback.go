package match

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/hud"
	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/demo/internal/timebar"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

const (
	// AgainTime is how much of a running match is shown again.
	AgainTime = 10 * time.Second
	// markLead is how long before a mark the key for the next mark begins.
	markLead = 2 * time.Second
)

// playback is a replay: its bar, and what its keys do.
type playback struct {
	client *view.Client
	net    *netcode.Replay
	bar    timebar.Bar
	again  bool // the last seconds of a match that goes on
	left   bool // the user has left it
}

// newPlayback shows a client's replay from a moment on.
func newPlayback(s *view.Client, c Config) *playback {
	p := &playback{client: s, net: s.Net().Replay()}
	tape := p.net.Tape()
	p.bar.Gaps = c.Gaps
	for _, m := range tape.Marks() {
		text := m.Name
		if m.Player > 0 {
			text = fmt.Sprintf("player %d %s", m.Player, m.Name)
		}
		p.bar.Marks = append(p.bar.Marks, timebar.Mark{At: tape.At(m.Tick), Text: text})
	}
	// the file may come from anywhere
	slices.SortStableFunc(p.bar.Marks, func(a, b timebar.Mark) int { return cmp.Compare(a.At, b.At) })
	s.Show(c.At)
	if s.Follow(c.Follow); c.Follow == 0 {
		s.NextPlayer()
	}
	s.SetView(c.View)
	s.Show(c.At) // the camera begins at the player
	return p
}

// ended reports whether the replay has come to its end.
func (p *playback) ended() bool { return p.net.At() >= p.net.Length() }

// over reports whether nothing more is to be shown.
func (p *playback) over(set settings.Settings) bool {
	return p.left || p.ended() && !set.Paused && !p.bar.Held()
}

// seek goes to a moment.
func (p *playback) seek(at time.Duration) { p.net.Seek(min(max(at, 0), p.net.Length())) }

// act carries out an action of package keys.
func (p *playback) act(a keys.Action) {
	now := p.net.At()
	tick := time.Second / time.Duration(p.net.Tape().Info().Rate)
	switch a {
	case keys.Step:
		p.client.Step()
	case keys.StepBack:
		p.seek(now - tick/2) // within the tick before
	case keys.Earlier:
		p.seek(now - keys.SkipTime)
	case keys.Later:
		p.seek(now + keys.SkipTime)
	case keys.NextPlayer:
		p.client.NextPlayer()
	case keys.NextView:
		p.client.NextView()
	case keys.NextMark:
		for _, m := range p.bar.Marks {
			if at := max(m.At-markLead, 0); at > now {
				p.seek(at)
				return
			}
		}
	case keys.Again:
		if p.again {
			p.left = true
			return
		}
		p.seek(now - AgainTime)
	}
}

// event handles an event of the window, and returns the settings that it has changed.
func (p *playback) event(e render.Event, set settings.Settings) settings.Settings {
	press, at, taken := p.bar.Event(e, p.net.Length())
	switch press {
	case timebar.Seek:
		p.seek(at)
	case timebar.Pause:
		set.Paused = !set.Paused
	case timebar.Leave:
		p.left = true
	}
	if !taken {
		p.client.MoveCamera(e)
	}
	return set
}

// draw draws the bar. Labels in the picture give way to it, so it comes before them.
func (p *playback) draw(f *render.Frame, now hud.Moment, set settings.Settings) {
	if set.Overlay == settings.OverlayNone || now.Covered || set.Overlay == settings.OverlayCaptions && !now.Live {
		p.bar.Hide()
		p.client.Foot = 0
		return
	}
	all := now.Room.In(f.Overlay.Bounds()).Inset(10)
	p.bar.Draw(&f.Overlay, all, timebar.State{At: p.net.At(), Length: p.net.Length(), Paused: set.Paused || p.ended(), Speed: set.Speed, Leaves: p.again})
	p.client.Foot = p.bar.Height()
	if set.Timeline { // the texts of marks come and go between both
		p.client.Foot += timebar.Label(&f.Overlay)
	}
}

// info describes the replay.
func (p *playback) info() scene.Info {
	greeting := "Space: pause, drag the bar to any moment, H: all keys"
	return scene.Info{Name: "replay", Match: true, Replay: true, Again: p.again, Greeting: greeting}
}

// summary describes what was shown.
func (p *playback) summary(frames int) string {
	return fmt.Sprintf("%d frames, the replay stands at %.1f of %.1f s", frames, p.net.At().Seconds(), p.net.Length().Seconds())
}

// openAgain shows the last seconds of the match, which goes on meanwhile.
func (m *Match) openAgain() {
	first := m.clients[0]
	if m.config.Ring == nil {
		first.Say("nothing of this match is kept")
		return
	}
	tape, err := m.config.Ring.Clip(AgainTime)
	var s *view.Client
	if err == nil {
		s, err = view.New(view.Config{Replay: tape, Log: slog.New(slog.DiscardHandler)})
	}
	if err != nil { // a key ends no match
		first.Say("there is nothing to show yet")
		fmt.Fprintln(m.config.Log, err)
		return
	}
	set := m.set
	set.Speed, set.Paused, set.Keys = 1, false, false
	m.again = New(Config{Settings: set, Clients: []*view.Client{s}, At: max(tape.Length()-AgainTime, 0), Follow: first.Net().Number(), Log: m.config.Log})
	m.again.playback.again, s.Again = true, true
	m.controls.release()
}

// endAgain returns to the match if the last seconds are over, or the user has left them.
func (m *Match) endAgain() {
	if m.again.Over() {
		m.again.Close()
		m.again = nil
	}
}
