package options_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/flags"
	"github.com/tandem-ecs/tandem/demo/internal/keys"
	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
)

func parse(t *testing.T, args ...string) options.Options {
	t.Helper()
	o, err := options.Parse(args, &bytes.Buffer{})
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return o
}

func TestDefaults(t *testing.T) {
	o := parse(t)
	if want := (settings.Settings{Scene: "orbits", Speed: 1, Interpolate: true, Split: true, Cap: -1, VSync: true, Graphs: true, Seed: 1, Predict: true, Reconcile: true,
		Link: settings.Link{Latency: 200 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.15, SendRate: 30}}); o.Settings != want {
		t.Errorf("got %+v\nwant %+v", o.Settings, want)
	}
	if o.Headless || o.Frames != 0 || o.Length != 0 || o.Record != "" || o.Trace != "" || o.Dir != "out" || o.Width != 0 {
		t.Errorf("got %+v", o)
	}
}

func TestEveryFlag(t *testing.T) {
	file := filepath.Join(t.TempDir(), "times.txt")
	if err := os.WriteFile(file, []byte("1000\n2000\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	o := parse(t, "-scene", "stress", "-hz", "120", "-speed", "0.25", "-paused", "-interpolate=false", "-ghosts", "-entities", "1000000", "-seed", "7",
		"-fps", "none", "-frame-jitter", "0.5", "-step-cost", "20ms", "-adaptive", "-gpu", "-vsync=false", "-overlay=false", "-graphs=false", "-keys", "-size", "320X200", "-scale", "2",
		"-headless", "-seconds", "1.5", "-record", "a.GIF", "-screenshot", "b.png", "-trace", "c.csv", "-dir", "d")
	want := settings.Settings{Scene: "stress", Rate: 120, Speed: 0.25, Paused: true, Ghosts: true, FrameJitter: 0.5, Overlay: settings.OverlayNone, Predict: true, Reconcile: true, StepCost: 20 * time.Millisecond, Adaptive: true, GPU: true, Keys: true, Entities: 1e6, Seed: 7, Link: settings.DefaultLink()}
	if o.Settings != want {
		t.Errorf("got %+v\nwant %+v", o.Settings, want)
	}
	if !o.Headless || o.Length != 1500*time.Millisecond || o.Record != "a.GIF" || o.Screenshot != "b.png" || o.Trace != "c.csv" || o.Dir != "d" ||
		o.Width != 320 || o.Height != 200 || o.Scale != 2 {
		t.Errorf("got %+v", o)
	}
	o = parse(t, "-scene", "lab", "-latency", "400ms", "-jitter", "50ms", "-loss", "0.3", "-burst", "0.02", "-duplicate", "0.1", "-reorder", "1", "-send-hz", "10")
	if want := (settings.Link{Latency: 400 * time.Millisecond, Jitter: 50 * time.Millisecond, Loss: 0.3, Burst: 0.02, Duplicate: 0.1, Reorder: 1, SendRate: 10}); o.Link != want {
		t.Errorf("got %+v\nwant %+v", o.Link, want)
	}
	for text, want := range map[string]settings.Overlay{"-overlay": settings.OverlayAll, "-overlay=true": settings.OverlayAll, "-overlay=captions": settings.OverlayCaptions, "-overlay=false": settings.OverlayNone} {
		if o = parse(t, text); o.Overlay != want {
			t.Errorf("%s: %d, want %d", text, o.Overlay, want)
		}
	}
	if o = parse(t, "-seconds", "1e-10"); o.Length != 1 {
		t.Errorf("a run of nearly no time is %v long; zero would be without limit", o.Length)
	}
	o = parse(t, "-frames", "600", "-frame-times", file)
	if o.Frames != 600 || len(o.Deltas) != 2 || o.Deltas[1] != 2000 {
		t.Errorf("got %+v", o)
	}
}

func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bad := write("bad.txt", "16666667\n\nfast\n")
	long := write("long.txt", "86400000000000\n")
	still := write("still.txt", "0\n0\n")
	binary := write("binary", strings.Repeat("\x00", 1<<20))
	for _, test := range []struct {
		args []string
		want string // a part of the error
	}{
		{[]string{"-nonsense"}, "there is no flag -nonsense"},
		{[]string{"-hz"}, "-hz needs a value"},
		{[]string{"-hz", "ten"}, `-hz "ten": it takes a whole number`},
		{[]string{"-hz", "0"}, "-hz 0: the fixed rate is 1 to 1000"},
		{[]string{"-hz", "-5"}, "-hz -5: the fixed rate is 1 to 1000"},
		{[]string{"-hz", "1001"}, "-hz 1001: the fixed rate is 1 to 1000"},
		{[]string{"-speed", "0"}, "to begin paused use -paused"},
		{[]string{"-speed", "-1"}, "-speed -1: the speed is above 0 and at most 100"},
		{[]string{"-speed", "NaN"}, "-speed NaN"},
		{[]string{"-speed", "Inf"}, "-speed +Inf"},
		{[]string{"-speed", "1e-9"}, "-speed 1e-09"},
		{[]string{"-speed", "slow"}, `-speed "slow": it takes a number such as 0.15`},
		{[]string{"-interpolate", "false"}, `"false" is not a flag; flags begin with a dash`},
		{[]string{"-interpolate=maybe"}, `-interpolate "maybe": it takes true or false`},
		{[]string{"-scene", "moon"}, `-scene "moon": the scenes are orbits, lanes, teleports, physics, stress, lab`},
		{[]string{"-scene", ""}, `-scene "": the scenes are`},
		{[]string{"-entities", "10"}, "scene orbits has a fixed number of bodies; choose one of physics, stress to change it"},
		{[]string{"-scene", "stress", "-entities", "1000001"}, "scene stress takes 1 to 1000000"},
		{[]string{"-scene", "physics", "-entities", "2"}, "scene physics takes 3 to 3000"},
		{[]string{"-loss", "0.2"}, "-loss: scene orbits has no network; choose -scene lab"},
		{[]string{"-scene", "stress", "-send-hz", "10"}, "-send-hz: scene stress has no network"},
		{[]string{"-scene", "lab", "-latency", "200"}, `-latency "200": it takes a time with its unit, such as 200ms`},
		{[]string{"-scene", "lab", "-latency", "3s"}, "-latency 3s: a round trip takes 0s to 2s"},
		{[]string{"-scene", "lab", "-latency", "-1ms"}, "-latency -1ms"},
		{[]string{"-scene", "lab", "-link-jitter", "2"}, "there is no flag -link-jitter any more: use -jitter, with the time"},
		{[]string{"-scene", "lab", "-jitter", "0.5"}, `-jitter "0.5": it takes the time by which round trips vary, with its unit, such as 20ms; frame times vary by -frame-jitter`},
		{[]string{"-scene", "lab", "-jitter", "2s"}, "-jitter 2s: round trips vary by 0s to 1s"},
		{[]string{"-jitter", "0.5"}, "frame times vary by -frame-jitter"},
		{[]string{"-jitter", "20ms"}, "-jitter: scene orbits has no network; choose -scene lab, or -frame-jitter"},
		{[]string{"-overlay=some"}, `-overlay "some": it takes true, captions or false`},
		{[]string{"-scene", "lab", "-loss", "15"}, "-loss 15: it is a share of 0 to 1"},
		{[]string{"-scene", "lab", "-loss", "NaN"}, "-loss NaN"},
		{[]string{"-scene", "lab", "-loss", "15%"}, `-loss "15%": it takes a number such as 0.15`},
		{[]string{"-scene", "lab", "-burst", "-0.1"}, "-burst -0.1: it is a share"},
		{[]string{"-scene", "lab", "-duplicate", "1.1"}, "-duplicate 1.1: it is a share"},
		{[]string{"-scene", "lab", "-reorder", "7"}, "-reorder 7: it is a share"},
		{[]string{"-scene", "lab", "-send-hz", "0"}, "-send-hz 0: the server sends 1 to 120"},
		{[]string{"-scene", "lab", "-send-hz", "121"}, "-send-hz 121"},
		{[]string{"-scene", "lab", "-send-hz", "often"}, `-send-hz "often": it takes a whole number`},
		{[]string{"-scene", "lab", "-entities", "3"}, "scene lab has a fixed number of bodies"},
		{[]string{"-seed", "-1"}, "-seed"},
		{[]string{"-fps", "0"}, `-fps "0": it takes 1 to 1000 frames per second, or none`},
		{[]string{"-fps", "1001"}, "1 to 1000 frames per second, or none"},
		{[]string{"-frame-jitter", "1"}, "-frame-jitter 1: frame times vary by a share of 0 to 0.9"},
		{[]string{"-step-cost", "20"}, `-step-cost "20": it takes a time with its unit`},
		{[]string{"-step-cost", "2s"}, "-step-cost 2s: a fixed step takes 0s to 1s"},
		{[]string{"-size", "wide"}, `-size "wide": it takes width x height in pixels`},
		{[]string{"-size", "10x10"}, "64 to 7680 each"},
		{[]string{"-size", "640"}, "width x height"},
		{[]string{"-scale", "9"}, "-scale 9"},
		{[]string{"-seconds", "0"}, "-seconds 0: the time to run is above 0"},
		{[]string{"-seconds", "NaN"}, "-seconds NaN"},
		{[]string{"-seconds", "1e300"}, "-seconds 1e+300"},
		{[]string{"-frames", "0"}, "-frames 0: the number of frames is 1 or more"},
		{[]string{"-frames", "1e3"}, `-frames "1e3": it takes a whole number`},
		{[]string{"-frames", "5", "-seconds", "5"}, "-frames and -seconds contradict each other"},
		{[]string{"-frame-times", bad, "-fps", "60"}, "-fps and -frame-times contradict each other"},
		{[]string{"-frame-times", bad, "-frame-jitter", "0.5"}, "-frame-jitter and -frame-times contradict each other"},
		{[]string{"-frame-times", bad, "-step-cost", "1ms"}, "-step-cost and -frame-times contradict each other"},
		{[]string{"-frame-times", bad}, bad + `:3: "fast" is not a whole number of nanoseconds`},
		{[]string{"-frame-times", filepath.Join(dir, "none.txt")}, "no such file"},
		{[]string{"-frame-times", dir}, "is a directory"},
		{[]string{"-frame-times", long, "-frames", "40000"}, "more than a hundred years"},
		{[]string{"-frame-times", still, "-seconds", "1"}, "-seconds 1 would never end: all frames in " + still + " take no time"},
		{[]string{"-frame-times", binary}, binary + ":1: the line is too long"},
		{[]string{"-frame-times", ""}, "-frame-times: the file's name is empty"},
		{[]string{"-trace", ""}, "-trace: the file's name is empty; use - for the standard output"},
		{[]string{"-record", "clip.avi"}, `-record "clip.avi": the file's name ends in .gif or .mp4 or .png`},
		{[]string{"-record", ""}, `-record ""`},
		{[]string{"-screenshot", "picture.jpg"}, `-screenshot "picture.jpg": the file's name ends in .png`},
		{[]string{"-skip", "2"}, "-skip: there is nothing to record"},
		{[]string{"-skip", "5", "-seconds", "5", "-record", "x.gif"}, "-skip 5: the time before the recording begins is 0 or more and less than -seconds"},
		{[]string{"-skip", "-1", "-record", "x.gif"}, "-skip -1: "},
		{[]string{"-skip", "x"}, "it takes a number"},
		{[]string{"-scene", "lanes", "-split"}, "-split: scene lanes compares by itself"},
		{[]string{"-dir", ""}, "-dir: the folder's name is empty"},
		{[]string{"lanes"}, `"lanes" is not a flag`},
	} {
		_, err := options.Parse(test.args, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q:\n got %v\nwant %s", test.args, err, test.want)
		}
	}
}

