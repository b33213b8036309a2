package play

import (
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/output"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// recording is the file of a flag -record whose value ends in .replay. A command records its first
// match.
type recording struct {
	name string // empty: none
	file *replay.File
}

// begin records a match. Call it when nothing else can fail: it empties a file of that name.
func (r *recording) begin(record func(replay.Recorder) error) error {
	if r.name == "" || r.file != nil {
		return nil
	}
	info := replay.Info{Game: "Tandem arena", Version: version(), Start: time.Now().Round(time.Second)}
	file, err := replay.Create(r.name, info)
	if err != nil {
		return &output.BadFile{Flag: "record", Err: fmt.Errorf("%w: give a file in a folder that exists and that you may write to", err)}
	}
	r.file = file
	return record(file)
}

// close completes the file and says so. Its error says what could not be written.
func (r *recording) close(out io.Writer) error {
	if r.file == nil {
		return nil
	}
	if err := r.file.Close(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "wrote "+r.name)
	return err
}

// version returns the version of this program.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}
