// Package options defines and checks the flags of a scene, and those of a match of the arena.
package options

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/flags"
	"github.com/tandem-ecs/tandem/demo/internal/frametimes"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
	"github.com/tandem-ecs/tandem/systems/netcode/articles"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// Options are the values of all flags.
type Options struct {
	settings.Settings

	Headless bool          // no window, even where there is a display
	Frames   int           // number of frames to run; 0: no limit
	Length   time.Duration // real time to run; 0: no limit
	Deltas   []time.Duration

	Skip time.Duration // real time before the recording begins

	Record     string        // file to record into: .gif, .mp4 or .png
	Recording  string        // file to record a match into, which the same flag names: .replay
	At         time.Duration // of a replay: where it begins
	Screenshot string        // file for the last picture: .png
	Trace      string        // file for the table of poses; [Stdout] for the standard output
	Dir        string        // folder for the files of keys, and of runs without file names

	Width, Height int
	Scale         float64 // pixels per point; 0: the display's own

	Autopilot, Peace bool           // in a match: a bot plays; the bots do not shoot
	Skill            settings.Skill // of the bots of a match
	Name             string         // of the player of a match

	seconds, skip   float64
	frameFile, kind string
}

// Stdout as the name of the trace file means the standard output. Then nothing else is written
// there.
const Stdout = "-"

// replayEnding is the ending of a recorded match.
const replayEnding = ".replay"

const (
	minSide, maxSide = 64, 7680
	// maxRun keeps every sum of frame times within the range of a time.Duration.
	maxRun = 100 * 365 * 24 * time.Hour
)

// Parse reads the arguments of a run that shows a scene, without the program's name. Help goes to
// out. It checks every flag, and the flags against each other.
func Parse(args []string, out io.Writer) (Options, error) {
	o := Options{Settings: settings.Default()}
	o.Cap = -1
	s := flags.New("")
	o.sceneFlags(s)
	s.Section("Simulation (keys change all of these later)")
	o.pictureFlags(s)
	o.windowFlags(s)
	s.Section("The picture")
	o.labFlags(s)
	s.Section("Simulated network, in scene lab")
	o.runFlags(s)
	s.StringVar(&o.frameFile, "frame-times", "", "`file` with the frame times: whole nanoseconds, one frame a line; empty lines and lines that begin with # are skipped. With -frames or -seconds the file is repeated as often as needed; otherwise it runs once")
	s.Section("Runs that end, with a window or without")
	if err := s.Read(args, out, head(), tail); err != nil {
		return Options{}, err
	}
	if err := o.Check(s); err != nil {
		return Options{}, err
	}
	return o, nil
}

// NewMatch returns the options of a match of the arena before any flag is read.
func NewMatch() *Options {
	o := &Options{Settings: settings.Default()}
	o.Scene, o.Cap, o.Link = settings.Arena, 60, settings.Link{}
	return o
}

// MatchFlags defines the flags of the commands that show a match.
func (o *Options) MatchFlags(s *flags.Set) {
	o.playFlags(s)
	s.Section("The match")
	o.pictureFlags(s)
	o.windowFlags(s)
	s.Section("The picture")
	o.MatchLineFlags(s)
	o.runFlags(s)
	s.Section("Runs that end, with a window or without")
}

// ReplayFlags defines the flags of a replay of a match.
func (o *Options) ReplayFlags(s *flags.Set) {
	o.timeFlags(s)
	s.Section("The replay")
	o.pictureFlags(s)
	o.windowFlags(s)
	s.Section("The picture")
	o.runFlags(s)
	for name, usage := range map[string]string{
		"headless": "no window, even where there is a display; as fast as the machine can",
		"seconds":  "`seconds` to run; off screen up to the end of the recording unless given",
		"record":   "`file` to record a clip into: .gif, .mp4 (needs ffmpeg), or .png, the last picture",
	} {
		s.Lookup(name).Usage = usage
	}
	s.Section("Runs that end, with a window or without")
}

