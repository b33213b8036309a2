package frametimes_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/demo/internal/frametimes"
)

func TestSteadyNeverDrifts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.IntRange(1, 1000).Draw(t, "rate")
		frames := rapid.IntRange(1, 5000).Draw(t, "frames")
		source := frametimes.Steady(rate)
		var sum time.Duration
		for range frames {
			sum += source()
		}
		if want := time.Duration(int64(frames) * int64(time.Second) / int64(rate)); sum != want {
			t.Fatalf("%d frames at %d per second took %v, want %v", frames, rate, sum, want)
		}
	})
}

func TestRepeatBeginsAgain(t *testing.T) {
	source := frametimes.Repeat([]time.Duration{1, 20, 300})
	var got [7]time.Duration
	for i := range got {
		got[i] = source()
	}
	if want := [7]time.Duration{1, 20, 300, 1, 20, 300, 1}; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestVaryStaysWithinItsShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "d"))
		share := rapid.Float64Range(0, 0.9).Draw(t, "share")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		got := frametimes.Vary(d, share, random)
		if slack := time.Duration(share*float64(d)) + 1; got < d-slack || got > d+slack {
			t.Fatalf("%v varied by %v became %v", d, share, got)
		}
	})
}

func TestRead(t *testing.T) {
	for _, test := range []struct {
		text string
		want string // the durations as fmt prints them, or the error
	}{
		{"16666667\n", "[16.666667ms]"},
		{"1\n2\n3", "[1ns 2ns 3ns]"},
		{"# a comment\r\n\r\n 10 \r\n0\r\n", "[10ns 0s]"},
		{"86400000000000\n", "[24h0m0s]"},
		{"", "f.txt: it contains no frame time; write one whole number of nanoseconds a line"},
		{"# nothing\n\n", "f.txt: it contains no frame time; write one whole number of nanoseconds a line"},
		{"1\n2\nx\n", `f.txt:3: "x" is not a whole number of nanoseconds`},
		{"1\n\n1.5\n", `f.txt:3: "1.5" is not a whole number of nanoseconds`},
		{"16ms\n", `f.txt:1: "16ms" is not a whole number of nanoseconds`},
		{"5\n-5\n", "f.txt:2: -5 is negative; a frame takes 0 ns or more"},
		{"86400000000001\n", "f.txt:1: 86400000000001 is out of range; a frame may take at most 86400000000000 ns (24 hours)"},
		{"99999999999999999999\n", "f.txt:1: 99999999999999999999 is out of range; a frame may take at most 86400000000000 ns (24 hours)"},
		{"1\n" + strings.Repeat("7", 70000), "f.txt:2: the line is too long for a number of nanoseconds"},
		{"\ufeff5\r\n6\r\n", "[5ns 6ns]"},
		{"5\n\ufeff6\n", "f.txt:2: \"\\ufeff6\" is not a whole number of nanoseconds"},
		{strings.Repeat("x", 100), `f.txt:1: "` + strings.Repeat("x", 40) + `..." is not a whole number of nanoseconds`},
	} {
		durations, err := frametimes.Read(strings.NewReader(test.text), "f.txt")
		got := fmt.Sprint(durations)
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%.30q:\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("1\n2\n")
	f.Add("# x\n-1")
	f.Fuzz(func(t *testing.T, text string) {
		durations, err := frametimes.Read(strings.NewReader(text), "f")
		if (err == nil) != (len(durations) > 0) {
			t.Fatalf("%d durations and error %v", len(durations), err)
		}
		for _, d := range durations {
			if d < 0 || d > frametimes.MaxFrame {
				t.Fatalf("accepted %v", d)
			}
		}
	})
}
