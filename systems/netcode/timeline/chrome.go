package timeline

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

// WriteChrome writes the log in the trace-event format of Chrome (JSON), which Perfetto's viewer
// opens, and chrome://tracing. Each track is a process. Slices that overlap others are asynchronous
// events, the rest are complete ones, and the lines of charts are counters. It returns the writer's
// error.
//
// The format: Google, "Trace Event Format", 2016.
func (l *Log) WriteChrome(w io.Writer) error {
	c := chrome{w: bufio.NewWriter(w)}
	c.w.WriteString(`{"displayTimeUnit":"ms","traceEvents":[`)
	for i, t := range l.Tracks() {
		c.track(&t, i+1)
	}
	c.w.WriteString("\n]}\n")
	return c.w.Flush()
}

// chrome writes trace events.
type chrome struct {
	w      *bufio.Writer
	any    bool
	ids    int
	events []chromeEvent // of the track that is written
}

// chromeEvent is a trace event. Its fields are those of the format.
type chromeEvent struct {
	Phase    string         `json:"ph"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	ID       string         `json:"id,omitempty"`
	Scope    string         `json:"s,omitempty"`
	Time     micros         `json:"ts"`
	Length   *micros        `json:"dur,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// micros is a time that JSON gives in microseconds. Trace events begin at zero.
type micros time.Duration

// MarshalJSON implements [json.Marshaler].
func (m micros) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%03d", m/1000, m%1000), nil
}

func (c *chrome) track(t *Track, process int) {
	at := func(d time.Duration) micros { return micros(max(d, 0)) }
	meta := func(name, key string, v any) {
		c.write(chromeEvent{Phase: "M", Process: process, Thread: 1, Name: name, Args: map[string]any{key: v}})
	}
	meta("process_name", "name", t.Name)
	meta("process_sort_index", "sort_index", process)
	meta("thread_name", "name", "events")
	c.events = c.events[:0]
	add := func(e chromeEvent, text string) {
		if e.Process, e.Thread = process, 1; text != "" {
			e.Args = map[string]any{"text": text}
		}
		c.events = append(c.events, e)
	}
	// Complete events of one thread must nest. The longest of those that begin together is the
	// outer one.
	all := slices.Clone(t.Slices)
	slices.SortStableFunc(all, func(x, y Slice) int { return cmp.Or(cmp.Compare(at(x.From), at(y.From)), cmp.Compare(y.To, x.To)) })
	var around []micros // the ends of the events that are open
	for _, s := range all {
		from, to := at(s.From), at(s.To)
		for len(around) > 0 && around[len(around)-1] <= from {
			around = around[:len(around)-1]
		}
		overlaps := s.Name == snapshotName // these overlap each other by nature: all in one place
		if n := len(around); n > 0 && to > around[n-1] {
			overlaps = true
		}
		if !overlaps {
			around = append(around, to)
			length := to - from
			add(chromeEvent{Phase: "X", Name: s.Name, Time: from, Length: &length}, s.Text)
			continue
		}
		c.ids++
		e := chromeEvent{Phase: "b", Name: s.Name, Category: t.Name, ID: fmt.Sprintf("0x%x", c.ids), Time: from}
		add(e, s.Text)
		e.Phase, e.Time = "e", to
		add(e, "")
	}
	for _, m := range t.Marks {
		add(chromeEvent{Phase: "i", Name: m.Name, Time: at(m.At), Scope: "t"}, m.Text)
	}
	for _, chart := range t.Charts {
		for _, line := range chart.Lines {
			name := chart.Name
			if line.Name != "" {
				name = line.Name
			}
			if chart.Unit != "" {
				name += ", " + chart.Unit
			}
			last := float32(math.NaN()) // a counter keeps its value
			for _, p := range line.Points {
				value := float32(p.Value)
				if value-value != 0 || value == last { // infinite, or no number
					continue
				}
				last = value
				add(chromeEvent{Phase: "C", Name: name, Time: at(p.At), Args: map[string]any{"value": value}}, "")
			}
		}
	}
	slices.SortStableFunc(c.events, func(x, y chromeEvent) int { return cmp.Compare(x.Time, y.Time) })
	for _, e := range c.events {
		c.write(e)
	}
}

// write writes an event. Errors of the writer stay until Flush.
func (c *chrome) write(e chromeEvent) {
	b, err := json.Marshal(e)
	if err != nil {
		panic("timeline: a trace event is no JSON: " + err.Error())
	}
	if c.any {
		c.w.WriteByte(',')
	}
	c.any = true
	c.w.WriteByte('\n')
	c.w.Write(b)
}
