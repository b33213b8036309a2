package app

import (
	"context"
	"fmt"
	"image"
	"math/rand/v2"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/frametimes"
	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/output"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/demo/internal/simulation"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/window"
)

// loop runs a show frame by frame.
type loop struct {
	*Run
	content Content // the open content, which has to be closed
	show    *Show
	files   *output.Files
	surface render.Surface    // nil: nothing is drawn
	win     *window.Window    // the surface if it is a window, else nil
	title   string            // of the window
	before  settings.Settings // of what the run has opened, where the user has dropped a replay

	clock  simulation.Clock
	source frametimes.Source // frame times; nil: those of the clock
	pacer  render.Pacer

	enlarge func() error // changes the size for the last picture; nil: the size stays

	rateChosen bool // by flag or key; then it stays from scene to scene

	cost Cost // of the last frame, in a window

	clip     clip   // of the flag -record
	keyClip  clip   // of the key
	clipFile string // its name
}

// wallClock is the monotonic wall clock. The loop and the adaptive rate read it.
type wallClock struct{ start time.Time }

func (m wallClock) Now() time.Duration   { return time.Since(m.start) }
func (m wallClock) Work(d time.Duration) { time.Sleep(d) }

// run runs the frames and completes the files.
func (l *loop) run(ctx context.Context) error {
	jitter := rand.New(rand.NewPCG(l.options.Seed, 1))
	var spent time.Duration // by the fixed steps of the previous frame
	last := l.clock.Now()
	for n := 0; !l.over(n) && ctx.Err() == nil; n++ {
		if err := l.events(); err != nil {
			return err
		}
		begin := l.clock.Now()
		real := begin - last
		last = begin
		switch {
		case l.virtual():
			// A frame takes at least as long as its steps: that makes the death spiral.
			real = max(frametimes.Vary(l.source(), l.options.FrameJitter, jitter), spent)
		case l.source != nil:
			real = l.source()
		}
		l.show.Advance(real)
		spent = l.clock.Now() - begin
		if err := l.present(n, real, spent); err != nil {
			return err
		}
		if l.virtual() {
			continue
		}
		if n == 0 {
			// The driver compiles its programs for the first picture. The world must not catch up
			// with that time.
			last = l.clock.Now()
		}
		// Another program may read the table while it grows.
		if err := l.show.Flush(); err != nil {
			return err
		}
		if l.win == nil || !l.win.Minimised() { // a minimised window waits by itself
			time.Sleep(l.pacer.Wait(l.clock.Now(), pace(l.show.Settings(), jitter)))
		}
	}
	return l.finish()
}

// virtual reports whether the run uses virtual time and so runs as fast as the machine can.
func (l *loop) virtual() bool {
	_, clocked := l.clock.(wallClock)
	return !clocked
}

// over reports whether the run ends after n frames: by its limits, or because the window was closed
// or the content has ended.
func (l *loop) over(n int) bool {
	if o := l.options; o.Frames > 0 && n >= o.Frames || o.Length > 0 && l.show.real >= o.Length {
		return true
	}
	if l.win != nil {
		return l.win.ShouldClose()
	}
	return l.show.Over()
}

// present draws and records a frame, if it is shown or recorded.
func (l *loop) present(n int, real, update time.Duration) error {
	recording := l.clip.recorder != nil && l.show.real > l.options.Skip
	if l.win == nil && !recording {
		return nil
	}
	begin := l.clock.Now()
	if err := l.show.Draw(l.surface); err != nil {
		return err
	}
	if n > 0 {
		smooth(&l.show.Update, update)
		smooth(&l.show.Moment.Draw, l.clock.Now()-begin)
		if l.win != nil {
			l.cost = Cost{update, l.clock.Now() - begin - l.win.Waited()}
		}
	}
	if l.win != nil && l.win.Minimised() {
		return nil
	}
	if recording {
		if err := l.clip.frame(l.surface, real); err != nil {
			return err
		}
	}
	// An error of the key's clip ends the clip. An error of the flag's clip ends the run.
	if err := l.keyClip.frame(l.surface, real); err != nil {
		l.finishClip()
		l.report(l.clipFile, err)
	}
	l.show.Recording = l.win != nil && (l.keyClip.recorder != nil || recording)
	return nil
}

// smooth moves an average a sixteenth of the way to a new value.
func smooth(average *time.Duration, value time.Duration) { *average += (value - *average) / 16 }

// pace returns the frame rate for the next frame: the cap, varied by the jitter. Without a cap the
// jitter varies a high rate.
func pace(set settings.Settings, random *rand.Rand) float64 {
	rate := set.Cap
	if set.FrameJitter > 0 && rate == 0 {
		rate = windowCap
	}
	if rate == 0 {
		return 0
	}
	return 1 / frametimes.Vary(frameTime(float64(rate)), set.FrameJitter, random).Seconds()
}

func frameTime(rate float64) time.Duration { return time.Duration(float64(time.Second) / rate) }

