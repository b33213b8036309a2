package app

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/frametimes"
	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/demo/internal/simulation"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/offscreen"
	"github.com/tandem-ecs/tandem/render/record"
)

const (
	headlessRate    = 60              // frames per second
	unaskedClipRate = 30              // of a clip that nobody has asked for: what GIF shows evenly
	headlessTime    = 5 * time.Second // how long to run when nobody says

	headlessWidth, headlessHeight = 640, 360
	pictureWidth, pictureHeight   = 1280, 720 // of a picture that nobody has asked for
)

// Headless runs without a window, as fast as the machine can, and writes the files that the options ask for; without any it writes a picture and a clip.
// What it wrote goes to out, line by line. Canceling the context ends the run early, with whole files.
//
// Nothing depends on the machine: frames take as long as the options say, fixed steps cost what -step-cost says and nothing else.
func Headless(ctx context.Context, o options.Options, out io.Writer) (err error) {
	unasked := o.Record == "" && o.Screenshot == "" && o.Trace == ""
	if unasked {
		if err := os.MkdirAll(o.Dir, 0o777); err != nil {
			return &BadFile{"dir", err}
		}
		o.Record = filepath.Join(o.Dir, o.Scene+".gif")
		o.Screenshot = filepath.Join(o.Dir, o.Scene+".png")
	}
	source := frames(&o, unasked)
	limit := limitOf(&o)

	files, err := openFiles(&o)
	if err != nil {
		return err
	}
	defer files.abort()
	var surface *offscreen.Surface
	if o.Record != "" || o.Screenshot != "" {
		width, height := o.Width, o.Height
		if width == 0 {
			width, height = headlessWidth, headlessHeight
		}
		surface, err = offscreen.New(offscreen.Config{Width: width, Height: height, Scale: float32(o.Scale)})
		if err != nil {
			return fmt.Errorf("cannot draw off screen: %w\n(figures need no graphics: add -headless -trace out.csv, without -record and -screenshot)", err)
		}
		defer surface.Close()
	}
	host := &simulation.Imagined{}
	show, err := NewShow(o.Settings, host, files.table(&o))
	if err != nil {
		return err
	}
	defer show.Close()
	jitter := rand.New(rand.NewPCG(o.Seed, 1))

	var picture *image.RGBA
	var spent time.Duration // by the steps of the frame before
	for n := 0; limit.more(n, show.real) && ctx.Err() == nil; n++ {
		// A frame lasts at least as long as the steps that it waited for. That is the death spiral, when they are many.
		real := max(frametimes.Vary(source.Next(), o.Jitter, jitter), spent)
		begin := host.Now()
		show.Advance(real)
		spent = host.Now() - begin
		if files.clip == nil || show.real <= o.Skip {
			continue
		}
		if picture, err = drawPicture(show, surface, picture); err != nil {
			return err
		}
		if err := files.clip.Frame(picture, real); err != nil {
			return err
		}
	}
	if o.Screenshot != "" {
		if unasked && o.Width == 0 {
			if err := surface.Resize(pictureWidth, pictureHeight, float32(o.Scale)); err != nil {
				return err
			}
		}
		if picture, err = drawPicture(show, surface, nil); err != nil {
			return err
		}
		if err := record.SavePNG(o.Screenshot, picture); err != nil {
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

func drawPicture(s *Show, surface render.Surface, reuse *image.RGBA) (*image.RGBA, error) {
	if err := s.Draw(surface); err != nil {
		return nil, err
	}
	return surface.Capture(reuse)
}

// frames returns how long frames take, and settles the frame rate that the overlay shows.
func frames(o *options.Options, unasked bool) frametimes.Source {
	switch {
	case len(o.Deltas) > 0:
		o.Cap = 0
		return frametimes.Repeat(o.Deltas)
	case o.Cap <= 0 && unasked:
		o.Cap = unaskedClipRate
	case o.Cap <= 0:
		o.Cap = headlessRate
	}
	return frametimes.Steady(o.Cap)
}

// limit says when a run ends.
type limit struct {
	frames int           // 0: no limit by number
	real   time.Duration // 0: no limit by time
}

// limitOf returns the limit that the options ask for. A run without a window always has one.
func limitOf(o *options.Options) limit {
	l := limit{o.Frames, o.Length}
	if l == (limit{}) {
		if len(o.Deltas) > 0 {
			l.frames = len(o.Deltas)
		} else {
			l.real = headlessTime
		}
	}
	return l
}

// more reports whether a frame is to follow n frames that took the given real time.
func (l limit) more(n int, real time.Duration) bool {
	return (l.frames == 0 || n < l.frames) && (l.real == 0 || real < l.real)
}

// BadFile is the error for a file of the command line that cannot be used as asked: a fault of the command line.
type BadFile struct {
	Flag string
	Err  error
}

func (e *BadFile) Error() string { return fmt.Sprintf("-%s: %v", e.Flag, e.Err) }
func (e *BadFile) Unwrap() error { return e.Err }

// files are what a run writes while it runs. They are opened before it begins, so that a wrong name costs no time.
type files struct {
	clip  record.Recorder // nil: none
	trace *os.File        // nil: none
	names []string        // of all that will have been written
}

func openFiles(o *options.Options) (f *files, err error) {
	f = &files{}
	if o.Record != "" {
		f.clip, err = record.Open(o.Record, record.Options{FPS: clipRate(o.Settings)})
		if errors.Is(err, record.ErrNoFFmpeg) {
			return nil, err // the machine's fault
		}
		if err != nil {
			return nil, &BadFile{"record", err}
		}
		f.names = append(f.names, o.Record)
	}
	if o.Screenshot != "" {
		if info, err := os.Stat(filepath.Dir(o.Screenshot)); err != nil || !info.IsDir() {
			f.abort()
			return nil, &BadFile{"screenshot", fmt.Errorf("there is no folder %s", filepath.Dir(o.Screenshot))}
		}
		f.names = append(f.names, o.Screenshot)
	}
	if o.Trace != "" && o.Trace != options.Stdout {
		f.trace, err = os.Create(o.Trace)
		if err != nil {
			f.abort()
			return nil, &BadFile{"trace", err}
		}
		f.names = append(f.names, o.Trace)
	}
	return f, nil
}

// clipRate is the frame rate of an MP4 clip.
func clipRate(set settings.Settings) float64 {
	if set.Cap > 0 && set.Cap <= 60 {
		return float64(set.Cap)
	}
	return 60
}

// table is where the rows of the trace go, nil for nowhere.
func (f *files) table(o *options.Options) io.Writer {
	if f.trace == nil {
		return o.Table
	}
	return f.trace
}

func (f *files) close() (err error) {
	if f.clip != nil {
		err = f.clip.Close()
	}
	if f.trace != nil {
		err = errors.Join(err, f.trace.Close())
	}
	return err
}

// abort leaves no half clip behind. After close it does nothing.
func (f *files) abort() {
	if f.clip != nil {
		f.clip.Abort()
	}
	if f.trace != nil {
		f.trace.Close()
	}
}
