package host

import (
	"math"
	"net/http"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// MetricsOf returns the handler of [Host.Metrics] for a server that no Host has made:
//
//	go http.ListenAndServe("127.0.0.1:7780", host.MetricsOf(engine, server, listener))
//
// Call it once for a server and the engine that it is installed on, while no Update runs. It adds
// two systems to the engine, the first and the last of a step. The duration of a step is the time
// between them. The figures are taken anew a few times a second, and allocate nothing.
//
// The listeners are those of the server. They are for the counters of handshakes alone, which are
// zeros without them. Figures of the game's own are those of package expvar, in /debug/vars.
func MetricsOf[S any, I comparable](e *ecs.Engine, s *netcode.Server[S, I], listeners ...transport.Listener) http.Handler {
	var (
		all   transport.Listener
		timed ticks
		begin time.Time
		steps uint64
	)
	if len(listeners) > 0 {
		all = transport.Merge(listeners...)
	}
	m := &metrics{ticks: &timed, start: time.Now(), seen: time.Now()}
	take := func() figures {
		f := figures{server: s.Stats(), steps: steps, dropped: e.Time().Dropped}
		if all != nil {
			f.listeners = all.Stats()
		}
		return f
	}
	m.publish(0, take)
	e.AddAt(ecs.FixedUpdate, math.MinInt, ecs.SystemFunc(func(*arche.World) { begin = time.Now() }))
	e.AddAt(ecs.FixedEnd, math.MaxInt, ecs.SystemFunc(func(*arche.World) {
		now := time.Now()
		timed.add(now.Sub(m.start), now.Sub(begin), 1)
		steps++
		m.publish(steps, take)
	}))
	return m.handler()
}
