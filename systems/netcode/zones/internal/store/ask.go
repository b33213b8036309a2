package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// ErrNoZone is the error of AskTick if no active zone has answered.
var ErrNoZone = errors.New("store: no active zone has answered")

// backlog is how many messages of each kind wait for Poll, or to be sent. NATS drops more.
const backlog = 256

// questions are the messages from other processes, until Poll takes them.
type questions struct {
	inbox                       string
	who, tick, drained, answers chan *nats.Msg
	subscriptions               []*nats.Subscription
}

// subject returns a subject of the world.
func (s *Store) subject(of string) string { return "tandem." + s.world + "." + of }

func (h *Hold) subscribe() error {
	h.inbox = h.s.nc.NewInbox()
	for _, q := range []struct {
		subject string
		to      *chan *nats.Msg
	}{
		{h.s.subject("who"), &h.who}, {h.s.subject("tick"), &h.tick}, {h.s.subject("drain." + h.zone), &h.drained}, {h.inbox, &h.answers},
	} {
		*q.to = make(chan *nats.Msg, backlog)
		sub, err := h.s.nc.ChanSubscribe(q.subject, *q.to)
		if err != nil {
			h.unsubscribe()
			return fmt.Errorf("store: cannot subscribe to %s: %w", q.subject, err)
		}
		h.subscriptions = append(h.subscriptions, sub)
	}
	return nil
}

func (h *Hold) unsubscribe() {
	for _, sub := range h.subscriptions {
		_ = sub.Unsubscribe() // fails if the connection is closed
	}
	h.subscriptions = nil
}

// publish sends a message soon. It drops the message if too many wait.
func (h *Hold) publish(m *nats.Msg) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case h.out <- m:
		h.unsent++
	default:
	}
}

// send publishes messages until the hold is closed. It has a goroutine of its own, since a publish
// may wait for a socket.
func (h *Hold) send() {
	defer h.work.Done()
	for {
		select {
		case <-h.ctx.Done():
			return
		case m := <-h.out:
			_ = h.s.nc.PublishMsg(m) // the asker asks again
			h.mu.Lock()
			h.unsent--
			h.quiet.Broadcast()
			h.mu.Unlock()
		}
	}
}

// Ask asks all other zones which of them has a player. Answered is the answer. A question or an
// answer may be lost, and zones without the player do not answer.
func (h *Hold) Ask(id netcode.ResumeID) {
	h.publish(&nats.Msg{Subject: h.s.subject("who"), Reply: h.inbox, Data: append([]byte(nil), id[:]...)})
}

// pollQuestions calls f for the messages that have come.
func (h *Hold) pollQuestions(f func(Event)) {
	for range backlog { // a flood leaves something for the next Poll
		select {
		case m := <-h.who:
			if id, ok := parseWho(m.Data); ok && m.Reply != "" && m.Reply != h.inbox {
				f(Asked{id, func(has bool) {
					if has {
						r := h.Record()
						h.publish(&nats.Msg{Subject: m.Reply, Data: answer{id, r.Number, r.Address}.marshal()})
					}
				}})
			}
		case m := <-h.answers:
			if a, ok := parseAnswer(m.Data); ok {
				f(Answered{a.id, a.zone, a.address})
			}
		case m := <-h.tick:
			if m.Reply != "" && h.Record().Active {
				f(TickAsked{func(world time.Duration) {
					data := binary.LittleEndian.AppendUint64(nil, uint64(world))
					h.publish(&nats.Msg{Subject: m.Reply, Data: append(data, h.zone...)})
				}})
			}
		case m := <-h.drained:
			f(DrainAsked{func() {
				if m.Reply != "" {
					h.publish(&nats.Msg{Subject: m.Reply})
				}
			}})
		default:
			return
		}
	}
}

func parseWho(data []byte) (id netcode.ResumeID, ok bool) {
	return id, len(data) == len(id) && copy(id[:], data) > 0
}

// answer says that a zone has a player.
type answer struct {
	id      netcode.ResumeID
	zone    custody.Zone
	address string
}

func (a answer) marshal() []byte {
	return append(binary.LittleEndian.AppendUint16(append([]byte(nil), a.id[:]...), uint16(a.zone)), a.address...)
}

func parseAnswer(data []byte) (a answer, ok bool) {
	n := len(a.id)
	if len(data) < n+2 || !plain(string(data[n+2:]), MaxAddress) {
		return answer{}, false
	}
	copy(a.id[:], data)
	a.zone, a.address = custody.Zone(binary.LittleEndian.Uint16(data[n:])), string(data[n+2:])
	return a, a.zone >= 1 && a.zone <= custody.MaxZone
}

// AskTick asks all active zones for the time of the common ticks, and returns the first answer, how
// long it took, and the zone that gave it. A zone answers in its next step, so most of that time
// lies before the answer. The error is ErrNoZone after a second, or at once if no record is that of
// an active zone.
func (s *Store) AskTick(ctx context.Context) (world, rtt time.Duration, zone string, err error) {
	// A damaged record may be that of an active zone.
	if records, err := s.Records(ctx); err == nil && !slices.ContainsFunc(records, func(r Seen) bool { return r.Record.Active }) {
		return 0, 0, "", ErrNoZone
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	start := time.Now()
	m, err := s.nc.RequestWithContext(ctx, s.subject("tick"), nil)
	switch {
	case err != nil && away(err):
		return 0, 0, "", fmt.Errorf("%w: %w", ErrNoZone, err)
	case err != nil:
		return 0, 0, "", err
	case len(m.Data) < 8 || !plain(string(m.Data[8:]), MaxAddress):
		return 0, 0, "", fmt.Errorf("%w: the answer is malformed", ErrNoZone)
	}
	return time.Duration(binary.LittleEndian.Uint64(m.Data)), time.Since(start), string(m.Data[8:]), nil
}

// Drain orders a zone to take no newcomers, and waits until it answers. The error says that it does
// not.
func (s *Store) Drain(ctx context.Context, zone string) error {
	_, err := s.nc.RequestWithContext(ctx, s.subject("drain."+zone), nil)
	if err != nil && away(err) {
		return fmt.Errorf("store: zone %s of world %s does not answer: see whether its process runs: %w", zone, s.world, err)
	}
	return err
}
