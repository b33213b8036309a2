package netcode_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// letter has a field of every form that a message may have.
type letter struct {
	From  netcode.Text
	Line  string    `max:"200"`
	Lines [2]string `max:"9"`
	HP    int8      `range:"0,100"`
	At    [3]float32
	on    bool
}

type shot struct {
	At  [2]float32
	Ray uint8
}

func drawLetter(t *rapid.T) letter {
	return letter{
		drawText(t, "from"), rapid.StringN(0, 200, 200).Draw(t, "line"), [2]string{rapid.StringN(0, 9, 9).Draw(t, "a"), rapid.StringN(0, 9, 9).Draw(t, "b")},
		rapid.Int8Range(0, 100).Draw(t, "hp"), [3]float32{rapid.Float32().Draw(t, "x"), 0, 2}, rapid.Bool().Draw(t, "on"),
	}
}

// Read returns what Pack has packed, and only for a message of its own kind. A message takes a
// byte, the bits of its numbers, and the sizes and the bytes of its strings.
func TestMessagesAreReadAsTheyWerePacked(t *testing.T) {
	p := newProtocol(t, netcode.Config{})
	shots, letters, pings := netcode.NewMessage[shot](p, "shot"), netcode.NewMessage[letter](p, "letter"), netcode.NewMessage[struct{}](p, "ping")
	rapid.Check(t, func(t *rapid.T) {
		v := drawLetter(t)
		packed := letters.Pack(v)
		bits := 8 + 5 + 8*len(v.From.String()) + 8 + 8*len(v.Line) + 2*4 + 8*len(v.Lines[0]+v.Lines[1]) + 7 + 3*32 + 1
		if len(packed) != (bits+7)/8 {
			t.Fatalf("%d bytes, want %d bits", len(packed), bits)
		}
		if got, ok := letters.Read(packed); !ok || got != v {
			t.Fatalf("%+v came as %+v, %v", v, got, ok)
		}
		if _, ok := shots.Read(packed); ok {
			t.Fatal("a letter was read as a shot")
		}
		n := rapid.IntRange(0, len(packed)-1).Draw(t, "cut")
		if _, ok := letters.Read(packed[:n]); ok {
			t.Fatalf("%d bytes of %d were read", n, len(packed))
		}
		if _, ok := letters.Read(append(slices.Clone(packed), 0)); ok {
			t.Fatal("a byte too many was read")
		}
		s := shot{[2]float32{v.At[0], 1}, uint8(v.HP)}
		if got, ok := shots.Read(shots.Pack(s)); !ok || got != s || len(shots.Pack(s)) != 1+2*4+1 {
			t.Fatalf("%+v came as %+v, %v", s, got, ok)
		}
	})
	if _, ok := pings.Read(pings.Pack(struct{}{})); !ok || len(pings.Pack(struct{}{})) != 1 {
		t.Error("a message without fields is not one byte")
	}
	if _, ok := pings.Read(nil); ok {
		t.Error("nothing was read as a message")
	}
}

// Pack makes everything fit: a player's line that is too long is no mistake of the
// program.
func TestPackKeepsWithinTheBounds(t *testing.T) {
	letters := netcode.NewMessage[letter](newProtocol(t, netcode.Config{}), "letter")
	for _, c := range []struct{ in, want letter }{
		{letter{Lines: [2]string{"123456789", "1234567890"}}, letter{Lines: [2]string{"123456789", "123456789"}}},
		{letter{Lines: [2]string{"12345678é", "日本日本"}}, letter{Lines: [2]string{"12345678", "日本日"}}},
		{letter{Lines: [2]string{"a\xffb\xc3", "1234567\xf0\x9f89"}}, letter{Lines: [2]string{"ab", "123456789"}}},
		{letter{Lines: [2]string{"\x1b\n\x00", "\ufffd"}}, letter{Lines: [2]string{"\x1b\n\x00", "\ufffd"}}},
		{letter{Line: strings.Repeat("🙂", 60), HP: 120}, letter{Line: strings.Repeat("🙂", 50), HP: 100}},
		{letter{At: [3]float32{float32(math.Inf(1)), float32(math.NaN()), 1}}, letter{At: [3]float32{math.MaxFloat32, 0, 1}}},
	} {
		if got, ok := letters.Read(letters.Pack(c.in)); !ok || got != c.want {
			t.Errorf("%+v came as %+v, %v, want %+v", c.in, got, ok, c.want)
		}
	}
}

