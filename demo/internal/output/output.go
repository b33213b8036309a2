// Package output holds the files that a command line asks a run to write: a recording, the last
// picture, a table of poses. All are opened before the run begins, so that a wrong name fails at
// once and leaves nothing behind.
package output

import (
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"os"

	"github.com/tandem-ecs/tandem/render/record"
)

// Names are the files to write, each named by the flag of the same name. An empty name means no
// file.
type Names struct {
	Record     string // .gif, .mp4 or .png
	Screenshot string // .png
	Trace      string // .csv; written in place, so that it can be read while it grows
}

// BadFile is the error of a file that the command line names and that cannot be used.
type BadFile struct {
	Flag string // without its dash
	Err  error
}

func (e *BadFile) Error() string { return fmt.Sprintf("-%s: %v", e.Flag, e.Err) }
func (e *BadFile) Unwrap() error { return e.Err }

// Files are open files.
type Files struct {
	Clip record.Recorder // of the whole run; nil: none

	picture record.Recorder // nil: none
	table   *os.File        // nil: none
	fresh   bool            // Open made the table's file
	names   []string        // of all
}

// Open opens the files; fps is the frame rate of an MP4 recording. An error caused by the command
// line is a [BadFile]. After an error nothing has been created or changed.
func Open(n Names, fps float64) (f *Files, err error) {
	f = &Files{}
	defer func() {
		if err != nil {
			f.Abort()
			f = nil
		}
	}()
	if n.Record != "" {
		f.Clip, err = record.Open(n.Record, record.Config{FPS: fps})
		if errors.Is(err, record.ErrNoFFmpeg) {
			return f, err // the command line is right
		}
		if err != nil {
			return f, &BadFile{"record", err}
		}
		f.names = append(f.names, n.Record)
	}
	if n.Screenshot != "" {
		if f.picture, err = record.Open(n.Screenshot, record.Config{}); err != nil {
			return f, &BadFile{"screenshot", err}
		}
		f.names = append(f.names, n.Screenshot)
	}
	if n.Trace != "" {
		if f.table, f.fresh, err = openInPlace(n.Trace); err != nil {
			return f, &BadFile{"trace", fmt.Errorf("%w: give a file in a folder that exists and that you may write to", err)}
		}
		f.names = append(f.names, n.Trace)
	}
	return f, nil
}

// openInPlace opens a file for writing and keeps its contents. It reports whether it made the file.
func openInPlace(name string) (f *os.File, fresh bool, err error) {
	f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
		return f, false, err
	}
	return f, err == nil, err
}

// Table returns the writer of the table, nil if there is none. It empties the file.
func (f *Files) Table() (io.Writer, error) {
	if f.table == nil {
		return nil, nil
	}
	info, err := f.table.Stat()
	if err == nil && info.Mode().IsRegular() { // pipes and devices cannot be truncated
		err = f.table.Truncate(0)
	}
	return f.table, err
}

// Picture saves the picture that draw returns, if one is wanted.
func (f *Files) Picture(draw func() (*image.RGBA, error)) error {
	if f.picture == nil {
		return nil
	}
	picture, err := draw()
	if err != nil {
		return err
	}
	return f.picture.Frame(picture, 0)
}

// Draws reports whether any file needs pictures.
func (f *Files) Draws() bool { return f.Clip != nil || f.picture != nil }

// Close completes the files and writes their names to out, a line each.
func (f *Files) Close(out io.Writer) error {
	var errs []error
	if f.Clip != nil {
		errs = append(errs, f.Clip.Close())
	}
	if f.picture != nil {
		errs = append(errs, f.picture.Close())
	}
	if f.table != nil {
		errs = append(errs, f.table.Close())
		f.table = nil
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, name := range f.names {
		fmt.Fprintln(out, "wrote "+name)
	}
	return nil
}

// Abort deletes incomplete files. The rows of a table that has begun stay. After Close it does
// nothing, so it can be deferred.
func (f *Files) Abort() {
	if f.Clip != nil {
		f.Clip.Abort()
	}
	if f.picture != nil {
		f.picture.Abort()
	}
	if f.table != nil {
		info, err := f.table.Stat()
		f.table.Close()
		if f.fresh && err == nil && info.Size() == 0 {
			os.Remove(f.table.Name())
		}
		f.table = nil
	}
}
