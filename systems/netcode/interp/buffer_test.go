package interp

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"pgregory.net/rapid"
)

const ms = time.Millisecond

func at(t time.Duration) Sample { return Sample{Time: t, Rotation: mgl32.QuatIdent()} }

func newSampleBuffer(capacity int) *sampleBuffer {
	b := new(sampleBuffer)
	b.init(capacity)
	return b
}

func times(b *sampleBuffer) []time.Duration {
	var ts []time.Duration
	for i := range b.Len() {
		ts = append(ts, b.At(i).At())
	}
	return ts
}

func TestBufferOrdersSamples(t *testing.T) {
	tests := []struct {
		name   string
		pushed []time.Duration
		want   []time.Duration
	}{
		{"in order", []time.Duration{1, 2, 3}, []time.Duration{1, 2, 3}},
		{"reversed", []time.Duration{3, 2, 1}, []time.Duration{1, 2, 3}},
		{"repeated", []time.Duration{1, 2, 2, 1, 3, 3}, []time.Duration{1, 2, 3}},
		{"full: the oldest goes", []time.Duration{1, 2, 3, 4, 5}, []time.Duration{2, 3, 4, 5}},
		{"full: a late one in the middle", []time.Duration{1, 2, 4, 5, 3}, []time.Duration{2, 3, 4, 5}},
		{"full: one older than all is of no use", []time.Duration{2, 3, 4, 5, 1}, []time.Duration{2, 3, 4, 5}},
		{"negative times", []time.Duration{0, -5, 5}, []time.Duration{-5, 0, 5}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newSampleBuffer(4)
			for _, p := range tt.pushed {
				b.Push(at(p))
			}
			if got := times(b); !slices.Equal(got, tt.want) {
				t.Errorf("holds %v, want %v", got, tt.want)
			}
		})
	}
}

// The buffer must equal a model: the newest Cap distinct times, sorted, with the first sample of
// each time.
func TestBufferModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newSampleBuffer(rapid.SampledFrom([]int{4, 8, 32, 64}).Draw(t, "capacity"))
		var model []Sample
		for range rapid.IntRange(0, 200).Draw(t, "pushes") {
			s := at(time.Duration(rapid.IntRange(0, 100).Draw(t, "time")))
			s.Position[0] = rapid.Float32Range(-1, 1).Draw(t, "x")
			i, have := slices.BinarySearchFunc(model, s, func(a, b Sample) int { return int(a.At() - b.At()) })
			want := !have && (len(model) < b.most || i > 0)
			if want {
				model = slices.Insert(model, i, s.WithDefaults())
				if len(model) > b.most {
					model = model[1:]
				}
			}
			before := b.revision
			if got := b.Push(s); got != want {
				t.Fatalf("Push of %v: %v, want %v", s.Time, got, want)
			}
			if (b.revision != before) != want {
				t.Fatal("the revision must change with the content and only with it")
			}
			if b.Len() != len(model) {
				t.Fatalf("holds %d, want %d", b.Len(), len(model))
			}
			for i := range model {
				if *b.At(i) != model[i] {
					t.Fatalf("slot %d is %v, want %v", i, *b.At(i), model[i])
				}
			}
			if rapid.IntRange(0, 9).Draw(t, "evict") == 0 {
				view := time.Duration(rapid.IntRange(0, 100).Draw(t, "view"))
				b.Evict(view)
				at, _ := slices.BinarySearchFunc(model, at(view+1), func(a, b Sample) int { return int(a.At() - b.At()) })
				model = model[max(at-keepBehind, 0):]
			}
		}
	})
}

func TestBufferEviction(t *testing.T) {
	b := newSampleBuffer(16)
	for i := range 10 {
		b.Push(at(time.Duration(i) * 10))
	}
	b.Evict(55)
	if want := []time.Duration{30, 40, 50, 60, 70, 80, 90}; !slices.Equal(times(b), want) {
		t.Errorf("after a view of 55 it holds %v, want %v: the segment around it and two samples before", times(b), want)
	}
	b.Evict(1000)
	if want := []time.Duration{70, 80, 90}; !slices.Equal(times(b), want) {
		t.Errorf("a view beyond the newest leaves %v, want %v", times(b), want)
	}
	b.Evict(0) // a view that ran back evicts nothing more
	if b.Len() != 3 {
		t.Errorf("holds %d, want 3", b.Len())
	}
	b.Clear()
	if b.Len() != 0 {
		t.Error("not empty after Clear")
	}
}

func TestBufferUsesAge(t *testing.T) {
	b := newSampleBuffer(8)
	for i, age := range []time.Duration{30 * ms, 0, -5 * ms} {
		s := at(time.Duration(i+1) * 100 * ms)
		s.Age = age
		b.Push(s)
	}
	if want := []time.Duration{70 * ms, 200 * ms, 300 * ms}; !slices.Equal(times(b), want) {
		t.Errorf("times %v, want %v: the state is Age older than its snapshot, a negative age counts as none", times(b), want)
	}
	// The time of a player without new inputs stands. The server repeats a state that is held
	// already.
	s := at(210 * ms)
	s.Age = 10 * ms
	if b.Push(s) {
		t.Error("a state that is already held was taken again")
	}
}

func TestBufferRefusesInvalidSamples(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	bad := map[string]func(*Sample){
		"position": func(s *Sample) { s.Position[1] = nan },
		"far":      func(s *Sample) { s.Position[1] = 2e12 },
		"velocity": func(s *Sample) { s.Velocity[2] = inf },
		"angular":  func(s *Sample) { s.Angular[0] = -inf },
		"rotation": func(s *Sample) { s.Rotation.W = nan },
		"axis":     func(s *Sample) { s.Rotation.V[2] = inf },
		"time":     func(s *Sample) { s.Time = math.MaxInt64 },
		"past":     func(s *Sample) { s.Time = math.MinInt64 },
		"age":      func(s *Sample) { s.Age = math.MaxInt64 },
	}
	for name, spoil := range bad {
		b := newSampleBuffer(4)
		s := at(0)
		spoil(&s)
		if b.Push(s) {
			t.Errorf("%s: taken", name)
		}
	}
	b := newSampleBuffer(4)
	b.Push(Sample{Rotation: mgl32.Quat{W: 3}})
	b.Push(Sample{Time: 1})
	for i := range 2 {
		if b.At(i).Rotation != mgl32.QuatIdent() {
			t.Errorf("rotation %v, want the identity", b.At(i).Rotation)
		}
	}
}

func TestBufferCapacity(t *testing.T) {
	for _, tt := range []struct{ ask, want int }{{0, defaultCapacity}, {-1, defaultCapacity}, {1, 4}, {33, 64}, {1 << 30, 1 << 16}} {
		b := newSampleBuffer(tt.ask)
		if b.most != tt.want {
			t.Errorf("NewBuffer(%d) has room for %d, want %d", tt.ask, b.most, tt.want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("At beyond the end must panic")
		}
	}()
	newSampleBuffer(4).At(0)
}
