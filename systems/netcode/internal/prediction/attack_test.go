package prediction_test

import (
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"
)

func TestCase36ReplayedAndForgedInputs(t *testing.T) {
	for seed := range uint64(seeds) {
		var run [2]*session
		for i := range run {
			p := path(t, base+" loss=10%", seed)
			s := newSession(t, p, leadFor(p, 3), strafe)
			s.keepStates = true
			var record [][]byte
			s.tap = func(sent []byte) { record = append(record, append([]byte(nil), sent...)) }
			forged := uint64(seed)
			for k := int64(0); k < 65*second; k++ {
				s.run(k, k+1)
				if i == 0 || len(record) == 0 {
					continue
				}
				// One old packet per tick, sent 0.1 s to 60 s ago in turn. Now and then a packet
				// claims a far tick.
				ago := []int{6, 60, 600, 3600}[k%4]
				if ago < len(record) {
					s.receive(record[len(record)-ago], s.at(k))
				}
				if k%10 == 0 {
					forged = forged*6364136223846793005 + 1442695040888963407
					far := prediction.NewPending[control](0)
					far.Push(s.buffer.Tick().Add(int(int32(forged>>33)|1<<20)), control{Move: -1, Press: 0xff})
					s.receive(encode(far), s.at(k))
				}
			}
			run[i] = s
		}
		for k := range run[0].states {
			if run[0].states[k] != run[1].states[k] {
				t.Fatalf("seed %d: after tick %d the state is %v without attacks and %v with", seed, k, run[0].states[k], run[1].states[k])
			}
		}
		clean, attacked := run[0].buffer.Stats(), run[1].buffer.Stats()
		if attacked.Duplicate+attacked.Expired < clean.Duplicate+clean.Expired+60*second || attacked.Early == 0 {
			t.Errorf("seed %d: the attack did not take place: %+v", seed, attacked)
		}
		if run[0].buffer.Feedback() != run[1].buffer.Feedback() {
			t.Errorf("seed %d: the client is told %+v without attacks and %+v with", seed, run[0].buffer.Feedback(), run[1].buffer.Feedback())
		}
	}
}

func TestCase38ReconnectStartsAfresh(t *testing.T) {
	for seed := range uint64(seeds) {
		p := path(t, base, seed)
		s := newSession(t, p, leadFor(p, 3), strafe)
		var old [][]byte
		s.tap = func(sent []byte) { old = append(old, append([]byte(nil), sent...)) }
		s.away = func(k int64) bool { return k >= 10*second && k < 15*second }
		s.run(0, 15*second)
		s.tap = nil
		s.buffer.Reset(s.buffer.Tick())
		s.client.Start(s.buffer.Tick(), s.server) // the server's first state on the new connection
		// Inputs of the old connection must not run any more, and must not hinder new ones.
		for _, datagram := range old {
			s.receive(datagram, s.at(15*second))
		}
		before := s.server
		s.sent = before
		s.corrections = 0
		s.quiet(22 * second)
		s.run(15*second, 25*second)
		s.checkPresses(p)
		s.stateAt(t)
		if s.corrections > 1 {
			t.Errorf("%d corrections after the reconnect (%v)", s.corrections, p)
		}
	}
}
