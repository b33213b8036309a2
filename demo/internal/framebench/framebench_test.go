//go:build linux

// Package framebench measures the processor time of frames of the stress scene without drawing,
// with poses blended on the CPU and on the GPU. With -serve its test takes turns with
// systems/bench: for each line on the standard input, a size, it prints lines "name.size
// nanoseconds" and "end".
//
// Figures are processor time of the thread per frame and cube, at 240 frames and 20 fixed steps a
// second, averaged over frames with and without a step:
//
//	capture     in fixed steps
//	sync        the synchroniser
//	instances   building the drawn batches (Draw of the scene)
//	upload      handing them to the driver
//	total       of the last three
//	bytes       uploaded bytes, instead of nanoseconds
//
// Reading the thread's clock takes half a microsecond, more than some of the figures. That time is
// subtracted.
package framebench

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/tandem-ecs/tandem/demo/internal/scene"
	"github.com/tandem-ecs/tandem/demo/internal/scenes/stress"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/offscreen"
	"github.com/tandem-ecs/tandem/systems/hierarchy"
	"github.com/tandem-ecs/tandem/systems/interpolation"
)

// Sizes to measure. A smaller scene costs next to nothing, and a larger one cannot be drawn in
// time.
const fewest, most = 10_000, 100_000

const frameRate, fixedRate = 240, 20

var serve = flag.Bool("serve", false, "take turns with systems/bench, over the standard input and output")

// The frames of both ways can be drawn and measured.
func TestFramePeer(t *testing.T) {
	if !*serve {
		if err := answer(strings.NewReader(strconv.Itoa(fewest)), t.Output()); err != nil {
			t.Error(err)
		}
		return
	}
	if err := answer(os.Stdin, os.Stdout); err != nil {
		log.Fatal("frame peer: ", err) // the standard output is for answers alone
	}
}

// answer answers each line, a number of cubes.
func answer(questions io.Reader, answers io.Writer) error {
	var way [2]map[int]*sea
	surface, err := offscreen.New(offscreen.Config{Width: 64, Height: 36, Quality: render.QualityPlain})
	note := "note Nothing was measured: this machine cannot draw off screen."
	switch {
	case errors.Is(err, offscreen.ErrUnavailable):
	case err != nil:
		return err
	default:
		defer surface.Close()
		note = "note OpenGL by " + surface.Driver() + "."
	}
	in, out := bufio.NewScanner(questions), bufio.NewWriter(answers)
	for in.Scan() {
		n, err := strconv.Atoi(strings.TrimSpace(in.Text()))
		if err != nil {
			return fmt.Errorf("%q is no size; write a number of cubes a line", in.Text())
		}
		fmt.Fprintln(out, note)
		for k, name := range []string{"cpu", "gpu"} {
			if n < fewest || n > most || surface == nil {
				continue
			}
			if way[k] == nil {
				way[k] = map[int]*sea{}
			}
			if way[k][n] == nil {
				if way[k][n], err = newSea(surface, n, k == 1); err != nil {
					return err
				}
			}
			used, err := way[k][n].round()
			if err != nil {
				return err
			}
			for _, figure := range used {
				fmt.Fprintf(out, "scene.%s.%s.%d %.4f\n", name, figure.name, n, figure.ns)
			}
		}
		fmt.Fprintln(out, "end")
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return in.Err()
}

// sea is the scene on an engine of its own, with clocks between its systems.
type sea struct {
	engine  *ecs.Engine
	scene   scene.Scene
	surface *offscreen.Surface
	frame   *render.Frame
	brush   scene.Brush
	n       int

	capture, sync  time.Duration
	captures, sent int
}

func newSea(surface *offscreen.Surface, n int, gpu bool) (*sea, error) {
	e, err := ecs.New(ecs.Config{FixedRate: fixedRate})
	if err != nil {
		return nil, err
	}
	s := &sea{engine: e, scene: stress.New(), surface: surface, frame: render.NewFrame(render.Dusk()), n: n}
	poses, tree := interpolation.New3D(), hierarchy.New3D()
	e.Install(poses, tree)
	s.scene.Setup(&scene.Stage{Engine: e, Poses: poses, Hierarchy: tree, Random: rand.New(rand.NewPCG(1, 0)), Entities: n, GPU: gpu})
	var begun time.Duration
	begin := func() ecs.SystemFunc { return func(*arche.World) { begun = threadTime() } }
	end := func(sum *time.Duration) ecs.SystemFunc {
		return func(*arche.World) { *sum += threadTime() - begun }
	}
	e.AddAt(ecs.FixedEnd, ecs.OrderCapture-1, begin())
	e.AddAt(ecs.FixedEnd, ecs.OrderCapture+1, end(&s.capture))
	e.AddAt(ecs.FixedEnd, ecs.OrderCapture+2, ecs.SystemFunc(func(*arche.World) { s.captures++ }))
	e.AddAt(ecs.VisualSync, ecs.OrderSync-2, begin())
	e.AddAt(ecs.VisualSync, hierarchy.OrderPropagate+1, end(&s.sync))
	// The first picture is drawn completely, which checks that the measured frames are drawable.
	for range 2 * frameRate / fixedRate {
		if _, _, err := s.picture(); err != nil {
			return nil, err
		}
	}
	return s, s.surface.Draw(s.frame)
}

// figure is one measured part of a frame.
type figure struct {
	name string
	ns   float64 // per frame and cube
}

func (s *sea) round() ([]figure, error) {
	s.capture, s.sync, s.captures, s.sent = 0, 0, 0, 0
	frames := 4 * frameRate / fixedRate // whole steps
	if s.n < most {
		frames *= 4
	}
	var instances, upload time.Duration
	for range frames {
		i, u, err := s.picture()
		if err != nil {
			return nil, err
		}
		instances += i
		upload += u
		s.sent += s.surface.Stats().Uploaded
	}
	clock := clockCost()
	per := func(d time.Duration, times int) float64 {
		return float64(max(0, d-time.Duration(times)*clock).Nanoseconds()) / float64(frames) / float64(s.n)
	}
	return []figure{
		{"capture", per(s.capture, s.captures)}, {"sync", per(s.sync, frames)}, {"instances", per(instances, frames)}, {"upload", per(upload, frames)},
		{"total", per(s.sync+instances+upload, 3*frames)}, {"bytes", float64(s.sent) / float64(frames) / float64(s.n)},
	}, nil
}

// clockCost returns the least time between two readings of the clock.
func clockCost() time.Duration {
	least := time.Second
	for range 200 {
		begun := threadTime()
		least = min(least, threadTime()-begun)
	}
	return least
}

// picture runs one frame up to the upload.
func (s *sea) picture() (instances, upload time.Duration, err error) {
	s.engine.Update(time.Second / frameRate)
	s.frame.Begin(s.surface.Size())
	view := s.frame.View(render.LookAt(mgl32.Vec3{0, 8, 30}, mgl32.Vec3{0, 3, 0}))
	s.brush.Reset()
	begun := threadTime()
	s.scene.Draw(&scene.Picture{View: view, Overlay: &s.frame.Overlay, Theme: &s.frame.Theme, Brush: &s.brush, Now: s.engine.Time()})
	built := threadTime()
	err = s.surface.Upload(s.frame)
	return built - begun, threadTime() - built, err
}

// threadTime returns the processor time of this thread. Package offscreen locks the goroutine to
// it.
func threadTime() time.Duration {
	const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID
	var now syscall.Timespec
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&now)), 0); errno != 0 {
		panic(errno)
	}
	return time.Duration(now.Nano())
}
