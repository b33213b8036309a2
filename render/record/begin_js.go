package record

import (
	"errors"
	"fmt"
	"image"
)

// begin returns an error: without files the encoders would only make the program larger.
func begin(path, _ string, _ Config) (Recorder, error) { return nil, noFiles(path) }

// SavePNG returns an error that wraps [errors.ErrUnsupported]: a browser has no files.
func SavePNG(path string, _ image.Image) error { return noFiles(path) }

func noFiles(path string) error {
	return fmt.Errorf("record: cannot write %s: %w: a program in a browser has no files; run it outside of one", path, errors.ErrUnsupported)
}