// timeFlags defines the flags of a replay's time.
func (o *Options) timeFlags(s *flags.Set) {
	s.DurationVar(&o.At, "at", 0, "`time` of the recording to begin at, such as 1m30s")
	s.Float64Var(&o.Speed, "speed", o.Speed, "`factor` of the speed, above 0 to 100: 0.25 is slow motion")
	s.BoolVar(&o.Paused, "paused", false, "begin paused")
	s.BoolVar(&o.Timeline, "timeline", false, "draw why things moved so in the last seconds, as key T does")
}

// playFlags defines the flags of a player.
func (o *Options) playFlags(s *flags.Set) {
	s.BoolVar(&o.Autopilot, "autopilot", false, "a bot plays, as without a window")
	s.BoolVar(&o.Peace, "peace", false, "the bots do not shoot")
	o.SkillFlag(s)
	s.StringVar(&o.Name, "name", "", "your `name`, of at most 31 bytes")
	s.BoolVar(&o.Predict, "predict", true, "predict the own player")
	s.BoolVar(&o.Reconcile, "reconcile", true, "correct predictions by the server's states")
	s.StringVar(&o.kind, "kind", "", "`name` of the interpolation of other players: "+names(articles.Kinds(), articles.Name))
	s.BoolVar(&o.Still, "still", false, "the camera stands still instead of following the own player")
	s.BoolVar(&o.Timeline, "timeline", false, "draw why things moved so in the last seconds, as key T does")
}

// SkillFlag defines the flag of the bots' skill.
func (o *Options) SkillFlag(s *flags.Set) {
	s.TextVar(&o.Skill, "skill", o.Skill, "the `skill` of bots: easy, fair or hard")
}

// MatchLineFlags defines the flags of the simulated line around a player's connection.
func (o *Options) MatchLineFlags(s *flags.Set) {
	s.Section("The match")
	o.lineFlags(s)
	s.BoolVar(&o.Link.Bursts, "burst", false, "lose datagrams in bursts of four on average")
	s.StringVar(&o.Link.Line, "line", "", "`name` of a line, such as one with a queue, a download or an outage; the other flags add to it: "+lineNames())
	s.Section("The simulated line")
}

// CheckLine checks the flags of [Options.MatchLineFlags] alone.
func (o *Options) CheckLine() error {
	var c checker
	c.lines(o)
	return c.err
}

// sceneFlags defines the flags that only scenes have.
func (o *Options) sceneFlags(s *flags.Set) {
	s.StringVar(&o.Scene, "scene", o.Scene, "`name` of one of the above")
	s.IntVar(&o.Rate, "hz", 0, "fixed steps per second, `1 to 1000` (default: the scene's own, see above)")
	s.Float64Var(&o.Speed, "speed", o.Speed, "`factor` of the speed of time, above 0 to 100: 0.25 is slow motion")
	s.BoolVar(&o.Paused, "paused", false, "begin paused")
	s.BoolVar(&o.Interpolate, "interpolate", o.Interpolate, "draw interpolated poses; off: draw the poses of the last fixed step")
	s.BoolVar(&o.Split, "split", false, "draw raw beside interpolated, in scenes orbits (on unless given) and stress; the other scenes compare by themselves")
	s.IntVar(&o.Entities, "entities", 0, "`number` of bodies, in scenes physics and stress")
	s.Uint64Var(&o.Seed, "seed", o.Seed, "`number` that everything random comes from")
	s.Float64Var(&o.FrameJitter, "frame-jitter", 0, "`share` by which frame times vary, 0 to 0.9")
	s.DurationVar(&o.StepCost, "step-cost", 0, "artificial `time` that every fixed step takes, such as 20ms, to provoke the death spiral")
	s.BoolVar(&o.Adaptive, "adaptive", false, "let the engine halve the fixed rate, up to twice, when steps take too long")
	s.BoolVar(&o.GPU, "gpu", false, "blend poses on the GPU, in scene stress: a frame without a fixed step uploads nothing")
}

