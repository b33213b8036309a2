package netcode_test

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/internal/pointerfree"
	"github.com/tandem-ecs/tandem/systems/netcode"
)

// nameTag is a component with a text.
type nameTag struct{ Text netcode.Text }

func TestTextsAreCutAndClean(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"Ada", "Ada"},
		{"Zoë Müller 日本 🙂", "Zoë Müller 日本 🙂"},
		{strings.Repeat("a", 31), strings.Repeat("a", 31)},
		{strings.Repeat("a", 32), strings.Repeat("a", 31)},
		// 30 bytes, and no half of another
		{strings.Repeat("é", 16), strings.Repeat("é", 15)},
		// the rest is not taken either
		{strings.Repeat("🙂", 8) + "a", strings.Repeat("🙂", 7)},
		{"a\x00b\tc\nd\x1b[2Je\x7ff\u0085g\u009f", "abcd[2Jefg"}, // control characters
		// line breaks, orders of writing
		{"a\u2028b\u2029c\u202ed\u2066e\u2069f", "abcdef"},
		{"1\u200f-2\u200e-3\u061c!", "1-2-3!"},                       // marks that reorder signs
		{"\xffa\xc3b\xed\xa0\x80c\xc0\x80d\xf4\x90\x80\x80", "abcd"}, // not UTF-8
		{"a\ufffdb", "a\ufffdb"},                                     // a rune like any other
		// left out before it is counted
		{strings.Repeat("\n", 1000) + "end", "end"},
		// joiners are a part of some scripts
		{"\u202bا" + strings.Repeat("\u200d", 2), "ا" + "\u200d\u200d"},
		// it ends at the first rune without room
		{strings.Repeat("a", 29) + "🙂" + "bb", strings.Repeat("a", 29)},
	} {
		if got := netcode.MakeText(c.in); got.String() != c.want {
			t.Errorf("%q is %q, want %q", c.in, got, c.want)
		}
	}
	if (netcode.Text{}) != netcode.MakeText("\n") || netcode.MakeText("a\tb") != netcode.MakeText("ab") {
		t.Error("equal texts differ")
	}
	if where := pointerfree.Pointer[nameTag](); where != "" {
		t.Errorf("a text holds a pointer: %s", where)
	}
}

// mustBeClean fails for a text that MakeText does not make.
func mustBeClean(t interface{ Fatalf(string, ...any) }, text netcode.Text) {
	s := text.String()
	if len(s) > 31 || !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
	}) || netcode.MakeText(s) != text {
		t.Fatalf("%q is no clean text", s)
	}
}

// signed has texts between numbers.
type signed struct {
	N     int8 `range:"0,3"`
	Name  netcode.Text
	Clans [2]netcode.Text
	On    bool
}

func drawText(t *rapid.T, name string) netcode.Text {
	if rapid.Bool().Draw(t, name+" of bytes") {
		return netcode.MakeText(string(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, name)))
	}
	return netcode.MakeText(rapid.StringN(0, 40, -1).Draw(t, name))
}

func drawSigned(t *rapid.T) signed {
	return signed{rapid.Int8Range(0, 3).Draw(t, "n"), drawText(t, "name"), [2]netcode.Text{drawText(t, "a"), drawText(t, "b")}, rapid.Bool().Draw(t, "on")}
}

// Texts come as they were sent, in all codecs. A text takes 5 bits and its bytes, and behind a
// previous value one bit more, or only that bit if it has not changed.
func TestTextsAreSentExactly(t *testing.T) {
	states, inputs, components := netcode.StructState[signed](), netcode.StructInput[signed](), netcode.StructComponent[signed]()
	rapid.Check(t, func(t *rapid.T) {
		v, base := drawSigned(t), drawSigned(t)
		if rapid.Bool().Draw(t, "some are unchanged") {
			base.Name, base.Clans[1] = v.Name, v.Clans[1]
		}
		texts, before := []netcode.Text{v.Name, v.Clans[0], v.Clans[1]}, []netcode.Text{base.Name, base.Clans[0], base.Clans[1]}
		whole, changes := 3, 3 // n and on
		for i, text := range texts {
			mustBeClean(t, text)
			whole += 5 + 8*len(text.String())
			if changes++; text != before[i] {
				changes += 5 + 8*len(text.String())
			}
		}
		for what, c := range map[string]struct {
			write func(w *netcode.Writer)
			read  func(r *netcode.Reader) signed
			bits  int
		}{
			"state":                    {func(w *netcode.Writer) { states.Write(w, v) }, states.Read, whole},
			"input":                    {func(w *netcode.Writer) { inputs.Write(w, v, base) }, func(r *netcode.Reader) signed { return inputs.Read(r, base) }, changes},
			"component":                {func(w *netcode.Writer) { components.Encode(w, v, nil) }, func(r *netcode.Reader) signed { return components.Decode(r, nil) }, whole},
			"component against a base": {func(w *netcode.Writer) { components.Encode(w, v, &base) }, func(r *netcode.Reader) signed { return components.Decode(r, &base) }, changes},
		} {
			w := netcode.NewWriter(make([]byte, 200))
			c.write(&w)
			r := netcode.NewReader(w.Bytes())
			if got := c.read(&r); got != v || r.Close() != nil {
				t.Fatalf("%s: %+v came as %+v, %v", what, v, got, r.Err())
			}
			if w.Len() != c.bits {
				t.Fatalf("%s: %d bits, want %d", what, w.Len(), c.bits)
			}
		}
		if q := components.Quantize(v); q != v {
			t.Fatalf("%+v is quantised to %+v", v, q)
		}
	})
}

