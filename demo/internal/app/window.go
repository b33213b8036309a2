package app

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/frametimes"
	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/record"
	"github.com/tandem-ecs/tandem/render/window"
)

// windowCap keeps a window on a display that does not wait from drawing more frames than anybody sees.
const windowCap = 144

// NoWindow reports whether an error of [Window] means that there is no window to be had, so that drawing off screen is the next best.
func NoWindow(err error) bool {
	return errors.Is(err, window.ErrNoDisplay) || errors.Is(err, window.ErrNoOpenGL)
}

// Window runs in a window until it is closed, the run that the options ask for is over, or the context is canceled. It must be called on the main goroutine.
func Window(ctx context.Context, o options.Options, out io.Writer) error {
	if o.Cap < 0 {
		o.Cap = windowCap
	}
	files, err := openFiles(&o)
	if err != nil {
		return err
	}
	defer files.abort()
	win, err := window.Open(window.Config{
		Title: "Tandem", Width: o.Width, Height: o.Height, Scale: float32(o.Scale), NoVSync: !o.VSync,
	})
	if err != nil {
		return err
	}
	defer win.Close()
	clock := machine{start: time.Now()}
	show, err := NewShow(o.Settings, clock, files.table(&o))
	if err != nil {
		return err
	}
	defer show.Close()
	show.Live = true
	p := &player{show: show, win: win, options: &o, out: out, rateChosen: o.Rate != 0}
	p.clip = clip{recorder: files.clip, every: frameTime(clipRate(o.Settings))}
	if err := p.run(ctx, clock); err != nil {
		return err
	}
	p.keepClip()
	if o.Screenshot != "" {
		picture, err := win.Capture(nil)
		if err == nil {
			err = record.SavePNG(o.Screenshot, picture)
		}
		if err != nil {
			return err
		}
	}
	if err := errors.Join(show.Flush(), files.close()); err != nil {
		return err
	}
	fmt.Fprintln(out, show.Summary())
	for _, name := range files.names {
		fmt.Fprintln(out, "wrote "+name)
	}
	return nil
}

// machine is the wall clock, monotonic, and the host of steps that take real time. It is read here, in the outermost loop, and by the adaptive rate.
type machine struct{ start time.Time }

func (m machine) Now() time.Duration   { return time.Since(m.start) }
func (m machine) Work(d time.Duration) { time.Sleep(d) }

// player is the loop around a window.
type player struct {
	show    *Show
	win     *window.Window
	options *options.Options
	out     io.Writer
	pacer   render.Pacer

	rateChosen bool // by flag or key, so that it stays from scene to scene
	dragging   [2]bool
	mouse      [2]float32

	clip     clip   // of the flag -record
	keyClip  clip   // of the key R
	clipFile string // its name
}

func (p *player) run(ctx context.Context, clock machine) error {
	limit := limit{p.options.Frames, p.options.Length}
	if limit.frames == 0 && limit.real == 0 {
		limit.frames = len(p.options.Deltas) // 0: no limit
	}
	var recorded frametimes.Source
	if len(p.options.Deltas) > 0 {
		recorded = frametimes.Repeat(p.options.Deltas)
	}
	jitter := rand.New(rand.NewPCG(p.options.Seed, 1))
	last := clock.Now()
	for n := 0; limit.more(n, p.show.real) && !p.win.ShouldClose() && ctx.Err() == nil; n++ {
		for e, ok := p.win.Poll(); ok; e, ok = p.win.Poll() {
			if err := p.handle(e); err != nil {
				return err
			}
		}
		now := clock.Now()
		real := now - last
		last = now
		if recorded != nil {
			real = recorded.Next()
		}
		p.show.Recording = p.keyClip.length()
		begin := clock.Now()
		p.show.Advance(real)
		updated := clock.Now()
		if err := p.show.Draw(p.win); err != nil {
			return err
		}
		if n == 0 {
			last = clock.Now() // the first picture makes the driver compile its programs: nothing that the world should have to catch up with
		} else {
			smooth(&p.show.UpdateTime, updated-begin)
			smooth(&p.show.DrawTime, clock.Now()-updated)
		}
		if err := p.record(real); err != nil {
			return err
		}
		// Whoever watches the table sees each frame at once.
		if err := p.show.Flush(); err != nil {
			return err
		}
		set := p.show.Settings()
		time.Sleep(p.pacer.Wait(clock.Now(), pace(set, jitter)))
	}
	return nil
}

// smooth moves an average a sixteenth of the way to a new value.
func smooth(average *time.Duration, value time.Duration) { *average += (value - *average) / 16 }

// pace returns the frame rate to keep to for the next frame: the cap, varied by the jitter. Jitter without a cap is around a rate that is high enough.
func pace(set settings.Settings, random *rand.Rand) float64 {
	rate := set.Cap
	if set.Jitter > 0 && rate == 0 {
		rate = windowCap
	}
	if rate == 0 {
		return 0
	}
	return 1 / frametimes.Vary(frameTime(float64(rate)), set.Jitter, random).Seconds()
}

func frameTime(rate float64) time.Duration { return time.Duration(float64(time.Second) / rate) }

func (p *player) handle(e render.Event) error {
	switch e.Kind {
	case render.KeyPress, render.KeyRepeat:
		return p.press(e)
	case render.MousePress, render.MouseRelease:
		if e.Button <= render.MouseRight {
			p.dragging[e.Button] = e.Kind == render.MousePress
			p.mouse = [2]float32{e.X, e.Y}
		}
	case render.MouseMove:
		dx, dy := e.X-p.mouse[0], e.Y-p.mouse[1]
		p.mouse = [2]float32{e.X, e.Y}
		if p.dragging[render.MouseLeft] {
			p.show.camera.turn(dx, dy)
		} else if p.dragging[render.MouseRight] {
			if _, h := p.win.Size().Points(); h > 0 {
				p.show.camera.move(dx/h, dy/h)
			}
		}
	case render.Scroll:
		p.show.camera.approach(e.Y)
	case render.Focus:
		p.dragging = [2]bool{}
	}
	return nil
}

