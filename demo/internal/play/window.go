package play

import (
	"context"
	"fmt"
	"image"
	"time"

	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/record"
	"github.com/tandem-ecs/tandem/render/window"
)

// stage is a window while it is played in.
type stage struct {
	t        *table
	win      *window.Window
	pilot    *human
	controls controls
	keys     []binding
	taken    keyClip
	picture  *image.RGBA
	now      time.Duration // since the window opened
	toast    string        // a passing remark
	until    time.Duration // when it has passed
	wanted   bool          // a picture of the next frame is
	number   uint16        // of the player in the title; 0: none yet
}

// window plays in a window.
func (t *table) window(ctx context.Context) error {
	width, height := t.show.width, t.show.height
	if width == 0 {
		width, height = 1280, 720
	}
	win, err := window.Open(window.Config{Title: "Tandem arena", Width: width, Height: height})
	if err != nil {
		return err
	}
	defer win.Close()
	me := t.seats[0]
	s := &stage{t: t, win: win, pilot: &human{down: win.Down}, controls: controls{on: t.show.on, link: me.Link()}, keys: bindings()}
	s.controls.on.Hint = true
	for _, seat := range t.seats {
		seat.Set(s.controls.on)
	}
	defer s.taken.abort()
	if !t.show.auto {
		me.SetPilot(s.pilot)
	}
	s.toast, s.until = "W A S D to run, the mouse to aim and shoot, H for all keys", 4*time.Second
	var pacer render.Pacer
	start := time.Now()
	length := time.Duration(t.show.seconds * float64(time.Second))
	for !win.ShouldClose() && ctx.Err() == nil && (length == 0 || s.now < length) {
		if err := s.events(); err != nil {
			return err
		}
		now := time.Since(start)
		real := now - s.now
		s.now = now
		t.advance(real)
		if n := me.Client().Number(); n != s.number {
			s.number = n
			win.SetTitle(fmt.Sprintf("Tandem arena, player %d", n))
		}
		if err := t.draw(win, s.over); err != nil {
			return err
		}
		if err := s.capture(real); err != nil {
			return err
		}
		time.Sleep(pacer.Wait(time.Since(start), float64(t.show.fps)))
	}
	return s.end()
}

// events obeys what the window has reported.
func (s *stage) events() error {
	before := s.controls
	for e, ok := s.win.Poll(); ok; e, ok = s.win.Poll() {
		s.pilot.event(e)
		switch e.Kind {
		case render.Scroll:
			for _, seat := range s.t.seats {
				seat.Zoom(e.Y)
			}
		case render.KeyPress:
			was := s.controls
			s.act(s.controls.press(s.keys, e.Key))
			if text := describe(was, s.controls); text != "" {
				s.say(text)
			}
		}
	}
	if s.controls == before {
		return nil
	}
	for _, seat := range s.t.seats {
		seat.Set(s.controls.on)
		if err := seat.SetLink(s.controls.link); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) act(a action) {
	switch a {
	case quit:
		s.win.RequestClose()
	case fullscreen:
		s.win.SetFullscreen(!s.win.Fullscreen())
	case pushNow:
		s.pilot.pushed = true
	case screenshot:
		s.wanted = true
	case clip:
		name, err := s.taken.toggle(s.t)
		s.say(told(name, err))
	}
}

// say shows a remark for a while, and writes it down.
func (s *stage) say(text string) {
	s.toast, s.until = text, s.now+2*time.Second
	fmt.Fprintln(s.t.stderr, text)
}

// over draws what lies over the picture.
func (s *stage) over(o *render.Overlay) {
	if s.now < s.until {
		drawToast(o, s.toast)
	}
	if s.controls.help {
		drawHelp(o, s.keys)
	}
}

// capture gives the picture to those that record.
func (s *stage) capture(real time.Duration) (err error) {
	t := s.t
	if s.wanted {
		s.wanted = false
		name, err := t.freeName(".png")
		if err == nil {
			err = s.save(name)
		}
		s.say(told(name, err))
	}
	if s.win.Minimised() || t.clip == nil && s.taken.recorder == nil {
		return nil
	}
	if s.picture, err = s.win.Capture(s.picture); err != nil {
		return err
	}
	if t.clip != nil {
		if err := t.clip.Frame(s.picture, real); err != nil {
			return err
		}
	}
	if s.taken.recorder != nil {
		if err := s.taken.recorder.Frame(s.picture, real); err != nil {
			s.say(err.Error())
			s.taken.abort()
		}
	}
	return nil
}

// save writes the picture that is in the window.
func (s *stage) save(name string) error {
	p, err := s.win.Capture(nil)
	if err != nil {
		return err
	}
	return record.SavePNG(name, p)
}

// end completes what was recorded by key, and the last picture.
func (s *stage) end() error {
	if s.taken.recorder != nil {
		if name, err := s.taken.toggle(s.t); err == nil {
			fmt.Fprintln(s.t.stdout, "wrote "+name)
		}
	}
	if s.t.show.screenshot == "" {
		return nil
	}
	if err := s.save(s.t.show.screenshot); err != nil {
		return err
	}
	fmt.Fprintln(s.t.stdout, "wrote "+s.t.show.screenshot)
	return nil
}

// told is what to say of a file that a key has asked for.
func told(name string, err error) string {
	if err != nil {
		return err.Error()
	}
	return name
}
