//go:build linux

package main_test

import (
	"bytes"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// player is a client in a window of its own, on a virtual display.
type player struct {
	*process
	display, trace, id string
}

// startPlayer starts a client at the articles' condition and puts its window somewhere.
func startPlayer(t *testing.T, display, link, name, x string, args ...string) *player {
	t.Helper()
	p := &player{display: display, trace: filepath.Join(t.TempDir(), name+".csv")}
	args = append([]string{"client", "-connect", link, "-latency", "200ms", "-jitter", "20ms", "-loss", "0.15", "-size", "320x240", "-fps", "30", "-trace", p.trace}, args...)
	cmd := exec.Command(built(t, false), args...)
	cmd.Env = append(noDisplay(), "DISPLAY="+display)
	p.process = launch(t, cmd)
	p.await("playing", 1)
	p.id = strings.TrimSpace(p.xdotool("search", "--all", "--pid", strconv.Itoa(cmd.Process.Pid), "--name", "Tandem arena"))
	p.xdotool("windowmove", p.id, x, "0")
	return p
}

func (p *player) xdotool(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("xdotool", args...)
	cmd.Env = append(noDisplay(), "DISPLAY="+p.display)
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("xdotool %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// press presses and releases a key in this window, and waits for the client's remark.
func (p *player) press(key, says string) {
	p.t.Helper()
	n := strings.Count(p.output(), says)
	p.xdotool("windowfocus", "--sync", p.id)
	p.xdotool("key", "--delay", "60", key)
	if says != "" {
		p.await(says, n+1)
	}
}

// hold holds a key or, with a number, a button of the mouse down until something is so.
func (p *player) hold(key, what string, holds func() bool) {
	p.t.Helper()
	p.xdotool("windowfocus", "--sync", p.id)
	down, up := "keydown", "keyup"
	if key == "1" || key == "3" {
		down, up = "mousedown", "mouseup"
	}
	p.xdotool(down, key)
	defer p.xdotool(up, key)
	p.until(what, holds)
}

func (p *player) until(what string, holds func() bool) {
	p.t.Helper()
	for begin := time.Now(); !holds(); time.Sleep(30 * time.Millisecond) {
		if time.Since(begin) > patience {
			p.t.Fatalf("waited %v for %s\n%s", patience, what, p.output())
		}
	}
}

// at returns where something was drawn last in this window.
func (p *player) at(name string) (x, y, z float64, ok bool) {
	data, err := os.ReadFile(p.trace)
	if err != nil {
		return 0, 0, 0, false
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	i := bytes.LastIndex(data, []byte(","+name+","))
	if i < 0 {
		return 0, 0, 0, false
	}
	line, _, _ := bytes.Cut(data[i+1:], []byte("\n"))
	f := strings.Split(string(line), ",") // from the name on: l has seven columns, then v
	for k, v := range []*float64{&x, &y, &z} {
		if *v, err = strconv.ParseFloat(f[8+k], 64); err != nil {
			p.t.Fatal(err)
		}
	}
	return x, y, z, true
}

// Three processes run: a server, and two clients in windows side by side. Real keys and buttons
// make the players walk, jump and shoot, and switch every setting. Each client sees the actions of
// the other. Nothing here has to be fast, since the test waits for every effect.
func TestArenaWindows(t *testing.T) {
	if testing.Short() {
		t.Skip("runs for seconds of real time")
	}
	for _, tool := range []string{"Xvfb", "xdotool"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	display := virtualDisplay(t)
	server := start(t, "server", "-listen", "127.0.0.1:0", "-metrics", "127.0.0.1:0", "-crates", "0", "-round", "0")
	dir := t.TempDir()
	a := startPlayer(t, display, server.link(), "a", "0", "-dir", dir)
	b := startPlayer(t, display, server.link(), "b", "320")
	a.until("both see both", func() bool {
		_, _, _, one := a.at("player-2")
		_, _, _, two := b.at("player-1")
		return one && two
	})

	// Walk towards the middle, where nothing is in the way at once, and be seen to have walked.
	_, _, from, _ := a.at("me")
	key, sign := "w", -1.0
	if from < 0 {
		key, sign = "s", 1.0
	}
	a.hold(key, "a to walk", func() bool {
		_, _, z, _ := a.at("me")
		return (z-from)*sign > 0.8
	})
	b.until("b to see where a is", func() bool {
		x, _, z, _ := a.at("me")
		u, _, w, _ := b.at("player-1")
		return (z-from)*sign > 0.8 && abs(x-u) < 0.05 && abs(z-w) < 0.05
	})
	a.hold("space", "a to jump", func() bool {
		_, y, _, _ := a.at("me")
		return y > 0.2
	})
	b.hold("space", "b to jump, too: keys go to the window that has them", func() bool {
		_, y, _, _ := b.at("me")
		return y > 0.2
	})
	shots := regexp.MustCompile(`"shots": [1-9]`)
	a.xdotool("mousemove", "--window", a.id, "200", "60")
	a.hold("1", "a to shoot", func() bool { return shots.MatchString(get(t, "http://"+server.served()+"/debug/vars")) })

	rockets := regexp.MustCompile(`"rockets": [1-9]`)
	a.hold("3", "a to launch a rocket", func() bool { return rockets.MatchString(get(t, "http://"+server.served()+"/debug/vars")) })

	pushes := regexp.MustCompile(`"pushes": [1-9]`)
	a.press("e", "")
	a.until("a to push", func() bool { return pushes.MatchString(get(t, "http://"+server.served()+"/debug/vars")) })

	for _, step := range []struct{ key, says string }{
		{"F2", "prediction off"}, {"F2", "prediction on"}, {"F3", "reconciliation off"}, {"F3", "reconciliation on"}, {"F4", "others: "}, {"shift+F4", "others: Tandem"},
		{"n", "graphs off"}, {"n", "graphs on"}, {"o", "captions only"}, {"o", "overlay off"}, {"o", "overlay on"}, {"F5", "the camera stands still"}, {"F5", "the camera follows"},
		{"l", "round trip 300ms"}, {"shift+l", "round trip 200ms"}, {"k", "round trip ± 50ms"}, {"shift+k", "round trip ± 20ms"}, {"m", "30 % lost"},
		{"shift+m", "15 % lost"}, {"b", "losses in bursts on"}, {"y", "10 % twice"}, {"q", "10 % overtaken"}, {"p", "this key is for scenes"}, {"1", "other players are here"},
	} {
		a.press(step.key, step.says)
	}
	if out := b.output(); strings.Contains(out, "prediction") {
		t.Errorf("what a has switched, b says, too:\n%s", out)
	}

	a.press("g", "ghosts on")
	a.press("F12", "arena-1.png")
	a.press("h", "")
	a.press("F12", "arena-2.png")
	dark := func(name string) (n int) { // how many pixels are
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		picture, err := png.Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		for y := range 240 {
			for x := range 320 {
				if r, g, b, _ := picture.At(x, y).RGBA(); r+g+b < 3*0x4000 {
					n++
				}
			}
		}
		return n
	}
	if plain, help := dark("arena-1.png"), dark("arena-2.png"); help < plain+320*240/3 {
		t.Errorf("the panel of keys covers %d dark pixels, without it there are %d", help, plain)
	}
	a.press("Escape", "") // leaves the panel
	a.press("g", "ghosts off")
	a.press("Escape", "corrections")
	if code := a.end(); code != 0 {
		t.Errorf("exit code %d\n%s", code, a.output())
	}
	server.await("player=1 reason=left", 1)
}

func abs(v float64) float64 { return max(v, -v) }
