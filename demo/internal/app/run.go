package app

import (
	"cmp"
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
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/demo/internal/simulation"
	"github.com/tandem-ecs/tandem/render/offscreen"
	"github.com/tandem-ecs/tandem/render/window"
)

const (
	// windowCap is the cap of a window on a display that does not wait.
	windowCap    = 144
	headlessRate = 60 // frames per second
	// of the clip of a run without file names: GIF shows this rate evenly
	unaskedClipRate = 30
	headlessTime    = 5 * time.Second  // the default length of a run
	matchTime       = 10 * time.Second // the same for a match, which has to be joined first

	fullWidth, fullHeight         = 1280, 720
	headlessWidth, headlessHeight = 640, 360
)

// Run is a run of a scene or a match.
type Run struct {
	RealTime bool // other processes take part: frames follow the wall clock off screen, too
	Touch    bool // fingers use the window, as on a telephone, also before the first touch

	offers  chan offer
	loop    *loop // in a window; nil: it has not begun
	options *options.Options
	arena   func(settings.Settings) (Content, error)
	rows    io.Writer // for a table on the standard output
	out     io.Writer // for the summary and the names of files
	remarks io.Writer // for the changes made by keys
}

// New returns a run of the scene that the options name. arena opens a match, for the scene of that
// name; nil: there is none. The run writes its results to stdout and the changes made by keys to
// stderr. If the trace goes to the standard output, the results go to stderr, too.
func New(o *options.Options, stdout, stderr io.Writer, arena func(settings.Settings) (Content, error)) *Run {
	r := &Run{offers: make(chan offer), options: o, arena: arena, out: stdout, remarks: stderr}
	if o.Trace == options.Stdout {
		r.rows, r.out = stdout, stderr
	}
	return r
}

// open opens the scene that the settings name. The clock measures the time of fixed steps.
func (r *Run) open(host simulation.Clock, set settings.Settings) (Content, error) {
	if set.Scene == settings.Arena {
		return r.arena(set)
	}
	return newScene(set, host)
}

// ErrNoGraphics is the error of a run that needs a window or a picture, in a build without either.
var ErrNoGraphics = errors.New(`this program was built without cgo: it opens no window and draws no pictures
For these it needs a C compiler and OpenGL. In a copy of the repository "make demo" installs them on Debian and Ubuntu,
builds the demo and runs it. By hand: apt-get install gcc libc6-dev pkg-config libgl-dev libxcursor-dev libxrandr-dev
libxinerama-dev libxi-dev libxxf86vm-dev; then build with CGO_ENABLED=1.
This build runs: every scene as a table of poses, by -headless -trace out.csv; "demo server" and "demo bots";
"demo client", "demo host" and "demo duel" with -headless, where bots play. -h lists scenes, commands and flags`)

// NoWindow reports whether an error of [Run.Window] means that this machine cannot open a window.
// Drawing off screen may still work.
func NoWindow(err error) bool {
	return errors.Is(err, window.ErrNoDisplay) || errors.Is(err, window.ErrNoOpenGL)
}

// Window runs in a window until the window is closed, the run reaches its limit, or the context is
// canceled. It must be called on the main goroutine.
func (r *Run) Window(ctx context.Context) (err error) {
	o, given := r.options, r.options.Cap
	if o.Cap < 0 {
		o.Cap = windowCap
	}
	defer func() {
		if NoWindow(err) { // a run off screen takes its place, at its own rate
			o.Cap = given
		}
	}()
	files, err := openFiles(o)
	if err != nil {
		return err
	}
	defer files.Abort()
	clock := wallClock{time.Now()}
	content, err := r.open(clock, o.Settings)
	if err != nil {
		return err
	}
	l := &loop{Run: r, content: content, files: files, clock: clock, rateChosen: o.Rate != 0 && o.Scene != settings.Arena}
	defer func() { l.content.Close() }()
	win, err := window.Open(window.Config{Title: "Tandem", Width: cmp.Or(o.Width, fullWidth), Height: cmp.Or(o.Height, fullHeight), Scale: float32(o.Scale), NoVSync: !o.VSync})
	if err != nil {
		return err
	}
	defer win.Close()
	l.surface, l.win, r.loop = win, win, l
	if len(o.Deltas) > 0 {
		l.source = frametimes.Repeat(o.Deltas)
	}
	l.clip = clip{recorder: files.Clip, every: frameTime(clipRate(o.Settings))}
	return l.play(ctx)
}

