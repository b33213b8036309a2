package netcode

import (
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
)

// InputMode selects when a server runs the inputs of its players.
type InputMode uint8

const (
	// OnTicks runs exactly one input of each player in each tick. A missing input is made up by
	// [InputRules]. All players of a step are at the same tick.
	OnTicks InputMode = iota
	// OnArrival runs inputs when they arrive, each player on a clock of its own. No input waits for
	// a tick and none is made up, but players are simulated at different times: [Bodies] are not
	// predicted.
	OnArrival
)

// playerInputs receives the inputs of one player and selects those that run in a step. Player.step
// in server_player.go applies them to the state. There is one implementation for each [InputMode],
// and one for bots.
type playerInputs[I comparable] interface {
	// Admit counts a datagram of the player and reports whether it may be decoded.
	Admit() bool
	// Kick reports whether the player has sent so much that it is to be removed.
	Kick() bool
	// Skip excuses inputs for steps that the server has left out.
	Skip(steps int64)
	// Feedback returns what a snapshot reports about the inputs received.
	Feedback() prediction.Feedback
	// Receive takes the inputs of a packet that arrived at a time of the server's clock.
	Receive(in *prediction.Inputs[I], now time.Duration)
	// Reset removes all inputs, so that none from an old connection or from before a long silence
	// runs. It gives the player neither time nor packets.
	Reset()
	// Begin starts a step at a time of the server's clock.
	Begin(now time.Duration)
	// Next returns the next input of the step, and false after the last one.
	Next() (in I, ok bool)
	// Claim takes a client's claim of its view, in 1/16 ticks: the time that it showed when it made
	// the newest input of a packet, or at last if the packet has no inputs.
	Claim(view int64, newest Tick, hasInputs bool)
	// ViewAge returns by how much the view of the step's input is older than the step, in 1/16
	// ticks, as the client claims.
	ViewAge() int64
}

// newPlayerInputs returns the inputs of a new player in the server's mode.
func newPlayerInputs[S any, I comparable](p *Player[S, I]) playerInputs[I] {
	c, rules, grid := &p.server.config, p.server.protocol.game.Rules, p.server.protocol.ticks
	if c.InputMode == OnTicks {
		b := prediction.NewBuffer(p.server.Tick(), prediction.BufferConfig[I]{Rules: rules, Grid: grid, Kick: c.Kick})
		return &tickInputs[S, I]{Buffer: b, player: p}
	}
	step := grid.Step()
	credit := 0
	if c.InputCredit > 0 {
		credit = min(max(1, int(c.InputCredit/step)), prediction.MaxHistory)
	}
	a := prediction.NewArrivals(prediction.ArrivalConfig[I]{Rules: rules, Step: step, Bank: credit, Kick: c.Kick})
	return &arrivalInputs[S, I]{Arrivals: a, player: p}
}

// tickInputs runs one input in each tick.
type tickInputs[S any, I comparable] struct {
	*prediction.Buffer[I]
	player *Player[S, I]
	ran    bool // the input of this step
	views  viewClaims
}

func (t *tickInputs[S, I]) Receive(in *prediction.Inputs[I], now time.Duration) {
	t.Buffer.Receive(in, now)
}

func (t *tickInputs[S, I]) Reset() {
	next := t.player.server.Tick()
	if t.player.early {
		next = t.player.begins
	}
	t.Buffer.Reset(next)
	t.views = viewClaims{}
}

func (t *tickInputs[S, I]) Begin(time.Duration) { t.ran = false }

func (t *tickInputs[S, I]) Next() (in I, ok bool) {
	if t.ran {
		return in, false
	}
	t.ran = true
	t.views.run(t.Tick())
	in, _ = t.Buffer.Next()
	return in, true
}

func (t *tickInputs[S, I]) Claim(view int64, newest Tick, hasInputs bool) {
	if hasInputs {
		t.views.take(newest, t.player.claimed(view, newest), t.Tick())
	}
}

func (t *tickInputs[S, I]) ViewAge() int64 { return t.views.age }

// arrivalInputs runs inputs when they arrive.
type arrivalInputs[S any, I comparable] struct {
	*prediction.Arrivals[I]
	player *Player[S, I]
	ran    int   // inputs of this step
	silent int   // steps since one ran
	age    int64 // of the view
}

func (a *arrivalInputs[S, I]) Receive(in *prediction.Inputs[I], _ time.Duration) {
	// The ids of a client that has slept may be further away than Arrivals follows.
	last, ok := a.Last()
	if away := in.Newest.Sub(last); ok && a.silent > a.player.server.protocol.TickRate()/2 && max(away, -away) > prediction.MaxHistory/2 {
		a.Reset()
	}
	a.Arrivals.Receive(in)
}

func (a *arrivalInputs[S, I]) Reset() {
	a.Arrivals.Reset()
	a.silent = 0
}

func (a *arrivalInputs[S, I]) Begin(now time.Duration) {
	a.ran = 0
	rate := a.player.server.protocol.TickRate()
	a.SetInterval((rate + a.player.rate - 1) / a.player.rate)
	a.Advance(now, a.player.nextSnapshot(now))
	a.silent++
}

func (a *arrivalInputs[S, I]) Next() (in I, ok bool) {
	if in, ok = a.Arrivals.Next(); ok {
		a.ran, a.silent = a.ran+1, 0
	}
	return in, ok
}

func (a *arrivalInputs[S, I]) Claim(view int64, _ Tick, _ bool) {
	a.age = a.player.claimed(view, a.player.server.Tick())
}

func (a *arrivalInputs[S, I]) ViewAge() int64 { return a.age }

// motion returns how many inputs ran in the step. It returns false while the player waits for
// inputs, so that an unchanged pose does not mean that the player rests.
func (a *arrivalInputs[S, I]) motion() (ran int, known bool) {
	return a.ran, a.ran > 0 || a.silent >= a.player.server.protocol.TickRate()/2
}

// onArrival returns the inputs of the player whose entity and number these are, in the mode
// OnArrival, else nil.
func (s *Server[S, I]) onArrival(number uint16, e arche.Entity) *arrivalInputs[S, I] {
	if s.config.InputMode == OnArrival && number != 0 {
		if p := s.Player(number); p != nil && p.Entity == e {
			a, _ := p.inputs.(*arrivalInputs[S, I]) // a bot has none
			return a
		}
	}
	return nil
}

// nextSnapshot returns when the player's next snapshot is due.
func (p *Player[S, I]) nextSnapshot(now time.Duration) time.Duration {
	t := p.server.engine.Time()
	rate := p.server.protocol.TickRate()
	step := time.Second / time.Duration(rate)
	ahead := 0
	for ahead < rate && !rateDue(t.Tick+uint64(p.slot+ahead), p.rate, rate) {
		ahead++
	}
	return max(now, t.StepEnd+time.Duration(ahead)*step)
}
