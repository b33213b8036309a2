package browser

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// step lets a paused scene make one fixed step in each of many frames, and returns the costs of
// those frames. So the speed of the browser's renderer does not matter. A match has no pause: the
// costs are of those of its frames in 20 s that had one step.
const step = `(async () => {
	const costs = [], begin = performance.now()
	while (costs.length < 25 && (tandem.state().paused || performance.now() - begin < 2e4)) {
		if (tandem.state().paused) for (const kind of ["keydown", "keyup"])
			document.body.dispatchEvent(new KeyboardEvent(kind, {key: ".", code: "Period", bubbles: true}))
		const {frames} = tandem.state()
		while (tandem.state().frames == frames) await new Promise(requestAnimationFrame)
		const s = tandem.state()
		if (s.steps == 1) costs.push([s.update, s.draw])
	}
	return costs
})()`

// loop returns the time of ten million turns, each of which waits for the one before.
const loop = `(() => {
	const begin = performance.now()
	let x = 1
	for (let i = 0; i < 1e7; i++) { x ^= x << 13; x ^= x >>> 17; x ^= x << 5 }
	return x && performance.now() - begin
})()`

// BenchmarkFrame measures Go's time in frames with one fixed step, in milliseconds: the update, and
// the calls that draw. Beside it stands a loop of JavaScript, for a comparison of machines. The
// figures are the least of three rounds, whose frames have the median. make bench runs it.
func BenchmarkFrame(b *testing.B) {
	page := http.FileServer(http.Dir(suite.web))
	// With these headers the page's clock has steps of 5 microseconds, and of 100 without.
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
		page.ServeHTTP(w, r)
	}))
	defer s.Close()
	for _, scene := range []string{"orbits", "lanes", "teleports", "physics", "stress/1000", "stress/10000", "lab"} {
		b.Run(scene, func(b *testing.B) {
			name, entities, many := strings.Cut(scene, "/")
			address := s.URL + "/?overlay=false&paused&scene=" + name
			if many {
				address += "&entities=" + entities
			}
			p := open(b, address)
			p.frames(2)
			p.measure(b)
		})
	}
	b.Run("arena", func(b *testing.B) {
		// At 60 steps a second a slow renderer has no frame with one.
		server := serve(b, "-web", "127.0.0.1:0", "-hz", "20")
		address, token := server.link("http")
		start(b, "bots", "-n", "2", "-hz", "20", "-connect", server.native())
		p := open(b, "http://"+address+"/?hz=20&overlay=false&autopilot#"+token)
		p.await("a match of three", func(s state) bool { return playing(s) && s.Snapshots > 60 })
		server.players("3")
		p.measure(b)
	})
}

// fewest is the least number of frames whose median is a figure.
const fewest = 9

// measure reports the costs of the page's frames.
func (p *tab) measure(b *testing.B) {
	evaluate[[][2]float64](p, step) // browsers translate a program better once it has run
	least := map[string]float64{}
	note := func(unit string, v float64) {
		if was, ok := least[unit]; !ok || v < was {
			least[unit] = v
		}
	}
	for range 3 {
		note("loop-ms", evaluate[float64](p, loop))
		costs := evaluate[[][2]float64](p, step)
		if len(costs) < fewest {
			b.Skipf("the machine drew only %d frames with one step, want %d", len(costs), fewest)
		}
		for i, unit := range []string{"update-ms", "draw-ms"} {
			var all []float64
			for _, c := range costs {
				all = append(all, c[i])
			}
			slices.Sort(all)
			note(unit, all[len(all)/2])
		}
	}
	for unit, v := range least {
		b.ReportMetric(v, unit)
	}
}
