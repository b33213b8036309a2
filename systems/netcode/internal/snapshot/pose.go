package snapshot

import "github.com/tandem-ecs/tandem/systems/netcode/internal/packet"

// Forms of a position or a rotation: 0 a difference, 10 unchanged, 11 absolute.
const (
	formDelta = iota
	formSame
	formAbsolute
)

func writeForm(w *packet.Writer, form int) {
	switch form {
	case formDelta:
		w.Bits(0, 1)
	case formSame:
		w.Bits(1, 2)
	default:
		w.Bits(3, 2)
	}
}

func readForm(r *packet.Reader) int {
	switch {
	case !r.Bool():
		return formDelta
	case !r.Bool():
		return formSame
	}
	return formAbsolute
}

// absoluteBits returns the size of a position in full.
func (q *quantizer) absoluteBits() int { return int(q.bits[0] + q.bits[1] + q.bits[2]) }

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

// writePoseDelta writes the pose as changes to the baseline's, which is some ticks older. The tally
// counts the sizes.
func (q *quantizer) writePoseDelta(w *packet.Writer, r, base *record, ticks int32, t *tally) {
	w.Bool(r.rest)
	q.writePositionDelta(w, r, base, ticks, t)
	q.writeRotationDelta(w, r, base, t)
	if r.rest {
		return
	}
	if q.velocity.most > 0 {
		c := t.differences(classVelocity, r.velocity, q.predictVelocity(base, r.position, ticks))
		c.write(w, 0, 0)
	}
	if q.angular.most > 0 {
		c := t.differences(classAngular, r.angular, base.angular)
		c.write(w, 0, 0)
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

func (q *quantizer) writePositionDelta(w *packet.Writer, r, base *record, ticks int32, t *tally) {
	if r.position == base.position {
		writeForm(w, formSame)
		return
	}
	expected := q.predictPosition(base, ticks)
	order := t.orders[classPosition]
	var c triple
	for k := range 3 {
		if q.bits[k] != 0 {
			d := fold(r.position[k] - expected[k])
			t.add(classPosition, d)
			c.code[k], c.n[k] = packet.GolombCode(d, order)
		}
	}
	if 1+c.len() >= 2+uint(q.absoluteBits()) {
		writeForm(w, formAbsolute)
		q.writePosition(w, r)
		return
	}
	c.write(w, 0, 1) // formDelta
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
	for _, c := range r.rotation {
		w.Bits(uint64(int32(c)+q.rotationMax), q.rotationBits)
	}
}

func (q *quantizer) readRotation(r *packet.Reader, rec *record) {
	rec.largest = uint8(r.Bits(2))
	for k := range 3 {
		rec.rotation[k] = int16(int32(r.Bits(q.rotationBits)) - q.rotationMax)
	}
	q.checkRotation(r, rec)
}

func (q *quantizer) checkRotation(r *packet.Reader, rec *record) {
	for k := range 3 {
		if c := int32(rec.rotation[k]); c < -q.rotationMax || c > q.rotationMax {
			r.Fail(packet.ErrMalformed)
			rec.rotation[k] = 0
		}
	}
}

func (q *quantizer) writeRotationDelta(w *packet.Writer, r, base *record, t *tally) {
	if r.largest == base.largest {
		if r.rotation == base.rotation {
			writeForm(w, formSame)
			return
		}
		c := t.differences(classRotation, r.rotation, base.rotation)
		if 1+c.len() < 4+3*q.rotationBits {
			c.write(w, 0, 1) // formDelta
			return
		}
	}
	writeForm(w, formAbsolute)
	q.writeRotation(w, r)
}

func (q *quantizer) readRotationDelta(r *packet.Reader, rec *record, order uint) {
	switch readForm(r) {
	case formAbsolute:
		q.readRotation(r, rec)
	case formDelta:
		for k := range 3 {
			v := int64(rec.rotation[k]) + r.SignedGolomb(order)
			rec.rotation[k] = int16(max(-1<<15, min(v, 1<<15-1)))
		}
		q.checkRotation(r, rec)
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
