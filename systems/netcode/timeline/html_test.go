package timeline_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/snapshot"
	"github.com/tandem-ecs/tandem/systems/netcode/timeline"
)

// outside is what a page that stands alone, and whose numbers are numbers, does not contain.
var outside = []string{"<script", "<link", "<img", "http:", "https:", "@import", "url(", "NaN", "Inf", "%!"}

// The page of any log needs nothing from outside, its diagrams are well-formed and have labels, and
// names cannot leave their place.
func TestPage(t *testing.T) {
	most := 0
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		if err := anyLog(t).WriteHTML(&b, `Why <it> & "moved"`); err != nil {
			t.Fatal(err)
		}
		page := b.String()
		for _, bad := range outside {
			if strings.Contains(page, bad) {
				t.Fatalf("the page contains %q", bad)
			}
		}
		if !strings.Contains(page, "<h1>Why &lt;it&gt; &amp; &#34;moved&#34;</h1>") || strings.Contains(page, "<player>") {
			t.Fatal("a name is not escaped")
		}
		all := strings.Split(page, "<svg ")[1:]
		most = max(most, len(all))
		for _, svg := range all {
			svg, _, _ = strings.Cut("<svg "+svg, "</svg>")
			svg += "</svg>"
			if !strings.Contains(svg, `aria-label="`) {
				t.Fatal("a diagram has no label")
			}
			for d := xml.NewDecoder(strings.NewReader(svg)); ; {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("%v in\n%s", err, svg)
				}
			}
		}
	})
	if !testing.Short() && most < 10 {
		t.Errorf("at most %d diagrams", most)
	}
}

// A page of events that are years apart has plots of the times at which something happens. One of
// very many such times ends after an hour of them.
func TestPageOfALongLog(t *testing.T) {
	page := func(events int, apart time.Duration) string {
		l := timeline.New(events)
		for i := range events {
			l.Add(timeline.Event{Kind: timeline.Frame, At: time.Duration(i) * apart, N: 1})
		}
		w := limited{most: 8 << 20}
		if err := l.WriteHTML(&w, "long"); err != nil {
			t.Fatal(err)
		}
		return w.String()
	}
	text := page(3, 365*24*time.Hour)
	for _, want := range []string{"<b>0.000 s to 10.000 s", "<b>31536000.000 s to 31536010.000 s", "<b>63072000.000 s to"} {
		if !strings.Contains(text, want) || strings.Count(text, "<details") != 3 {
			t.Errorf("%d parts, without %q", strings.Count(text, "<details"), want)
		}
	}
	if strings.Contains(text, "left out") {
		t.Error("something is left out")
	}
	if text = page(10_000, time.Minute); strings.Count(text, "<details") != 360 || !strings.Contains(text, "left out") {
		t.Errorf("%d parts", strings.Count(text, "<details"))
	}
}

// A page of very many events ends after 32 MB, and says from when on the rest is left out.
func TestPageOfManyEvents(t *testing.T) {
	const seconds, perSecond = 1800, 200
	l := timeline.New(seconds * perSecond)
	for i := range seconds * perSecond {
		l.Add(timeline.Event{
			Kind: timeline.Sample, At: time.Duration(i) * time.Second / perSecond, Body: snapshot.ID(1<<16 + 1 + i%3), N: uint32(i), B: float32(i%100) / 1000,
		})
	}
	w := limited{most: 34e6}
	if err := l.WriteHTML(&w, "many"); err != nil {
		t.Fatal(err)
	}
	parts := bytes.Count(w.Bytes(), []byte("<details"))
	left := fmt.Sprintf("<p>All from %d.000 s on is left out: clip the log to the time that matters.</p>", 10*parts)
	if w.Len() < 31e6 || parts < 50 || parts > 290 || !bytes.Contains(w.Bytes(), []byte(left)) {
		t.Errorf("%d bytes with %d parts, without %q", w.Len(), parts, left)
	}
}

// The part with the longest fault is the one that is unfolded, and the first one if there is none.
func TestPageUnfoldsTheFault(t *testing.T) {
	for _, test := range []struct {
		starved [2]int // the seconds of a fault
		want    string
	}{{[2]int{0, 0}, "0.000 s to 10.000 s"}, {[2]int{23, 25}, "20.000 s to 30.000 s"}, {[2]int{38, 39}, "30.000 s to 39.950 s"}} {
		l := timeline.New(1 << 10)
		for n := range 800 {
			e := timeline.Event{Kind: timeline.Drawn, Body: 7, At: time.Duration(n) * time.Second / 20}
			if second := n / 20; second >= test.starved[0] && second < test.starved[1] || test.starved[1] > 0 && n/4 == 10 {
				e.Flags = timeline.Starved // a shorter one is in the first part
			}
			l.Add(e)
		}
		var b bytes.Buffer
		if err := l.WriteHTML(&b, "why"); err != nil {
			t.Fatal(err)
		}
		open := strings.Split(b.String(), "<details open><summary><b>")[1:]
		if len(open) != 1 || !strings.HasPrefix(open[0], test.want) {
			t.Errorf("a fault from %d s to %d s: unfolded are %d parts, want %s", test.starved[0], test.starved[1], len(open), test.want)
		}
	}
}

// limited is a buffer that refuses what is too long.
type limited struct {
	bytes.Buffer
	most int
}

func (w *limited) Write(b []byte) (int, error) {
	if w.Len()+len(b) > w.most {
		return 0, errors.New("the page is too long")
	}
	return w.Buffer.Write(b)
}
