package atomicfile

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A file that cannot be written keeps its contents, and no other file is left beside it. If the
// name is a link, its target is written.
func TestFilesAreWhole(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "access.json")
	if err := Write(name, []byte("old")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(name+".new", "full"), 0o700); err != nil {
		// This folder is in the way, as a full disk or a read-only folder would be.
		t.Fatal(err)
	}
	if err := Write(name, []byte("new")); err == nil {
		t.Error("no error where the file cannot be written")
	}
	if text, err := Read(name); err != nil || string(text) != "old" {
		t.Errorf("after a failure there is %q, %v", text, err)
	}
	if err := os.RemoveAll(name + ".new"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name+".new", []byte("left by a crash"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(name, []byte("newest")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v, want a file that only its owner reads", info.Mode(), err)
	}
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink(name, link); err == nil { // Windows may not allow it
		if err := Write(link, []byte("linked")); err != nil {
			t.Fatal(err)
		}
		if text, _ := os.ReadFile(name); string(text) != "linked" {
			t.Errorf("where the link leads there is %q", text)
		}
	}
	other := filepath.Join(dir, "folder")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(other, []byte("new")); err == nil {
		t.Error("a folder was overwritten")
	}
	if _, err := os.Stat(other + ".new"); err == nil {
		t.Error("half of the work is left beside the folder")
	}
	if err := Write(name, make([]byte, MaxSize+1)); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(name); err == nil || !strings.Contains(err.Error(), "16 MiB") {
		t.Errorf("of a file without end: %v", err)
	}
}
