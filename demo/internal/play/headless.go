package play

import (
	"context"
	"fmt"
	"image"
	"time"

	"github.com/tandem-ecs/tandem/render/offscreen"
	"github.com/tandem-ecs/tandem/render/record"
)

// headless runs without a window: in virtual time where everything is in this process, else by the clock.
func (t *table) headless(ctx context.Context) error {
	var surface *offscreen.Surface
	if t.clip != nil || t.show.screenshot != "" {
		width, height := t.show.width, t.show.height
		if width == 0 {
			width, height = 640, 360
		}
		var err error
		if surface, err = offscreen.New(offscreen.Config{Width: width, Height: height}); err != nil {
			return fmt.Errorf("cannot draw off screen: %w\n(figures need no graphics: leave out -record and -screenshot)", err)
		}
		defer surface.Close()
	}
	const finest = time.Second / 240
	skip := time.Duration(t.show.skip * float64(time.Second))
	var picture *image.RGBA
	each := time.Second / time.Duration(t.show.fps)
	length := time.Duration(t.show.seconds * float64(time.Second))
	start := time.Now()
	for at := time.Duration(0); at < length && ctx.Err() == nil && !t.over(); {
		real := each
		if !t.virtual {
			time.Sleep(at + each - time.Since(start))
			real = time.Since(start) - at
		}
		at += real
		shown := real
		// Clips have few frames, networks do not wait for them.
		for ; t.virtual && real > finest; real -= finest {
			t.update(finest)
		}
		t.advance(real)
		if t.clip == nil || at <= skip {
			continue
		}
		if err := t.draw(surface, nil); err != nil {
			return err
		}
		var err error
		if picture, err = surface.Capture(picture); err != nil {
			return err
		}
		if err := t.clip.Frame(picture, shown); err != nil {
			return err
		}
	}
	if t.show.screenshot == "" {
		return nil
	}
	if err := t.draw(surface, nil); err != nil {
		return err
	}
	picture, err := surface.Capture(nil)
	if err == nil {
		err = record.SavePNG(t.show.screenshot, picture)
	}
	if err == nil {
		fmt.Fprintln(t.stdout, "wrote "+t.show.screenshot)
	}
	return err
}
