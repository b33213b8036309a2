package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/flags"
	"github.com/tandem-ecs/tandem/demo/internal/output"
)

// worldOptions are what the command line says.
type worldOptions struct {
	bots, rate, crates int
	peace, play        bool
	length             time.Duration
	headless           bool
	width, height      int
	fps                int
	dir                string
	files              output.Names
	script             []press
}

// press is a key that is pressed by itself, for pictures.
type press struct {
	at  time.Duration
	key rune
}

// readOptions reads the command line.
func readOptions(args []string, out interface{ Write([]byte) (int, error) }) (o worldOptions, err error) {
	var seconds float64
	size, script := "", ""
	set := flags.New("")
	set.IntVar(&o.bots, "bots", 16, "`number` of bots, 0 to 200")
	set.BoolVar(&o.peace, "peace", false, "the bots do not shoot")
	set.IntVar(&o.crates, "crates", 20, "crates of each zone, `0 to 100`")
	set.IntVar(&o.rate, "hz", 30, "ticks per second, `10 to 60`")
	set.StringVar(&o.dir, "dir", "", "`folder` for the world, which goes on there the next time; empty: a new world each time")
	set.Section("The world")
	set.BoolVar(&o.play, "play", false, "play in the world, in the window of a client, in the place of its picture from above")
	set.Float64Var(&seconds, "seconds", 0, "`seconds` to run; 0: until the window is closed, and 20 without a window")
	set.BoolVar(&o.headless, "headless", false, "run without a window")
	set.StringVar(&size, "size", "1280x720", "`WIDTHxHEIGHT` of the picture, in points")
	set.IntVar(&o.fps, "fps", 30, "pictures per second without a window, `1 to 60`")
	set.StringVar(&o.files.Screenshot, "screenshot", "", "`file` for the last picture (.png)")
	set.StringVar(&o.files.Record, "record", "", "`file` for a clip of the run without a window (.gif, .mp4 or .png)")
	set.StringVar(&script, "keys", "", "`TIME=KEY,...`: press keys by yourself, such as 8s=1,10s=P; the times count from the moment at which all zones run")
	set.Section("The picture")
	head := "The arena as one world of four zones: four server processes, NATS, and bots, on this machine.\n\n    go run -C demo/world . [flags]\n\n" +
		"Keys: 1 to 4 kill a zone; Q, W, E, R stop one for 20 s; B adds 8 bots; P saves a picture;\nthe mouse turns, moves and zooms; C resets the camera; Escape ends.\n\n"
	if err := set.Read(args, out, head, ""); err != nil {
		return o, err
	}
	o.length = time.Duration(seconds * float64(time.Second))
	if o.headless {
		o.length = cmp.Or(o.length, 20*time.Second)
	}
	_, sizeErr := fmt.Sscanf(size, "%dx%d", &o.width, &o.height)
	switch {
	case o.bots < 0 || o.bots > maxBots:
		return o, flags.Badf("-bots %d: it takes 0 to %d", o.bots, maxBots)
	case o.crates < 0 || o.crates > 100:
		return o, flags.Badf("-crates %d: it takes 0 to 100", o.crates)
	case o.rate < 10 || o.rate > 60:
		return o, flags.Badf("-hz %d: it takes 10 to 60", o.rate)
	case o.fps < 1 || o.fps > 60:
		return o, flags.Badf("-fps %d: it takes 1 to 60", o.fps)
	case !(seconds >= 0 && seconds <= 1e6):
		return o, flags.Badf("-seconds %v: it takes a positive number", seconds)
	case sizeErr != nil || o.width < 320 || o.height < 240 || o.width > 8192 || o.height > 8192:
		return o, flags.Badf("-size %s: it takes two numbers, such as 1280x720", size)
	}
	o.script, err = readScript(script)
	return o, err
}

// readScript reads the flag -keys.
func readScript(text string) (script []press, err error) {
	if text == "" {
		return nil, nil
	}
	for _, part := range strings.Split(text, ",") {
		at, key, ok := strings.Cut(part, "=")
		d, err := time.ParseDuration(at)
		if !ok || err != nil || d < 0 || len(key) != 1 {
			return nil, flags.Badf("-keys %s: %q is no time and key, such as 8s=1", text, part)
		}
		script = append(script, press{d, rune(strings.ToUpper(key)[0])})
	}
	return script, nil
}
