// Package options reads the demo's command line.
package options

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/flagerror"
	"github.com/tandem-ecs/tandem/demo/internal/frametimes"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
)

// Options are what the command line asks for.
type Options struct {
	settings.Settings

	Headless bool          // no window, even where there is a display
	Frames   int           // how many to run; 0: not limited by number
	Length   time.Duration // how much real time to run; 0: not limited by time
	Deltas   []time.Duration

	Skip time.Duration // real time before the recording begins

	Record     string    // file to record into: .gif, .mp4 or .png
	Screenshot string    // file for the last picture: .png
	Trace      string    // file for the table of poses; [Stdout] for the standard output
	Table      io.Writer // where the table goes if Trace is Stdout; not an option, but for the program to set
	Dir        string    // folder for what keys and runs without a file name make

	Width, Height int
	Scale         float64 // pixels per point; 0: as the display wants it
}

// Stdout in place of a file's name is the standard output, which then belongs to the table alone.
const Stdout = "-"

// ErrHelp is returned when the help was asked for and has been printed.
var ErrHelp = flag.ErrHelp

const (
	minSide, maxSide = 64, 7680
	// maxRun keeps every sum of frame times within the range of a time.Duration.
	maxRun = 100 * 365 * 24 * time.Hour
)

// Parse reads the arguments, without the program's name. Help goes to out. All that can be wrong with a flag, alone or beside the others, is an error.
func Parse(args []string, out io.Writer) (Options, error) {
	o := Options{Settings: settings.Default()}
	fs := flag.NewFlagSet("demo", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // errors are returned, help is printed below
	var (
		frameCap  = capValue{-1}
		size      = sizeValue{0, 0}
		seconds   float64
		skip      float64
		frameFile string
	)
	fs.StringVar(&o.Scene, "scene", o.Scene, "")
	fs.IntVar(&o.Rate, "hz", 0, "")
	fs.Float64Var(&o.Speed, "speed", o.Speed, "")
	fs.BoolVar(&o.Paused, "paused", false, "")
	fs.BoolVar(&o.Interpolate, "interpolate", o.Interpolate, "")
	fs.BoolVar(&o.Ghosts, "ghosts", false, "")
	fs.BoolVar(&o.Split, "split", false, "")
	fs.IntVar(&o.Entities, "entities", 0, "")
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "")
	fs.Var(&frameCap, "fps", "")
	fs.Float64Var(&o.Jitter, "jitter", 0, "")
	fs.DurationVar(&o.StepCost, "step-cost", 0, "")
	fs.BoolVar(&o.Adaptive, "adaptive", false, "")
	fs.BoolVar(&o.GPU, "gpu", false, "")
	fs.BoolVar(&o.VSync, "vsync", o.VSync, "")
	fs.BoolVar(&o.Overlay, "overlay", o.Overlay, "")
	fs.BoolVar(&o.Keys, "keys", false, "")
	fs.DurationVar(&o.Link.Latency, "latency", o.Link.Latency, "")
	fs.Float64Var(&o.Link.Jitter, "link-jitter", o.Link.Jitter, "")
	fs.Float64Var(&o.Link.Loss, "loss", o.Link.Loss, "")
	fs.Float64Var(&o.Link.Burst, "burst", o.Link.Burst, "")
	fs.Float64Var(&o.Link.Duplicate, "duplicate", o.Link.Duplicate, "")
	fs.Float64Var(&o.Link.Reorder, "reorder", o.Link.Reorder, "")
	fs.IntVar(&o.Link.SendRate, "send-hz", o.Link.SendRate, "")
	fs.Var(&size, "size", "")
	fs.Float64Var(&o.Scale, "scale", 0, "")
	fs.BoolVar(&o.Headless, "headless", false, "")
	fs.Float64Var(&seconds, "seconds", 0, "")
	fs.IntVar(&o.Frames, "frames", 0, "")
	fs.Float64Var(&skip, "skip", 0, "")
	fs.StringVar(&frameFile, "frame-times", "", "")
	fs.StringVar(&o.Record, "record", "", "")
	fs.StringVar(&o.Screenshot, "screenshot", "", "")
	fs.StringVar(&o.Trace, "trace", "", "")
	fs.StringVar(&o.Dir, "dir", "out", "")

	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			writeHelp(out)
			return Options{}, ErrHelp
		}
		return Options{}, flagerror.Readable(err, func(name string) string { return kinds[name] })
	}
	if fs.NArg() > 0 {
		return Options{}, fmt.Errorf("%q is not a flag; flags begin with a dash, and what is on or off is set with an equals sign, as -name=false", fs.Arg(0))
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })

	if o.Trace == "/dev/stdout" { // opened once more it would be overwritten by what is said
		o.Trace = Stdout
	}
	o.Width, o.Height = size.width, size.height
	o.Cap = frameCap.frames
	c := checker{given: given}
	c.scene(&o)
	c.link(&o)
	c.check(!given["hz"] || o.Rate >= 1 && o.Rate <= 1000, "-hz %d: the fixed rate is 1 to 1000 steps per second", o.Rate)
	c.check(o.Speed >= 1e-6 && o.Speed <= settings.MaxSpeed, "-speed %v: the speed is above 0 and at most %d; to begin with the time at rest use -paused", o.Speed, settings.MaxSpeed)
	c.check(o.Jitter >= 0 && o.Jitter <= settings.MaxJitter, "-jitter %v: frame times vary by a share of 0 to %v", o.Jitter, settings.MaxJitter)
	c.check(o.StepCost >= 0 && o.StepCost <= settings.MaxStepCost, "-step-cost %v: a step can be made to take 0s to %v", o.StepCost, settings.MaxStepCost)
	c.check(o.Scale == 0 || o.Scale >= 0.5 && o.Scale <= 4, "-scale %v: a point of the overlay is 0.5 to 4 pixels, or 0 for what the display wants", o.Scale)
	c.check(!given["frames"] || o.Frames > 0, "-frames %d: the number of frames is 1 or more", o.Frames)
	c.check(!given["seconds"] || seconds > 0 && seconds <= maxRun.Seconds(), "-seconds %v: the time to run is above 0 and at most a hundred years", seconds)
	c.check(skip >= 0 && skip <= maxRun.Seconds() && (!given["seconds"] || skip < seconds), "-skip %v: the time before the recording begins is 0 or more and less than -seconds", skip)
	c.check(!given["skip"] || o.Record != "", "-skip: there is nothing to record; use it with -record")
	c.exclusive("frames", "seconds")
	c.exclusive("fps", "frame-times")
	c.exclusive("jitter", "frame-times")
	c.exclusive("step-cost", "frame-times")
	c.extension("record", o.Record, ".gif", ".mp4", ".png")
	c.extension("screenshot", o.Screenshot, ".png")
	c.check(o.Trace != "" || !given["trace"], "-trace: the file's name is empty; use - for the standard output")
	c.check(frameFile != "" || !given["frame-times"], "-frame-times: the file's name is empty")
	c.check(o.Dir != "", "-dir: the folder's name is empty; use . for the present one")
	if c.err != nil {
		return Options{}, c.err
	}
	o.Length = time.Duration(math.Round(seconds * 1e9))
	o.Skip = time.Duration(math.Round(skip * 1e9))
	if given["seconds"] {
		o.Length = max(o.Length, 1) // zero would be no limit
	}
	if frameFile != "" {
		deltas, err := readFrameTimes(frameFile)
		if err != nil {
			return Options{}, fmt.Errorf("-frame-times: %w", err)
		}
		o.Deltas = deltas
		if given["seconds"] && slices.Max(deltas) == 0 {
			return Options{}, fmt.Errorf("-seconds %v would never be over: all frames in %s take no time; use -frames", seconds, frameFile)
		}
		if given["frames"] && float64(o.Frames)*float64(slices.Max(deltas)) > float64(maxRun) {
			return Options{}, fmt.Errorf("-frames %d times the longest frame in %s is more than a hundred years; ask for fewer frames", o.Frames, frameFile)
		}
	}
	return o, nil
}

