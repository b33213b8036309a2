package report

import (
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/conformance"
)

// local returns the client's clock at a true time. trueTime is its inverse. The server's clock
// shows the true time until the server pauses.
func (r *run) local(t time.Duration) time.Duration {
	return r.spec.Network.Epoch + t + time.Duration(float64(t)*r.spec.Network.Drift*1e-6)
}

func (r *run) trueTime(local time.Duration) time.Duration {
	return time.Duration(float64(local-r.spec.Network.Epoch) / (1 + r.spec.Network.Drift*1e-6))
}

// server returns the server's clock at a true time. It stands while the server pauses.
func (r *run) server(t time.Duration) time.Duration {
	p := r.spec.Network.Pause
	switch {
	case t <= p[0] || p[1] <= p[0]:
		return t
	case t < p[1]:
		return p[0]
	}
	return t - (p[1] - p[0])
}

// world returns the state of the child in the world.
func (r *run) world(t float64) conformance.Truth {
	p, c := r.motion(t), r.child(t)
	arm := p.Rotation.Rotate(c.Position)
	return conformance.Truth{
		Position: p.Position.Add(arm),
		Velocity: p.Velocity.Add(p.Angular.Cross(arm)).Add(p.Rotation.Rotate(c.Velocity)),
		Rotation: p.Rotation.Mul(c.Rotation),
	}
}

// truth returns the correct picture at a time.
func (r *run) truth(at time.Duration) conformance.Truth {
	if r.child != nil {
		return r.world(at.Seconds())
	}
	return r.motion(at.Seconds())
}

// topSpeeds tabulates the greatest speed within a quarter of a second of every instant. A faster
// picture has jumped.
type topSpeeds []float32

const (
	speedRate   = 120 // entries per second
	speedWindow = speedRate / 4
)

func newTopSpeeds(path func(t float64) conformance.Truth, length time.Duration) topSpeeds {
	n := int(length.Seconds()*speedRate) + 1
	speeds := make([]float32, n)
	for i := range speeds {
		speeds[i] = float32(path(float64(i) / speedRate).Velocity.Len())
	}
	top := make(topSpeeds, n)
	for i := range top {
		for j := max(i-speedWindow, 0); j <= min(i+speedWindow, n-1); j++ {
			top[i] = max(top[i], speeds[j])
		}
	}
	return top
}

func (s topSpeeds) at(t float64) float64 {
	return float64(s[min(max(int(t*speedRate), 0), len(s)-1)])
}

func TestTopSpeedsLookAround(t *testing.T) {
	top := newTopSpeeds(conformance.MotionNamed("M5").At, 10*time.Second)
	for _, tt := range []struct{ at, want float64 }{
		{0.3, 6}, {0.7037 + 0.2, 6}, {0.7037 + 0.3, 0}, {1.3091 - 0.2, 6}, {-1, 6}, {100, 0},
	} {
		if tt.at > 10 {
			tt.want = top.at(10)
		}
		if got := top.at(tt.at); got != tt.want {
			t.Errorf("at %v s %v m/s, want %v", tt.at, got, tt.want)
		}
	}
}
