package snapshot

import "github.com/tandem-ecs/tandem/systems/netcode/internal/packet"

// Forms of a position or a rotation: 0 a difference, 10 unchanged, 11 absolute. The first bit is
// the lowest one of the number.
const (
	formDelta    = 0b0
	formSame     = 0b01
	formAbsolute = 0b11
)

func readForm(r *packet.Reader) uint64 {
	if !r.Bool() {
		return formDelta
	}
	return 1 | r.Bits(1)<<1
}

// writePose writes the whole pose.
func (q *quantizer) writePose(w *packet.Writer, r *record) {
	w.Bool(r.rest)
	q.writePosition(w, r)
	q.writeRotation(w, r)
	if !r.rest {
		q.velocity.write(w, r.velocity)
		q.angular.write(w, r.angular)
	}
}

func (q *quantizer) readPose(r *packet.Reader, rec *record) {
	rec.rest = r.Bool()
	q.readPosition(r, rec)
	q.readRotation(r, rec)
	if !rec.rest {
		rec.velocity = q.velocity.read(r)
		rec.angular = q.angular.read(r)
	}
}

// writePoseDelta writes the pose as changes to the baseline's, which is some ticks older, and
// notes the sizes of the numbers.
func (q *quantizer) writePoseDelta(w *packet.Writer, r, base *record, ticks int32, o *coding) {
	w.Bool(r.rest)
	q.writePositionDelta(w, r, base, ticks, o)
	q.writeRotationDelta(w, r, base, o)
	if r.rest {
		return
	}
	if q.velocity.most > 0 {
		c := o.differences(classVelocity, r.velocity, q.predictVelocity(base, r.position, ticks))
		c.write(w, 0)
	}
	if q.angular.most > 0 {
		c := o.differences(classAngular, r.angular, base.angular)
		c.write(w, 0)
	}
}

// readPoseDelta changes rec, a copy of the baseline, by the difference.
func (q *quantizer) readPoseDelta(r *packet.Reader, rec, base *record, ticks int32, orders *[classes]uint) {
	rec.rest = r.Bool()
	q.readPositionDelta(r, rec, base, ticks, orders[classPosition])
	q.readRotationDelta(r, rec, orders[classRotation])
	if rec.rest {
		rec.velocity, rec.angular = [3]int16{}, [3]int16{}
		return
	}
	if q.velocity.most > 0 {
		rec.velocity = q.velocity.readDelta(r, q.predictVelocity(base, rec.position, ticks), orders[classVelocity])
	}
	if q.angular.most > 0 {
		rec.angular = q.angular.readDelta(r, base.angular, orders[classAngular])
	}
}

func (q *quantizer) writePosition(w *packet.Writer, r *record) {
	for k, n := range q.bits {
		w.Bits(uint64(r.position[k]), n)
	}
}

func (q *quantizer) readPosition(r *packet.Reader, rec *record) {
	for k, n := range q.bits {
		rec.position[k] = int32(r.Bits(n))
	}
	q.checkPosition(r, rec)
}

func (q *quantizer) checkPosition(r *packet.Reader, rec *record) {
	for k, most := range q.most {
		if rec.position[k] < 0 || rec.position[k] > most {
			r.Fail(packet.ErrMalformed)
			rec.position[k] = 0
		}
	}
}

func (q *quantizer) writePositionDelta(w *packet.Writer, r, base *record, ticks int32, o *coding) {
	if r.position == base.position {
		w.Bits(formSame, 2)
		return
	}
	expected := q.predictPosition(base, ticks)
	order := o.orders[classPosition]
	var c triple
	for k := range 3 {
		if q.bits[k] != 0 {
			d := packet.Fold(int64(r.position[k] - expected[k]))
			o.sizes.add(classPosition, k, d)
			c.code[k], c.n[k] = packet.GolombCode(d, order)
		}
	}
	if 1+c.len() >= 2+q.bits[0]+q.bits[1]+q.bits[2] {
		w.Bits(formAbsolute, 2)
		q.writePosition(w, r)
		return
	}
	c.write(w, 1) // formDelta
}

func (q *quantizer) readPositionDelta(r *packet.Reader, rec, base *record, ticks int32, order uint) {
	switch readForm(r) {
	case formAbsolute:
		q.readPosition(r, rec)
	case formDelta:
		expected := q.predictPosition(base, ticks)
		for k := range 3 {
			if q.bits[k] != 0 {
				// The sum of two numbers of at most 32 bits is checked before it is cut to 32.
				v := int64(expected[k]) + r.SignedGolomb(order)
				rec.position[k] = int32(max(-1, min(v, int64(q.most[k])+1)))
			}
		}
		q.checkPosition(r, rec)
	}
}

func (q *quantizer) writeRotation(w *packet.Writer, r *record) {
	w.Bits(uint64(r.largest), 2)
	q.rotation.write(w, r.rotation)
}

func (q *quantizer) readRotation(r *packet.Reader, rec *record) {
	rec.largest = uint8(r.Bits(2))
	rec.rotation = q.rotation.read(r)
}

func (q *quantizer) writeRotationDelta(w *packet.Writer, r, base *record, o *coding) {
	if r.largest == base.largest {
		if r.rotation == base.rotation {
			w.Bits(formSame, 2)
			return
		}
		c := o.differences(classRotation, r.rotation, base.rotation)
		if 1+c.len() < 4+3*q.rotation.bits {
			c.write(w, 1) // formDelta
			return
		}
	}
	w.Bits(formAbsolute, 2)
	q.writeRotation(w, r)
}

func (q *quantizer) readRotationDelta(r *packet.Reader, rec *record, order uint) {
	switch readForm(r) {
	case formAbsolute:
		q.readRotation(r, rec)
	case formDelta:
		rec.rotation = q.rotation.readDelta(r, rec.rotation, order)
	}
}

func (a *axis) write(w *packet.Writer, v [3]int16) {
	for _, x := range v {
		w.Bits(uint64(int32(x)+a.most), a.bits)
	}
}

func (a *axis) read(r *packet.Reader) (v [3]int16) {
	for k := range 3 {
		v[k] = a.check(r, int64(r.Bits(a.bits))-int64(a.most))
	}
	return v
}

func (a *axis) check(r *packet.Reader, v int64) int16 {
	if v < -int64(a.most) || v > int64(a.most) {
		r.Fail(packet.ErrMalformed)
		return 0
	}
	return int16(v)
}

func (a *axis) readDelta(r *packet.Reader, expected [3]int16, order uint) (v [3]int16) {
	for k := range 3 {
		v[k] = a.check(r, int64(expected[k])+r.SignedGolomb(order))
	}
	return v
}