// pictureFlags defines the flags of every picture.
func (o *Options) pictureFlags(s *flags.Set) {
	s.BoolVar(&o.Ghosts, "ghosts", false, "also show logical poses; in a match, the newest poses from the server")
	s.BoolFunc("overlay", "text and graphs: -overlay=captions shows only titles, names and announcements, -overlay=false nothing (default all)", o.readOverlay)
	s.BoolVar(&o.Graphs, "graphs", true, "graphs, when all of the overlay is shown")
	s.BoolVar(&o.Keys, "keys", false, "begin with the panel of keys open")
	fps := "`number` of frames per second, 1 to 1000: the cap in a window (default 144, none for no cap); off screen the exact rate (default 60; 30 for the clip of a run without file names)"
	if o.Scene == settings.Arena {
		fps = "`number` of frames per second, 1 to 1000, the cap in a window; none for no cap (default 60); 30 is enough for clips"
	}
	s.Func("fps", fps, o.readCap)
	s.Float64Var(&o.Scale, "scale", 0, "`factor`: pixels per point of the overlay, 0.5 to 4 (default: the display's own; off screen 1)")
}

// windowFlags defines the flags of a window's size and of its display.
func (o *Options) windowFlags(s *flags.Set) {
	s.BoolVar(&o.VSync, "vsync", o.VSync, "wait for the display")
	s.Func("size", "`WxH` in pixels, for a window in points, 64x64 to 7680x7680 (default 1280x720; off screen 640x360)", o.readSize)
}

// labFlags defines the flags of the simulated line of scene lab.
func (o *Options) labFlags(s *flags.Set) {
	o.lineFlags(s)
	s.Float64Var(&o.Link.Burst, "burst", 0, "`share` of datagrams that begin a burst of losses, of eight on average, 0 to 1")
	s.IntVar(&o.Link.SendRate, "send-hz", o.Link.SendRate, "snapshots per second, `1 to 120`")
}

// lineFlags defines the flags of every simulated line.
func (o *Options) lineFlags(s *flags.Set) {
	s.DurationVar(&o.Link.Latency, "latency", o.Link.Latency, "`time` of the round trip, half of it in each direction, 0s to 2s")
	jitter := "`time` by which round trips vary, up and down, 0s to 1s"
	if o.Link.Jitter > 0 {
		jitter += fmt.Sprintf(" (default %v)", o.Link.Jitter)
	}
	s.Func("jitter", jitter, o.readJitter)
	s.Float64Var(&o.Link.Loss, "loss", o.Link.Loss, "`share` of datagrams lost in each direction")
	s.Float64Var(&o.Link.Duplicate, "duplicate", 0, "`share` of datagrams that arrive twice")
	s.Float64Var(&o.Link.Reorder, "reorder", 0, "`share` of datagrams that arrive 50 ms late, behind newer ones")
}

// runFlags defines the flags of a run's length and files.
func (o *Options) runFlags(s *flags.Set) {
	headless := "no window, even where there is a display. Without -record, -screenshot and -trace it writes a picture and a clip; with -trace alone it draws nothing and needs no graphics at all"
	seconds := "`seconds` of real time to run; off screen 5 unless given"
	if o.Scene == settings.Arena {
		headless, seconds = "no window, even where there is a display; a bot plays", "`seconds` of real time to run; off screen 10 unless given"
	}
	s.BoolVar(&o.Headless, "headless", false, headless)
	s.Float64Var(&o.seconds, "seconds", 0, seconds)
	s.IntVar(&o.Frames, "frames", 0, "`number` of frames to run")
	record := "`file` to record into: .gif, .mp4 (needs ffmpeg), or .png, the last picture"
	if o.Scene == settings.Arena {
		record += "; .replay: the match, for the command replay"
	}
	s.StringVar(&o.Record, "record", "", record)
	s.Float64Var(&o.skip, "skip", 0, "`seconds` of the run before -record begins")
	s.StringVar(&o.Screenshot, "screenshot", "", "`file` for the last picture, .png")
	s.StringVar(&o.Trace, "trace", "", "`file` for a table, .csv: one row per frame and named body, with its logical (l) and visual (v) pose in world space. With - it goes to the standard output, and everything else to standard error")
	s.StringVar(&o.Dir, "dir", "out", "`folder` for the files that keys make, and for the files of runs without file names")
}

