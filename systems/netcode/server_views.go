package netcode

import "github.com/tandem-ecs/tandem/systems/netcode/internal/prediction"

// viewClaims holds a client's claims of its view, for [Player.Rewind]. Each is made with an input,
// which runs later, after newer packets have arrived. So a claim waits for the tick of its input.
// Between claims, as when their packets are lost, the difference between tick and view is kept. It
// hardly changes while packets arrive at both ends. It does after the path to the client has stood
// still, since the view then catches up.
type viewClaims struct {
	age    int64 // by how much the view is older than its tick, in 1/16 ticks
	tick   Tick  // of the input to which it belongs
	some   bool
	coming [prediction.Ahead]viewClaim // by tick
}

// viewClaim is the claim that was made with the input of a tick.
type viewClaim struct {
	tick Tick
	age  int64
	set  bool
}

// take takes the claim of a tick's input. The tick next runs next.
func (v *viewClaims) take(t Tick, age int64, next Tick) {
	switch ahead := t.Sub(next); {
	case ahead >= prediction.Ahead: // so is its input
	case ahead >= 0:
		v.coming[t%Tick(len(v.coming))] = viewClaim{t, age, true}
	case !v.some || t.IsNewer(v.tick):
		v.some, v.tick, v.age = true, t, age
	}
}

// run makes the claim of the tick that runs now, if there is one, the one that holds.
func (v *viewClaims) run(t Tick) {
	if c := &v.coming[t%Tick(len(v.coming))]; c.set && c.tick == t {
		v.some, v.tick, v.age = true, t, c.age
	}
}

// claimed returns by how much the view that a client claims, in 1/16 ticks modulo 2^36, is older
// than a tick. Its newest snapshot is the newest that it has acknowledged up to now.
func (p *Player[S, I]) claimed(view int64, t Tick) int64 {
	age := int64(t.Sub(Tick(view>>viewBits)))<<viewBits - view&(1<<viewBits-1)
	if acked, ok := p.encoder.AckedTick(); ok {
		return p.drawnAge(age, int64(t.Sub(acked))<<viewBits)
	}
	return age
}

// drawnAge returns how old the poses are that a client draws at a view of an age, given the age of
// its newest snapshot, all in 1/16 ticks. Beyond that snapshot it extrapolates at full speed for
// half of [interp.Config].Extrapolation. In the second half bodies slow down to a stand, so that
// they come half of that half further.
func (p *Player[S, I]) drawnAge(age, newest int64) int64 {
	beyond := newest - age
	if beyond <= 0 {
		return age
	}
	full := p.fullSpeed()
	if slow := min(beyond, 2*full) - full; slow > 0 {
		beyond = full + slow - slow*slow/(2*full)
	}
	return newest - beyond
}

// fullSpeed returns for how long a client extrapolates at full speed, in 1/16 ticks.
func (p *Player[S, I]) fullSpeed() int64 {
	const half = 50 // ms
	return max(int64(p.server.protocol.TickRate())<<viewBits*half/1000, 1)
}

// viewAge returns by how much the view of the step's input is older than the step, in 1/16 ticks,
// as far as the client's claim is accepted: see [Player.Rewind]. It is 0 for a bot.
func (p *Player[S, I]) viewAge() int64 {
	if p.bot != nil {
		return 0
	}
	newest := int64(p.server.engine.Time().Tick) // how old the newest acknowledged snapshot is
	if t, ok := p.encoder.AckedTick(); ok {
		newest = int64(p.server.Tick().Sub(t))
	}
	return max(p.inputs.ViewAge(), newest<<viewBits-p.fullSpeed()*3/2, 0)
}

// carry writes the claims that hold from tick next on.
func (v *viewClaims) carry(w *Writer, next Tick) {
	write := func(c viewClaim) {
		if w.Bool(c.set); c.set {
			w.Bits(uint64(c.tick), 32)
			w.Varint(c.age)
		}
	}
	write(viewClaim{v.tick, v.age, v.some})
	for k := range prediction.Ahead {
		c := v.coming[next.Add(k)%prediction.Ahead]
		c.set = c.set && c.tick == next.Add(k)
		write(c)
	}
}

// carried reads what carry wrote.
func (v *viewClaims) carried(r *Reader, next Tick) {
	read := func() (c viewClaim) {
		if c.set = r.Bool(); c.set {
			c.tick, c.age = Tick(r.Bits(32)), r.Varint()
		}
		return c
	}
	*v = viewClaims{}
	c := read()
	v.tick, v.age, v.some = c.tick, c.age, c.set
	for k := range prediction.Ahead {
		if c := read(); c.set && c.tick == next.Add(k) {
			v.coming[c.tick%prediction.Ahead] = c
		}
	}
}
