package options

import (
	"fmt"
	"io"

	"github.com/tandem-ecs/tandem/demo/internal/scenes"
)

// writeHelp prints the help. The flags' defaults stand in the text where they are not obvious, so that it reads well in 100 columns.
func writeHelp(w io.Writer) {
	fmt.Fprint(w, `Tandem's demo: worlds that run in fixed steps, drawn at any frame rate.

    go run ./demo [flags]             a scene, see below
    go run ./demo duel                a game over a bad network: a server and two clients in one window
    go run ./demo server|client|bots  the same game in as many processes as you like; host plays and serves
                                      (each has flags of its own: go run ./demo duel -h)

It opens a window, where H explains the keys. Without a display it says so and draws off screen instead: a picture
and a clip, into the folder of -dir.

`)
	fmt.Fprintln(w, "Scenes")
	for _, e := range scenes.All() {
		fmt.Fprintf(w, "  %-11s %s.\n", e.Name, e.Title)
		fmt.Fprintf(w, "  %-11s %s\n", "", rateAndBodies(e))
	}
	fmt.Fprint(w, `
What happens (keys change all of it later)
  -scene NAME          one of the above (default lanes)
  -hz N                fixed steps per second, 1 to 1000 (default: the scene's own, see above)
  -speed X             speed of time, above 0 to 100: 0.25 is slow motion (default 1)
  -paused              begin with the time at rest
  -interpolate=false   draw what the simulation knows, without interpolation
  -ghosts              show logical poses beside the drawn ones
  -split               draw raw beside interpolated, in scenes orbits and stress; the others make their own comparison
  -entities N          number of bodies, where it can be chosen
  -seed N              of everything random (default 1)
  -fps F               frames per second: the cap in a window (default 144, none for no cap); off screen the exact
                       rate (default 60; 30 for clips that are not asked for)
  -jitter X            let frame times vary by this share, 0 to 0.9 (default 0)
  -step-cost TIME      let every fixed step take this time, such as 20ms, to provoke the death spiral (default 0s)
  -gpu                 let the graphics processor blend, in scene stress: a frame without a fixed step uploads nothing
  -adaptive            let the engine lower the fixed rate, by half and half again, when steps cost too much
  -vsync=false         do not wait for the display
  -overlay=false       no text and graphs
  -keys                begin with the panel that explains the keys

The simulated network, in scene lab
  -latency TIME        round trip, 0s to 2s (default 200ms)
  -link-jitter X       let the time on the way vary by this share, 0 to 1 (default 0.1)
  -loss X              share of datagrams lost (default 0.15)
  -burst X             chance per datagram that a burst of losses begins, of eight on average (default 0)
  -duplicate X         share that arrives twice (default 0)
  -reorder X           share that is held back by 50 ms and overtaken (default 0)
  -send-hz N           snapshots per second, 1 to 120 (default 30)

The picture
  -size WxH            in pixels, a window's in points, 64x64 to 7680x7680 (default 1280x720; off screen 640x360)
  -scale X             pixels per point of the overlay, 0.5 to 4 (default: what the display wants; off screen 1)

Runs that end, with a window or without
  -headless            no window, even where there is a display. Without -record, -screenshot and -trace it writes a
                       picture and a clip; with -trace alone it draws nothing and needs no graphics at all
  -seconds S           run S seconds of real time (default off screen: 5)
  -frames N            run N frames
  -frame-times FILE    frames take as long as the file says: whole nanoseconds, one frame a line; empty lines and
                       lines that begin with # are skipped. With -frames or -seconds the file is repeated from its
                       start as often as needed; without, it is run once
  -record FILE         record the run: .gif, .mp4 (needs ffmpeg), or .png, the last picture
  -skip S              let S seconds of the run pass before -record begins (default 0)
  -screenshot FILE     write the last picture, .png
  -trace FILE          write a table, .csv: one row per frame and named body, with its logical (l) and visual (v)
                       pose in world space. In the lanes' rows x is 3 times the normal time, whatever the frames.
                       With - it goes to the standard output, and all else to the other one
  -dir FOLDER          where the keys for pictures and recordings put them, and runs without a file name
                       (default out)

Off screen nothing depends on the machine: the same flags give the same run, step costs included. Give them twice
and compare the traces. In a window the run follows the machine's clock.

Exit codes: 0 all went well; 1 something failed, and the message says what; 2 the command line is wrong.

Try
  go run ./demo -hz 10 -interpolate=false
  go run ./demo -scene teleports -speed 0.1
  go run ./demo -scene stress -hz 5 -split
  go run ./demo -scene lab -loss 0.3 -send-hz 10
  go run ./demo -scene lanes -hz 10 -speed 0.25 -headless -frames 600 -trace out.csv
`)
}

func rateAndBodies(e scenes.Entry) string {
	text := fmt.Sprintf("%d Hz", e.Rate)
	if e.MaxEntities > 0 {
		text += fmt.Sprintf(", %d bodies (%d to %d)", e.Entities, e.MinEntities, e.MaxEntities)
	}
	return text
}