// Check checks all flags that are defined.
func (o *Options) Check(s *flags.Set) error {
	if o.Trace == "/dev/stdout" { // a second handle would overwrite the messages
		o.Trace = Stdout
	}
	c := checker{given: s.Given}
	c.lines(o)
	if o.Scene == settings.Arena {
		kind, err := articles.ParseKind(o.kind)
		o.Interpolation = kind
		c.check(err == nil, "-kind %q: choose one of %s", o.kind, names(articles.Kinds(), articles.Name))
	} else {
		c.scene(o)
		c.check(!c.given("hz") || o.Rate >= 1 && o.Rate <= 1000, "-hz %d: the fixed rate is 1 to 1000 steps per second", o.Rate)
	}
	c.check(o.Speed >= 1e-6 && o.Speed <= settings.MaxSpeed, "-speed %v: the speed is above 0 and at most %d; to begin paused use -paused", o.Speed, settings.MaxSpeed)
	c.check(o.FrameJitter >= 0 && o.FrameJitter <= settings.MaxFrameJitter, "-frame-jitter %v: frame times vary by a share of 0 to %v", o.FrameJitter, settings.MaxFrameJitter)
	c.check(o.StepCost >= 0 && o.StepCost <= settings.MaxStepCost, "-step-cost %v: a fixed step takes 0s to %v", o.StepCost, settings.MaxStepCost)
	c.check(o.Scale == 0 || o.Scale >= 0.5 && o.Scale <= 4, "-scale %v: a point of the overlay is 0.5 to 4 pixels, or 0 for the display's own scale", o.Scale)
	c.check(!c.given("frames") || o.Frames > 0, "-frames %d: the number of frames is 1 or more", o.Frames)
	c.check(!c.given("seconds") || o.seconds > 0 && o.seconds <= maxRun.Seconds(), "-seconds %v: the time to run is above 0 and at most a hundred years", o.seconds)
	c.check(o.skip >= 0 && o.skip <= maxRun.Seconds() && (!c.given("seconds") || o.skip < o.seconds), "-skip %v: the time before the recording begins is 0 or more and less than -seconds", o.skip)
	c.check(!c.given("skip") || o.Record != "", "-skip: there is nothing to record; use it with -record")
	c.exclusive("frames", "seconds")
	c.exclusive("fps", "frame-times")
	c.exclusive("frame-jitter", "frame-times")
	c.exclusive("step-cost", "frame-times")
	endings := []string{".gif", ".mp4", ".png"}
	if o.Scene == settings.Arena {
		endings = append(endings, replayEnding)
	}
	c.extension("record", o.Record, endings...)
	c.extension("screenshot", o.Screenshot, ".png")
	c.check(o.Trace != "" || !c.given("trace"), "-trace: the file's name is empty; use - for the standard output")
	c.check(o.frameFile != "" || !c.given("frame-times"), "-frame-times: the file's name is empty")
	c.check(o.Dir != "" || s.Lookup("dir") == nil, "-dir: the folder's name is empty; use . for the current one")
	if c.err != nil {
		return c.err
	}
	if strings.EqualFold(filepath.Ext(o.Record), replayEnding) {
		c.check(!c.given("skip"), "-skip: it is for clips; a replay has all of the match")
		o.Record, o.Recording = "", o.Record
	}
	o.Length = time.Duration(math.Round(o.seconds * 1e9))
	o.Skip = time.Duration(math.Round(o.skip * 1e9))
	if c.given("seconds") {
		o.Length = max(o.Length, 1) // zero would mean no limit
	}
	if o.frameFile == "" {
		return c.err
	}
	deltas, err := readFrameTimes(o.frameFile)
	if err != nil {
		return flags.Badf("-frame-times: %w", err)
	}
	o.Deltas = deltas
	if o.Frames == 0 && o.Length == 0 {
		o.Frames = len(deltas)
	}
	c.check(!c.given("seconds") || slices.Max(deltas) > 0, "-seconds %v would never end: all frames in %s take no time; use -frames", o.seconds, o.frameFile)
	c.check(!c.given("frames") || float64(o.Frames)*float64(slices.Max(deltas)) <= float64(maxRun),
		"-frames %d times the longest frame in %s is more than a hundred years; ask for fewer frames", o.Frames, o.frameFile)
	return c.err
}

