package agones

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tandem-ecs/tandem/ecs"
)

// fake is a sidecar with the answers that sdk-server 1.57 gave.
type fake struct {
	mu       sync.Mutex
	down     bool
	requests []string // but those for health
	health   int
	state    string
	values   []string
	capacity int // negative: there is no list
	labels   string
	watchers []*io.PipeWriter
}

func (f *fake) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down {
		return nil, errors.New("connection refused")
	}
	if r.URL.Path == "/watch/gameserver" {
		read, write := io.Pipe()
		f.watchers = append(f.watchers, write)
		go write.Write(f.describe())
		go func() { <-r.Context().Done(); write.CloseWithError(r.Context().Err()) }()
		return &http.Response{StatusCode: 200, Body: read}, nil
	}
	w := httptest.NewRecorder()
	f.answer(w, r)
	return w.Result(), nil
}

func (f *fake) answer(w *httptest.ResponseRecorder, r *http.Request) {
	var body struct{ Value string }
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&body) != nil {
		w.WriteHeader(http.StatusNotImplemented)
		return
	}
	refuse := func(format string, args ...any) {
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(w, `{"code":2,"message":%q,"details":[]}`, fmt.Sprintf(format, args...))
	}
	if r.URL.Path == "/health" {
		f.health++
		return
	}
	f.requests = append(f.requests, strings.TrimSpace(strings.TrimPrefix(r.URL.Path, "/v1beta1/lists/")+" "+body.Value))
	switch at := slices.Index(f.values, body.Value); r.URL.Path {
	case "/ready", "/allocate", "/shutdown":
		f.state = r.URL.Path[1:]
	case "/v1beta1/lists/players:addValue":
		switch {
		case f.capacity < 0:
			refuse("not found. players List not found")
		case len(f.values) >= f.capacity:
			refuse("out of range. No available capacity. Current Capacity: %d, List Size: %d", f.capacity, len(f.values))
		case at >= 0:
			refuse("already exists. Value: %s already in List: players", body.Value)
		default:
			f.values = append(f.values, body.Value)
		}
	case "/v1beta1/lists/players:removeValue":
		if at < 0 {
			refuse("not found: value %s not in list players", body.Value)
			return
		}
		f.values = slices.Delete(f.values, at, at+1)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (f *fake) describe() []byte {
	list, _ := json.Marshal(f.values)
	return fmt.Appendf(nil, `{"result":{"object_meta":{"name":"local","namespace":"default","uid":"1234","resource_version":"v1","generation":"1","creation_timestamp":"1795461879","deletion_timestamp":"0","annotations":{"annotation":"true"},"labels":{%s}},"spec":{"health":{"disabled":false,"period_seconds":3,"failure_threshold":5,"initial_delay_seconds":10}},"status":{"state":"Ready","address":"127.0.0.1","addresses":[],"ports":[{"name":"default","port":7777}],"players":null,"counters":{"rooms":{"count":"1","capacity":"10"}},"lists":{"players":{"capacity":"100","values":%s}}}}}`+"\n", f.labels, list)
}

// restart ends all connections, and loses the list.
func (f *fake) restart() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range f.watchers {
		w.Close()
	}
	f.watchers, f.values = nil, nil
}

// do changes the fake, and shows the change to all that watch.
func (f *fake) do(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
	for _, w := range f.watchers {
		w.Write(f.describe())
	}
}

// play is a match beside a fake sidecar, in virtual time.
type play struct {
	*fake
	*Sidecar
	engine *ecs.Engine
	log    bytes.Buffer
	seen   []GameServer
}

func inFleet(t *testing.T, f func(t *testing.T, p *play)) { inFleetOf(t, &fake{}, f) }

