package bench

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// peer is another program that takes turns with this one. It is started with the sizes as its last
// argument. Each line on its standard input is a size. It answers with lines "name.size
// nanoseconds-per-entity", or "note TEXT" for a note on the page, and then "end".
type peer struct {
	in  io.WriteCloser
	out *bufio.Scanner
}

// startPeer starts a command, whose words have spaces between them. The peer ends with the test.
func startPeer(t *testing.T, command, sizes string) *peer {
	t.Helper()
	words := append(strings.Fields(command), sizes)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("cannot start %s: %v", command, err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	})
	return &peer{in, bufio.NewScanner(out)}
}

func (p *peer) round(t *testing.T, r *results, size int, keep bool) {
	t.Helper()
	if _, err := fmt.Fprintln(p.in, size); err != nil {
		t.Fatalf("a peer has stopped: %v", err)
	}
	for p.out.Scan() {
		line := p.out.Text()
		if line == "end" {
			return
		}
		if note, ok := strings.CutPrefix(line, "note "); ok {
			if !slices.Contains(r.notes, note) {
				r.notes = append(r.notes, note)
			}
			continue
		}
		name, value, _ := strings.Cut(line, " ")
		dot := strings.LastIndexByte(name, '.')
		n, err := strconv.Atoi(name[dot+1:])
		v, err2 := strconv.ParseFloat(value, 64)
		if err != nil || err2 != nil || dot < 0 {
			t.Fatalf("a peer said %q; want 'name.size value'", line)
		}
		if keep {
			r.add(name[:dot], n, v)
		}
	}
	t.Fatal("a peer has stopped in the middle of a round")
}
