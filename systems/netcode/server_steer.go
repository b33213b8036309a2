package netcode

import "time"

const (
	// maxSteer bounds the stretch of a server's time. Its clients follow by at most a few per cent,
	// and may have to correct their own clocks at the same time.
	maxSteer = 0.002
	// steerOver is the time within which a small difference is made up for.
	steerOver = 2 * time.Second
)

// steering is the difference from the common clock that the server still makes up for.
type steering struct {
	ahead   time.Duration // of the common clock
	stretch float64       // of the frame that comes; 0: none
}

// Steer keeps the server's time with a clock that is common to several servers, which is ahead of
// this server's by a duration (negative: behind). Engine time is stretched by at most 0.2 % until
// the difference is made up for: of 10 ms less than 1 ms is left after 6 s. Call it whenever the
// difference has been measured anew; a call replaces the one before. A second takes more than eight
// minutes: restart a server that is so far behind, with another FirstTick.
func (s *Server[S, I]) Steer(ahead time.Duration) { s.steering.ahead = ahead }

// steer counts the difference that the frame has made up for, and stretches the next one.
func (s *Server[S, I]) steer() {
	r := &s.steering
	if r.stretch == 0 && r.ahead == 0 {
		return
	}
	if r.stretch != 0 {
		// By the time that has passed for clients, without what the engine has dropped.
		delta := s.engine.Time().NormalDelta
		made := time.Duration(float64(delta) * (r.stretch - 1) / r.stretch)
		if r.ahead -= made; made.Abs() > 0 && (r.ahead > 0) != (r.ahead+made > 0) {
			r.ahead = 0
		}
	}
	by := min(max(r.ahead.Seconds()/steerOver.Seconds(), -maxSteer), maxSteer)
	if r.ahead.Abs() < time.Microsecond { // the clock counts in millionths
		r.ahead, by = 0, 0
	}
	if r.stretch = 1 + by; by == 0 {
		r.stretch = 0
	}
	if err := s.engine.SetStretch(1 + by); err != nil {
		s.config.Log.Error("tandem: cannot stretch the engine's time", "error", err)
	}
}
