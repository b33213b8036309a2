package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/frametimes"
	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/demo/internal/output"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/demo/internal/simulation"
	"github.com/tandem-ecs/tandem/render/offscreen"
	"github.com/tandem-ecs/tandem/render/window"
)

const (
	// windowCap is the cap of a window on a display that does not wait.
	windowCap       = 144
	headlessRate    = 60               // frames per second
	unaskedClipRate = 30               // of a clip that nobody has asked for: what GIF shows evenly
	headlessTime    = 5 * time.Second  // how long to run when nobody says
	matchTime       = 10 * time.Second // the same of a match, which has to be joined first

	windowWidth, windowHeight     = 1280, 720
	headlessWidth, headlessHeight = 640, 360
)

// Run is what is to be run, and how.
type Run struct {
	Clocked bool // others take part: off screen, too, frames take as long as the clock says

	options *options.Options
	arena   func(settings.Settings) (Content, error)
	rows    io.Writer // for a table on the standard output
	out     io.Writer // where it says what was run and written
	remarks io.Writer // where it writes down what keys have changed
}

// New returns a run of the scene that the options name. arena opens a match, for the scene of that
// name. The run writes its results to stdout and remarks of keys to stderr. If the trace goes to
// the standard output, the results go to stderr, too.
func New(o *options.Options, stdout, stderr io.Writer, arena func(settings.Settings) (Content, error)) *Run {
	r := &Run{options: o, arena: arena, out: stdout, remarks: stderr}
	if o.Trace == options.Stdout {
		r.rows, r.out = stdout, stderr
	}
	return r
}

// open opens the scene that the settings name. The host is where the time of fixed steps comes
// from.
func (r *Run) open(host simulation.Host, set settings.Settings) (Content, error) {
	if set.Scene == settings.Arena {
		return r.arena(set)
	}
	return newStage(set, host)
}

// NoWindow reports whether an error of [Run.Window] means that this machine cannot open a window.
// Drawing off screen may still work.
func NoWindow(err error) bool {
	return errors.Is(err, window.ErrNoDisplay) || errors.Is(err, window.ErrNoOpenGL)
}

// Window runs in a window until it is closed, the run that the options ask for is over, or the
// context is canceled. It must be called on the main goroutine.
func (r *Run) Window(ctx context.Context) error {
	o := r.options
	if o.Cap < 0 {
		o.Cap = windowCap
	}
	files, err := openFiles(o)
	if err != nil {
		return err
	}
	defer files.Abort()
	clock := machine{time.Now()}
	content, err := r.open(clock, o.Settings)
	if err != nil {
		return err
	}
	l := &loop{Run: r, content: content, files: files, host: clock, limit: limit{o.Frames, o.Length}, rateChosen: o.Rate != 0 && o.Scene != settings.Arena}
	defer func() { l.content.Close() }()
	width, height := o.Width, o.Height
	if width == 0 {
		width, height = windowWidth, windowHeight
	}
	win, err := window.Open(window.Config{Title: "Tandem", Width: width, Height: height, Scale: float32(o.Scale), NoVSync: !o.VSync})
	if err != nil {
		return err
	}
	defer win.Close()
	l.surface, l.win = win, win
	if len(o.Deltas) > 0 {
		l.source = frametimes.Repeat(o.Deltas)
		if l.limit == (limit{}) {
			l.limit.frames = len(o.Deltas)
		}
	}
	l.clip = clip{recorder: files.Clip, every: frameTime(clipRate(o.Settings))}
	return l.play(ctx)
}

// Headless runs without a window and writes the files that the options ask for. If they name none,
// it writes a picture and a clip of the scene. The names of the files go to Out, one a line.
// Canceling the context ends the run early, with whole files.
//
// Unless others take part, it runs as fast as the machine can, and nothing depends on the machine:
// the options say how long frames take, and -step-cost says how long fixed steps take.
func (r *Run) Headless(ctx context.Context) error {
	o := r.options
	unasked := o.Scene != settings.Arena && o.Record == "" && o.Screenshot == "" && o.Trace == ""
	if unasked {
		if err := os.MkdirAll(o.Dir, 0o777); err != nil {
			return &BadFile{Flag: "dir", Err: fmt.Errorf("%w: give a folder that you may make and write to", err)}
		}
		o.Record = filepath.Join(o.Dir, o.Scene+".gif")
		o.Screenshot = filepath.Join(o.Dir, o.Scene+".png")
	}
	l := &loop{Run: r, source: frames(o, unasked), limit: limitOf(o), host: &simulation.Imagined{}}
	if r.Clocked {
		l.source, l.host = nil, machine{time.Now()}
	}
	files, err := openFiles(o)
	if bad := (*BadFile)(nil); unasked && errors.As(err, &bad) {
		bad.Flag = "dir" // the files' names come from there
	}
	if err != nil {
		return err
	}
	defer files.Abort()
	l.files, l.clip.recorder = files, files.Clip
	if l.content, err = r.open(l.host, o.Settings); err != nil {
		return err
	}
	defer l.content.Close()
	if files.Draws() {
		width, height := o.Width, o.Height
		if width == 0 {
			width, height = headlessWidth, headlessHeight
		}
		surface, err := offscreen.New(offscreen.Config{Width: width, Height: height, Scale: float32(o.Scale)})
		if err != nil {
			return fmt.Errorf("cannot draw off screen: %w\n(figures need no graphics: add -headless -trace out.csv, without -record and -screenshot)", err)
		}
		defer surface.Close()
		l.surface = surface
		if unasked && o.Width == 0 { // of a picture that nobody has asked for
			l.enlarge = func() error { return surface.Resize(windowWidth, windowHeight, float32(o.Scale)) }
		}
	}
	return l.play(ctx)
}

// play begins the trace, and runs what is shown.
func (l *loop) play(ctx context.Context) error {
	rows := l.rows
	if l.options.Trace != options.Stdout {
		var err error
		if rows, err = l.files.Table(); err != nil {
			return err
		}
	}
	l.show = NewShow(l.content, rows)
	if l.win != nil {
		l.show.Live, l.show.remarks = true, l.remarks
		l.show.greet()
	}
	return l.run(ctx)
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
	if o.Scene == settings.Arena {
		return frametimes.Repeat([]time.Duration{time.Second / time.Duration(o.Cap)})
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
		} else if l.real = headlessTime; o.Scene == settings.Arena {
			l.real = matchTime
		}
	}
	return l
}

// more reports whether a frame is to follow n frames that took the given real time.
func (l limit) more(n int, real time.Duration) bool {
	return (l.frames == 0 || n < l.frames) && (l.real == 0 || real < l.real)
}

// BadFile is the error for a file of the command line that cannot be used as asked.
type BadFile = output.BadFile

// openFiles opens what the options ask for.
func openFiles(o *options.Options) (*output.Files, error) {
	names := output.Names{Record: o.Record, Screenshot: o.Screenshot, Trace: o.Trace}
	if o.Trace == options.Stdout {
		names.Trace = ""
	}
	return output.Open(names, clipRate(o.Settings))
}

// clipRate is the frame rate of an MP4 clip.
func clipRate(set settings.Settings) float64 {
	if set.Cap > 0 && set.Cap <= 60 {
		return float64(set.Cap)
	}
	return 60
}
