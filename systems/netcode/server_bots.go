package netcode

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// AddBot adds a player that this program plays. The server calls think for its input once in each
// tick, before the states of any players are stepped, in both input modes. Think may use p and the
// world, but must not leave a query open. An input that holds a NaN counts as the neutral one.
//
// A bot takes one of MaxPlayers' places and a number. Joined is called for it, within AddBot, and
// Left once, after Kick or when the engine is closed. Authenticate, Confirmed and Message are not
// called, and Grace does not apply. Its Connected is true. Its Addr and Token are empty and its
// ResumeID is zero, as those of no client are. Send to it does nothing, Knows is false, Rewind is
// the present, and its counters are zeros. Server.Players lists it, ServerStats.Players does not
// count it.
//
// AddBot may change the structure of the world, so call it while no query is open. The error
// reports that the server is full, is draining, or is not on a running engine. AddBot panics for a
// nil think.
func (s *Server[S, I]) AddBot(think func(p *Player[S, I], t Tick) I) (*Player[S, I], error) {
	if think == nil {
		panic("netcode: AddBot without a function; pass one that returns the bot's input")
	}
	switch {
	case s.engine == nil:
		return nil, errors.New("netcode: no bot on a server without an engine; install the server first")
	case s.closed:
		return nil, errors.New("netcode: no bot on a server whose engine is closed")
	case s.draining.Code != transport.NoReason:
		return nil, fmt.Errorf("netcode: no bot on a server that drains: %v", s.draining)
	}
	slot := slices.Index(s.players, nil)
	if slot < 0 {
		return nil, fmt.Errorf("netcode: no bot beside %d players; kick one, or raise ServerConfig.MaxPlayers", len(s.players))
	}
	number, err := s.freeNumber()
	if err != nil {
		return nil, err
	}
	p := &Player[S, I]{server: s, number: number, joinedAt: s.real(), lines: logLimit{most: mostOfPlayer}, frame: components.Identity3D()}
	p.bot = &botInputs[S, I]{think: think}
	p.inputs = p.bot
	s.enter(p, slot)
	p.joinUnlogged = !s.logJoin(p, "joined", "bot", true)
	return p, nil
}

// think asks all bots for their inputs. It runs before any player is stepped, so that a bot does
// not see half of a step.
func (s *Server[S, I]) think(t Tick) {
	for p := range s.all {
		if b := p.bot; b != nil {
			if b.next, b.ready = b.think(p, t), true; !prediction.Comparable(b.next) {
				b.next = s.protocol.game.Rules.Neutral
			}
		}
	}
}

// botInputs runs one input of a bot in each tick. Nothing arrives for it from outside.
type botInputs[S any, I comparable] struct {
	think func(p *Player[S, I], t Tick) I
	next  I
	ready bool
}

func (b *botInputs[S, I]) Admit() bool { return true }

func (b *botInputs[S, I]) Kick() bool { return false }

func (b *botInputs[S, I]) Skip(int64) {}

func (b *botInputs[S, I]) Feedback() prediction.Feedback { return prediction.Feedback{} }

func (b *botInputs[S, I]) Receive(*prediction.Inputs[I], time.Duration) {}

func (b *botInputs[S, I]) Reset() {}

func (b *botInputs[S, I]) Begin(time.Duration) {}

func (b *botInputs[S, I]) Next() (in I, ok bool) {
	ok, b.ready = b.ready, false
	return b.next, ok
}

func (b *botInputs[S, I]) Claim(int64, Tick, bool) {}

func (b *botInputs[S, I]) ViewAge() int64 { return 0 }
