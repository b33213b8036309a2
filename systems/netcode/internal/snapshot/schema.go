package snapshot

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/packet"
)

// ProtocolVersion is the version of the bytes on the wire. Ends with different versions refuse each
// other. Raise it by one with every change that makes an older build misread the bytes of a newer
// one, or fail to read them: in this package, in packages packet and prediction, in netcode's
// hello, welcome and sessions, and in the codecs of StructState and its like. A test compares all
// of these with the bytes in netcode's testdata/wire. Two formats never change, so that ends with
// different versions can report it: a hello begins, behind its first byte, with this number in 32
// bits, little-endian, and a closing connection carries its transport.Reason. The codecs of a game
// have the game's own [Config].Version.
const ProtocolVersion = 4

// MaxComponents is the number of component types that a [Schema] takes, and MaxMessages that of
// kinds of messages.
const (
	MaxComponents = 64
	MaxMessages   = 64
)

// Schema describes what is sent: a [Config], the registered components and the kinds of messages,
// in the order of their registration. Both ends build it with the same calls, and
// [Schema.CheckHello] fails if they did not. Any number of worlds and decoders may share it. The
// first of them makes it read-only.
type Schema struct {
	config     Config
	quantizer  quantizer
	components []component
	messages   []message
	agreed     string // what else both ends must agree on
	frozen     bool
}

// message is a kind of message.
type message struct{ name, layout string }

func (m message) hash() uint32 { return hash32("message\x00" + m.name + "\x00" + m.layout) }

// component is a registered component type, of any Go type.
type component struct {
	name string
	// column makes one with places for so many values: current ones, in the ring, of one packet.
	column func(current, ring, decoded int) column
}

// NewSchema returns a Schema without components, or an error that states what is wrong with the
// Config.
func NewSchema(c Config) (*Schema, error) {
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return nil, err
	}
	return &Schema{config: c, quantizer: newQuantizer(&c)}, nil
}

// Config returns the Config with its defaults filled in.
func (s *Schema) Config() Config { return s.config }

func hash32(text string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // never fails
	return h.Sum32()
}

// Agree adds a text that both ends must have in common, in the same order, to what
// [Schema.CheckHello] compares.
func (s *Schema) Agree(text string) { s.agreed += " " + text }

// configHash hashes what both ends must agree on beside the components.
func (s *Schema) configHash() uint32 {
	c := s.config
	return hash32(fmt.Sprintf("%d %d %v %d %v %v %d%s", c.TickRate, c.MaxEntities, c.Position, c.RotationBits, c.Velocity, c.Angular, c.History, s.agreed))
}

// AddMessage adds a kind of message and returns its number. The layout is a text that differs if
// the kind's form on the wire does. The error is for a name that is taken or empty, for more than
// MaxMessages, and for a schema that is in use already.
func (s *Schema) AddMessage(name, layout string) (number int, err error) {
	switch {
	case s.frozen:
		return 0, errors.New("the protocol is in use already: make all messages before the server or the client")
	case len(s.messages) == MaxMessages:
		return 0, fmt.Errorf("there are %d kinds of messages already: put several into one, with a number that tells them apart", MaxMessages)
	case name == "" || slices.ContainsFunc(s.messages, func(m message) bool { return m.name == name }):
		return 0, errors.New("it needs a name of its own")
	}
	s.messages = append(s.messages, message{name, layout})
	return len(s.messages) - 1, nil
}

// WriteHello writes the input of the other end's [Schema.CheckHello]: versions and hashes, 13 bytes
// and four for each component and each kind of message.
func (s *Schema) WriteHello(w *packet.Writer) {
	w.Bits(ProtocolVersion, 32)
	w.Bits(uint64(s.config.Version), 32)
	w.Bits(uint64(s.configHash()), 32)
	w.Bits(uint64(len(s.components)+len(s.messages)), 8)
	for i := range s.components {
		w.Bits(uint64(hash32(s.components[i].name)), 32)
	}
	for _, m := range s.messages {
		w.Bits(uint64(m.hash()), 32)
	}
}

// ErrMismatch is wrapped by the errors of [Schema.CheckHello] for an end with another protocol. The
// text of the whole error states what differs and what to do, in one line for both sides to show.
var ErrMismatch = errors.New("builds do not match")

// CheckHello reads what [Schema.WriteHello] wrote and compares it. It returns nil if both ends
// agree, an error that wraps [ErrMismatch] if they do not, and the Reader's error for bytes that
// are no hello.
func (s *Schema) CheckHello(r *packet.Reader) error {
	protocol, version, config := uint32(r.Bits(32)), uint32(r.Bits(32)), uint32(r.Bits(32))
	n := int(r.Bits(8))
	var hashes [MaxComponents + MaxMessages]uint32
	if r.Err() == nil && n > len(hashes) {
		r.Fail(packet.ErrMalformed)
	}
	if r.Err() == nil {
		for i := range n {
			hashes[i] = uint32(r.Bits(32))
		}
	}
	switch {
	case r.Err() != nil:
		return r.Err()
	case protocol != ProtocolVersion:
		return fmt.Errorf("%w: network protocol %d there, %d here: update the older one", ErrMismatch, protocol, ProtocolVersion)
	case version != s.config.Version:
		return fmt.Errorf("%w: game version %d there, %d here: update the older one", ErrMismatch, version, s.config.Version)
	case config != s.configHash():
		return fmt.Errorf("%w: tick rate, ranges, resolutions or match states differ: run the same build on both ends", ErrMismatch)
	}
	for i := range max(n, len(s.components)+len(s.messages)) {
		switch j := i - len(s.components); {
		case i >= len(s.components)+len(s.messages):
			return fmt.Errorf("%w: %d components and messages there, %d here: register the same ones in the same order", ErrMismatch, n, i)
		case j < 0 && i >= n:
			return fmt.Errorf("%w: component %d, %q, is not known there: register the same components in the same order", ErrMismatch, i, s.components[i].name)
		case j < 0 && hashes[i] != hash32(s.components[i].name):
			return fmt.Errorf("%w: component %d is %q here, %s there: register the same components in the same order",
				ErrMismatch, i, s.components[i].name, s.nameOf(hashes[i]))
		case j >= 0 && i >= n:
			return fmt.Errorf("%w: message %d, %q, is not known there: make the same messages in the same order", ErrMismatch, j, s.messages[j].name)
		case j >= 0 && hashes[i] != s.messages[j].hash():
			there := s.nameOf(hashes[i])
			if there == unknownName {
				there = "unknown or with other fields"
			}
			return fmt.Errorf("%w: message %d is %q here, %s there: make the same messages in the same order", ErrMismatch, j, s.messages[j].name, there)
		}
	}
	return nil
}

// nameOf returns the quoted name of the component or message with the hash, if there is one here.
func (s *Schema) nameOf(hash uint32) string {
	if i := slices.IndexFunc(s.components, func(c component) bool { return hash32(c.name) == hash }); i >= 0 {
		return fmt.Sprintf("%q", s.components[i].name)
	}
	if i := slices.IndexFunc(s.messages, func(m message) bool { return m.hash() == hash }); i >= 0 {
		return fmt.Sprintf("%q", s.messages[i].name)
	}
	return unknownName
}

const unknownName = "an unknown one"
