package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/output"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/offscreen"
	"github.com/tandem-ecs/tandem/render/record"
	"github.com/tandem-ecs/tandem/render/window"
	"github.com/tandem-ecs/tandem/systems/netcode/zones"
)

const (
	maxBots   = 200
	moreBots  = 8 // by the key
	stopFor   = 20 * time.Second
	beginTime = 20 * time.Second // for NATS and the map
)

// world is a running world with its picture.
type world struct {
	worldOptions
	*supervisor
	stop  func()
	scene *scene
	out   io.Writer

	ran      time.Duration // since all zones run; 0: not yet
	pressed  int           // of the script
	pictures int
	quit     bool
}

// openServers begins all processes. stop ends them.
func openServers(ctx context.Context, o worldOptions, stderr io.Writer) (s *supervisor, stop func(), err error) {
	dir, remove := o.dir, func() {}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "tandem-world-"); err != nil {
			return nil, nil, err
		}
		remove = func() { os.RemoveAll(dir) }
	}
	nats, stopNATS, err := zones.Dev(filepath.Join(dir, "nats"))
	if err != nil {
		remove()
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, beginTime)
	defer cancel()
	if err = zones.WriteMap(ctx, nats, "", worldName, worldMap()); err == nil {
		s = &supervisor{dir: dir, nats: nats, rate: o.rate, crates: o.crates, peace: o.peace, log: stderr}
		err = s.begin()
	}
	if err != nil {
		stopNATS()
		remove()
		return nil, nil, err
	}
	return s, func() { s.end(); stopNATS(); remove() }, nil
}

// openWorld begins all processes, and the picture.
func openWorld(ctx context.Context, o worldOptions, stdout, stderr io.Writer) (*world, error) {
	s, stop, err := openServers(ctx, o, stderr)
	if err != nil {
		return nil, err
	}
	c, err := newScene(s)
	if err != nil {
		stop()
		return nil, err
	}
	return &world{worldOptions: o, supervisor: s, stop: stop, scene: c, out: stdout}, nil
}

// close ends everything.
func (w *world) close() {
	w.scene.close()
	w.stop()
}

// advance runs a frame.
func (w *world) advance(real time.Duration) {
	w.tellBots(w.bots)
	w.scene.advance(real)
	if w.ran > 0 || w.allRun() {
		w.ran += real
	}
	for w.pressed < len(w.script) && w.ran >= w.script[w.pressed].at && w.ran > 0 {
		w.key(w.script[w.pressed].key)
		w.pressed++
	}
}

// allRun reports whether all zones are simulated.
func (w *world) allRun() bool {
	for _, p := range w.places {
		if !p.status().running {
			return false
		}
	}
	return true
}

// key carries out a key.
func (w *world) key(k rune) {
	switch k {
	case '1', '2', '3', '4':
		w.places[k-'1'].kill()
	case 'Q', 'W', 'E', 'R':
		i := map[rune]int{'Q': 0, 'W': 1, 'E': 2, 'R': 3}[k]
		if err := w.places[i].stop(stopFor); err != nil {
			fmt.Fprintf(w.out, "%v\n", err)
		}
	case 'B':
		w.bots = min(w.bots+moreBots, maxBots)
	case 'C':
		w.scene.resetCamera()
	case 'P':
		w.scene.capture = true
	}
}

// runWorld runs the world and its picture. It must be called on the main goroutine.
func runWorld(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := readOptions(args, stdout)
	if err != nil {
		return err
	}
	if o.play {
		return play(ctx, o, stdout, stderr)
	}
	files, err := output.Open(o.files, float64(o.fps))
	if err != nil {
		return err
	}
	defer files.Abort()
	var surface render.Surface
	var win *window.Window
	if o.headless {
		off, err := offscreen.New(offscreen.Config{Width: o.width, Height: o.height})
		if err != nil {
			return err
		}
		defer off.Close()
		surface = off
	} else {
		if win, err = window.Open(window.Config{Title: "Tandem: one world, four servers", Width: o.width, Height: o.height}); err != nil {
			if errors.Is(err, window.ErrNoDisplay) || errors.Is(err, window.ErrNoOpenGL) {
				err = fmt.Errorf("%w; add -headless and -screenshot or -record to see the world", err)
			}
			return err
		}
		defer win.Close()
		surface = win
	}
	w, err := openWorld(ctx, o, stdout, stderr)
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.show(ctx, surface, win, files); err != nil {
		return err
	}
	fmt.Fprintln(stdout, w.summary())
	return files.Close(stdout)
}

// show draws frames until the end.
func (w *world) show(ctx context.Context, surface render.Surface, win *window.Window, files *output.Files) error {
	start := time.Now()
	var last time.Duration
	var pacer render.Pacer
	var picture *image.RGBA
	for ctx.Err() == nil && !w.quit && (w.length == 0 || last < w.length) {
		if win != nil {
			if win.ShouldClose() {
				break
			}
			w.events(win)
		}
		now := time.Since(start)
		real := now - last
		last = now
		w.advance(real)
		if err := w.scene.draw(surface, w); err != nil {
			return err
		}
		if w.scene.capture || files.Clip != nil {
			var err error
			if picture, err = surface.Capture(picture); err != nil {
				return err
			}
			if files.Clip != nil {
				if err := files.Clip.Frame(picture, real); err != nil {
					return err
				}
			}
			if w.scene.capture {
				w.scene.capture = false
				w.pictures++
				name := fmt.Sprintf("world-%d.png", w.pictures)
				if err := record.SavePNG(name, picture); err != nil {
					return err
				}
				fmt.Fprintf(w.out, "wrote %s\n", name)
			}
		}
		if win == nil {
			time.Sleep(pacer.Wait(time.Since(start), float64(w.fps)))
		}
	}
	return files.Picture(func() (*image.RGBA, error) { return surface.Capture(nil) })
}

// events handles the window's events.
func (w *world) events(win *window.Window) {
	for e, ok := win.Poll(); ok; e, ok = win.Poll() {
		switch {
		case e.Kind == render.KeyPress && e.Key == render.KeyEscape:
			w.quit = true
		case e.Kind == render.KeyPress && e.Key < 256:
			w.key(rune(e.Key))
		default:
			w.scene.event(e, win.Size())
		}
	}
}

// summary describes the run in a line.
func (w *world) summary() string {
	b := w.botFigures()
	text := fmt.Sprintf("%d of %d bots play; %d changes of server, %d corrections, %d reconnects", b.Playing, b.Bots, b.Moves, b.Corrections, b.Reconnects)
	for _, p := range w.places {
		s := p.status()
		text += fmt.Sprintf("\n%s: epoch %d, %d entities of its own, %d handed over, %d arrived, %d refused", p.title, s.Figures.Epoch, s.Figures.Owned, s.Figures.HandOvers, s.Figures.Arrivals, s.Figures.Refused)
		if s.event != "" {
			text += "; " + s.event
		}
	}
	return text
}
