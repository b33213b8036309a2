package netcode_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/interp"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// rerun is a client that runs a capture again.
type rerun struct {
	engine *ecs.Engine
	client *netcode.Client[runner, input]
	films  *[]picture
}

func newRerun(t testing.TB, p *protocol, tape *replay.Tape) *rerun {
	t.Helper()
	engine, err := ecs.New(ecs.Config{FixedRate: tickRate, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	client, err := netcode.NewClient(p, netcode.ClientConfig[runner, input]{Replay: tape, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	engine.Install(interpolation.New3D(), client, quietHierarchy(false))
	return &rerun{engine, client, film(engine, client)}
}

func (r *rerun) run() {
	for d := range r.client.Rerun().Frames() {
		r.engine.Update(d)
	}
}

// A rerun by other code goes on, and says where it differs first. So does one of another engine.
func TestCaptureByOtherCode(t *testing.T) {
	k := captureMatch(t, 3)
	mended := func(s runner, in input, at netcode.Tick) runner {
		s = shotGame().Step(s, in, at)
		if at > 300 {
			s.X += 1e-3 * float32(in.X)
		}
		return s
	}
	r := newRerun(t, captureProtocol(t, mended), k.file.open(t))
	r.run()
	err := r.client.Rerun().Err()
	if n := len(*r.films); err == nil || !strings.Contains(err.Error(), "from Update") || n < len(k.films)-12 {
		t.Errorf("%d frames of %d, and it says: %v", n, len(k.films), err)
	}
	first := 0
	for first < len(*r.films) && (*r.films)[first].equal(&k.films[first]) {
		first++
	}
	if first == len(k.films) || !strings.Contains(err.Error(), fmt.Sprintf("Update %d ", first+1)) {
		t.Errorf("the first other frame is %d of %d, and it says: %v", first, len(k.films), err)
	}
	r = newRerun(t, captureProtocol(t, nil), k.file.open(t))
	n := 0
	for d := range r.client.Rerun().Frames() {
		if n++; n == 100 {
			d++
		}
		r.engine.Update(d)
	}
	if err := r.client.Rerun().Err(); err == nil || !strings.Contains(err.Error(), "Update 100 ") {
		t.Errorf("of another duration it says: %v", err)
	}
}

// A capture that is cut or damaged runs as far as it is whole, and an error tells of the damage.
func TestCaptureDamaged(t *testing.T) {
	k := captureMatch(t, 5)
	for _, test := range []struct {
		name   string
		change func(b []byte) []byte
		says   string
	}{
		{"cut", func(b []byte) []byte { return b[:len(b)*2/3] }, ""},
		{"flipped", func(b []byte) []byte { b[len(b)/2] ^= 1; return b }, "a part is missing"},
	} {
		b := test.change(bytes.Clone(k.file.Bytes()))
		tape, err := replay.Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		r := newRerun(t, captureProtocol(t, nil), tape)
		r.run()
		got := *r.films
		if len(got) < len(k.films)/4 || len(got) > len(k.films)*3/4 {
			t.Errorf("%s: %d frames of %d", test.name, len(got), len(k.films))
		}
		for i := range got {
			if !got[i].equal(&k.films[i]) {
				t.Fatalf("%s: frame %d is another", test.name, i)
			}
		}
		if err := r.client.Rerun().Err(); (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: it says %v", test.name, err)
		}
		r.engine.Update(time.Second / 60) // beyond the end nothing happens
	}
}

// Misuse of captures is an error, or a panic, that says what to do.
func TestMistakesWithCaptures(t *testing.T) {
	says := func(what string, err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: it says %v, want %q", what, err, want)
		}
	}
	m := newMatch(t, nil)
	a := m.join(perfect(), nil)
	says("a ring", a.client.Capture(replay.NewRing(time.Second)), "use a File")
	if err := a.client.Capture(&keeper{}); err != nil {
		t.Fatal(err)
	}
	says("twice", a.client.Capture(&keeper{}), "has a capture already")
	b := m.join(perfect(), nil)
	m.run(time.Second/10, nil)
	says("late", b.client.Capture(&keeper{}), "before")
	loose, err := netcode.NewClient(newProtocol(t, netcode.Config{}), netcode.ClientConfig[runner, input]{
		Dial: b.Dial, Input: func(netcode.Tick) input { return input{} }, Log: quiet(),
	})
	if err != nil {
		t.Fatal(err)
	}
	says("early", loose.Capture(&keeper{}), "before Install")
	tape := captureOf(t, `{}`, []byte{1, 5})
	_, err = netcode.NewClient(newProtocol(t, netcode.Config{Version: 3}), netcode.ClientConfig[runner, input]{Replay: tape})
	says("another build", err, "builds do not match")
	for _, config := range []string{`{"Timeout":-1}`, `{"Interpolation":77}`, `3`, `{"Token":-2}`} {
		_, err = netcode.NewClient(newProtocol(t, netcode.Config{}), netcode.ClientConfig[runner, input]{Replay: captureOf(t, config, []byte{1, 5})})
		says(config, err, "netcode: ")
	}
	r := newRerun(t, newProtocol(t, netcode.Config{}), tape)
	says("a rerun", r.client.Capture(&keeper{}), "has everything")
	mustPanic(t, "a frame that is not run", func() {
		for range r.client.Rerun().Frames() {
		}
	}, "call the engine's Update")
	mustPanic(t, "an engine that has run", func() {
		e, _ := ecs.New(ecs.Config{FixedRate: tickRate})
		e.Update(1)
		client, err := netcode.NewClient(newProtocol(t, netcode.Config{}), netcode.ClientConfig[runner, input]{Replay: tape})
		if err != nil {
			t.Fatal(err)
		}
		e.Install(client)
	}, "before the first Update")
}

// captureOf makes a capture of the game of newProtocol with the settings and events given.
func captureOf(t testing.TB, config string, events []byte) *replay.Tape {
	t.Helper()
	var file tapeFile
	f := replay.NewFile(&file, replay.Info{Game: "test"})
	m := &session{}
	a := newMatch(t, nil).join(perfect(), nil)
	if err := a.client.Capture(m); err != nil {
		t.Fatal(err)
	}
	m.Config = []byte(config)
	if err := f.Begin(m.Session); err != nil {
		t.Fatal(err)
	}
	f.Add(replay.Frame{Kind: replay.Events, Key: true, Data: events})
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return file.open(t)
}

// session is a recorder that keeps the description.
type session struct {
	keeper
	replay.Session
}

func (s *session) Begin(of replay.Session) error { s.Session = of; return nil }

// FuzzRerun runs captures of any events with any settings. Nothing panics, and the run ends.
// Settings that no client has are refused, since the file holds them.
func FuzzRerun(f *testing.F) {
	k := &recorded{}
	m := newMatch(f, nil)
	a := m.join(perfect(), nil)
	if err := a.client.Capture(k); err != nil {
		f.Fatal(err)
	}
	m.run(time.Second/4, nil)
	var same settings
	if err := json.Unmarshal(k.Config, &same); err != nil {
		f.Fatal(err)
	}
	if again, _ := json.Marshal(same); !bytes.Equal(again, k.Config) {
		f.Fatalf("a capture has other settings than these: %s, not %s", k.Config, again)
	}
	add := func(events []byte, c settings, flags byte) {
		f.Add(events, c.Token, int(c.Interpolation), c.ActionRate, c.InputDelay, c.Redundancy.Min, c.Redundancy.Max,
			int64(c.Delay.Min), int64(c.Delay.Max), int64(c.Timeout), int64(c.Retry), int64(c.MaxSilence), flags)
	}
	add(k.Bytes(), settings{}, 0)
	add([]byte{1, 5, 3, 200, 9, 7, 9}, settings{}, 0)
	add(k.Bytes(), settings{
		Token: netcode.MaxToken, Interpolation: interp.Hermite, ActionRate: tickRate / 2, InputDelay: 16, Redundancy: netcode.Bounds[int]{Min: 2, Max: 4},
		Delay: netcode.Bounds[time.Duration]{Min: time.Second / 10, Max: time.Second}, Timeout: 1, Retry: 1, MaxSilence: 1,
	}, 7)
	add(k.Bytes(), settings{Delay: netcode.Bounds[time.Duration]{Min: math.MaxInt64}, Timeout: math.MaxInt64, Retry: math.MaxInt64, MaxSilence: math.MaxInt64}, 2)
	add(k.Bytes(), settings{Delay: netcode.Bounds[time.Duration]{Max: 1}, MaxSilence: math.MinInt64}, 0)
	add(k.Bytes(), settings{InputDelay: -1}, 0)
	f.Fuzz(func(t *testing.T, events []byte, token, kind, rate, delay, few, many int, least, most, timeout, retry, silence int64, flags byte) {
		if len(events) > 1<<16 {
			return
		}
		config, err := json.Marshal(settings{
			Token: token, Place: flags&1 != 0, Interpolation: interp.Kind(kind), ActionRate: rate, InputDelay: delay, Redundancy: netcode.Bounds[int]{Min: few, Max: many},
			Delay:   netcode.Bounds[time.Duration]{Min: time.Duration(least), Max: time.Duration(most)},
			Timeout: time.Duration(timeout), Retry: time.Duration(retry), MaxSilence: time.Duration(silence),
			WithoutPrediction: flags&2 != 0, WithoutReconciliation: flags&4 != 0,
		})
		if err != nil {
			t.Fatal(err)
		}
		p, tape := newProtocol(t, netcode.Config{}), captureOf(t, string(config), events)
		if _, err := netcode.NewClient(p, netcode.ClientConfig[runner, input]{Replay: tape, Log: quiet()}); err != nil {
			if !errors.Is(err, replay.ErrFormat) && !strings.Contains(err.Error(), "which ClientConfig.Interpolators does not make") {
				t.Errorf("the settings %s: %v", config, err)
			}
			return
		}
		r := newRerun(t, newProtocol(t, netcode.Config{}), tape)
		n := 0
		for d := range r.client.Rerun().Frames() {
			if n++; n > 100 {
				break
			}
			r.engine.Update(d)
		}
		if n > len(events) {
			t.Errorf("%d frames of %d bytes", n, len(events))
		}
		r.engine.Close()
	})
}

// settings has the settings of a capture, by the names that the file has.
type settings struct {
	Token                                    int
	Place                                    bool
	Interpolation                            interp.Kind
	ActionRate, InputDelay                   int
	Redundancy                               netcode.Bounds[int]
	Delay                                    netcode.Bounds[time.Duration]
	Timeout, Retry, MaxSilence               time.Duration
	WithoutPrediction, WithoutReconciliation bool
}

// recorded is a recorder that keeps the events.
type recorded struct {
	session
	bytes.Buffer
}

func (k *recorded) Add(f replay.Frame) bool { _, _ = k.Write(f.Data); return true }
