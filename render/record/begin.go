//go:build !js

package record

import "fmt"

// begin begins a recording of a kind, by the end of the path.
func begin(path, kind string, o Config) (Recorder, error) {
	file, err := create(path)
	if err != nil {
		return nil, err
	}
	r := &recording{file: file, anySize: kind == ".png"}
	switch kind {
	case ".png":
		r.encoder = &pngEncoder{out: file}
	case ".gif":
		r.encoder = newGIF(file, o)
	case ".mp4":
		m, err := newMP4(file.Name(), o)
		if err != nil {
			file.discard()
			return nil, fmt.Errorf("record: %s: %w", path, err)
		}
		r.encoder, r.abort = m, m.kill
	}
	return r, nil
}
