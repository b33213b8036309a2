package play

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/arena/seat"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/trace"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/offscreen"
	"github.com/tandem-ecs/tandem/render/record"
	"github.com/tandem-ecs/tandem/render/window"
)

// table is everything that runs in this process: at most one house, and the seats before its picture.
type table struct {
	house   *house // nil: the server is elsewhere
	seats   []*seat.Seat
	virtual bool // nothing outside takes part, so that time may run as fast as the machine can
	show    *showing
	stdout  io.Writer
	stderr  io.Writer

	frame   *render.Frame
	brushes []scene.Brush
	rows    *trace.Writer
	traced  *os.File
	clip    record.Recorder
	frames  int
	said    []string // by seat: the last status
}

// update lets time pass for everybody.
func (t *table) update(real time.Duration) {
	if t.house != nil {
		t.house.update(real)
		t.house.publish(false)
	}
	for _, s := range t.seats {
		s.Advance(real)
	}
}

// advance runs one frame and writes its rows.
func (t *table) advance(real time.Duration) {
	t.update(real)
	for i, s := range t.seats {
		if text := s.Status(); text != t.said[i] {
			t.said[i] = text
			fmt.Fprintf(t.stderr, "%s%s\n", t.name(i), text)
		}
		if t.rows != nil {
			prefix := ""
			if len(t.seats) > 1 {
				prefix = fmt.Sprintf("%d:", i+1)
			}
			now := s.Engine().Time()
			s.Trace(func(name string, logical, visual components.Pose3D) {
				t.rows.Row(t.frames, now, prefix+name, logical, visual)
			})
		}
	}
	t.frames++
}

func (t *table) name(i int) string {
	if len(t.seats) == 1 {
		return ""
	}
	return fmt.Sprintf("client %d: ", i+1)
}

// draw draws the present moment, every seat in a column of its own.
func (t *table) draw(surface render.Surface, over func(o *render.Overlay)) error {
	t.frame.Begin(surface.Size())
	if t.frame.Size.Empty() {
		return nil
	}
	for i, s := range t.seats {
		part := render.Whole()
		if len(t.seats) > 1 {
			part = part.Column(i, len(t.seats), 0.006)
		}
		t.brushes[i].Reset()
		s.Draw(t.frame, part, &t.brushes[i])
	}
	if over != nil {
		over(&t.frame.Overlay)
	}
	return surface.Draw(t.frame)
}

// run plays until it is over, in a window or without one.
func (t *table) run(ctx context.Context) (err error) {
	t.frame = render.NewFrame(render.Daylight())
	t.brushes = make([]scene.Brush, len(t.seats))
	t.said = make([]string, len(t.seats))
	if err := t.open(); err != nil {
		return err
	}
	defer t.abort()
	for _, s := range t.seats {
		s.Set(t.show.on)
	}
	if t.show.headless {
		err = t.headless(ctx)
	} else {
		err = t.window(ctx)
	}
	if err != nil {
		return err
	}
	for i, s := range t.seats {
		st := s.Client().Stats()
		fmt.Fprintf(t.stdout, "%s%d frames, %d snapshots, rtt %d ms, delay %d ms, loss %.1f %%, starved %.2f %%, corrections %d, reconnects %d\n", t.name(i), t.frames, st.Snapshots,
			st.RTT.Milliseconds(), st.Delay.Milliseconds(), 100*st.Loss, 100*float64(st.Starved)/float64(max(st.Sampled, 1)), st.Corrections, st.Reconnects)
	}
	return t.finish()
}

func (t *table) open() (err error) {
	if t.show.record != "" {
		if t.clip, err = record.Open(t.show.record, record.Options{FPS: float64(min(t.show.fps, 60))}); err != nil {
			if errors.Is(err, record.ErrNoFFmpeg) {
				return err
			}
			return badf("-record: %w", err)
		}
	}
	if t.show.trace != "" {
		if t.traced, err = os.Create(t.show.trace); err != nil {
			t.abort()
			return badf("-trace: %w", err)
		}
		t.rows = trace.NewWriter(t.traced)
	}
	return nil
}

