package play

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/arena/seat"
	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/trace"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/record"
)

// table is everything that runs in this process: at most one house, and the seats before its picture.
type table struct {
	house   *house // nil: the server is elsewhere
	seats   []*seat.Seat
	virtual bool   // nothing outside takes part, so that time may run as fast as the machine can
	settle  func() // waits until the seats' goodbyes have left; nil: they need no time
	show    *showing
	stdout  io.Writer
	stderr  io.Writer

	frame   *render.Frame
	brushes []scene.Brush
	rows    *trace.Writer
	traced  *os.File
	clip    record.Recorder
	frames  int
	said    []string // by seat: the last status
}

// update lets time pass for everybody.
func (t *table) update(real time.Duration) {
	if t.house != nil {
		t.house.update(real)
		t.house.publish(false)
	}
	for _, s := range t.seats {
		s.Advance(real)
	}
}

// advance runs one frame and writes its rows.
func (t *table) advance(real time.Duration) {
	t.update(real)
	for i, s := range t.seats {
		if text := s.Status(); text != t.said[i] {
			t.said[i] = text
			fmt.Fprintf(t.stderr, "%s%s\n", t.name(i), text)
		}
		if t.rows != nil {
			prefix := ""
			if len(t.seats) > 1 {
				prefix = fmt.Sprintf("%d:", i+1)
			}
			now := s.Engine().Time()
			s.Trace(func(name string, logical, visual components.Pose3D) {
				t.rows.Row(t.frames, now, prefix+name, logical, visual)
			})
		}
	}
	t.frames++
}

func (t *table) name(i int) string {
	if len(t.seats) == 1 {
		return ""
	}
	return fmt.Sprintf("client %d: ", i+1)
}

// draw draws the present moment, every seat in a column of its own.
func (t *table) draw(surface render.Surface, over func(o *render.Overlay)) error {
	t.frame.Begin(surface.Size())
	if t.frame.Size.Empty() {
		return nil
	}
	for i, s := range t.seats {
		part := render.Whole()
		if len(t.seats) > 1 {
			part = part.Column(i, len(t.seats), 0.006)
		}
		t.brushes[i].Reset()
		s.Draw(t.frame, part, &t.brushes[i])
	}
	if over != nil {
		over(&t.frame.Overlay)
	}
	return surface.Draw(t.frame)
}

// run plays until it is over, in a window or without one.
func (t *table) run(ctx context.Context) (err error) {
	t.frame = render.NewFrame(seat.Theme())
	t.brushes = make([]scene.Brush, len(t.seats))
	t.said = make([]string, len(t.seats))
	if err := t.open(); err != nil {
		return err
	}
	defer t.abort()
	for _, s := range t.seats {
		s.Set(t.show.on)
	}
	if t.show.headless {
		err = t.headless(ctx)
	} else {
		err = t.window(ctx)
	}
	if err != nil {
		return err
	}
	for i, s := range t.seats {
		st := s.Client().Stats()
		fmt.Fprintf(t.stdout, "%s%d frames, %d snapshots, rtt %d ms, delay %d ms, loss %.1f %%, starved %.2f %%, corrections %d, reconnects %d\n", t.name(i), t.frames, st.Snapshots,
			st.RTT.Milliseconds(), st.Delay.Milliseconds(), 100*st.Loss, 100*float64(st.Starved)/float64(max(st.Sampled, 1)), st.Corrections, st.Reconnects)
	}
	return t.finish()
}

// over reports whether every seat has come to its end.
func (t *table) over() bool {
	for _, s := range t.seats {
		if !s.Ended() {
			return false
		}
	}
	return true
}
