package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// place is a zone with its process, which a goroutine begins again whenever it ends, in the same
// folder: a lock there proves that the one before has ended, so the zone is taken at once.
type place struct {
	*zone
	s *supervisor

	mu      sync.Mutex
	cmd     *exec.Cmd // nil: none runs
	folder  int       // counts machines that have had the zone
	figures figures
	told    time.Time // when the figures came; zero: no process of the zone simulates yet
	event   string    // the newest one, such as "killed"
	since   time.Time // of the event
	starts  int
	ended   bool
	asleep  []*os.Process // that were stopped, to be killed at the end
}

// supervisor begins and ends the processes of the world.
type supervisor struct {
	dir, nats string
	rate      int
	crates    int
	peace     bool
	log       io.Writer
	places    [len(allZones)]*place
	all       sync.WaitGroup

	botsIn io.WriteCloser
	wanted crowd
	crowd  crowdFigures
	mu     sync.Mutex // of crowd
}

// restartAfter is how long a process that has ended is left alone.
const restartAfter = 300 * time.Millisecond

// begin begins the processes.
func (s *supervisor) begin() error {
	if err := s.beginBots(); err != nil {
		return err
	}
	for i := range allZones {
		p := &place{zone: &allZones[i], s: s}
		s.places[i] = p
		s.all.Go(func() { p.keep(0) })
	}
	return nil
}

// child returns a process of this program. It ends with its standard input.
func child(log io.Writer, args ...string) (cmd *exec.Cmd, in io.WriteCloser, out io.ReadCloser, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, nil, nil, err
	}
	cmd = exec.Command(program, args...)
	cmd.Env = append(os.Environ(), childMark+"=1")
	cmd.Stderr = log
	if in, err = cmd.StdinPipe(); err == nil {
		out, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	return cmd, in, out, err
}

// childMark is set in the environment of child processes, so that the test's binary is one, too.
const childMark = "TANDEM_WORLD_CHILD"

// keep runs the zone's process in one folder, again and again, until the zone is on another one.
func (p *place) keep(folder int) {
	dir := filepath.Join(p.s.dir, fmt.Sprintf("%s-%d", p.name, folder+1))
	for {
		p.mu.Lock()
		over := p.ended || p.folder != folder
		p.mu.Unlock()
		if over {
			return
		}
		cmd, in, out, err := child(p.s.log, "zone", "-name", p.name, "-nats", p.s.nats, "-dir", dir, "-hz", fmt.Sprint(p.s.rate), "-crates", fmt.Sprint(p.s.crates))
		if err != nil {
			fmt.Fprintf(p.s.log, "world: zone %s does not begin: %v\n", p.name, err)
			time.Sleep(time.Second)
			continue
		}
		p.mu.Lock()
		if p.folder == folder {
			p.cmd = cmd
			p.starts++
		}
		p.mu.Unlock()
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			var f figures
			if json.Unmarshal(lines.Bytes(), &f) == nil {
				p.note(folder, f)
			}
		}
		in.Close()
		err = cmd.Wait()
		p.mu.Lock()
		if p.folder == folder {
			p.cmd = nil
			if p.event == "" || time.Since(p.since) > 2*time.Second {
				p.event, p.since = "ended", time.Now()
			}
			p.told = time.Time{}
		} else if err != nil {
			p.event, p.since = "the stopped process woke fenced, and has ended", time.Now()
		}
		p.mu.Unlock()
		time.Sleep(restartAfter)
	}
}

// note takes the figures of a process.
func (p *place) note(folder int, f figures) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.folder != folder {
		return // the process was stopped; another one has the zone
	}
	if p.told.IsZero() && f.Figures.Active {
		if p.event != "" {
			p.event = fmt.Sprintf("back %.1f s after it was %s", time.Since(p.since).Seconds(), p.event)
		}
		p.since = time.Now()
	}
	if f.Figures.Active {
		p.told = time.Now()
	}
	p.figures = f
}

// kill ends the zone's process as a crash does.
func (p *place) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		_ = p.cmd.Process.Kill()
		p.event, p.since, p.told = "killed", time.Now(), time.Time{}
	}
}

// stop stops the zone's process for a while, as a machine that hangs. Another process, in another
// folder, waits until the lease is over and takes the zone.
func (p *place) stop(d time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return nil
	}
	process := p.cmd.Process
	if err := suspend(process); err != nil {
		return err
	}
	p.asleep = append(p.asleep, process)
	p.event, p.since, p.told = "stopped", time.Now(), time.Time{}
	p.folder++
	folder := p.folder
	p.s.all.Go(func() { p.keep(folder) })
	p.s.all.Go(func() {
		for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			if p.over() {
				break
			}
		}
		resume(process)
	})
	return nil
}

func (p *place) over() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// status is what the window shows of a zone.
type status struct {
	figures
	running bool   // a process simulates the zone
	event   string // the newest one
	since   time.Duration
	starts  int
}

func (p *place) status() status {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := status{figures: p.figures, event: p.event, starts: p.starts}
	if !p.since.IsZero() {
		s.since = time.Since(p.since)
	}
	s.running = !p.told.IsZero() && time.Since(p.told) < 2*time.Second
	return s
}

// beginBots begins the process of the bots.
func (s *supervisor) beginBots() error {
	cmd, in, out, err := child(s.log, "bots", "-hz", fmt.Sprint(s.rate), fmt.Sprintf("-peace=%v", s.peace))
	if err != nil {
		return err
	}
	s.botsIn = in
	s.all.Go(func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			var f crowdFigures
			if json.Unmarshal(lines.Bytes(), &f) == nil {
				s.mu.Lock()
				s.crowd = f
				s.mu.Unlock()
			}
		}
		_ = cmd.Wait()
	})
	return nil
}

// tellBots tells the bots where the zones are, and how many of them are wanted.
func (s *supervisor) tellBots(n int) {
	c := crowd{Bots: n}
	for _, p := range s.places {
		if st := p.status(); st.running {
			c.Links = append(c.Links, st.Link)
		}
	}
	if fmt.Sprint(c) != fmt.Sprint(s.wanted) {
		s.wanted = c
		_ = json.NewEncoder(s.botsIn).Encode(c) // if the process has ended, its figures stand still
	}
}

// botFigures returns the figures of the bots.
func (s *supervisor) botFigures() crowdFigures {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.crowd
}

// end ends all processes, and waits for them.
func (s *supervisor) end() {
	s.botsIn.Close()
	for _, p := range s.places {
		p.mu.Lock()
		p.ended = true
		if p.cmd != nil {
			_ = interrupt(p.cmd.Process)
		}
		for _, process := range p.asleep {
			_ = process.Kill() // it may have ended long ago
		}
		p.mu.Unlock()
	}
	s.all.Wait()
}