// FuzzTexts reads texts from any bits, on their own, beside a base, and under another type's name.
func FuzzTexts(f *testing.F) {
	type alias netcode.Text
	for _, s := range []string{"", "Ada", "日本 🙂", strings.Repeat("a", 31)} {
		w := netcode.NewWriter(make([]byte, 200))
		netcode.StructState[netcode.Text]().Write(&w, netcode.MakeText(s))
		netcode.StructComponent[signed]().Encode(&w, signed{Name: netcode.MakeText(s)}, &signed{})
		f.Add(w.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		base := signed{Name: netcode.MakeText("Ada"), Clans: [2]netcode.Text{netcode.MakeText("Zoë")}}
		r := netcode.NewReader(data)
		one := netcode.StructState[netcode.Text]().Read(&r)
		some := netcode.StructComponent[signed]().Decode(&r, &base)
		other := netcode.StructState[alias]().Read(&r)
		for _, text := range []netcode.Text{one, some.Name, some.Clans[0], some.Clans[1], netcode.Text(other)} {
			mustBeClean(t, text)
		}
		if r.Err() != nil {
			return
		}
		w := netcode.NewWriter(make([]byte, 400))
		netcode.StructState[netcode.Text]().Write(&w, one)
		netcode.StructComponent[signed]().Encode(&w, some, &base)
		again := netcode.NewReader(w.Bytes())
		if got := netcode.StructState[netcode.Text]().Read(&again); got != one {
			t.Errorf("%q was written as %q", one, got)
		}
		if got := netcode.StructComponent[signed]().Decode(&again, &base); got != some || again.Close() != nil {
			t.Errorf("%+v was written as %+v, %v", some, got, again.Err())
		}
	})
}

func TestTextsAllocateNothing(t *testing.T) {
	v, base := signed{Name: netcode.MakeText("Zoë Müller 日本 🙂")}, signed{Name: netcode.MakeText("Ada")}
	components := netcode.StructComponent[signed]()
	buf, w, r := make([]byte, 400), new(netcode.Writer), new(netcode.Reader)
	line := "a line that is too long for a text 日本"
	if n := testing.AllocsPerRun(100, func() {
		v.Clans[0] = netcode.MakeText(line)
		*w = netcode.NewWriter(buf)
		components.Encode(w, components.Quantize(v), &base)
		*r = netcode.NewReader(w.Bytes())
		if components.Decode(r, &base) != v {
			t.Fatal("it came as something else")
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// The replica of a player has the name that the server's entity has, also when it changes.
func TestNamesAreReplicated(t *testing.T) {
	p := newProtocol(t, netcode.Config{})
	netcode.ReplicateComponent(p, "name", netcode.StructComponent[nameTag](), netcode.Immediate())
	m := newMatchOf(t, p, nil)
	a, b := m.join(seeds(1), nil), m.join(seeds(2), nil)
	m.run(3*time.Second, nil)
	m.mustPlay()
	own := m.of(a).Entity
	names := generic.NewMap1[nameTag](m.engine.World())
	names.Assign(own, &nameTag{})
	w := b.engine.World()
	id := arche.ComponentID[nameTag](w)
	for _, name := range []string{"Zoë", "", "Zoë Müller 日本 🙂"} {
		names.Get(own).Text = netcode.MakeText(name)
		m.run(2*time.Second, nil)
		replica := b.client.Replica(m.id(own))
		if !w.Has(replica, id) {
			t.Fatal("the replica has no name")
		}
		if got := (*nameTag)(w.Get(replica, id)).Text.String(); got != name {
			t.Errorf("the name is %q, want %q", got, name)
		}
	}
}
