package articles

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/clocksync"
)

func TestRequestAckExample(t *testing.T) {
	// The server's clock is 1000 ms ahead, each way takes 40 ms, and the client answers at once.
	request := Request{Server: 5000 * ms}
	ack := request.Answer(4040 * ms)
	var r RequestAck
	r.Acknowledged(ack, 5080*ms)
	if r.Ping() != 80*ms || r.Offset() != 1000*ms {
		t.Errorf("ping %v, offset %v; want 80ms and 1s", r.Ping(), r.Offset())
	}
	var client RequestAck
	client.Set(r.Offset())
	if got := client.ServerTime(4040 * ms); got != 5040*ms {
		t.Errorf("ServerTime() = %v, want 5.04s", got)
	}
}

// Negative control: a single unfiltered exchange, answered by a client that waits for its frame,
// against the minimum-filtered four stamps on the same delays. Real links have heavy-tailed queues.
func TestRequestAckAgainstFourStamps(t *testing.T) {
	var worstRacer, worstReference time.Duration
	for seed := uint64(1); seed <= 20; seed++ {
		rng := rand.New(rand.NewPCG(seed, 7))
		queue := func() time.Duration { return time.Duration(rng.ExpFloat64() * float64(15*ms)) }
		var racer RequestAck
		reference := clocksync.NewReference()
		const offset = 3 * time.Hour
		for i := range 240 {
			// Racer: the server asks, the client answers in its next frame.
			sent := time.Duration(i)*250*ms + offset
			up, down, frame := 20*ms+queue(), 20*ms+queue(), time.Duration(rng.Float64()*float64(time.Second/60))
			at := sent + down + frame
			racer.Acknowledged(Request{sent}.Answer(at-offset), at+up)
			// Four stamps: the client asks at the same time and over the same queues, and records
			// the arrival of the answer, not the time of its frame.
			local := sent - offset
			_, err := reference.Add(clocksync.Sample{
				ClientSend: local, ServerReceive: local + up + offset, ServerSend: local + up + ms + offset, ClientReceive: local + up + ms + down,
			})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if i >= 40 {
				worstRacer = max(worstRacer, (racer.Offset() - offset).Abs())
				worstReference = max(worstReference, (reference.Offset(local) - offset).Abs())
			}
		}
	}
	t.Logf("worst error of the offset: Racer's exchange %v, four stamps %v", worstRacer, worstReference)
	if worstRacer < 30*ms {
		t.Errorf("Racer's exchange is never off by more than %v; it is expected to fail here", worstRacer)
	}
	if worstReference > 5*ms {
		t.Errorf("the four-stamp reference is off by %v, want at most 5 ms", worstReference)
	}
}

// Negative control: a client that falsifies its stamp chooses its time.
func TestRequestAckChecksNothing(t *testing.T) {
	honest, cheat := RequestAck{}, RequestAck{}
	honest.Acknowledged(Request{time.Second}.Answer(1020*ms), 1040*ms)
	cheat.Acknowledged(Request{time.Second}.Answer(1020*ms-200*ms), 1040*ms)
	if got := cheat.Offset() - honest.Offset(); got != 200*ms {
		t.Errorf("a stamp falsified by 200 ms moves the offset by %v, want all of it", got)
	}
}
