package browser

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// seeds is the condition of the articles: a round trip of 200 ms, in which 15 % get lost each way.
const seeds = "delay=100ms jitter=10ms loss=15%"

func playing(s state) bool { return s.Status == "playing" && s.Replicas > 0 }

// Two pages and a program outside of the browser play one match over a bad line.
func TestMatchOverWebTransport(t *testing.T) { testMatch(t, "webtransport", 0.05) }

// The same where no UDP passes. A loss stalls the stream.
func TestMatchOverWebSocket(t *testing.T) { testMatch(t, "websocket", 0.1) }

func testMatch(t *testing.T, transport string, dry float64) {
	server := serve(t, "-web", "127.0.0.1:0")
	address, token := server.link("http")
	native := start(t, "client", "-connect", server.native(), "-headless", "-seconds", "600", "-latency", "200ms", "-jitter", "20ms", "-loss", "0.15")
	line := newRelay(t, address, seeds, transport == "webtransport")
	var tabs []*tab
	for _, seed := range []string{"1", "2"} {
		tabs = append(tabs, open(t, "http://"+line.addr+"/?autopilot&seed="+seed+"#"+token))
	}
	native.await("playing")
	for _, p := range tabs {
		p.allow("/webtransport: net::ERR_QUIC") // where it is tried in vain
		s := p.await("a match", playing)
		// On this line a handshake now and then takes longer than a page waits for it.
		for tries := 0; tries < 3 && s.Transport != transport; tries++ {
			t.Logf("the transport is %s: trying again", s.Transport)
			p.reload()
			s = p.await("a match", playing)
		}
		if s.Transport != transport {
			t.Errorf("the transport is %s, want %s", s.Transport, transport)
		}
	}
	// Clocks and delays settle.
	for _, p := range tabs {
		p.await("snapshots", func(s state) bool { return s.Snapshots > 60 })
	}
	var begin []state
	for _, p := range tabs {
		begin = append(begin, p.state())
	}
	if begin[0].Player == begin[1].Player {
		t.Errorf("both tabs are player %d", begin[0].Player)
	}
	for i, p := range tabs {
		end := p.await("a while of play", func(s state) bool { return s.Snapshots >= begin[i].Snapshots+160 && s.Frames > begin[i].Frames+20 })
		starved := float64(end.Starved-begin[i].Starved) / float64(max(end.Sampled-begin[i].Sampled, 1))
		corrections := float64(end.Corrections-begin[i].Corrections) / float64(end.Snapshots-begin[i].Snapshots)
		t.Logf("player %d: %.2f %% starved of %d, %.3f corrections a snapshot, rtt %.0f ms, %d reconnects", end.Player, 100*starved, end.Sampled-begin[i].Sampled, corrections, end.RTT, end.Reconnects)
		if !playing(end) || end.Player != begin[i].Player || end.Reconnects != begin[i].Reconnects {
			t.Errorf("the player has not played on: %+v, then %+v", begin[i], end)
		}
		if end.Sampled == begin[i].Sampled || starved > dry {
			t.Errorf("player %d: %.2f %% starved, want at most %.2f %%", end.Player, 100*starved, 100*dry)
		}
		if corrections > 0.25 {
			t.Errorf("player %d: %.3f corrections a snapshot, want at most 0.25", end.Player, corrections)
		}
		if end.RTT < 190 {
			t.Errorf("player %d: the round trip is %.0f ms: the line is not between", end.Player, end.RTT)
		}
	}
}

// A hidden tab stays in the game, as the same player.
func TestHiddenTab(t *testing.T) {
	const away = 20 * time.Second
	server := serve(t, "-web", "127.0.0.1:0")
	address, token := server.link("http")
	p := open(t, "http://"+address+"/?autopilot#"+token)
	before := p.await("a match", playing)
	// A tab in the same window hides the first one.
	other, cancel := chromedp.NewContext(p.ctx, chromedp.WithNewWindow(false))
	defer cancel()
	if err := chromedp.Do(other, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	p.until("the tab is hidden", "document.hidden")
	begin := p.state()
	for end := time.Now().Add(away); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if s := p.state(); !playing(s) || s.Reconnects > 0 {
			t.Fatalf("hidden, the state is %+v", s)
		}
	}
	hidden := p.state()
	t.Logf("hidden for %v: %d snapshots, %d frames", away, hidden.Snapshots-begin.Snapshots, hidden.Frames-begin.Frames)
	if !evaluate[bool](p, "document.hidden") {
		t.Fatal("the tab was not hidden all the time")
	}
	// 20 snapshots a second are sent; a tab that sleeps receives next to none.
	if n := hidden.Snapshots - begin.Snapshots; n < 200 {
		t.Errorf("hidden for %v it has received %d snapshots", away, n)
	}
	cancel()
	p.until("the tab is shown", "!document.hidden")
	after := p.frames(5)
	if !playing(after) || after.Player != before.Player || after.Reconnects > 0 {
		t.Errorf("back, the state is %+v, before it was %+v", after, before)
	}
	if out := server.output(); strings.Contains(out, "timed out") || strings.Contains(out, "resumed") {
		t.Error("the server has lost the player")
	}
}

// A page returns by itself when its server has started again.
func TestServerRestarted(t *testing.T) {
	kept := t.TempDir()
	server := serve(t, "-web", "127.0.0.1:0", "-state", kept, "-drain", "0s")
	address, token := server.link("http")
	p := open(t, "http://"+address+"/?autopilot#"+token)
	p.allow("WebSocket connection")
	p.allow("WebTransport")
	p.allow("ERR_CONNECTION_REFUSED")
	p.await("a match", playing)
	_ = server.cmd.Process.Kill() // without a farewell
	<-server.done
	p.await("the end of the server", func(s state) bool { return !playing(s) || strings.Contains(s.Text, "lost") })
	again := serve(t, "-web", address, "-state", kept)
	if now, _ := again.link("http"); now != address {
		t.Fatalf("the server is at %s, was at %s", now, address)
	}
	n := p.state().Snapshots
	p.await("the match again", func(s state) bool { return playing(s) && s.Snapshots > n+20 })
	again.players("1")
}

// A link whose token is wrong is answered by a text in the page.
func TestWrongToken(t *testing.T) {
	server := serve(t, "-web", "127.0.0.1:0")
	address, token := server.link("http")
	p := open(t, "http://"+address+"/#"+token+"x")
	p.await("the reason", func(s state) bool {
		return s.Status == "ended" && strings.Contains(s.Text, "ask for a new one")
	})
}
