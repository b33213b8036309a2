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

// PushMessage returns the message of a player who pushes everything around him away. Send it
// reliably, so that it happens exactly once.
func PushMessage() []byte { return []byte{pushKind} }

// IsPush reports whether a message is a push.
func IsPush(message []byte) bool { return len(message) == 1 && message[0] == pushKind }

// Event is something that everybody is shown and that leaves nothing behind: servers send it
// unreliably.
type Event struct {
	Player uint16 // who did it
	Pushed bool   // he pushed; else he shot
	To     mgl32.Vec3
	Hit    bool // the shot hit somebody
}

// Append packs an event behind dst.
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

// ReadEvent returns the event in a message, and whether there is one. The bytes may come from
// anywhere.
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

// maxNotice is the most bytes of a notice's text.
const maxNotice = 200

// Notice is the message of a server that tells its players something in words, cut at a character
// where it is too long.
func Notice(text string) []byte {
	text = strings.ToValidUTF8(text, "?")
	end := min(len(text), maxNotice)
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return append([]byte{noticeKind}, text[:end]...)
}

// ReadNotice returns the text in a message, and whether there is one.
func ReadNotice(message []byte) (text string, ok bool) {
	if len(message) < 2 || message[0] != noticeKind || len(message) > 1+maxNotice || !utf8.Valid(message[1:]) {
		return "", false
	}
	return string(message[1:]), true
}
