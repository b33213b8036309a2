package browser

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

const width, height = 320, 180 // of a tab, in pixels

// patience is the limit of each wait. It is for the hung.
const patience = time.Minute

// tab is a page in the browser.
type tab struct {
	t   testing.TB
	ctx context.Context
	// closes it as its user does
	close func()

	mu      sync.Mutex
	said    []string // all of the console
	errors  []string // exceptions, and errors in the console
	allowed []string // parts of errors that are expected
}

// open opens an address in a new tab. The test fails if the page throws an exception, writes an
// error into the console, or does what WebGL complains of.
func open(t testing.TB, address string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(suite.browser.ctx)
	p := &tab{t: t, ctx: ctx, close: cancel}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			p.mu.Lock()
			p.said = append(p.said, m.String())
			p.mu.Unlock()
			if m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleException {
				p.mu.Lock()
				p.errors = append(p.errors, m.String())
				p.mu.Unlock()
			}
		}
	}()
	t.Cleanup(func() {
		if t.Failed() {
			p.save()
			p.mu.Lock()
			t.Logf("%s: the console:\n%s", address, strings.Join(p.said, "\n"))
			p.mu.Unlock()
		}
		cancel()
		for _, e := range p.unexpected() {
			t.Errorf("%s: in the console: %s", address, e)
		}
		for _, c := range suite.browser.complaints() {
			t.Errorf("%s: WebGL: %s", address, c)
		}
	})
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, height)); err != nil {
		t.Fatal(err)
	}
	p.visit(address)
	return p
}

// visit goes to an address.
func (p *tab) visit(address string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
		p.t.Fatalf("%s: %v", address, err)
	}
}

// reload loads the page again. An address whose part behind the # alone is new would not.
func (p *tab) reload() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Reload()); err != nil {
		p.t.Fatal(err)
	}
}

// allow expects errors in the console that contain a text.
func (p *tab) allow(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.allowed = append(p.allowed, text)
}

func (p *tab) unexpected() (all []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
next:
	for _, e := range p.errors {
		for _, a := range p.allowed {
			if strings.Contains(e, a) {
				continue next
			}
		}
		all = append(all, e)
	}
	return all
}

// state is what the page's hook for tests returns.
type state struct {
	Scene   string
	Frames  int
	Rate    int
	Speed   float64
	Paused  bool
	Summary string
	// of a match
	Status, Text, Transport      string
	Player, Replicas             int
	Snapshots, Corrections       int
	Starved, Sampled, Reconnects int
	RTT                          float64
}

// state returns the present state of the page; the zero value: it has none yet.
func (p *tab) state() (s state) {
	p.t.Helper()
	return evaluate[state](p, "window.tandem ? tandem.state() : {}")
}

// evaluate returns the value of an expression in the page. It waits for a promise.
func evaluate[T any](p *tab, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// await waits for a state of the page.
func (p *tab) await(what string, reached func(state) bool) state {
	p.t.Helper()
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		s := p.state()
		if reached(s) {
			return s
		}
		if time.Since(begin) > patience {
			p.t.Fatalf("waited %v for: %s\nthe state is %+v\nthe page says: %s", patience, what, s, p.text())
		}
	}
}

// frames waits until the page has drawn some frames more.
func (p *tab) frames(n int) state {
	p.t.Helper()
	n += p.state().Frames
	return p.await("more frames", func(s state) bool { return s.Frames >= n })
}

// text returns the text that the page shows over the picture; empty: none.
func (p *tab) text() string {
	p.t.Helper()
	return evaluate[string](p, `document.querySelector("#box")?.className == "gone" ? "" : document.querySelector("#box")?.innerText || ""`)
}

// until waits until an expression in the page is true.
func (p *tab) until(what, expression string) {
	p.t.Helper()
	for begin := time.Now(); !evaluate[bool](p, expression); time.Sleep(50 * time.Millisecond) {
		if time.Since(begin) > patience {
			p.t.Fatalf("waited %v for: %s\nthe page says: %s", patience, what, p.text())
		}
	}
}

// says waits until the page shows a text.
func (p *tab) says(part string) {
	p.t.Helper()
	p.until(fmt.Sprintf("the text %q", part), fmt.Sprintf(`document.querySelector("#box").className != "gone" && document.querySelector("#box").innerText.includes(%q)`, part))
}

// press presses and releases a key.
func (p *tab) press(key string) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, chromedp.KeyEvent(key)); err != nil {
		p.t.Fatal(err)
	}
}

// picture returns what the page shows.
func (p *tab) picture() *image.RGBA {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	file, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	return decode(p.t, file)
}

// save keeps what the page shows for a look at a failure.
func (p *tab) save() {
	ctx, cancel := context.WithTimeout(p.ctx, 10*time.Second)
	defer cancel()
	file, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Logf("no picture of the page: %v", err)
		return
	}
	keep(p.t, file)
}

// keep writes a picture where it stays after the test.
func keep(t testing.TB, file []byte) {
	name := filepath.Join(os.TempDir(), "tandem-"+strings.ReplaceAll(t.Name(), "/", "-")+".png")
	if err := os.WriteFile(name, file, 0o666); err != nil {
		t.Log(err)
		return
	}
	t.Logf("a picture of the page: %s", name)
}

// decode returns the picture of a PNG file.
func decode(t testing.TB, file []byte) *image.RGBA {
	t.Helper()
	from, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	to := image.NewRGBA(from.Bounds())
	draw.Draw(to, to.Rect, from, to.Rect.Min, draw.Src)
	return to
}

// different returns the share of pixels in which two pictures differ visibly.
func different(a, b *image.RGBA) float64 {
	if a.Rect.Size() != b.Rect.Size() {
		return 1
	}
	const visible = 24 // of 255, in any channel
	n := 0
	for i := 0; i < len(a.Pix); i += 4 {
		for c := range 3 {
			if d := int(a.Pix[i+c]) - int(b.Pix[i+c]); d > visible || d < -visible {
				n++
				break
			}
		}
	}
	return float64(n) / float64(len(a.Pix)/4)
}
