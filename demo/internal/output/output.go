// Package output holds the files that a command line asks a run to write: a recording, the last
// picture, a table of poses. All are opened before the run begins, so that a wrong name costs no
// time and leaves nothing behind.
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

// Names are the files asked for, each by the flag of its name. An empty one is not wanted.
type Names struct {
	Record     string // .gif, .mp4 or .png
	Screenshot string // .png
	Trace      string // .csv; written in place, so that it can be read while it grows
}

// BadFile is the error for a file that cannot be used as asked: a fault of the command line.
type BadFile struct {
	Flag string // without its dash
	Err  error
}

func (e *BadFile) Error() string { return fmt.Sprintf("-%s: %v", e.Flag, e.Err) }
func (e *BadFile) Unwrap() error { return e.Err }

// Files are open files.
type Files struct {
	Clip record.Recorder // of the whole run; nil: not wanted

	picture record.Recorder // nil: not wanted
	table   *os.File        // nil: not wanted
	fresh   bool            // the table's file was not there before
	names   []string        // of all
}

// Open opens the files; fps is the frame rate of an MP4 recording. An error that the command line
// is to blame for is a [BadFile]. With an error nothing has been created or changed.
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
			return f, err // the machine is to blame
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

// openInPlace opens a file for writing and leaves what is in it. It reports whether it made the
// file.
func openInPlace(name string) (f *os.File, fresh bool, err error) {
	f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
		return f, false, err
	}
	return f, err == nil, err
}

// Table returns where the table goes, nil if none is wanted. What was in the file before is gone.
func (f *Files) Table() (io.Writer, error) {
	if f.table == nil {
		return nil, nil
	}
	info, err := f.table.Stat()
	if err == nil && info.Mode().IsRegular() { // pipes and devices cannot be cut
		err = f.table.Truncate(0)
	}
	return f.table, err
}

// Picture takes the last picture from draw, if one is wanted.
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

// Draws reports whether a picture of the run is needed.
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

// Abort throws away what is not complete. The rows of a table that has begun stay. After Close it
// does nothing, so that it can be deferred.
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
