//go:build linux

package main_test

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// patience is how long the test waits for anything before it gives up. Nothing in it takes that
// long; machines may be slow.
const patience = time.Minute

// TestWindow presses real keys in a real window, on a virtual display, and reads in the trace what
// came of them.
func TestWindow(t *testing.T) {
	for _, tool := range []string{"Xvfb", "xdotool"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	display := virtualDisplay(t)
	dir := t.TempDir()
	w := &windowed{t: t, display: display, trace: filepath.Join(dir, "trace.csv")}
	cmd := exec.Command(built(t, false), "-scene", "lanes", "-hz", "10", "-size", "240x160", "-fps", "60", "-trace", w.trace, "-dir", dir)
	cmd.Env = append(noDisplay(), "DISPLAY="+display)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	t.Cleanup(func() {
		cmd.Process.Kill() // it is over unless the test has failed
		<-done
	})
	w.exited = func() bool {
		select {
		case err := <-done:
			done <- err
			return true
		default:
			return false
		}
	}
	w.said = &said

	w.until("the window draws", func(rows []row) bool { return len(rows) > 5 })
	w.press("Left", "Left")
	w.until("slow motion, a quarter", func(rows []row) bool {
		a, b, ok := lastTwo(rows)
		return ok && 4*(b.normal-a.normal) <= b.real-a.real+4 && 4*(b.normal-a.normal) >= b.real-a.real-4 && b.real > a.real
	})
	w.press("Right", "Right", "Up")
	w.until("15 steps a second", func(rows []row) bool {
		n := len(rows)
		for i := n - 1; i > 0 && rows[i].tick+3 > rows[n-1].tick; i-- {
			if d := rows[i].fixed - rows[i-1].fixed; rows[i].tick == rows[i-1].tick+1 && (d == 66666666 || d == 66666667) {
				return true
			}
		}
		return false
	})
	w.press("i")
	w.until("no interpolation", func(rows []row) bool { return len(rows) > 0 && rows[len(rows)-1].vx == rows[len(rows)-1].lx })
	w.press("i", "p")
	var paused row
	w.until("a pause, interpolated again", func(rows []row) bool {
		if len(rows) < 10 {
			return false
		}
		paused = rows[len(rows)-1]
		return paused.normal == rows[len(rows)-10].normal && paused.real > rows[len(rows)-10].real && (paused.vx != paused.lx || paused.normal == paused.fixed-1)
	})
	w.press("period")
	w.until("one step, to its end", func(rows []row) bool {
		last := rows[len(rows)-1]
		return last.tick == paused.tick+1 && last.normal == last.fixed-1
	})
	w.press("F12")
	w.until("a screenshot", func([]row) bool {
		info, err := os.Stat(filepath.Join(dir, "lanes-1.png"))
		return err == nil && info.Size() > 1000
	})
	w.press("3")
	w.until("another scene", func(rows []row) bool { return rows[len(rows)-1].name == "spawned-smeared" })
	w.press("7")
	w.until("a match of two, as a scene like the others", func(rows []row) bool { return strings.HasPrefix(rows[len(rows)-1].name, "2:") })
	w.press("3")
	w.until("a scene again", func(rows []row) bool { return rows[len(rows)-1].name == "spawned-smeared" })
	w.press("h", "Escape") // the panel first
	w.press("Escape")
	select {
	case err := <-done:
		done <- err
		if err != nil {
			t.Errorf("it ended with %v\n%s", err, said.String())
		}
	case <-time.After(patience):
		t.Fatalf("Escape does not close the window")
	}
	if !strings.Contains(said.String(), "fixed steps") || !strings.Contains(said.String(), "wrote "+w.trace) {
		t.Errorf("it said:\n%s", said.String())
	}
}

// virtualDisplay starts an X server of its own and returns its display.
func virtualDisplay(t *testing.T) string {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	server := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "640x480x24", "-nolisten", "tcp")
	server.ExtraFiles = []*os.File{write}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
	})
	read.SetReadDeadline(time.Now().Add(patience))
	number, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb does not say which display it serves: %v", err)
	}
	return ":" + strings.TrimSpace(number)
}

// windowed is a demo that runs in a window.
type windowed struct {
	t       *testing.T
	display string
	trace   string
	exited  func() bool
	said    *bytes.Buffer
}

type row struct {
	real, normal, fixed int64
	tick                uint64
	name, lx, vx        string
}

func (w *windowed) press(keys ...string) {
	w.t.Helper()
	cmd := exec.Command("xdotool", append([]string{"key", "--delay", "60"}, keys...)...)
	cmd.Env = append(noDisplay(), "DISPLAY="+w.display)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("xdotool key %v: %v\n%s", keys, err, out)
	}
}

// until waits until the trace fulfils a condition.
func (w *windowed) until(what string, holds func([]row) bool) {
	w.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		if rows := w.rows(); len(rows) > 0 && holds(rows) {
			return
		}
		if w.exited() {
			w.t.Fatalf("waiting for %s, but the demo has ended:\n%s", what, w.said)
		}
	}
	rows := w.rows()
	w.t.Fatalf("waited %v for %s; the last rows are\n%+v", patience, what, rows[max(0, len(rows)-5):])
}

// rows reads what the trace holds so far, without a last line that is not complete.
func (w *windowed) rows() (rows []row) {
	w.t.Helper()
	data, err := os.ReadFile(w.trace)
	if err != nil {
		return nil
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	r := csv.NewReader(bytes.NewReader(data))
	for {
		f, err := r.Read()
		if err == io.EOF {
			return rows
		}
		if err != nil {
			w.t.Fatal(err)
		}
		if f[0] == "frame" {
			continue
		}
		rows = append(rows, row{real: integer(w.t, f[1]), normal: integer(w.t, f[2]), fixed: integer(w.t, f[3]), tick: uint64(integer(w.t, f[4])), name: f[5], lx: f[6], vx: f[13]})
	}
}

func integer(t *testing.T, text string) int64 {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// lastTwo returns the last two rows.
func lastTwo(rows []row) (a, b row, ok bool) {
	if len(rows) < 2 {
		return a, b, false
	}
	return rows[len(rows)-2], rows[len(rows)-1], true
}
