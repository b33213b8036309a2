package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// peer is another program that takes turns with this one. It is started with the sizes as its
// argument. Each line on its standard input is a size. It answers with lines "name.size
// nanoseconds-per-entity", or "note TEXT" for a note on the page, and then "end".
type peer struct {
	in  io.WriteCloser
	out *bufio.Scanner
}

func startPeer(program, sizes string) *peer {
	cmd := exec.Command(program, sizes)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		fail("%v", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		fail("%v", err)
	}
	if err := cmd.Start(); err != nil {
		fail("cannot start %s: %v", program, err)
	}
	return &peer{in, bufio.NewScanner(out)}
}

func (p *peer) round(r *results, size int, keep bool) {
	if _, err := fmt.Fprintln(p.in, size); err != nil {
		fail("a peer has stopped: %v", err)
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
			fail("a peer said %q; want 'name.size value'", line)
		}
		if keep {
			r.add(name[:dot], n, v)
		}
	}
	fail("a peer has stopped in the middle of a round")
}
