package replay_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/replay"
)

var update = flag.Bool("update", false, "write the golden file of the present format")

// Files of every format that was ever written are read for ever: a golden file for each. A new
// format adds one, and leaves this as it is.
func TestOldFilesAreRead(t *testing.T) {
	const name = "testdata/format1.replay"
	want := script(3, 50, 3)
	if *update {
		m := &memory{}
		f := replay.NewFile(m, replay.Info{Game: "test", Version: "1"})
		record(t, f, want)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, m.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	got := play(open(t, b).Cursor())
	if len(got) != len(want) {
		t.Fatalf("%d frames of %d", len(got), len(want))
	}
	for i := range want {
		if !same(got[i], want[i]) {
			t.Errorf("frame %d is %+v, want %+v", i, got[i], want[i])
		}
	}
	if bytes.Equal(b, recorded(t, want)) {
		return
	}
	t.Log("the present format, or its packing, writes other bytes")
}