// Bytes that Pack does not make are not read: strings that are not UTF-8 or too long, numbers out
// of their range, and bits that are left over.
func TestMessagesOfCheatersAreNotRead(t *testing.T) {
	type small struct {
		S string `max:"4"`
		N uint8  `range:"0,2"`
	}
	m := netcode.NewMessage[small](newProtocol(t, netcode.Config{}), "small")
	for what, c := range map[string]struct {
		size, n, rest uint64
		text          string
		ok            bool
	}{
		"a message":            {size: 3, text: "abc", n: 2, ok: true},
		"half a rune":          {size: 3, text: "ab\xc3"},
		"a surrogate":          {size: 3, text: "\xed\xa0\x80"},
		"a string too long":    {size: 5, text: "abcde"},
		"a string out of data": {size: 4},
		"a number too large":   {size: 1, text: "a", n: 3},
		"a bit too many":       {size: 1, text: "a", rest: 1},
	} {
		w := netcode.NewWriter(make([]byte, 20))
		w.Bits(0, 8)
		w.Bits(c.size, 3)
		for i := range len(c.text) {
			w.Bits(uint64(c.text[i]), 8)
		}
		w.Bits(c.n, 2)
		w.Bits(c.rest, 1)
		got, ok := m.Read(w.Bytes())
		if ok != c.ok || ok && got != (small{c.text, uint8(c.n)}) || !ok && got != (small{}) {
			t.Errorf("%s: %q, %v", what, got, ok)
		}
	}
}

// FuzzMessages reads any bytes. Pack makes the same bytes of each value that is read.
func FuzzMessages(f *testing.F) {
	p := newProtocol(f, netcode.Config{})
	shots, letters := netcode.NewMessage[shot](p, "shot"), netcode.NewMessage[letter](p, "letter")
	f.Add(slices.Clone(letters.Pack(letter{From: netcode.MakeText("Zoë"), Line: "hello", Lines: [2]string{"日本", ""}, HP: 3})))
	f.Add(slices.Clone(shots.Pack(shot{Ray: 3})))
	f.Add([]byte{1, 255, 255})
	f.Fuzz(func(t *testing.T, data []byte) {
		if v, ok := letters.Read(data); ok {
			mustBeClean(t, v.From)
			for text, most := range map[string]int{v.Line: 200, v.Lines[0]: 200, v.Lines[1]: 200} {
				if !utf8.ValidString(text) || len(text) > most {
					t.Errorf("a string %q", text)
				}
			}
			if max(len(v.Lines[0]), len(v.Lines[1])) > 9 {
				t.Errorf("strings %q", v.Lines)
			}
			if packed := letters.Pack(v); !bytes.Equal(packed, data) {
				t.Errorf("%x was packed as %x", data, packed)
			}
		}
		if v, ok := shots.Read(data); ok && !bytes.Equal(shots.Pack(v), data) {
			t.Errorf("%x was packed as %x", data, shots.Pack(v))
		}
	})
}

