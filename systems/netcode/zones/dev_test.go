package zones_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tandem-ecs/tandem/systems/netcode/zones"
)

// bucket returns a bucket of the server at url, and a context.
func bucket(t *testing.T, url string) (jetstream.KeyValue, context.Context) {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	kv, err := js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "b", Storage: jetstream.FileStorage})
	if err != nil {
		t.Fatal(err)
	}
	return kv, ctx
}

func TestDevKeepsItsFiles(t *testing.T) {
	dir := t.TempDir()
	url, stop, err := zones.Dev(dir)
	if err != nil {
		t.Fatal(err)
	}
	kv, ctx := bucket(t, url)
	if _, err := kv.PutString(ctx, "key", "value"); err != nil {
		t.Fatal(err)
	}
	stop()
	if url, stop, err = zones.Dev(dir); err != nil {
		t.Fatal(err)
	}
	defer stop()
	kv, ctx = bucket(t, url)
	if e, err := kv.Get(ctx, "key"); err != nil || string(e.Value()) != "value" {
		t.Errorf("%v, error %v", e, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := zones.Dev(filepath.Join(dir, "file")); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("a file as the folder: %v", err)
	}
}

func TestDevInATemporaryFolder(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	one, stopOne, err := zones.Dev("")
	if err != nil {
		t.Fatal(err)
	}
	two, stopTwo, err := zones.Dev("")
	if err != nil {
		t.Fatal(err)
	}
	bucket(t, one)
	kv, ctx := bucket(t, two)
	if one == two {
		t.Errorf("both are at %s", one)
	}
	stopOne()
	if _, err := kv.PutString(ctx, "key", "value"); err != nil {
		t.Errorf("one has stopped the other: %v", err)
	}
	stopTwo()
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, error %v", left, err)
	}
}