// press obeys a key. Only the single step repeats while its key is held.
func (p *player) press(e render.Event) error {
	before := p.show.Settings()
	set := before
	action, known := keys.Apply(p.show.groups, &set, e.Key, e.Mods)
	if !known || e.Kind == render.KeyRepeat && action != keys.Step {
		return nil
	}
	if refusal := idle(before, set); refusal != "" {
		p.show.Say(refusal)
		return nil
	}
	if set != before {
		p.rateChosen = p.rateChosen || set.Rate != before.Rate
		if set.Scene != before.Scene {
			p.enter(&set)
		}
		if err := p.show.Change(set); err != nil {
			return err
		}
		p.win.SetVSync(set.VSync)
		p.show.Say(describe(before, p.show.Settings()))
	}
	switch action {
	case keys.Step:
		return p.show.Step()
	case keys.Restart:
		p.show.Say("from the beginning")
		return p.show.Restart()
	case keys.ResetCamera:
		p.show.camera = newCamera()
	case keys.Fullscreen:
		p.win.SetFullscreen(!p.win.Fullscreen())
	case keys.Screenshot:
		p.screenshot()
	case keys.Record:
		p.toggleClip()
	case keys.Quit:
		p.win.RequestClose()
	}
	return nil
}

// enter prepares the settings for another scene: its own rate unless somebody has chosen one, and a number of bodies that it takes.
func (p *player) enter(set *settings.Settings) {
	if !p.rateChosen {
		set.Rate = 0
	}
	set.Entities = 0
	if entry, ok := scenes.Find(set.Scene); ok && set.Scene == p.options.Scene && p.options.Entities != 0 {
		set.Entities = entry.Clamp(p.options.Entities)
	}
}

// screenshot saves what was drawn last. Trouble with files is told, not fatal: the window goes on.
func (p *player) screenshot() {
	name, err := p.freeName(".png")
	var picture *image.RGBA
	if err == nil {
		picture, err = p.win.Capture(nil)
	}
	if err == nil {
		err = record.SavePNG(name, picture)
	}
	p.tell(name, err)
}

// toggleClip begins a clip, or ends it. It is an MP4 file where ffmpeg is installed, else a GIF file.
func (p *player) toggleClip() {
	if p.keyClip.recorder != nil {
		p.keepClip()
		return
	}
	ending, rate := ".gif", 30.0
	if _, err := exec.LookPath("ffmpeg"); err == nil {
		ending, rate = ".mp4", 60
	}
	name, err := p.freeName(ending)
	var recorder record.Recorder
	if err == nil {
		recorder, err = record.Open(name, record.Options{FPS: rate})
	}
	if err != nil {
		p.tell(name, err)
		return
	}
	p.clipFile = name
	p.keyClip = clip{recorder: recorder, every: frameTime(rate)}
}

// keepClip ends the clip of the key R, if there is one.
func (p *player) keepClip() {
	if p.keyClip.recorder == nil {
		return
	}
	err := p.keyClip.recorder.Close()
	p.keyClip = clip{}
	p.tell(p.clipFile, err)
}

func (p *player) tell(name string, err error) {
	if err != nil {
		fmt.Fprintln(p.out, err)
		p.show.Say(err.Error())
		return
	}
	fmt.Fprintln(p.out, "wrote "+name)
	p.show.Say("wrote " + name)
}

// freeName returns the first name for the present scene that no file has, and makes the folder.
func (p *player) freeName(ending string) (string, error) {
	if err := os.MkdirAll(p.options.Dir, 0o777); err != nil {
		return "", err
	}
	for i := 1; ; i++ {
		name := filepath.Join(p.options.Dir, fmt.Sprintf("%s-%d%s", p.show.Settings().Scene, i, ending))
		if _, err := os.Lstat(name); err != nil {
			return name, nil
		}
	}
}

// record gives the frame just drawn to the clips. A clip that was asked for by key ends with the trouble it meets; that of the flag ends the run.
func (p *player) record(real time.Duration) error {
	if p.win.Minimised() {
		return nil
	}
	if p.show.real > p.options.Skip {
		if err := p.clip.frame(p.win, real); err != nil {
			return err
		}
	}
	if err := p.keyClip.frame(p.win, real); err != nil {
		p.keepClip()
		p.tell(p.clipFile, err)
	}
	return nil
}

// clip is a recording in progress: pictures at most every so often, each shown until the next.
type clip struct {
	recorder record.Recorder // nil: none
	every    time.Duration
	due      time.Duration // real time since the last picture was taken
	total    time.Duration
	picture  *image.RGBA
	size     image.Point // of the first picture
}

// length is the recording's length, negative without one.
func (c *clip) length() time.Duration {
	if c.recorder == nil {
		return -1
	}
	return c.total
}

func (c *clip) frame(surface render.Surface, real time.Duration) error {
	if c.recorder == nil {
		return nil
	}
	c.due += real
	c.total += real
	// Half a frame early is nearer than half a frame late.
	if c.due < c.every-c.every/8 {
		return nil
	}
	shown := c.due
	c.due = 0
	var err error
	if c.picture, err = surface.Capture(c.picture); err != nil {
		return err
	}
	if c.size == (image.Point{}) {
		c.size = c.picture.Rect.Size()
	}
	if c.picture.Rect.Size() != c.size {
		return nil // the window has another size for the time being; a clip has one only
	}
	return c.recorder.Frame(c.picture, shown)
}
