package app

import (
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/tandem-ecs/tandem/render"
	"github.com/tandem-ecs/tandem/render/record"
)

// screenshot saves the last picture. It shows an error, and the run continues.
func (l *loop) screenshot() {
	name, err := l.freeName(".png")
	var picture *image.RGBA
	if err == nil {
		picture, err = l.win.Capture(nil)
	}
	if err == nil {
		err = record.SavePNG(name, picture)
	}
	l.report(name, err)
}

// toggleClip begins or ends a clip: an MP4 file if ffmpeg is installed, else a GIF file.
func (l *loop) toggleClip() {
	if l.keyClip.recorder != nil {
		l.finishClip()
		return
	}
	ending, rate := ".gif", 30.0
	if _, err := exec.LookPath("ffmpeg"); err == nil {
		ending, rate = ".mp4", 60
	}
	name, err := l.freeName(ending)
	var recorder record.Recorder
	if err == nil {
		recorder, err = record.Open(name, record.Config{FPS: rate})
	}
	if err != nil {
		l.report(name, err)
		return
	}
	l.clipFile = name
	l.keyClip = clip{recorder: recorder, every: frameTime(rate)}
}

// finishClip ends the clip of the key R, if there is one.
func (l *loop) finishClip() {
	if l.keyClip.recorder == nil {
		return
	}
	err := l.keyClip.recorder.Close()
	l.keyClip = clip{}
	l.report(l.clipFile, err)
}

func (l *loop) report(name string, err error) {
	if err != nil {
		l.show.Say(err.Error())
		return
	}
	l.show.Say("wrote " + name)
}

// freeName returns the first unused file name for the current content, and makes the folder.
func (l *loop) freeName(ending string) (string, error) {
	if err := os.MkdirAll(l.options.Dir, 0o777); err != nil {
		return "", err
	}
	for i := 1; ; i++ {
		name := filepath.Join(l.options.Dir, fmt.Sprintf("%s-%d%s", l.show.Info().Name, i, ending))
		if _, err := os.Lstat(name); err != nil {
			return name, nil
		}
	}
}

// clip is a recording in progress. It takes at most one picture per interval; each is shown until
// the next.
type clip struct {
	recorder record.Recorder // nil: none
	every    time.Duration
	due      time.Duration // real time since the last picture was taken
	picture  *image.RGBA
	size     image.Point // of the first picture
}

func (c *clip) frame(surface render.Surface, real time.Duration) error {
	if c.recorder == nil {
		return nil
	}
	c.due += real
	// Half a frame early is nearer than half a frame late.
	if c.due < c.every-c.every/8 {
		return nil
	}
	shown := c.due
	c.due = 0
	var err error
	if c.picture, err = surface.Capture(c.picture); err != nil {
		return err
	}
	if c.size == (image.Point{}) {
		c.size = c.picture.Rect.Size()
	}
	if c.picture.Rect.Size() != c.size {
		return nil // the window has another size now; a clip has only one
	}
	return c.recorder.Frame(c.picture, shown)
}