// kinds says what values flags take whose parsing can fail.
var kinds = map[string]string{
	"hz": "a whole number of steps per second", "entities": "a whole number", "frames": "a whole number", "seed": "a whole number from 0 to 18446744073709551615",
	"speed": "a number such as 0.25", "jitter": "a number such as 0.5", "scale": "a number such as 2", "seconds": "a number of seconds", "skip": "a number of seconds",
	"latency": "a time with its unit, such as 200ms", "link-jitter": shareTakes, "loss": shareTakes, "burst": shareTakes, "duplicate": shareTakes, "reorder": shareTakes,
	"send-hz":   "a whole number of snapshots per second",
	"step-cost": "a time with its unit, such as 20ms", "fps": fpsTakes, "size": sizeTakes,
	"paused": boolTakes, "interpolate": boolTakes, "ghosts": boolTakes, "split": boolTakes, "adaptive": boolTakes, "gpu": boolTakes, "vsync": boolTakes, "overlay": boolTakes, "keys": boolTakes, "headless": boolTakes,
}

const (
	boolTakes  = "true or false, as -name=false"
	fpsTakes   = "1 to 1000 frames per second, or none"
	shareTakes = "a share of 0 to 1, such as 0.15"
	sizeTakes  = "width x height in pixels, 64 to 7680 each, such as 1280x720"
)