func TestHelpNamesEveryFlagAndScene(t *testing.T) {
	var help bytes.Buffer
	if _, err := options.Parse([]string{"-h"}, &help); !errors.Is(err, flags.ErrHelp) {
		t.Fatalf("got %v, want ErrHelp", err)
	}
	for _, name := range scenes.Names() {
		if !regexp.MustCompile(`(?m)^  ` + name + ` `).MatchString(help.String()) {
			t.Errorf("the help does not explain scene %s", name)
		}
	}
	for _, line := range strings.Split(help.String(), "\n") {
		if n := len([]rune(line)); n > 120 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	// Each flag that the help explains exists. It is either the function of a key or available on
	// the command line alone.
	explained := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^  -([a-z-]+)[ =]`).FindAllStringSubmatch(help.String(), -1) {
		explained[m[1]] = true
		_, err := options.Parse([]string{"-" + m[1] + "=\x00"}, &bytes.Buffer{})
		if err != nil && strings.Contains(err.Error(), "there is no flag") {
			t.Errorf("the help explains -%s, which does not exist", m[1])
		}
	}
	for _, g := range keys.Groups(scenes.Names()) {
		for _, b := range g.Bindings {
			if b.Flag != "" && b.In != keys.Match && !explained[b.Flag] {
				t.Errorf("key %s mirrors the flag -%s, which the help does not explain", b.Cap, b.Flag)
			}
		}
	}
	if len(explained) != 36 {
		t.Errorf("the help explains %d flags: %v", len(explained), explained)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("-hz\x0010\x00-speed\x000.25")
	f.Add("-size\x001x1")
	f.Add("-fps\x00none\x00-seconds\x001")
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\x00")
		for i, a := range args {
			if strings.Contains(a, "frame-times") {
				args[i] = "-x" // reads files
			}
		}
		o, err := options.Parse(args, &bytes.Buffer{})
		if err != nil {
			return
		}
		if o.Speed <= 0 || o.Speed > settings.MaxSpeed || o.Rate < 0 || o.Rate > 1000 || o.FrameJitter < 0 || o.FrameJitter > settings.MaxFrameJitter || o.Frames < 0 || o.Length < 0 {
			t.Fatalf("%q gave %+v", args, o)
		}
	})
}
