package snapshot

import (
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/tick"
)

// State and Present return a state with its age, also when later packets had no record of the
// entity. Without it an old pose is taken for a new one.
func TestAgesAreKept(t *testing.T) {
	s, err := NewSchema(Config{TickRate: 60})
	if err != nil {
		t.Fatal(err)
	}
	w, d := NewWorld(s), NewDecoder(s)
	e := NewEncoder(w)
	id, err := w.Spawn(1)
	if err != nil {
		t.Fatal(err)
	}
	const age = time.Second / 60
	for n := packet.Number(1); n <= 6; n++ {
		if n <= 4 {
			w.SetState(id, State{Position: mgl32.Vec3{float32(n)}, Rotation: mgl32.QuatIdent(), Age: time.Duration(n%2) * age})
		}
		w.Commit()
		e.SetRelevance(id, 1)
		out := packet.NewWriter(make([]byte, 500))
		e.Encode(&out, n, tick.Tick(n))
		r := packet.NewReader(out.Bytes())
		if _, err := d.Decode(&r, n); err != nil {
			t.Fatal(err)
		}
		e.Delivered(n)
		want := time.Duration(n%2) * age
		if n > 4 {
			want = 0
		}
		near := func(got time.Duration) bool { return got > want-time.Millisecond && got < want+time.Millisecond }
		state, at, ok := d.State(id)
		if !ok || at != tick.Tick(min(n, 4)) || !near(state.Age) {
			t.Errorf("packet %d: the state is of tick %d, and %v old; want %v", n, at, state.Age, want)
		}
		d.Present(func(c *Change, _ tick.Tick) {
			if !near(c.State.Age) {
				t.Errorf("packet %d: present with an age of %v, want %v", n, c.State.Age, want)
			}
		})
	}
}
