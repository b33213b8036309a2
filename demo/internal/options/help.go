package options

import (
	"fmt"
	"strings"

	"github.com/tandem-ecs/tandem/demo/internal/scenes"
	"github.com/tandem-ecs/tandem/demo/internal/settings"
)

// head returns the help text above the flags.
func head() string {
	var b strings.Builder
	b.WriteString(`Tandem's demo: worlds that run in fixed steps, drawn at any frame rate.

    go run ./demo [flags]             a scene, see below
    go run ./demo duel                a game over a bad network: a server and two clients in one window
    go run ./demo server|client|bots  the same game in separate processes; host plays and serves in one
    go run ./demo replay FILE         plays a match that -record FILE.replay of these has recorded
    go run ./demo timeline FILE       why a body moved as it did, from a file of client -capture FILE
                                      (each has flags of its own: go run ./demo duel -h)

It opens a window; the key H explains the keys. Without a display it says so and draws off screen instead: it writes a
picture and a clip into the folder of -dir.

Scenes
`)
	for _, e := range scenes.All() {
		fmt.Fprintf(&b, "  %-11s %s.\n", e.Name, e.Title)
		fmt.Fprintf(&b, "  %-11s %s\n", "", rateAndBodies(e))
	}
	fmt.Fprintf(&b, "  %-11s %s\n", settings.Arena, "A match of two over a bad network: the same as duel, with the same flags.")
	return b.String()
}

// tail is the help text below the flags.
const tail = `
Off screen nothing depends on the machine: the same flags give the same run, including the cost of steps. Run the same
flags twice and compare the traces. In the rows of scene lanes x is 3 times the normal time, at every frame rate. In a
window the run follows the machine's clock.

Exit codes: 0: all went well. 1: something failed; the message says what. 2: the command line is wrong, or it names a
file that cannot be written or an address that cannot be used; then nothing has run.

Try
  go run ./demo -hz 10 -interpolate=false
  go run ./demo -scene teleports -speed 0.1
  go run ./demo -scene stress -hz 5 -split
  go run ./demo -scene lab -loss 0.3 -jitter 50ms -send-hz 10
  go run ./demo -scene lanes -hz 10 -speed 0.25 -headless -frames 600 -trace out.csv
`

func rateAndBodies(e scenes.Entry) string {
	text := fmt.Sprintf("%d Hz", e.Rate)
	if e.MaxEntities > 0 {
		text += fmt.Sprintf(", %d bodies (%d to %d)", e.Entities, e.MinEntities, e.MaxEntities)
	}
	return text
}