// finish completes the files and prints the summary.
func (l *loop) finish() error {
	l.finishClip()
	err := l.files.Picture(func() (*image.RGBA, error) {
		if l.enlarge != nil {
			if err := l.enlarge(); err != nil {
				return nil, err
			}
		}
		if l.win == nil {
			if err := l.show.Draw(l.surface); err != nil {
				return nil, err
			}
		}
		return l.surface.Capture(nil)
	})
	if err != nil {
		return err
	}
	if err := l.show.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(l.out, l.show.Summary())
	return l.files.Close(l.out)
}

// events handles the window's events.
func (l *loop) events() error {
	if l.win == nil {
		return nil
	}
	select {
	case o := <-l.offers:
		l.replace(o)
	default:
	}
	if title := l.show.Title(); title != l.title {
		l.title = title
		l.win.SetTitle(title)
	}
	for e, ok := l.win.Poll(); ok; e, ok = l.win.Poll() {
		l.show.Touched = l.show.Touched || e.Kind == render.TouchPress
		set := l.show.Settings()
		b, taken := l.show.panel.Event(e, l.win.Size(), &set)
		if !taken {
			l.show.Event(e, l.win.Size())
		}
		if e.Kind == render.KeyPress || e.Kind == render.KeyRepeat {
			b, taken = keys.Apply(l.show.groups, &set, e.Key, e.Mods)
			// Few keys repeat while they are held.
			taken = taken && (e.Kind == render.KeyPress || b.Action.Repeats())
		}
		if taken {
			if err := l.use(b, set); err != nil {
				return err
			}
		}
	}
	return nil
}

// use carries out a binding that a key or the panel has used, and that has changed the settings.
func (l *loop) use(key keys.Binding, set settings.Settings) error {
	before := l.show.Settings()
	if refusal := unavailable(key, l.show.Info()); refusal != "" {
		l.show.Say(refusal)
		return nil
	}
	if set != before {
		l.rateChosen = l.rateChosen || set.Rate != before.Rate
		if set.Scene != before.Scene {
			l.enter(&set)
			if set.Scene == settings.Arena || before.Scene == settings.Arena {
				return l.swap(set)
			}
		}
		if err := l.show.Apply(set); err != nil {
			return err
		}
		l.win.SetVSync(set.VSync)
		if key.Remark != nil {
			l.show.Say(key.Remark(l.show.Settings()))
		}
	}
	switch key.Action {
	case keys.Panel:
		l.show.panel.Toggle(l.win.Size())
	case keys.Fullscreen:
		l.win.SetFullscreen(!l.win.Fullscreen())
	case keys.Screenshot:
		l.screenshot()
	case keys.Record:
		l.toggleClip()
	case keys.Quit:
		l.win.RequestClose()
	case keys.Leave:
		return l.swap(l.before)
	case keys.Restart:
		l.show.Say("restarted")
		return l.show.Act(key.Action)
	default:
		return l.show.Act(key.Action)
	}
	return nil
}

// offer is content that takes the place of what is shown, or why there is none.
type offer struct {
	content Content
	err     error
}

// Replace shows other content, which open makes, in the place of what the window shows. It is
// called on a goroutine of its own, and waits for the next frame.
func (r *Run) Replace(open func(settings.Settings) (Content, error)) {
	set := r.options.Settings
	set.Scene, set.Speed, set.Paused = settings.Arena, 1, false
	content, err := open(set)
	r.offers <- offer{content, err}
}

// replace shows content that was offered.
func (l *loop) replace(o offer) {
	if o.err != nil {
		l.show.Say(o.err.Error())
		return
	}
	if !l.show.dropped {
		l.before, l.show.dropped = l.show.Settings(), true
	}
	l.content.Close()
	l.content = o.content
	l.show.put(o.content)
	l.show.greet()
}

// swap replaces a scene by a match, or a match by a scene, or a replay by what was there before.
func (l *loop) swap(set settings.Settings) error {
	content, err := l.open(l.clock, set)
	if err != nil {
		return err
	}
	l.content.Close()
	l.content, l.show.dropped = content, false
	l.show.put(content)
	l.show.Say("scene " + set.Scene)
	if content.Info().Greeting != "" {
		l.show.greet()
	}
	return nil
}

// enter prepares the settings for another scene. The scene's own rate applies unless a flag or key
// has set one. The number of bodies stays within the scene's limits.
func (l *loop) enter(set *settings.Settings) {
	if !l.rateChosen {
		set.Rate = 0
	}
	set.Entities = 0
	if entry, ok := scenes.Find(set.Scene); ok {
		set.Split = entry.Split
	}
	if set.Link.SendRate == 0 { // a match has none
		set.Link.SendRate = settings.DefaultLink().SendRate
	}
	if entry, ok := scenes.Find(set.Scene); ok && set.Scene == l.options.Scene && l.options.Entities != 0 {
		set.Entities = entry.Clamp(l.options.Entities)
	}
}
