package match

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// A frame of very many players, which no server writes, takes no more than the time to read it.
func TestSurveyOfManyPlayers(t *testing.T) {
	var data []byte
	for i := range 250_000 {
		data = append(binary.AppendUvarint(data, uint64(1+i%60_000)), 0)
	}
	ring := replay.NewRing(time.Second)
	if err := ring.Begin(replay.Session{Rate: 60}); err != nil {
		t.Fatal(err)
	}
	ring.Add(replay.Frame{Key: true, Kind: replay.Players, Data: data})
	tape, err := ring.Clip(time.Second)
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	s := NewSurvey(tape)
	if d := time.Since(begin); d > time.Second {
		t.Errorf("it takes %v", d)
	}
	if n := len(s.Players); n != 60_000 || !slices.IsSorted(s.Players) {
		t.Errorf("%d players", n)
	}
}