func inFleetOf(t *testing.T, sidecar *fake, f func(t *testing.T, p *play)) {
	sidecar.capacity, sidecar.values = 100, []string{"reserved"}
	synctest.Test(t, func(t *testing.T) {
		p := &play{fake: sidecar, engine: newEngine(t)}
		p.Sidecar = Start(Config{
			Addr: DefaultAddr, Transport: p.fake, Log: slog.New(slog.NewTextHandler(&p.log, nil)),
			Watch: func(s GameServer) { p.seen = append(p.seen, s) },
		})
		p.engine.Install(p.Sidecar)
		f(t, p)
		p.Close()
		p.Close()
	})
}

func newEngine(t *testing.T) *ecs.Engine {
	e, err := ecs.New(ecs.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// run plays for a time.
func (p *play) run(d time.Duration) {
	for range d / (50 * time.Millisecond) {
		p.engine.Update(50 * time.Millisecond)
		time.Sleep(50 * time.Millisecond)
	}
	synctest.Wait()
}

func TestHealthFollowsTheSteps(t *testing.T) {
	inFleet(t, func(t *testing.T, p *play) {
		time.Sleep(5 * time.Second)
		if p.health != 0 {
			t.Errorf("%d reports of health before the first step", p.health)
		}
		p.run(10 * time.Second)
		if p.health < 9 || p.health > 11 {
			t.Errorf("%d reports of health in 10 s", p.health)
		}
		before := p.health
		time.Sleep(10 * time.Second) // it hangs
		if p.health > before+1 {
			t.Errorf("%d reports of health of a match that hangs", p.health-before)
		}
		p.run(2 * time.Second)
		if p.health < before+2 {
			t.Error("no health after a match has gone on")
		}
		if n := strings.Count(p.log.String(), "makes no steps"); n != 1 {
			t.Errorf("the log says %d times that there are no steps:\n%s", n, &p.log)
		}
	})
}

func TestStatesAreRequestedAtOnceAndAtTheEnd(t *testing.T) {
	inFleet(t, func(t *testing.T, p *play) {
		p.Ready()
		synctest.Wait()
		p.Allocate()
		synctest.Wait()
		p.Joined("last")
		p.Shutdown()
		p.Close()
		if want := []string{"/ready", "/allocate"}; len(p.requests) < 2 || !slices.Equal(p.requests[:2], want) {
			t.Errorf("requests %q, want them to begin with %q", p.requests, want)
		}
		if p.state != "shutdown" || !slices.Contains(p.values, "last") {
			t.Errorf("after Close the state is %s and the list %q", p.state, p.values)
		}
	})
}

func TestAFailingSidecarDelaysNothing(t *testing.T) {
	inFleetOf(t, &fake{down: true}, func(t *testing.T, p *play) {
		p.Ready()
		p.Joined("a")
		p.run(30 * time.Second)
		if p.state != "" {
			t.Fatal("a request arrived at a sidecar that is down")
		}
		p.Allocate() // it takes the place of Ready
		p.fake.mu.Lock()
		p.down = false
		p.fake.mu.Unlock()
		p.run(3 * time.Second)
		if p.state != "allocate" || !slices.Contains(p.values, "a") || p.health == 0 || len(p.seen) != 1 {
			t.Errorf("after 3 s: state %q, list %q, %d reports of health, seen %d", p.state, p.values, p.health, len(p.seen))
		}
		for _, what := range []string{"health", "state", "players", "watch"} {
			if n, m := strings.Count(p.log.String(), "trouble="+what), strings.Count(p.log.String(), `well again"=`+what); n != 1 || m != 1 {
				t.Errorf("%s: the log names the trouble %d times and its end %d times:\n%s", what, n, m, &p.log)
			}
		}
	})
}

func TestPlayersAreInTheList(t *testing.T) {
	inFleet(t, func(t *testing.T, p *play) {
		want := func(when string, values ...string) {
			t.Helper()
			p.run(2 * time.Second)
			got := slices.Sorted(slices.Values(p.values))
			slices.Sort(values)
			if !slices.Equal(got, values) {
				t.Errorf("%s the list is %q, want %q", when, got, values)
			}
		}
		p.Joined("a")
		p.Joined("a")
		p.Joined("b")
		p.Joined("c")
		p.Joined("for a moment")
		p.Left("for a moment")
		p.Left("a stranger")
		want("after three joined,", "reserved", "a", "b", "c")
		p.do(func() { p.values = append(p.values, "d") }) // by an allocation
		p.Joined("d")
		p.Left("b")
		want("after one left,", "reserved", "a", "c", "d")
		if n := len(p.requests); n > 5 {
			t.Errorf("%d requests for at most 5 changes: %q", n, p.requests)
		}
		p.restart()
		want("after a restart of the sidecar", "a", "c", "d")
		p.do(func() { p.capacity = 3 })
		p.Joined("e")
		want("when it is full,", "a", "c", "d")
		p.Left("a")
		want("when one has left,", "c", "d", "e")
	})
}

func TestAFleetWithoutTheList(t *testing.T) {
	inFleet(t, func(t *testing.T, p *play) {
		p.capacity = -1
		for i := range 10 {
			p.Joined(fmt.Sprint(i))
			p.run(time.Second)
		}
		if n := strings.Count(p.log.String(), "add a list"); n != 1 || len(p.requests) != 1 {
			t.Errorf("%d requests, and the log says %d times that there is no list:\n%s", len(p.requests), n, &p.log)
		}
	})
}

func TestWatch(t *testing.T) {
	inFleet(t, func(t *testing.T, p *play) {
		p.run(time.Second)
		for _, m := range []string{"moor", "vale"} {
			p.do(func() { p.labels = fmt.Sprintf("%q:%q", "map", m) })
		}
		synctest.Wait()
		p.run(time.Second)
		if len(p.seen) != 2 {
			t.Fatalf("two states between two steps were shown as %d, want the first and the last: %+v", len(p.seen), p.seen)
		}
		s := p.seen[1]
		if s.Name != "local" || s.Namespace != "default" || s.State != "Ready" || s.Address != "127.0.0.1" || s.Labels["map"] != "vale" ||
			s.Annotations["annotation"] != "true" || !slices.Equal(s.Ports, []Port{{"default", 7777}}) {
			t.Errorf("the server is %+v", s)
		}
	})
}

func TestBadDescriptions(t *testing.T) {
	for _, line := range []string{``, `{}`, `[]`, `{"result":7}`, `{"result":{"status":{"ports":{}}}}`, `{"error":{"message":"gone"}}`, "\xff"} {
		if s, _, err := parseServer([]byte(line), "players"); err == nil {
			t.Errorf("%q is read as %+v", line, s)
		}
	}
	inFleet(t, func(t *testing.T, p *play) {
		p.run(time.Second)
		for _, w := range p.watchers {
			go func() { // without an end
				for {
					if _, err := w.Write(bytes.Repeat([]byte("x"), 1<<16)); err != nil {
						return
					}
				}
			}()
		}
		p.run(3 * time.Second)
		if !strings.Contains(p.log.String(), "token too long") || len(p.seen) != 2 {
			t.Errorf("after a line without an end the server was seen %d times, want 2:\n%s", len(p.seen), &p.log)
		}
	})
}

func TestWithoutAgones(t *testing.T) {
	t.Setenv("AGONES_SDK_HTTP_PORT", "")
	s := Start(Config{Transport: &fake{}, Watch: func(GameServer) { t.Error("there is something to watch") }})
	e := newEngine(t)
	e.Install(s)
	s.Ready()
	s.Joined("a")
	s.Left("a")
	e.Update(time.Second)
	s.Shutdown()
	s.Close()
}

func TestAStepAllocatesNothing(t *testing.T) {
	s := Start(Config{Watch: func(GameServer) {}})
	if n := testing.AllocsPerRun(100, s.step); n != 0 {
		t.Errorf("a step allocates %v times", n)
	}
}
