package timeline_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/timeline"
)

// traceEvent is an event of the format, with pointers for fields that may be missing.
type traceEvent struct {
	Ph, Name, Cat, ID, S *string
	Pid, Tid             *int
	Ts, Dur              *float64
	Args                 map[string]any
}

// checkTrace checks JSON against the rules of the trace-event format for the phases M, X, b, e, i
// and C. It returns how many events of each there are.
func checkTrace(data []byte) (phases map[string]int, err error) {
	var trace struct {
		DisplayTimeUnit string
		TraceEvents     []traceEvent
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&trace); err != nil {
		return nil, err
	}
	if trace.DisplayTimeUnit != "ms" {
		return nil, errors.New("displayTimeUnit is ms or ns")
	}
	phases = map[string]int{}
	last := map[int]float64{}          // by process
	stacks := map[[2]int][]float64{}   // ends of open complete events, by thread
	open := map[string]float64{}       // asynchronous events
	named := map[int]map[string]bool{} // by process
	closed := map[string]bool{}
	for i, e := range trace.TraceEvents {
		fail := func(text string) error { return fmt.Errorf("event %d: %s: %+v", i, text, e) }
		if e.Ph == nil || e.Name == nil || *e.Name == "" || e.Pid == nil || e.Tid == nil || e.Ts == nil {
			return nil, fail("ph, name, pid, tid and ts are required")
		}
		phases[*e.Ph]++
		if *e.Ph == "M" {
			if len(e.Args) != 1 {
				return nil, fail("metadata need an argument")
			}
			if named[*e.Pid] == nil {
				named[*e.Pid] = map[string]bool{}
			}
			named[*e.Pid][*e.Name] = true
			continue
		}
		if !named[*e.Pid]["process_name"] || !named[*e.Pid]["thread_name"] {
			return nil, fail("its process has no name")
		}
		if *e.Ts < last[*e.Pid] {
			return nil, fail("it goes back in time")
		}
		last[*e.Pid] = *e.Ts
		thread := [2]int{*e.Pid, *e.Tid}
		switch *e.Ph {
		case "X":
			if e.Dur == nil || *e.Dur < 0 {
				return nil, fail("a complete event has a length")
			}
			stack := stacks[thread]
			for len(stack) > 0 && stack[len(stack)-1] <= *e.Ts+1e-4 {
				stack = stack[:len(stack)-1]
			}
			if n := len(stack); n > 0 && *e.Ts+*e.Dur > stack[n-1]+1e-3 {
				return nil, fail("complete events must nest")
			}
			stacks[thread] = append(stack, *e.Ts+*e.Dur)
		case "b", "e":
			if e.Cat == nil || e.ID == nil {
				return nil, fail("an asynchronous event has cat and id")
			}
			key := fmt.Sprint(*e.Pid, *e.Cat, *e.ID, *e.Name)
			begun, is := open[key]
			if *e.Ph == "b" && (is || closed[key]) || *e.Ph == "e" && (!is || begun > *e.Ts) {
				return nil, fail("asynchronous events come in pairs")
			}
			if open[key] = *e.Ts; *e.Ph == "e" {
				delete(open, key)
				closed[key] = true
			}
		case "i":
			if e.S == nil || *e.S != "t" && *e.S != "p" && *e.S != "g" {
				return nil, fail("an instant has a scope")
			}
		case "C":
			if len(e.Args) == 0 {
				return nil, fail("a counter has values")
			}
			for _, v := range e.Args {
				if _, ok := v.(float64); !ok {
					return nil, fail("a counter's values are numbers")
				}
			}
		default:
			return nil, fail("no known phase")
		}
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("%d asynchronous events do not end", len(open))
	}
	return phases, nil
}

// The JSON of any log keeps the rules of the format.
func TestChromeKeepsTheFormat(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		if err := anyLog(t).WriteChrome(&b); err != nil {
			t.Fatal(err)
		}
		phases, err := checkTrace(b.Bytes())
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.Bytes())
		}
		for p, n := range phases {
			seen[p] += n
		}
	})
	if !testing.Short() {
		for _, p := range []string{"M", "X", "b", "e", "i", "C"} {
			if seen[p] == 0 {
				t.Errorf("no event of phase %s", p)
			}
		}
	}
}

// The check refuses what the format forbids.
func TestCheckOfTheFormat(t *testing.T) {
	const meta = `{"ph":"M","pid":1,"tid":1,"name":"process_name","ts":0,"args":{"name":"a"}},{"ph":"M","pid":1,"tid":1,"name":"thread_name","ts":0,"args":{"name":"a"}},`
	const at = `"pid":1,"tid":1,"name":"a","ts":`
	for text, ok := range map[string]bool{
		`{"ph":"X",` + at + `1,"dur":5},{"ph":"X",` + at + `2,"dur":4}`: true,
		`{"ph":"X",` + at + `1,"dur":5},{"ph":"X",` + at + `2,"dur":9}`: false,
		`{"ph":"X",` + at + `2,"dur":5},{"ph":"X",` + at + `1,"dur":1}`: false,
		`{"ph":"X",` + at + `2}`: false,
		`{"ph":"b","cat":"c","id":"1",` + at + `1},{"ph":"e","cat":"c","id":"1",` + at + `2}`: true,
		`{"ph":"b","cat":"c","id":"1",` + at + `1},{"ph":"e","cat":"c","id":"2",` + at + `2}`: false,
		`{"ph":"b","cat":"c","id":"1",` + at + `1}`:                                           false,
		`{"ph":"i",` + at + `1}`:                                      false,
		`{"ph":"C",` + at + `1,"args":{"v":"high"}}`:                  false,
		`{"ph":"C","pid":2,"tid":1,"name":"a","ts":1,"args":{"v":1}}`: false,
		`{"ph":"C","pid":1,"tid":1,"ts":1,"args":{"v":1}}`:            false,
		`{"ph":"?",` + at + `1}`:                                      false,
	} {
		if _, err := checkTrace([]byte(`{"displayTimeUnit":"ms","traceEvents":[` + meta + text + `]}`)); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// A writer that fails is reported.
func TestExportsReportErrors(t *testing.T) {
	l := logOf(timeline.Event{Kind: timeline.View})
	if l.WriteChrome(failing{}) == nil || l.WriteHTML(failing{}, "") == nil {
		t.Error("a full disk goes unnoticed")
	}
}
