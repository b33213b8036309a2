//go:build !js

package record

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// mp4Encoder pipes raw pictures to ffmpeg.
type mp4Encoder struct {
	file    string // ffmpeg writes over it
	program string
	encoder []string
	fps     float64

	command *exec.Cmd // nil: it does not run
	stdin   io.WriteCloser
	stderr  bytes.Buffer
	now     time.Duration
	sent    int64
}

func newMP4(file string, o Config) (*mp4Encoder, error) {
	name := cmp.Or(o.FFmpeg, "ffmpeg")
	program, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("%w (%q is not on the PATH): install it (Debian and Ubuntu: apt install ffmpeg), or record to a .gif file", ErrNoFFmpeg, name)
	}
	encoder, err := chooseEncoder(program)
	return &mp4Encoder{file: file, program: program, encoder: encoder, fps: o.FPS}, err
}

// chooseEncoder returns the options of the best encoder that this ffmpeg was built with.
func chooseEncoder(program string) ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	list, err := exec.CommandContext(ctx, program, "-hide_banner", "-loglevel", "error", "-encoders").Output()
	if err != nil {
		return nil, fmt.Errorf("%s does not run: %w: install ffmpeg anew, or record to a .gif file", program, err)
	}
	switch {
	case bytes.Contains(list, []byte(" libx264 ")):
		return []string{"-c:v", "libx264", "-preset", "veryfast", "-crf", "19"}, nil
	case bytes.Contains(list, []byte(" mpeg4 ")):
		return []string{"-c:v", "mpeg4", "-q:v", "3"}, nil
	}
	return nil, fmt.Errorf("%s was built without an encoder for MP4: install one with libx264 or mpeg4", program)
}

func (m *mp4Encoder) start(size image.Point) error {
	args := []string{"-hide_banner", "-loglevel", "error", "-nostdin", "-y",
		"-f", "rawvideo", "-pix_fmt", "rgba", "-s", fmt.Sprintf("%dx%d", size.X, size.Y),
		"-r", strconv.FormatFloat(m.fps, 'f', -1, 64), "-i", "pipe:0", "-an",
		// The encoders want even sides.
		"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"}
	args = append(args, m.encoder...)
	args = append(args, "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4", m.file)
	m.command = exec.Command(m.program, args...)
	m.command.Stderr = &m.stderr
	var err error
	if m.stdin, err = m.command.StdinPipe(); err == nil {
		err = m.command.Start()
	}
	if err != nil {
		m.command = nil
		return fmt.Errorf("starting %s: %w", m.program, err)
	}
	return nil
}

func (m *mp4Encoder) frame(img *image.RGBA, shown time.Duration) error {
	size := img.Rect.Size()
	if m.command == nil {
		if err := m.start(size); err != nil {
			return err
		}
	}
	if img.Stride != 4*size.X {
		img = copyOf(nil, img)
	}
	m.now += max(shown, 0)
	// The number of frames of the clip up to the end of this picture, rounded to the nearest.
	due := int64(m.now.Seconds()*m.fps + 0.5)
	for ; m.sent < due; m.sent++ {
		if _, err := m.stdin.Write(img.Pix[:4*size.X*size.Y]); err != nil {
			return m.stop(err)
		}
	}
	return nil
}

// stop ends ffmpeg and returns an error with its messages, or nil.
func (m *mp4Encoder) stop(cause error) error {
	m.stdin.Close()
	err := cmp.Or(m.command.Wait(), cause)
	m.command = nil
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: ffmpeg says: %s", err, strings.TrimSpace(m.stderr.String()))
}

func (m *mp4Encoder) finish() error {
	if m.sent == 0 {
		return ErrEmpty
	}
	return m.stop(nil)
}

// kill ends ffmpeg if it still runs.
func (m *mp4Encoder) kill() {
	if m.command != nil {
		m.command.Process.Kill()
		m.stop(nil)
	}
}