// finish completes the files and says which there are.
func (t *table) finish() error {
	if t.clip != nil {
		err := t.clip.Close()
		t.clip = nil
		if err != nil {
			return err
		}
		fmt.Fprintln(t.stdout, "wrote "+t.show.record)
	}
	if t.rows != nil {
		err := errors.Join(t.rows.Flush(), t.traced.Close())
		t.rows, t.traced = nil, nil
		if err != nil {
			return err
		}
		fmt.Fprintln(t.stdout, "wrote "+t.show.trace)
	}
	return nil
}

// abort leaves no half files behind.
func (t *table) abort() {
	if t.clip != nil {
		t.clip.Abort()
	}
	if t.traced != nil {
		t.traced.Close()
	}
}

// headless runs without a window: in virtual time where everything is in this process, else by the clock.
func (t *table) headless(ctx context.Context) error {
	var surface *offscreen.Surface
	if t.clip != nil || t.show.screenshot != "" {
		width, height := t.show.width, t.show.height
		if width == 0 {
			width, height = 640, 360
		}
		var err error
		if surface, err = offscreen.New(offscreen.Config{Width: width, Height: height}); err != nil {
			return fmt.Errorf("cannot draw off screen: %w\n(figures need no graphics: leave out -record and -screenshot)", err)
		}
		defer surface.Close()
	}
	const finest = time.Second / 240
	skip := time.Duration(t.show.skip * float64(time.Second))
	var picture *image.RGBA
	each := time.Second / time.Duration(t.show.fps)
	length := time.Duration(t.show.seconds * float64(time.Second))
	start := time.Now()
	for at := time.Duration(0); at < length && ctx.Err() == nil && !t.over(); {
		real := each
		if !t.virtual {
			time.Sleep(at + each - time.Since(start))
			real = time.Since(start) - at
		}
		at += real
		shown := real
		// Clips have few frames, networks do not wait for them.
		for ; t.virtual && real > finest; real -= finest {
			t.update(finest)
		}
		t.advance(real)
		if t.clip == nil || at <= skip {
			continue
		}
		if err := t.draw(surface, nil); err != nil {
			return err
		}
		var err error
		if picture, err = surface.Capture(picture); err != nil {
			return err
		}
		if err := t.clip.Frame(picture, shown); err != nil {
			return err
		}
	}
	if t.show.screenshot == "" {
		return nil
	}
	if err := t.draw(surface, nil); err != nil {
		return err
	}
	picture, err := surface.Capture(nil)
	if err == nil {
		err = record.SavePNG(t.show.screenshot, picture)
	}
	if err == nil {
		fmt.Fprintln(t.stdout, "wrote "+t.show.screenshot)
	}
	return err
}

// over reports whether every seat has come to its end.
func (t *table) over() bool {
	for _, s := range t.seats {
		if !s.Ended() {
			return false
		}
	}
	return true
}