// Headless runs without a window and writes the files that the options ask for. If they name none,
// it writes a picture and a clip of the scene. It prints the names of the files, one a line.
// Canceling the context ends the run early, with complete files.
//
// Unless other processes take part, it runs as fast as the machine can and does not depend on the
// machine: the options set how long frames and fixed steps take.
func (r *Run) Headless(ctx context.Context) error {
	o := r.options
	unasked := o.Scene != settings.Arena && o.Record == "" && o.Screenshot == "" && o.Trace == ""
	if unasked && !Graphics {
		return ErrNoGraphics
	}
	if unasked {
		if err := os.MkdirAll(o.Dir, 0o777); err != nil {
			return &output.BadFile{Flag: "dir", Err: fmt.Errorf("%w: give a folder that you may create and write to", err)}
		}
		o.Record = filepath.Join(o.Dir, o.Scene+".gif")
		o.Screenshot = filepath.Join(o.Dir, o.Scene+".png")
	}
	if o.Frames == 0 && o.Length == 0 { // a run without a window ends
		if o.Length = headlessTime; o.Scene == settings.Arena {
			o.Length = matchTime
		}
	}
	l := &loop{Run: r, source: frames(o, unasked), clock: &simulation.VirtualClock{}}
	if r.RealTime {
		l.source, l.clock = nil, wallClock{time.Now()}
	}
	files, err := openFiles(o)
	if bad := (*output.BadFile)(nil); unasked && errors.As(err, &bad) {
		bad.Flag = "dir" // the files are in that folder
	}
	if err != nil {
		return err
	}
	defer files.Abort()
	l.files, l.clip.recorder = files, files.Clip
	if l.content, err = r.open(l.clock, o.Settings); err != nil {
		return err
	}
	defer l.content.Close()
	if files.Draws() {
		if !Graphics {
			return ErrNoGraphics
		}
		surface, err := offscreen.New(offscreen.Config{Width: cmp.Or(o.Width, headlessWidth), Height: cmp.Or(o.Height, headlessHeight), Scale: float32(o.Scale)})
		if err != nil {
			return fmt.Errorf("cannot draw off screen: %w\n(a trace needs no graphics: use -headless -trace out.csv without -record and -screenshot)", err)
		}
		defer surface.Close()
		l.surface = surface
		if unasked && o.Width == 0 { // the picture of a run without file names
			l.enlarge = func() error { return surface.Resize(fullWidth, fullHeight, float32(o.Scale)) }
		}
	}
	if !Graphics && !o.Headless {
		fmt.Fprintln(r.remarks, "demo: a build without cgo opens no window; running as with -headless")
	}
	return l.play(ctx)
}

// play begins the trace and runs the content.
func (l *loop) play(ctx context.Context) error {
	rows := l.rows
	if l.options.Trace != options.Stdout {
		var err error
		if rows, err = l.files.Table(); err != nil {
			return err
		}
	}
	names := scenes.WithArena()
	if l.arena == nil {
		names = scenes.Names()
	}
	l.show = NewShow(l.content, names, rows)
	if l.win != nil {
		l.show.Live, l.show.Touched, l.show.remarks = true, l.Touch, l.remarks
		l.show.greet()
	}
	return l.run(ctx)
}

// frames returns the frame times, and sets the frame rate that the overlay shows.
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

// openFiles opens the files that the options name.
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
