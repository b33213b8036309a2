package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// mp4Recorder pipes raw pictures to ffmpeg.
type mp4Recorder struct {
	fixedSize
	path    string
	file    *pendingFile // ffmpeg writes over it
	program string
	encoder []string
	fps     float64

	command *exec.Cmd
	stdin   io.WriteCloser
	stderr  tail
	now     time.Duration
	sent    int64
	failure error
}

func newMP4(path string, o Config) (Recorder, error) {
	name := o.FFmpeg
	if name == "" {
		name = "ffmpeg"
	}
	program, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("record: %s: %w (%q is not on the PATH): install it (Debian and Ubuntu: apt install ffmpeg), or record to a .gif file", path, ErrNoFFmpeg, name)
	}
	encoder, err := chooseEncoder(program)
	if err != nil {
		return nil, fmt.Errorf("record: %s: %w", path, err)
	}
	f, err := create(path)
	if err != nil {
		return nil, err
	}
	return &mp4Recorder{path: path, file: f, program: program, encoder: encoder, fps: o.FPS}, nil
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

func (m *mp4Recorder) start() error {
	args := []string{"-hide_banner", "-loglevel", "error", "-nostdin", "-y",
		"-f", "rawvideo", "-pix_fmt", "rgba", "-s", fmt.Sprintf("%dx%d", m.first.X, m.first.Y),
		"-r", strconv.FormatFloat(m.fps, 'f', -1, 64), "-i", "pipe:0", "-an",
		// The encoders want even sides.
		"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"}
	args = append(args, m.encoder...)
	args = append(args, "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4", m.file.Name())
	m.command = exec.Command(m.program, args...)
	m.command.Stderr = &m.stderr
	var err error
	if m.stdin, err = m.command.StdinPipe(); err == nil {
		err = m.command.Start()
	}
	if err != nil {
		m.command = nil
		return fmt.Errorf("record: starting %s: %w", m.program, err)
	}
	return nil
}

func (m *mp4Recorder) Frame(img *image.RGBA, shown time.Duration) error {
	if m.failure != nil {
		return m.failure
	}
	if err := m.check(img); err != nil {
		return err
	}
	if m.command == nil {
		if m.failure = m.start(); m.failure != nil {
			return m.failure
		}
	}
	m.now += max(shown, 0)
	// The number of frames of the clip up to the end of this picture, rounded to the nearest.
	due := int64(m.now.Seconds()*m.fps + 0.5)
	for ; m.sent < due; m.sent++ {
		if err := m.send(img); err != nil {
			m.failure = m.stop(err)
			return m.failure
		}
	}
	return nil
}

func (m *mp4Recorder) send(img *image.RGBA) error {
	width := 4 * m.first.X
	if img.Stride == width {
		_, err := m.stdin.Write(img.Pix[:width*m.first.Y])
		return err
	}
	for y := 0; y < m.first.Y; y++ {
		if _, err := m.stdin.Write(img.Pix[y*img.Stride : y*img.Stride+width]); err != nil {
			return err
		}
	}
	return nil
}

// stop ends ffmpeg and returns an error with its messages, or nil.
func (m *mp4Recorder) stop(cause error) error {
	m.stdin.Close()
	err := m.command.Wait()
	m.command = nil
	if err == nil {
		err = cause
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("record: writing %s: %w: ffmpeg says: %s", m.path, err, strings.TrimSpace(m.stderr.String()))
}

func (m *mp4Recorder) Close() error {
	if m.file.done {
		return nil
	}
	defer m.file.discard()
	if m.failure != nil {
		return m.failure
	}
	if m.command == nil || m.sent == 0 {
		m.Abort()
		return fmt.Errorf("record: %s: %w", m.path, ErrEmpty)
	}
	if err := m.stop(nil); err != nil {
		return err
	}
	return m.file.commit()
}

func (m *mp4Recorder) Abort() {
	if m.command != nil {
		m.command.Process.Kill()
		m.stop(errors.New("aborted"))
	}
	m.file.discard()
}

// tail keeps the last bytes that were written to it.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	const keep = 2048
	t.Buffer.Write(p)
	if extra := t.Len() - keep; extra > 0 {
		t.Next(extra)
	}
	return len(p), nil
}
