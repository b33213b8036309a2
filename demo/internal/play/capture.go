package play

import (
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/output"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

// captureFlag is the flag for a capture of the player that the user plays.
type captureFlag struct {
	name string
	file *replay.File // nil: none
	made bool         // a command captures its first match: another one must not empty the file
}

func (f *captureFlag) flags(fs *flag.FlagSet) {
	fs.StringVar(&f.name, "capture", "", "`file` for all that your client takes from outside, for bug reports: demo timeline FILE says from it why something moved as it did")
}

// create makes the file. It returns nil without the flag, and after the first match.
func (f *captureFlag) create() (*replay.File, error) {
	if f.name == "" || f.made {
		return nil, nil
	}
	f.made = true
	var err error
	if f.file, err = replay.Create(f.name, replay.Info{Game: "Tandem arena", Version: buildVersion(), Start: time.Now()}); err != nil {
		return nil, &output.BadFile{Flag: "capture", Err: err}
	}
	return f.file, nil
}

// close ends the file when its client is closed.
func (f *captureFlag) close(log io.Writer) {
	if f.file == nil {
		return
	}
	if err := f.file.Close(); err != nil {
		fmt.Fprintln(log, err)
	}
	f.file = nil
}

// buildVersion returns what a rerun needs to be the same, as far as a program knows that.
func buildVersion() string {
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	return fmt.Sprintf("%s %s", version, runtime.GOARCH)
}
