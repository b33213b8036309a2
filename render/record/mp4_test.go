//go:build !js

package record

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestMP4WithoutFFmpeg(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(filepath.Join(dir, "clip.mp4"), Config{FFmpeg: filepath.Join(dir, "no-such-program")})
	if !errors.Is(err, ErrNoFFmpeg) || !strings.Contains(err.Error(), "install") {
		t.Errorf("without ffmpeg: %v", err)
	}
}

// A stand-in for ffmpeg that fails: its message reaches the user, and no file is left behind.
func TestMP4FailingFFmpeg(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "ffmpeg")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ncase \"$*\" in *-encoders*) echo ' V libx264 x';; *) echo 'no space left' >&2; exit 3;; esac\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	r, err := Open(filepath.Join(dir, "clip.mp4"), Config{FFmpeg: script})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 50 && err == nil; i++ {
		err = r.Frame(scene(320, 180, i), time.Second/60)
	}
	if err == nil {
		err = r.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("ffmpeg failed, and the error is: %v", err)
	}
	r.Abort()
	if names := files(t, dir); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}

func TestMP4(t *testing.T) {
	for _, program := range []string{"ffmpeg", "ffprobe"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "clip.mp4")
	r, err := Open(path, Config{FPS: 30})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Abort()
	// Uneven times, odd sides: 0.1 s + 45 pictures of 20 ms = 1 s = 30 frames.
	if err := r.Frame(scene(65, 41, 0), 100*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 45; i++ {
		if err := r.Frame(scene(65, 41, i), 20*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	if names := files(t, dir); len(names) != 1 || names[0] == "clip.mp4" {
		t.Errorf("before Close there are %v", names)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries", "stream=nb_read_frames,width,height,r_frame_rate", "-of", "csv=p=0", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := strings.TrimSpace(string(out)); got != "66,42,30/1,30" {
		t.Errorf("the clip is %s, want 66,42,30/1,30", got)
	}
	if names := files(t, dir); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}
