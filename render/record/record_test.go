//go:build !js

package record

import (
	"errors"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestSizeMayNotChange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clip.gif")
	r, err := Open(path, Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Abort()
	if err := r.Frame(scene(64, 40, 0), 50*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if err := r.Frame(scene(80, 40, 0), 50*time.Millisecond); err == nil {
		t.Error("a picture of another size was taken")
	}
	if err := r.Frame(scene(64, 40, 3), 50*time.Millisecond); err != nil {
		t.Errorf("after a refused picture: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// The stride of a part of a larger picture is not its width.
func TestSubImages(t *testing.T) {
	big := scene(100, 80, 0)
	part := big.SubImage(image.Rect(10, 20, 74, 60)).(*image.RGBA)
	g := recordGIF(t, Config{}, each(50*time.Millisecond), []*image.RGBA{part})
	got := replay(g)[0]
	for y := 0; y < 40; y++ {
		for x := 0; x < 64; x++ {
			a, b := got.RGBAAt(x, y), big.RGBAAt(x+10, y+20)
			if d := int(a.G) - int(b.G); d > 14 || d < -14 {
				t.Fatalf("pixel %d,%d is %v, want %v", x, y, a, b)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(filepath.Join(dir, "clip.avi"), Config{}); !errors.Is(err, ErrFormat) {
		t.Errorf("an unknown ending: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "missing", "clip.gif"), Config{}); err == nil {
		t.Error("a folder that does not exist was accepted")
	}
	if _, err := Open(filepath.Join(dir, "clip.gif"), Config{MaxFPS: -1}); err == nil {
		t.Error("a negative frame rate was accepted")
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.gif"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(dir, "folder.gif"), Config{}); err == nil {
		t.Error("a folder was taken for a file")
	}
	for _, name := range []string{"a.gif", "a.png"} {
		r, err := Open(filepath.Join(dir, name), Config{})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); !errors.Is(err, ErrEmpty) {
			t.Errorf("%s without a picture: %v", name, err)
		}
	}
	r, err := Open(filepath.Join(dir, "b.gif"), Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Frame(scene(64, 40, 0), time.Second); err != nil {
		t.Fatal(err)
	}
	r.Abort()
	if names := files(t, dir); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// An old file stays until the new recording is complete.
func TestOldFileStaysUntilTheNewOneIsWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.png")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path, Config{})
	if err != nil {
		t.Fatal(err)
	}
	want := scene(64, 40, 9)
	for _, f := range []*image.RGBA{scene(32, 20, 1), want} {
		// a picture, unlike a clip, may change its size
		if err := r.Frame(f, time.Second); err != nil {
			t.Fatal(err)
		}
	}
	if b, _ := os.ReadFile(path); string(b) != "old" {
		t.Error("the old file was touched before Close")
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r.Abort()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	got, _, err := image.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	for y := 0; y < 40; y++ {
		for x := 0; x < 64; x++ {
			r, g, b, a := got.At(x, y).RGBA()
			if c := (color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), uint8(a >> 8)}); c != want.RGBAAt(x, y) {
				t.Fatalf("pixel %d,%d is %v, want %v", x, y, c, want.RGBAAt(x, y))
			}
		}
	}
	if names := files(t, filepath.Dir(path)); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}
