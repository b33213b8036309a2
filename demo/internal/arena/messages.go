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

// Event is a short event that all players see. It changes no state, so servers send it unreliably.
type Event struct {
	Player uint16 // of the player that caused it
	Pushed bool   // a push; else a shot
	To     mgl32.Vec3
	Hit    bool // the shot hit a player
}

// Append appends the packed event to dst.
func (e Event) Append(dst []byte) []byte {
	var buf [24]byte
	w := netcode.NewWriter(buf[:])
	w.Bits(eventKind, 8)
	w.Bits(uint64(e.Player), 16)
	w.Bool(e.Pushed)
	w.Bool(e.Hit)
	for _, v := range e.To {
		w.Float32(v)
	}
	return append(dst, w.Bytes()...)
}

// ReadEvent returns the event in a message, and whether there is one. It accepts any bytes.
func ReadEvent(message []byte) (e Event, ok bool) {
	r := netcode.NewReader(message)
	kind := r.Bits(8)
	e.Player, e.Pushed, e.Hit = uint16(r.Bits(16)), r.Bool(), r.Bool()
	for i := range e.To {
		if e.To[i] = r.Float32(); !(abs(e.To[i]) < 1e4) {
			return Event{}, false
		}
	}
	return e, kind == eventKind && r.Close() == nil
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
