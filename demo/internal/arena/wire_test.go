package arena

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode"
)

func TestCodecs(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for range 2000 {
		newer, in := randomInput(random), randomInput(random)
		if random.IntN(2) == 0 {
			in.Yaw, in.Pitch = newer.Yaw, newer.Pitch
		}
		pawn := Pawn{Score: uint16(random.Uint32()), Health: uint8(random.Uint32()), Hits: uint8(random.Uint32())}
		state := State{
			Pos: mgl32.Vec3{random.Float32(), random.Float32(), random.Float32()}, Vel: mgl32.Vec3{random.Float32(), 1, 2}, Yaw: 1, Pitch: 0.5,
			Platform: 1, PlatformPos: mgl32.Vec3{random.Float32(), 1, 2}, Grounded: random.IntN(2) == 0, Cooldown: uint8(random.Uint32()), Shots: uint8(random.Uint32()), Teleports: uint8(random.Uint32()),
			Rockets: uint8(random.Uint32()), Spent: uint8(random.IntN(4)), Reload: uint8(random.Uint32()), Refill: uint16(random.IntN(1024)),
		}
		var buf [256]byte
		w := netcode.NewWriter(buf[:])
		inputCodec{}.Write(&w, in, newer)
		pawnCodec{}.Encode(&w, pawn, nil)
		stateCodec{}.Write(&w, state)
		r := netcode.NewReader(w.Bytes())
		if got := (inputCodec{}).Read(&r, newer); got != in {
			t.Fatalf("%+v became %+v", in, got)
		}
		if got := (pawnCodec{}).Decode(&r, nil); got != pawn {
			t.Fatalf("%+v became %+v", pawn, got)
		}
		if got := (stateCodec{}).Read(&r); got != state {
			t.Fatalf("%+v became %+v", state, got)
		}
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
	}
}

func TestMessages(t *testing.T) {
	for _, e := range []Event{{Player: 7, To: mgl32.Vec3{1, 2, 3}, Victim: 9, N: 200, Void: true}, {Player: 65535, Kind: Pushed}, {Player: 3, Kind: RocketEnded, N: 1}} {
		bytes := e.Append(nil)
		if got, ok := ReadEvent(bytes); !ok || got != e {
			t.Errorf("%+v became %+v, %v", e, got, ok)
		}
		for n := range bytes {
			if _, ok := ReadEvent(bytes[:n]); ok {
				t.Errorf("%d of %d bytes count as an event", n, len(bytes))
			}
		}
		if IsPush(bytes) {
			t.Error("an event counts as a push")
		}
	}
	if !IsPush(PushMessage()) {
		t.Error("a push does not count as one")
	}
	if text, ok := ReadNotice(Notice("good night")); !ok || text != "good night" {
		t.Errorf("%q, %v", text, ok)
	}
	for _, long := range []string{strings.Repeat("x", 500), strings.Repeat("ж", 150), "x" + strings.Repeat("ж", 150), strings.Repeat("日", 99), "x" + strings.Repeat("日", 99), "xx" + strings.Repeat("日", 99)} {
		if text, ok := ReadNotice(Notice(long)); !ok || !strings.HasPrefix(long, text) || len(text) < maxNotice-2 || len(text) > maxNotice {
			t.Errorf("of %d bytes %d are told: %q, %v", len(long), len(text), text, ok)
		}
	}
	if text, ok := ReadNotice(Notice("caf\xe9")); !ok || text != "caf?" {
		t.Errorf("what is not quite text is told as %q, %v", text, ok)
	}
	if _, ok := ReadNotice([]byte{noticeKind, 0xff}); ok {
		t.Error("what is no text counts as a notice")
	}
}

// Whatever comes off the wire is refused or is fit for the step function.
func FuzzStateAndInput(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4})
	f.Add(make([]byte, 64))
	rules := Rules{Level: NewLevel(), Rate: 60}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		r := netcode.NewReader(bytes)
		state := stateCodec{}.Read(&r)
		in := inputCodec{}.Read(&r, Input{})
		_, _ = ReadEvent(bytes)
		_, _ = ReadNotice(bytes)
		if r.Err() != nil {
			return
		}
		for i := range 5 {
			state = rules.Step(state, in, 7)
			if state.Pos != state.Pos || abs(state.Pos[0]) > Half || abs(state.Pos[2]) > Half {
				t.Fatalf("tick %d: %+v", i, state)
			}
		}
	})
}
