package netcode

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/tandem-ecs/tandem/internal/column"
)

// Message is a kind of message between server and client whose content is a T: chat, a hit, an
// order. Make it with [NewMessage], on both ends, in the same order. [Message.Pack] makes the bytes
// for Send, SendUnreliable and Broadcast. [Message.Read] reads them in [ServerConfig].Message and
// [ClientConfig].Message:
//
//	if line, ok := chat.Read(data); ok {
//		show(line)
//	} else if hit, ok := hits.Read(data); ok {
//		mark(hit)
//	}
//
// A protocol with such kinds has no other messages. Send and SendUnreliable refuse all other bytes
// with an error that says so, and Broadcast logs that error once and sends nothing.
//
// The buffer of Pack belongs to the Message. Ends that run in goroutines of their own each need
// their own [Protocol] and messages.
type Message[T any] struct {
	kind   byte
	layout layout
	packed []byte // the buffer of Pack
}

// maxMessage is the most bytes of a message.
const maxMessage = 32 << 10

// NewMessage adds a kind of message to a protocol. T is as for [StructState]: a number, a bool, a
// [Text], or a struct or array of these. It may also hold strings. The tag of a string states the
// most bytes of UTF-8 that it may have:
//
//	type chatLine struct {
//		From netcode.Text
//		Line string `max:"200"`
//	}
//
// A protocol has at most 64 kinds. The server refuses a client whose kinds have other names, fields
// or tags, or another order. NewMessage panics for a type that cannot be sent, for a string without
// the tag, for a name that is empty or taken, and when the protocol is in use already.
func NewMessage[T any, S any, I comparable](p *Protocol[S, I], name string) *Message[T] {
	t := reflect.TypeFor[T]()
	l := layoutMaker{most: maxMessage - 1, in: "a message", strings: true}
	if err := l.add(t, 0, "", ""); err != nil {
		panic(fmt.Sprintf("netcode: no message %q of %v: %v", name, t, err))
	}
	size := uint(7)
	for i := range l.layout {
		size += l.layout[i].bits
	}
	kind, err := p.schema.AddMessage(name, l.form.String())
	if err != nil {
		panic(fmt.Sprintf("netcode: no message %q: %v", name, err))
	}
	m := &Message[T]{kind: byte(kind), layout: l.layout, packed: make([]byte, 1+size/8)}
	p.messages = append(p.messages, m)
	return m
}

// Pack returns v as the bytes of a message. They are valid until the next Pack of this Message:
// Send, SendUnreliable and Broadcast copy them. A number beyond the range of its tag is sent as the
// nearest number within, NaN as zero. A string that is too long is cut between two runes, and bytes
// that are not UTF-8 are left out. So Read reads everything that Pack has made.
func (m *Message[T]) Pack(v T) []byte {
	w := NewWriter(m.packed)
	w.Bits(uint64(m.kind), 8)
	m.layout.write(&w, column.Numbers[byte](&v), nil)
	return w.Bytes()
}

// Read reads a message. It returns false for one of another kind, and for bytes that Pack does not
// make. The bytes may come from a cheater: numbers are within the ranges of their tags and finite,
// strings are UTF-8 within their bounds and may hold control characters, and a [Text] holds none.
// Read keeps no part of data.
func (m *Message[T]) Read(data []byte) (v T, ok bool) {
	if len(data) == 0 || data[0] != m.kind {
		return v, false
	}
	r := NewReader(data[1:])
	m.layout.read(&r, column.Numbers[byte](&v), nil)
	if r.Close() != nil {
		var none T
		return none, false
	}
	return v, true
}

// messageKind is a [Message] of any type.
type messageKind interface {
	// fits reports whether the bytes are of this kind, except for the runes of strings.
	fits(data []byte) bool
}

func (m *Message[T]) fits(data []byte) bool {
	r := NewReader(data[1:])
	m.layout.check(&r)
	return r.Close() == nil
}

// errRawMessage is the error for raw bytes in a protocol with messages.
var errRawMessage = errors.New("netcode: these bytes are no message of the protocol's kinds: send what Message.Pack returns, and add a Message with NewMessage for anything else")

// mustPack returns errRawMessage for bytes that are no message of the protocol's kinds, if it has
// any. It does not panic, since a game may pass on what a client has sent.
func (p *Protocol[S, I]) mustPack(data []byte) error {
	if len(p.messages) == 0 || len(data) > 0 && int(data[0]) < len(p.messages) && p.messages[data[0]].fits(data) {
		return nil
	}
	return errRawMessage
}