// checker collects the first error of many checks.
type checker struct {
	given func(name string) bool
	err   error
}

func (c *checker) check(ok bool, format string, values ...any) {
	if !ok && c.err == nil {
		c.err = flags.Badf(format, values...)
	}
}

func (c *checker) exclusive(a, b string) {
	c.check(!c.given(a) || !c.given(b), "-%s and -%s contradict each other; leave one out", a, b)
}

func (c *checker) extension(name, file string, wanted ...string) {
	c.check(file == "" && !c.given(name) || slices.Contains(wanted, strings.ToLower(filepath.Ext(file))),
		"-%s %q: the file's name ends in %s", name, file, strings.Join(wanted, " or "))
}

func (c *checker) scene(o *Options) {
	entry, ok := scenes.Find(o.Scene)
	c.check(ok, "-scene %q: the scenes are %s, %s", o.Scene, strings.Join(scenes.Names(), ", "), settings.Arena)
	if !c.given("split") {
		o.Split = entry.Split
	}
	c.check(!ok || !o.Split || entry.Splits, "-split: scene %s compares by itself; use -split with orbits and stress", o.Scene)
	for _, name := range []string{"latency", "jitter", "loss", "burst", "duplicate", "reorder", "send-hz"} {
		more := ""
		if name == "jitter" {
			more = ", or -frame-jitter, by which frame times vary"
		}
		c.check(!c.given(name) || !ok || entry.Linked, "-%s: scene %s has no network; choose -scene lab%s", name, o.Scene, more)
	}
	c.check(o.Link.SendRate >= 1 && o.Link.SendRate <= settings.MaxSendRate, "-send-hz %d: the server sends 1 to %d snapshots per second", o.Link.SendRate, settings.MaxSendRate)
	if !ok || !c.given("entities") {
		return
	}
	var choosable []string
	for _, e := range scenes.All() {
		if e.MaxEntities > 0 {
			choosable = append(choosable, e.Name)
		}
	}
	c.check(entry.MaxEntities > 0, "-entities: scene %s has a fixed number of bodies; choose one of %s to change it", o.Scene, strings.Join(choosable, ", "))
	c.check(o.Entities >= entry.MinEntities && o.Entities <= entry.MaxEntities, "-entities %d: scene %s takes %d to %d",
		o.Entities, o.Scene, entry.MinEntities, entry.MaxEntities)
}

// lines checks the flags of the simulated line.
func (c *checker) lines(o *Options) {
	l, most := o.Link, 1.0
	if o.Scene == settings.Arena { // no client could join beyond that
		most = 0.9
	}
	c.check(l.Latency >= 0 && l.Latency <= settings.MaxLatency, "-latency %v: a round trip takes 0s to %v", l.Latency, settings.MaxLatency)
	c.check(l.Jitter >= 0 && l.Jitter <= settings.MaxLineJitter, "-jitter %v: round trips vary by 0s to %v", l.Jitter, settings.MaxLineJitter)
	c.check(l.Loss >= 0 && l.Loss <= most, "-loss %v: it is a share of 0 to %v", l.Loss, most)
	for i, share := range []float64{l.Burst, l.Duplicate, l.Reorder} {
		c.check(share >= 0 && share <= 1, "-%s %v: it is a share of 0 to 1", [...]string{"burst", "duplicate", "reorder"}[i], share)
	}
	_, known := linksim.FindLine(l.Line)
	c.check(known || l.Line == "", "-line %q: choose one of %s", l.Line, lineNames())
}

func lineNames() string {
	return names(linksim.Lines(), func(l linksim.Line) string { return l.Name })
}

// names returns the names of all values, separated by commas.
func names[T any](all []T, name func(T) string) string {
	var list []string
	for _, one := range all {
		list = append(list, name(one))
	}
	return strings.Join(list, ", ")
}

func readFrameTimes(name string) ([]time.Duration, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return frametimes.Read(f, name)
}