// checker keeps the first error.
type checker struct {
	given map[string]bool
	err   error
}

func (c *checker) check(ok bool, format string, values ...any) {
	if !ok && c.err == nil {
		c.err = fmt.Errorf(format, values...)
	}
}

func (c *checker) exclusive(a, b string) {
	c.check(!c.given[a] || !c.given[b], "-%s and -%s contradict each other; leave one out", a, b)
}

func (c *checker) extension(name, file string, wanted ...string) {
	c.check(file == "" && !c.given[name] || slices.Contains(wanted, strings.ToLower(filepath.Ext(file))),
		"-%s %q: the file's name ends in %s", name, file, strings.Join(wanted, " or "))
}

func (c *checker) scene(o *Options) {
	entry, ok := scenes.Find(o.Scene)
	c.check(ok, "-scene %q: the scenes are %s", o.Scene, strings.Join(scenes.Names(), ", "))
	c.check(!ok || !o.Split || entry.Splits, "-split: scene %s makes its own comparison; it is for orbits and stress", o.Scene)
	if !ok || !c.given["entities"] {
		return
	}
	c.check(entry.MaxEntities > 0, "-entities: scene %s has a fixed number of bodies; it can be chosen in %s", o.Scene, strings.Join(choosable(), ", "))
	c.check(o.Entities >= entry.MinEntities && o.Entities <= entry.MaxEntities, "-entities %d: scene %s takes %d to %d",
		o.Entities, o.Scene, entry.MinEntities, entry.MaxEntities)
}

// link checks the flags of the network, and that there is one.
func (c *checker) link(o *Options) {
	entry, known := scenes.Find(o.Scene)
	for _, name := range linkFlags {
		c.check(!c.given[name] || !known || entry.Linked, "-%s: scene %s has no network; choose -scene lab", name, o.Scene)
	}
	l := o.Link
	c.check(l.Latency >= 0 && l.Latency <= settings.MaxLatency, "-latency %v: a round trip takes 0s to %v", l.Latency, settings.MaxLatency)
	for i, share := range []float64{l.Jitter, l.Loss, l.Burst, l.Duplicate, l.Reorder} {
		c.check(share >= 0 && share <= 1, "-%s %v: it is a share of 0 to 1", linkFlags[i+1], share)
	}
	c.check(l.SendRate >= 1 && l.SendRate <= settings.MaxSendRate, "-send-hz %d: the server sends 1 to %d snapshots per second", l.SendRate, settings.MaxSendRate)
}

// linkFlags are the flags of the network, in the order of settings.Link.
var linkFlags = []string{"latency", "link-jitter", "loss", "burst", "duplicate", "reorder", "send-hz"}

func choosable() (names []string) {
	for _, e := range scenes.All() {
		if e.MaxEntities > 0 {
			names = append(names, e.Name)
		}
	}
	return names
}

func readFrameTimes(name string) ([]time.Duration, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return frametimes.Read(f, name)
}

// capValue is a number of frames per second, 0 for "none", -1 for not given.
type capValue struct{ frames int }

func (v *capValue) String() string { return strconv.Itoa(v.frames) }

func (v *capValue) Set(s string) error {
	if s == "none" {
		v.frames = 0
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > settings.MaxCap {
		return errors.New(fpsTakes)
	}
	v.frames = n
	return nil
}

// sizeValue is the size of the picture.
type sizeValue struct{ width, height int }

func (v *sizeValue) String() string { return fmt.Sprintf("%dx%d", v.width, v.height) }

func (v *sizeValue) Set(s string) error {
	w, h, ok := strings.Cut(strings.ToLower(s), "x")
	width, err1 := strconv.Atoi(w)
	height, err2 := strconv.Atoi(h)
	if !ok || err1 != nil || err2 != nil || min(width, height) < minSide || max(width, height) > maxSide {
		return errors.New(sizeTakes)
	}
	v.width, v.height = width, height
	return nil
}
