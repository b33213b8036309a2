package play

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tandem-ecs/tandem/demo/internal/trace"
	"github.com/tandem-ecs/tandem/render/record"
)

func (t *table) open() (err error) {
	if t.show.record != "" {
		if t.clip, err = record.Open(t.show.record, record.Options{FPS: float64(min(t.show.fps, 60))}); err != nil {
			if errors.Is(err, record.ErrNoFFmpeg) {
				return err
			}
			return badf("-record: %w", err)
		}
	}
	if t.show.trace != "" {
		if t.traced, err = os.Create(t.show.trace); err != nil {
			t.abort()
			return badf("-trace: %w", err)
		}
		t.rows = trace.NewWriter(t.traced)
	}
	return nil
}

// finish completes the files and says which there are.
func (t *table) finish() error {
	if t.clip != nil {
		err := t.clip.Close()
		t.clip = nil
		if err != nil {
			return err
		}
		fmt.Fprintln(t.stdout, "wrote "+t.show.record)
	}
	if t.rows != nil {
		err := errors.Join(t.rows.Flush(), t.traced.Close())
		t.rows, t.traced = nil, nil
		if err != nil {
			return err
		}
		fmt.Fprintln(t.stdout, "wrote "+t.show.trace)
	}
	return nil
}

// abort leaves no half files behind.
func (t *table) abort() {
	if t.clip != nil {
		t.clip.Abort()
	}
	if t.traced != nil {
		t.traced.Close()
	}
}

// freeName returns the first name that no file has, and makes the folder.
func (t *table) freeName(ending string) (string, error) {
	if err := os.MkdirAll(t.show.dir, 0o777); err != nil {
		return "", err
	}
	for i := 1; ; i++ {
		name := filepath.Join(t.show.dir, fmt.Sprintf("arena-%d%s", i, ending))
		if _, err := os.Lstat(name); err != nil {
			return name, nil
		}
	}
}

// keyClip is the recording of the key.
type keyClip struct {
	recorder record.Recorder
	name     string
}

// toggle begins a clip or ends it, and says its name.
func (k *keyClip) toggle(t *table) (string, error) {
	if k.recorder != nil {
		err := k.recorder.Close()
		k.recorder = nil
		return k.name, err
	}
	name, err := t.freeName(".gif")
	if err != nil {
		return "", err
	}
	if k.recorder, err = record.Open(name, record.Options{FPS: 30}); err != nil {
		return "", err
	}
	k.name = name
	return name, nil
}

func (k *keyClip) abort() {
	if k.recorder != nil {
		k.recorder.Abort()
		k.recorder = nil
	}
}
