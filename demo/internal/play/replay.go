package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/flags"
	"github.com/tandem-ecs/tandem/demo/internal/match"
	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// longestPlayed is the longest recording that is played to its end without a window. The length is
// what the file claims.
const longestPlayed = 24 * time.Hour

// Replay plays a recorded match, or describes it.
func Replay(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var name string
	var follow uint
	var info bool
	var look view.View
	o, set := options.NewMatch(), flags.New("replay")
	set.Operand = &name
	set.UintVar(&follow, "follow", 0, "`number` of the player that the camera follows; 0: the first")
	set.TextVar(&look, "view", look, "where it is seen `from`: above; eyes, those of the player that is followed, which see others where that player's screen had them; free, the mouse moves the camera")
	set.BoolVar(&info, "info", false, "describe the recording: its origin, length and size, its players, marks and gaps; play nothing")
	o.ReplayFlags(set)
	if err := read(set, args, stdout, "A recorded match of the arena. FILE is from -record FILE.replay of server, host, duel or client."); err != nil {
		return err
	}
	if err := o.Check(set); err != nil {
		return err
	}
	switch {
	case name == "":
		return badf("replay: name the file: go run ./demo replay FILE")
	case o.Recording != "":
		return badf("-record %s: this is a recording already; record a clip into .gif, .mp4 or .png", o.Recording)
	case follow > 1<<16-1:
		return badf("-follow %d: the numbers of players are 1 to 65535", follow)
	}
	tape, err := replay.Open(name)
	if bad := (*fs.PathError)(nil); errors.As(err, &bad) {
		return badf("%w", bad)
	}
	if err != nil {
		return err
	}
	defer tape.Close()
	survey := match.NewSurvey(tape)
	if info {
		return describe(stdout, name, tape, &survey)
	}
	if err := view.CheckReplay(tape); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if o.At < 0 || o.At > tape.Length() {
		return badf("-at %v: the recording is %v long", o.At, tape.Length().Round(time.Second/10))
	}
	if survey.Lost > 0 {
		fmt.Fprintf(stderr, "demo: %s is damaged: %.1f s of it are missing; the rest plays\n", name, survey.Lost.Seconds())
	}
	if o.Headless && o.Length == 0 && o.Frames == 0 && !o.Paused { // to its end
		if tape.Length() > longestPlayed {
			return badf("the recording is %v long: say how much of it with -seconds", tape.Length().Round(time.Second))
		}
		o.Length = time.Duration(float64(tape.Length()-o.At)/o.Speed) + time.Second
	}
	return run(ctx, o, &rateFlags{hz: tape.Info().Rate, seed: 1}, stdout, stderr, false, func() (match.Config, error) {
		c, err := view.New(view.Config{Replay: tape, Log: slog.New(slog.DiscardHandler)})
		return match.Config{Clients: []*view.Client{c}, At: o.At, Follow: uint16(follow), View: look, Gaps: survey.Gaps}, err
	})
}

// describe writes what is in a recording.
func describe(w io.Writer, name string, tape *replay.Tape, s *match.Survey) error {
	file, err := os.Stat(name)
	if err != nil {
		return err
	}
	info, length := tape.Info(), tape.Length()
	text := &strings.Builder{}
	line := func(label, format string, values ...any) {
		fmt.Fprintf(text, "%-9s %s\n", label, fmt.Sprintf(format, values...))
	}
	by := "recorded by the " + clean(string(info.Kind))
	if info.Kind == replay.Exact {
		by = "a capture of a client, for demo timeline FILE"
	}
	line("game", "%s %s, %s", clean(info.Game), clean(info.Version), by)
	if !info.Start.IsZero() {
		line("begun", "%s", info.Start.Format("2006-01-02 15:04:05 MST"))
	}
	line("length", "%s, %d ticks of 1/%d s", clock(length), tape.Last().Sub(tape.First()), info.Rate)
	line("size", "%.2f MB, %.2f MB a minute", float64(file.Size())/1e6, float64(file.Size())/1e6/max(length.Minutes(), 1e-3))
	line("players", "%s", list(s.Players))
	line("marks", "%d", len(tape.Marks()))
	for _, m := range tape.Marks() {
		who := ""
		if m.Player > 0 {
			who = fmt.Sprintf("player %d ", m.Player)
		}
		line("", "%s  %s%s", clock(tape.At(m.Tick)), who, clean(m.Name))
	}
	if len(s.Gaps) == 0 {
		line("gaps", "none")
	} else {
		line("gaps", "%d, of %.1f s in all", len(s.Gaps), s.Lost.Seconds())
	}
	for _, g := range s.Gaps {
		line("", "%s to %s", clock(g.From), clock(g.To))
	}
	if !tape.Closed() {
		line("end", "missing: the program that recorded was stopped, or the file is cut or damaged")
	}
	_, err = io.WriteString(w, text.String())
	return err
}

// clock returns a time as minutes and seconds.
func clock(d time.Duration) string {
	tenths := max(d, 0) / (time.Second / 10)
	return fmt.Sprintf("%d:%02d.%d", tenths/600, tenths%600/10, tenths%10)
}

// list returns numbers separated by commas.
func list(numbers []uint16) string {
	if len(numbers) == 0 {
		return "none"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}

// clean returns a text of a file without what could control a terminal.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '?'
		}
		return r
	}, text)
}
