package browser

import (
	"image"
	"image/draw"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A recording beside the page plays in it, and so does one that is dropped on it.
func TestReplay(t *testing.T) {
	folder := t.TempDir()
	match, broken := filepath.Join(folder, "match.replay"), filepath.Join(folder, "broken.replay")
	if err := command(nil, suite.demo, "duel", "-headless", "-seconds", "9", "-record", match); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(broken, []byte("no recording of a match"), 0o666); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(suite.web)))
	mux.Handle("/files/", http.StripPrefix("/files/", http.FileServer(http.Dir(folder))))
	server := httptest.NewServer(mux)
	defer server.Close()

	p := open(t, server.URL+"/?replay=files/match.replay&at=2s&paused&overlay=false")
	stands := func(at string) *image.RGBA {
		t.Helper()
		p.await("the replay at "+at, func(s state) bool { return strings.Contains(s.Summary, "stands at "+at+" of ") })
		p.frames(3)
		return p.picture()
	}
	early := stands("2.0")
	blank := image.NewRGBA(early.Rect)
	draw.Draw(blank, blank.Rect, image.NewUniform(early.At(0, 0)), image.Point{}, draw.Src)
	if share := different(early, blank); share < 0.2 {
		t.Errorf("%.2f %% of the picture is not of one colour, want 20 %%", 100*share)
	}
	p.press(kb.ArrowRight)
	late := stands("7.0")
	if share := different(early, late); share < 0.02 {
		t.Errorf("five seconds later only %.2f %% of the pixels differ", 100*share)
	}
	p.press(kb.ArrowLeft)
	if share := different(early, stands("2.0")); share > tolerance {
		t.Errorf("back at the same moment %.2f %% of the pixels differ", 100*share)
	}
	p.press(" ")
	p.await("motion", func(s state) bool { return !s.Paused && !strings.Contains(s.Summary, "stands at 2.0 ") })
	p.press(" ")
	p.await("a pause", func(s state) bool { return s.Paused })

	p.visit(server.URL + "/?replay=files/broken.replay")
	p.says("not a recording")
	p.allow("404")
	p.visit(server.URL + "/?replay=files/none.replay")
	p.says("the server answers 404")

	p.visit(server.URL + "/?scene=lanes")
	p.frames(2)
	p.drop(broken)
	p.await("the remark", func(state) bool { return p.logged("not a recording") })
	p.drop(match)
	p.await("the replay", func(s state) bool { return strings.Contains(s.Summary, "the replay stands at") })
}

// drop drops a file on the page.
func (p *tab) drop(file string) {
	p.t.Helper()
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: []string{file}, DragOperationsMask: 1}
	for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		if _, err := chromedp.Call(p.ctx, input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: width / 2, Y: height / 2, Data: data}); err != nil {
			p.t.Fatal(err)
		}
	}
}

// logged reports whether the page has written a text into the console.
func (p *tab) logged(text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Contains(strings.Join(p.said, "\n"), text)
}
