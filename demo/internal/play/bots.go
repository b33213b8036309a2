package play

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/flags"
	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// Bots joins with many clients in one process, without pictures, and prints their statistics.
func Bots(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var r rateFlags
	var input clientInputFlags
	var c linkFlag
	var n int
	var seconds float64
	var every time.Duration
	var peace bool
	o := options.NewMatch()
	set := flags.New("bots")
	c.flags(set.FlagSet)
	r.flags(set.FlagSet, "wanted `number` of snapshots per second; 0: the server's choice")
	input.flags(set.FlagSet)
	set.IntVar(&n, "n", 8, "number of bots, `1 to 256`")
	set.BoolVar(&peace, "peace", false, "the bots do not shoot")
	o.SkillFlag(set)
	set.Float64Var(&seconds, "seconds", 0, "`seconds` to run; 0: until interrupted")
	set.DurationVar(&every, "every", 5*time.Second, "`time` between two lines of statistics")
	o.MatchLineFlags(set)
	if err := read(set, args, stdout, "Many bots in the arena in one process, to load a server."); err != nil {
		return err
	}
	var err error
	switch {
	case n < 1 || n > 256:
		err = badf("-n %d: 1 to 256 bots", n)
	case seconds < 0 || !(seconds <= 1e7):
		err = badf("-seconds %v: the time to run is above 0", seconds)
	case every < 100*time.Millisecond:
		err = badf("-every %v: at least 100ms", every)
	}
	if err := cmp.Or(err, r.check(0), input.check(r.hz), o.CheckLine()); err != nil {
		return err
	}
	if err := c.check(os.Stdin); err != nil {
		return err
	}
	line := &dialer{link: c.link}
	o.Link.Ordered, o.Link.Seed = line.stream(), r.seed
	var clients []*view.Client
	for i := range n {
		link := o.Link
		link.Seed += uint64(i)
		auto := view.NewBot(r.seed + uint64(i))
		auto.Peace, auto.Skill = peace, o.Skill
		s, err := view.New(view.Config{
			Dial: line.dial, Token: []byte(c.link.Token), Rate: r.hz, SendRate: r.sendHz, ActionRate: input.actionHz, Delay: input.bounds(), Link: link, Controller: auto, Headless: true, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			return err
		}
		clients = append(clients, s)
	}
	defer func() {
		for _, s := range clients {
			s.Close()
		}
		line.wait()
	}()
	return runBots(ctx, clients, r.hz, time.Duration(seconds*float64(time.Second)), every, stdout)
}

// runBots runs the bots until their end and reports at intervals.
func runBots(ctx context.Context, clients []*view.Client, hz int, length, every time.Duration, out io.Writer) error {
	start := time.Now()
	step := time.Second / time.Duration(hz)
	var last, reported time.Duration
	begun := 0
	for ctx.Err() == nil && (length == 0 || last < length) {
		now := time.Since(start)
		// Bots join at intervals, like people, because servers limit the rate of joins.
		begun = min(len(clients), 1+int(now/(100*time.Millisecond)))
		ended := 0
		for _, s := range clients[:begun] {
			s.Advance(now - last)
			if s.Ended() {
				ended++
			}
		}
		last = now
		if now-reported >= every {
			report(out, now, clients)
			reported = now
		}
		if ended == len(clients) {
			return fmt.Errorf("all bots have ended; the first: %w", clients[0].Err())
		}
		time.Sleep(step - (time.Since(start) - now))
	}
	report(out, last, clients)
	if ctx.Err() == nil && !slices.ContainsFunc(clients, func(s *view.Client) bool { return s.Net().Stats().Snapshots > 0 }) {
		return fmt.Errorf("none of the bots has joined: %s", clients[0].Status())
	}
	return nil
}

func report(out io.Writer, now time.Duration, clients []*view.Client) {
	var sum netcode.ClientStats
	playing, others := 0, ""
	for _, s := range clients {
		st := s.Net().Stats()
		if st.Status == netcode.Playing {
			playing++
			sum.RTT += st.RTT
			sum.Delay += st.Delay
			sum.Loss += st.Loss
		} else if others == "" {
			others = "; the first of the others: " + s.Status()
		}
		sum.Sampled += st.Sampled
		sum.Starved += st.Starved
		sum.Corrections += st.Corrections
		sum.ReceivedBytes += st.ReceivedBytes
		sum.SentBytes += st.SentBytes
		sum.Malformed += st.Malformed
		sum.Reconnects += st.Reconnects
		sum.Replicas = max(sum.Replicas, st.Replicas)
	}
	n := time.Duration(max(playing, 1))
	seconds := max(now.Seconds(), 1e-3) * float64(len(clients))
	fmt.Fprintf(out, "%6.1f s: %d of %d play, rtt %d ms, delay %d ms, loss %.1f %%, starved %.2f %%, corrections %d, replicas %d, down %.1f kB/s, up %.1f kB/s each, malformed %d, reconnects %d%s\n",
		now.Seconds(), playing, len(clients), (sum.RTT / n).Milliseconds(), (sum.Delay / n).Milliseconds(), 100*sum.Loss/float64(n),
		100*float64(sum.Starved)/float64(max(sum.Sampled, 1)), sum.Corrections, sum.Replicas,
		float64(sum.ReceivedBytes)/seconds/1000, float64(sum.SentBytes)/seconds/1000, sum.Malformed, sum.Reconnects, others)
}