func TestPackAllocatesNothing(t *testing.T) {
	p := newProtocol(t, netcode.Config{})
	shots, letters := netcode.NewMessage[shot](p, "shot"), netcode.NewMessage[letter](p, "letter")
	v := letter{From: netcode.MakeText("Zoë"), Line: "a line", Lines: [2]string{"one that is too long", "b"}, HP: 3}
	if n := testing.AllocsPerRun(100, func() {
		letters.Pack(v)
		if s, ok := shots.Read(shots.Pack(shot{Ray: 3})); !ok || s.Ray != 3 {
			t.Fatal("a shot was not read")
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// A type that cannot be a message, a name that is taken and a protocol in use are refused by name.
func TestUnsendableMessagesAreRefused(t *testing.T) {
	p := newProtocol(t, netcode.Config{})
	netcode.NewMessage[shot](p, "shot")
	for what, c := range map[string]struct {
		make  func()
		words []string
	}{
		"a string without a bound": {func() { netcode.NewMessage[struct{ Line string }](p, "chat") }, []string{`"chat"`, "Line string is without a bound", `max:"200"`}},
		"a bound in words": {func() {
			netcode.NewMessage[struct {
				Line string `max:"few"`
			}](p, "chat")
		}, []string{`Line string has the tag max:"few"`, `max:"200"`}},
		"a bound of nothing": {func() {
			netcode.NewMessage[struct {
				Line string `max:"0"`
			}](p, "chat")
		}, []string{"no number of bytes"}},
		"a bound beyond a message": {func() {
			netcode.NewMessage[struct {
				Line string `max:"40000"`
			}](p, "chat")
		}, []string{"more than 32767 bytes", "into a message", "send less"}},
		"a range of a string": {func() {
			netcode.NewMessage[struct {
				Line string `max:"4" range:"0,3"`
			}](p, "chat")
		}, []string{"for whole numbers"}},
		"a bound of a Text": {func() {
			netcode.NewMessage[struct {
				Name netcode.Text `max:"20"`
			}](p, "chat")
		}, []string{"Name netcode.Text has the tag", "leave it out"}},
		"a bound of a number": {func() {
			netcode.StructState[struct {
				HP int16 `max:"100"`
			}]()
		}, []string{`HP int16 has the tag max:"100"`, "for strings", `range:"0,100"`}},
		"a slice":         {func() { netcode.NewMessage[struct{ B []byte }](p, "chat") }, []string{"B []uint8 is neither"}},
		"a taken name":    {func() { netcode.NewMessage[letter](p, "shot") }, []string{`"shot"`, "a name of its own"}},
		"no name":         {func() { netcode.NewMessage[letter](p, "") }, []string{"a name of its own"}},
		"a string beside": {func() { netcode.StructInput[struct{ Name string }]() }, []string{"Name string is neither", "put a netcode.Text of at most 31 bytes in its place"}},
	} {
		mustPanic(t, what, c.make, c.words...)
	}
	mustPanic(t, "too many", func() {
		for i := range 64 {
			netcode.NewMessage[shot](p, fmt.Sprint(i))
		}
	}, `"63"`, "64 kinds of messages already", "put several into one")
	m := newMatch(t, nil)
	mustPanic(t, "a message of a protocol in use", func() { netcode.NewMessage[shot](m.protocol, "shot") }, "in use already", "make all messages before")
}

// Ends whose messages differ refuse each other, with a reason that names the first difference.
// Without messages a hello is as long as before.
func TestMessagesAreComparedWhenAClientJoins(t *testing.T) {
	type (
		line struct {
			Line string `max:"200"`
		}
		longLine struct {
			Line string `max:"201"`
		}
		move    struct{ X, Z int8 }
		swapped struct{ Z, X int8 }
	)
	kinds := map[string]func(p *protocol){
		"shot":                func(p *protocol) { netcode.NewMessage[shot](p, "shot") },
		"chat":                func(p *protocol) { netcode.NewMessage[line](p, "chat") },
		"chat of longer ones": func(p *protocol) { netcode.NewMessage[longLine](p, "chat") },
		"move":                func(p *protocol) { netcode.NewMessage[move](p, "move") },
		"move turned":         func(p *protocol) { netcode.NewMessage[swapped](p, "move") },
	}
	build := func(names ...string) *protocol {
		p := newProtocol(t, netcode.Config{})
		for _, name := range names {
			kinds[name](p)
		}
		return p
	}
	const sameOrder = ": make the same messages in the same order"
	for _, c := range []struct {
		here, there []string
		want        string
	}{
		{[]string{"shot", "chat"}, []string{"shot", "chat"}, ""},
		{[]string{"shot", "chat"}, []string{"chat", "shot"}, `message 0 is "shot" here, "chat" there` + sameOrder},
		{[]string{"shot", "chat"}, []string{"shot"}, `message 1, "chat", is not known there` + sameOrder},
		{[]string{"shot"}, []string{"shot", "chat"}, "3 components and messages there, 2 here: register the same ones in the same order"},
		{[]string{"chat"}, []string{"chat of longer ones"}, `message 0 is "chat" here, unknown or with other fields there: `},
		{[]string{"move"}, []string{"move turned"}, `message 0 is "move" here, unknown or with other fields there: `},
	} {
		m := newMatchOf(t, build(c.here...), nil)
		m.protocol = build(c.there...)
		a := m.join(perfect(), nil)
		m.run(time.Second, nil)
		status, reason := a.client.Status()
		if c.want == "" && status == netcode.Playing {
			continue
		}
		if status != netcode.Ended || reason.Code != transport.Mismatch || !strings.Contains(reason.Text, c.want) {
			t.Errorf("%q here, %q there: %v, %q, want %q", c.here, c.there, status, reason.Text, c.want)
		}
	}
	with, without := netcode.NewWriter(make([]byte, 400)), netcode.NewWriter(make([]byte, 400))
	build("shot", "chat").WriteHelloForTest(&with)
	build().WriteHelloForTest(&without)
	if more := with.Len() - without.Len(); more != 2*32 {
		t.Errorf("two messages add %d bits to a hello", more)
	}
}

// In a protocol with kinds of messages raw bytes are a mistake, and the game gets a report: by an
// error of Send, and by a line in the log for a Broadcast. It is no panic, since a server may pass
// on what a client has sent.
func TestRawMessagesAreRefusedBesideKinds(t *testing.T) {
	p := newProtocol(t, netcode.Config{})
	shots, letters := netcode.NewMessage[shot](p, "shot"), netcode.NewMessage[letter](p, "letter")
	var log bytes.Buffer
	m := newMatchOf(t, p, func(c *netcode.ServerConfig[runner, input]) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	a := m.join(perfect(), nil)
	m.run(time.Second, nil)
	m.mustPlay()
	whole := slices.Clone(shots.Pack(shot{Ray: 3}))
	for _, raw := range [][]byte{nil, []byte("hello"), {0}, {2}, whole[:len(whole)-1], append(slices.Clone(whole), 0), {1, 255, 255, 255}} {
		for _, send := range []func([]byte) error{a.client.Send, a.client.SendUnreliable, m.of(a).Send, m.of(a).SendUnreliable} {
			if err := send(raw); err == nil || !strings.Contains(err.Error(), "send what Message.Pack returns") {
				t.Errorf("%x: %v", raw, err)
			}
		}
		m.server.Broadcast(raw)
	}
	if n := strings.Count(log.String(), "a broadcast was not sent"); n != 1 || !strings.Contains(log.String(), "Message.Pack") {
		t.Errorf("%d lines in the log: %s", n, log.String())
	}
	v := letter{Line: "hello", Lines: [2]string{"日本", ""}}
	if n := testing.AllocsPerRun(10, func() {
		if a.client.SendUnreliable(whole[:1]) == nil {
			t.Fatal("sent")
		}
	}); n > 0 {
		t.Errorf("%v allocations to refuse a message", n)
	}
	for _, send := range []func([]byte) error{a.client.Send, m.of(a).Send, func(b []byte) error { m.server.Broadcast(b); return nil }} {
		if err := send(letters.Pack(v)); err != nil {
			t.Error(err)
		}
	}
	m.run(time.Second, nil)
	for _, got := range [][]string{m.heard, a.heard} {
		for _, data := range got {
			if read, ok := letters.Read([]byte(data)); !ok || read != v {
				t.Errorf("%q came", data)
			}
		}
	}
	if len(m.heard) != 1 || len(a.heard) != 2 {
		t.Errorf("the server has received %d messages, want 1; the client %d, want 2", len(m.heard), len(a.heard))
	}
}
