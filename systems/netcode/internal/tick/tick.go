// Package tick counts fixed steps on the wire.
//
// State k is the state after k steps, at edge(k) of the engine's clock; input k takes state k to
// state k+1. A tick is 32 bits wide: at 60 Hz it wraps after 828 days, and every comparison here
// survives the wrap. An order that wraps is not transitive, so there is no Less. Do not sort by
// ticks, and do not compare them with <.
package tick

// Tick is the index of a fixed step or of the state before it. The zero value is the first step of
// a server's life.
type Tick uint32

// IsNewer reports whether t is later than o, by the shorter way round. Of two ticks 2^31 apart
// neither is newer than the other.
func (t Tick) IsNewer(o Tick) bool { return t.Sub(o) > 0 }

// Sub returns the number of steps from o to t: positive if t is newer.
func (t Tick) Sub(o Tick) int32 { return int32(t - o) }

// Add returns the tick n steps later (earlier for a negative n).
func (t Tick) Add(n int) Tick { return t + Tick(int32(n)) }