// window plays in a window.
func (t *table) window(ctx context.Context) error {
	width, height := t.show.width, t.show.height
	if width == 0 {
		width, height = 1280, 720
	}
	win, err := window.Open(window.Config{Title: "Tandem arena", Width: width, Height: height})
	if err != nil {
		return err
	}
	defer win.Close()
	me := t.seats[0]
	pilot := &human{down: win.Down}
	if !t.show.auto {
		me.SetPilot(pilot)
	}
	c := controls{on: t.show.on, link: me.Link()}
	keys := bindings()
	var taken keyClip
	defer taken.abort()
	toast, until := "W A S D to run, the mouse to aim and shoot, H for all keys", 4*time.Second
	var pacer render.Pacer
	var picture *image.RGBA
	start := time.Now()
	length := time.Duration(t.show.seconds * float64(time.Second))
	for last := time.Duration(0); !win.ShouldClose() && ctx.Err() == nil && (length == 0 || last < length); {
		for e, ok := win.Poll(); ok; e, ok = win.Poll() {
			pilot.event(e)
			switch e.Kind {
			case render.Scroll:
				for _, s := range t.seats {
					s.Zoom(e.Y)
				}
			case render.KeyPress:
				before := c
				switch c.press(keys, e.Key) {
				case quit:
					win.RequestClose()
				case fullscreen:
					win.SetFullscreen(!win.Fullscreen())
				case pushNow:
					pilot.pushed = true
				case screenshot:
					name, err := t.freeName(".png")
					if err == nil {
						var p *image.RGBA
						if p, err = win.Capture(nil); err == nil {
							err = record.SavePNG(name, p)
						}
					}
					toast, until = told(name, err), last+2*time.Second
				case clip:
					name, err := taken.toggle(t)
					toast, until = told(name, err), last+2*time.Second
				}
				if c != before {
					for _, s := range t.seats {
						s.Set(c.on)
						if err := s.SetLink(c.link); err != nil {
							return err
						}
					}
					if text := describe(before, c); text != "" {
						toast, until = text, last+2*time.Second
					}
				}
			}
		}
		now := time.Since(start)
		real := now - last
		last = now
		t.advance(real)
		err := t.draw(win, func(o *render.Overlay) {
			if last < until {
				drawToast(o, toast)
			}
			if c.help {
				drawHelp(o, keys)
			}
		})
		if err != nil {
			return err
		}
		if !win.Minimised() && (t.clip != nil || taken.recorder != nil) {
			if picture, err = win.Capture(picture); err != nil {
				return err
			}
			if t.clip != nil {
				if err := t.clip.Frame(picture, real); err != nil {
					return err
				}
			}
			if taken.recorder != nil {
				if err := taken.recorder.Frame(picture, real); err != nil {
					toast, until = err.Error(), last+2*time.Second
					taken.abort()
				}
			}
		}
		time.Sleep(pacer.Wait(time.Since(start), float64(t.show.fps)))
	}
	if taken.recorder != nil {
		if name, err := taken.toggle(t); err == nil {
			fmt.Fprintln(t.stdout, "wrote "+name)
		}
	}
	if t.show.screenshot != "" {
		p, err := win.Capture(nil)
		if err == nil {
			err = record.SavePNG(t.show.screenshot, p)
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(t.stdout, "wrote "+t.show.screenshot)
	}
	return nil
}

func told(name string, err error) string {
	if err != nil {
		return err.Error()
	}
	return name
}

// freeName returns the first name that no file has, and makes the folder.
func (t *table) freeName(ending string) (string, error) {
	if err := os.MkdirAll(t.show.dir, 0o777); err != nil {
		return "", err
	}
	for i := 1; ; i++ {
		name := filepath.Join(t.show.dir, fmt.Sprintf("arena-%d%s", i, ending))
		if _, err := os.Lstat(name); err != nil {
			return name, nil
		}
	}
}

// keyClip is the recording of the key.
type keyClip struct {
	recorder record.Recorder
	name     string
}

// toggle begins a clip or ends it, and says its name.
func (k *keyClip) toggle(t *table) (string, error) {
	if k.recorder != nil {
		err := k.recorder.Close()
		k.recorder = nil
		return k.name, err
	}
	name, err := t.freeName(".gif")
	if err != nil {
		return "", err
	}
	if k.recorder, err = record.Open(name, record.Options{FPS: 30}); err != nil {
		return "", err
	}
	k.name = name
	return name, nil
}

func (k *keyClip) abort() {
	if k.recorder != nil {
		k.recorder.Abort()
		k.recorder = nil
	}
}

// describe says in words what a key has changed.
func describe(a, b controls) string {
	onOff := func(what string, on bool) string {
		if on {
			return what + " on"
		}
		return what + " off"
	}
	switch {
	case a.on.Predict != b.on.Predict:
		return onOff("prediction", b.on.Predict)
	case a.on.Reconcile != b.on.Reconcile:
		return onOff("reconciliation", b.on.Reconcile)
	case a.on.Kind != b.on.Kind:
		return "others: " + b.on.Kind.Display()
	case a.on.Ghosts != b.on.Ghosts:
		return onOff("ghosts", b.on.Ghosts)
	case a.on.Graphs != b.on.Graphs:
		return onOff("graphs", b.on.Graphs)
	case a.link != b.link:
		text := fmt.Sprintf("round trip %v ± %v, loss %.0f %%", b.link.Latency, b.link.Jitter, 100*b.link.Loss)
		if b.link.Burst {
			text += " in bursts"
		}
		return text
	}
	return ""
}

func drawToast(o *render.Overlay, text string) {
	all := o.Bounds()
	w := o.Width(render.TextBody, text) + 40
	r := render.Rect{X: (all.W - w) / 2, Y: all.H * 0.68, W: w, H: o.LineHeight(render.TextBody) + 14}
	o.Panel(r)
	o.TextAligned(r.X+w/2, r.Y+7, render.AlignCenter, render.TextBody, o.Theme().Text, text)
}
