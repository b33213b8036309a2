package packet_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
)

// Repeats must agree with Open about every datagram, in any order and any number of copies, and
// must count like it.
func TestRepeatsIsWhatOpenRefuses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		end := func() *packet.Endpoint {
			e, err := packet.NewEndpoint(packet.Config{MTU: 300})
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		from, asked, opened := end(), end(), end()
		var all [][]byte
		for range 80 {
			from.Begin(make([]byte, 300), 0, 0).Bits(1, 8)
			datagram, err := from.End()
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, datagram)
		}
		for range rapid.IntRange(1, 200).Draw(t, "datagrams") {
			datagram := all[rapid.IntRange(0, len(all)-1).Draw(t, "which")]
			pk, err := opened.Open(datagram)
			want := errors.Is(err, packet.ErrDuplicate) || errors.Is(err, packet.ErrTooOld)
			if got := asked.Repeats(datagram); got != want {
				t.Fatalf("Repeats says %v of what Open refuses with %v", got, err)
			}
			if !want && rapid.Bool().Draw(t, "accept") {
				if err := opened.Accept(pk, 0); err != nil {
					t.Fatal(err)
				}
				if pk, err = asked.Open(datagram); err != nil {
					t.Fatal(err)
				}
				if err := asked.Accept(pk, 0); err != nil {
					t.Fatal(err)
				}
			}
		}
		a, b := asked.Stats(), opened.Stats()
		if a.Duplicates != b.Duplicates || a.TooOld != b.TooOld {
			t.Fatalf("counted %d copies and %d too old, want %d and %d", a.Duplicates, a.TooOld, b.Duplicates, b.TooOld)
		}
		if asked.Repeats(nil) || asked.Repeats([]byte{1}) {
			t.Fatal("what is no packet repeats one")
		}
	})
}
