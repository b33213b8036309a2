package arena

import (
	"strings"
	"unicode/utf8"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/tandem-ecs/tandem/systems/netcode"
)

const (
	pushKind  = 1
	eventKind = 2
)

// PushMessage returns the message by which a player pushes everything nearby away. Send it
// reliably, so that the push happens exactly once.
func PushMessage() []byte { return []byte{pushKind} }

// IsPush reports whether a message is a push.
func IsPush(message []byte) bool { return len(message) == 1 && message[0] == pushKind }

// EventKind is what an event is about.
type EventKind uint8

// Kinds of events.
const (
	ShotFired   EventKind = iota
	RocketEnded           // sent to its player only; others see the path end
	Pushed
	eventKinds
)

// Event is a short event that players see. It changes no state, so servers send it unreliably,
// except to the player whose shot it decides.
type Event struct {
	Kind   EventKind
	Player uint16 // of the player that caused it
	N      uint8  // of a shot or rocket: the count in the player's state after it
	Victim uint16 // the number of the player that the shot or rocket hit; 0: none
	// Void marks a shot of or at a player that had been sent to a spawn point, as the shooter could
	// not know yet.
	Void bool
	To   mgl32.Vec3
}

// Append appends the packed event to dst.
func (e Event) Append(dst []byte) []byte {
	var buf [24]byte
	w := netcode.NewWriter(buf[:])
	w.Bits(eventKind, 8)
	w.Bits(uint64(e.Kind), 2)
	w.Bits(uint64(e.Player), 16)
	w.Bits(uint64(e.N), 8)
	w.Bits(uint64(e.Victim), 16)
	w.Bool(e.Void)
	for _, v := range e.To {
		w.Float32(v)
	}
	return append(dst, w.Bytes()...)
}

// ReadEvent returns the event in a message, and whether there is one. It accepts any bytes.
func ReadEvent(message []byte) (e Event, ok bool) {
	r := netcode.NewReader(message)
	kind := r.Bits(8)
	e.Kind, e.Player, e.N, e.Victim, e.Void = EventKind(r.Bits(2)), uint16(r.Bits(16)), uint8(r.Bits(8)), uint16(r.Bits(16)), r.Bool()
	for i := range e.To {
		if e.To[i] = r.Float32(); !(abs(e.To[i]) < 1e4) {
			return Event{}, false
		}
	}
	return e, kind == eventKind && e.Kind < eventKinds && r.Close() == nil
}

const nameKind = 4

// NameMessage returns the message by which a player gives its name. Send it reliably. Only the
// first one of a player counts.
func NameMessage(name string) []byte {
	return append([]byte{nameKind}, netcode.MakeText(name).String()...)
}

// ReadName returns the name in a message, and whether there is one. It accepts any bytes.
func ReadName(message []byte) (name netcode.Text, ok bool) {
	if len(message) < 2 || len(message) > 64 || message[0] != nameKind {
		return name, false
	}
	name = netcode.MakeText(string(message[1:]))
	return name, name != netcode.Text{}
}

const noticeKind = 3

// maxNotice is the length limit of a notice's text, in bytes.
const maxNotice = 200

// Notice returns the message of a server that shows its players a text. A text that is too long is
// cut between two characters.
func Notice(text string) []byte {
	text = strings.ToValidUTF8(text, "?")
	end := min(len(text), maxNotice)
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return append([]byte{noticeKind}, text[:end]...)
}

// ReadNotice returns the text in a notice, and whether the message is one.
func ReadNotice(message []byte) (text string, ok bool) {
	if len(message) < 2 || message[0] != noticeKind || len(message) > 1+maxNotice || !utf8.Valid(message[1:]) {
		return "", false
	}
	return string(message[1:]), true
}
