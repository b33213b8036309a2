package app

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"image/gif"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/demo/internal/output"
	"github.com/tandem-ecs/tandem/render/offscreen"
)

// headless runs a command line without a window and returns its output. It skips the test where
// drawing is asked for and not available.
func headless(t *testing.T, args ...string) string {
	t.Helper()
	o, err := options.Parse(append(args, "-headless"), &bytes.Buffer{})
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	var out bytes.Buffer
	err = New(&o, &out, nil, nil).Headless(context.Background())
	if errors.Is(err, offscreen.ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return out.String()
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func rows(t *testing.T, path string) []map[string]string {
	t.Helper()
	lines, err := csv.NewReader(bytes.NewReader(read(t, path))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Frame times of every kind give x = 3t in every row, and one logical pose per tick for all of
// them.
func TestTraceOfLanes(t *testing.T) {
	dir := t.TempDir()
	logical := map[string]string{}
	for name, times := range map[string]string{
		"even": "16666667\n", "nanoseconds": "1\n", "tens of seconds": "10000000000\n",
		"mixed": "1\n10000000000\n16666667\n3\n250000000\n249999999\n250000001\n7\n", "growing": "1\n10\n100\n1000\n10000\n100000\n1000000\n10000000\n100000000\n1000000000\n",
	} {
		file, out := filepath.Join(dir, "times.txt"), filepath.Join(dir, "out.csv")
		if err := os.WriteFile(file, []byte(times), 0o666); err != nil {
			t.Fatal(err)
		}
		headless(t, "-scene", "lanes", "-hz", "10", "-speed", "0.25", "-frames", "600", "-frame-times", file, "-trace", out)
		table := rows(t, out)
		if len(table) != 600 {
			t.Fatalf("%s: %d rows, want 600", name, len(table))
		}
		for i, row := range table {
			if row["frame"] != strconv.Itoa(i) || row["name"] != "mover" {
				t.Fatalf("%s: row %d is of frame %s, %s", name, i, row["frame"], row["name"])
			}
			want := 3 * number(t, row["normal_ns"]) / 1e9
			if x := number(t, row["vx"]); x < want*(1-1e-5) || x > want*(1+1e-5) {
				t.Fatalf("%s: frame %d: x is %v, want %v", name, i, x, want)
			}
			if number(t, row["fixed_ns"]) <= number(t, row["normal_ns"]) {
				t.Fatalf("%s: frame %d: fixed time %s is not ahead of %s", name, i, row["fixed_ns"], row["normal_ns"])
			}
			pose := strings.Join([]string{row["lx"], row["ly"], row["lz"], row["lqw"], row["lqx"], row["lqy"], row["lqz"]}, " ")
			if known, ok := logical[row["tick"]]; ok && known != pose {
				t.Fatalf("%s: tick %s: logical pose %s, but %s under other frames", name, row["tick"], pose, known)
			}
			logical[row["tick"]] = pose
		}
	}
	if len(logical) < 200 {
		t.Errorf("only %d different ticks were compared", len(logical))
	}
}

// Without -frames a file of frame times is run once; with -seconds as often as needed.
func TestHowLongARunIs(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "times.txt"), filepath.Join(dir, "out.csv")
	if err := os.WriteFile(file, []byte("20000000\n30000000\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want int
	}{
		{[]string{"-frame-times", file}, 2},
		{[]string{"-frame-times", file, "-seconds", "0.2"}, 8},
		{[]string{"-frame-times", file, "-frames", "5"}, 5},
		{[]string{"-frames", "7"}, 7},
		{[]string{"-seconds", "0.5", "-fps", "20"}, 10},
		{nil, 300},
	} {
		headless(t, append(test.args, "-scene", "lanes", "-trace", out)...)
		if n := len(rows(t, out)); n != test.want {
			t.Errorf("%v: %d frames, want %d", test.args, n, test.want)
		}
	}
}

// The same flags give the same run, with jitter and step costs and all.
func TestHeadlessIsDeterministic(t *testing.T) {
	dir := t.TempDir()
	run := func(scene, name string, more ...string) string {
		out := filepath.Join(dir, name)
		said := headless(t, append(more, "-scene", scene, "-seconds", "3", "-frame-jitter", "0.5", "-step-cost", "40ms", "-adaptive", "-hz", "60", "-trace", out)...)
		return strings.ReplaceAll(said, out, "") + string(read(t, out))
	}
	for _, scene := range []string{"physics", "lab"} {
		once := run(scene, "a.csv")
		if once != run(scene, "b.csv") {
			t.Errorf("%s: two runs with the same flags differ", scene)
		}
		if once == run(scene, "b.csv", "-seed", "2") {
			t.Errorf("%s: another seed gives the same run", scene)
		}
	}
}

func TestClips(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "clip.gif")
	said := headless(t, "-size", "160x90", "-fps", "20", "-seconds", "1", "-record", out, "-screenshot", filepath.Join(dir, "last.png"), "-trace", filepath.Join(dir, "t.csv"))
	for _, name := range []string{"clip.gif", "last.png", "t.csv"} {
		if !strings.Contains(said, "wrote "+filepath.Join(dir, name)+"\n") {
			t.Errorf("it does not say that it wrote %s:\n%s", name, said)
		}
	}
	clip, err := gif.DecodeAll(bytes.NewReader(read(t, out)))
	if err != nil {
		t.Fatal(err)
	}
	length := 0
	for _, d := range clip.Delay {
		length += d
	}
	if len(clip.Image) != 20 || length != 100 || clip.Config.Width != 160 || clip.Config.Height != 90 {
		t.Errorf("%d pictures of %dx%d for %d hundredths of a second, want 20 of 160x90 for 100", len(clip.Image), clip.Config.Width, clip.Config.Height, length)
	}
	if size := load(t, filepath.Join(dir, "last.png")).Rect.Size(); size.X != 160 || size.Y != 90 {
		t.Errorf("the picture's size is %v", size)
	}

	headless(t, "-size", "160x90", "-fps", "20", "-seconds", "1", "-skip", "0.5", "-record", out)
	if clip, err = gif.DecodeAll(bytes.NewReader(read(t, out))); err != nil || len(clip.Image) != 10 {
		t.Errorf("half a second of a clip at 20 pictures a second has %d: %v", len(clip.Image), err)
	}

	last := filepath.Join(dir, "record.png")
	headless(t, "-size", "160x90", "-frames", "3", "-record", last)
	if size := load(t, last).Rect.Size(); size.X != 160 || size.Y != 90 {
		t.Errorf("the recorded picture's size is %v", size)
	}
}

func TestMP4(t *testing.T) {
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("ffmpeg is not installed")
	}
	out := filepath.Join(t.TempDir(), "clip.mp4")
	headless(t, "-size", "160x90", "-fps", "30", "-seconds", "1", "-record", out)
	raw, err := exec.Command(ffmpeg, "-v", "error", "-i", out, "-f", "rawvideo", "-pix_fmt", "rgb24", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(raw) / (160 * 90 * 3); n != 30 || len(raw)%(160*90*3) != 0 {
		t.Errorf("%d pictures of 160x90, want 30", n)
	}
}

// Nobody asked for anything in particular: a picture and a clip.
func TestUnasked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "here")
	said := headless(t, "-scene", "teleports", "-size", "128x72", "-seconds", "0.5", "-dir", dir)
	clip, err := gif.DecodeAll(bytes.NewReader(read(t, filepath.Join(dir, "teleports.gif"))))
	if err != nil || len(clip.Image) < 10 {
		t.Errorf("the clip has %d pictures: %v", len(clip.Image), err)
	}
	load(t, filepath.Join(dir, "teleports.png"))
	if strings.Count(said, "wrote ") != 2 {
		t.Errorf("it said:\n%s", said)
	}
}

// A file that cannot be written is a fault of the command line. It is found before the run begins,
// and nothing is left of the files that could be written.
func TestFilesThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"folder.csv", "folder.gif", "folder.png"} {
		if err := os.Mkdir(at(name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	const kept = "what was there before"
	if err := os.WriteFile(at("old.csv"), []byte(kept), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		flag string // that is to blame
		args []string
	}{
		{"trace", []string{"-trace", at("none/out.csv")}},
		{"trace", []string{"-trace", at("folder.csv")}},
		{"trace", []string{"-trace", at("old.csv/out.csv"), "-screenshot", at("good.png"), "-record", at("good.gif")}},
		{"record", []string{"-record", at("none/out.gif")}},
		{"record", []string{"-record", at(".gif/x.gif")}},
		{"record", []string{"-record", at("folder.gif"), "-trace", at("good.csv")}},
		{"record", []string{"-record", at("folder.png"), "-screenshot", at("good.png"), "-trace", at("old.csv")}},
		{"screenshot", []string{"-screenshot", at("none/out.png")}},
		{"screenshot", []string{"-screenshot", at("folder.png"), "-trace", at("good.csv")}},
		{"screenshot", []string{"-screenshot", at("old.csv/out.png"), "-trace", at("old.csv"), "-record", at("good.gif")}},
		{"screenshot", []string{"-screenshot", at(strings.Repeat("long", 70) + ".png"), "-record", at("good.png")}},
		{"dir", []string{"-dir", at("old.csv")}},
	} {
		// A run that began would not end.
		o, err := options.Parse(append(test.args, "-headless", "-frames", "1000000000"), &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		err = New(&o, &bytes.Buffer{}, nil, nil).Headless(ctx)
		cancel()
		var bad *output.BadFile
		if !errors.As(err, &bad) || bad.Flag != test.flag || !strings.Contains(err.Error(), ": give ") || strings.Contains(err.Error(), ".part") {
			t.Errorf("%v: %v", test.args, err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 4 || string(read(t, at("old.csv"))) != kept {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// An interrupted run ends early and leaves whole files.
func TestInterrupt(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.csv")
	o, err := options.Parse([]string{"-headless", "-frames", "1000000000", "-trace", out}, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := New(&o, &bytes.Buffer{}, nil, nil).Headless(ctx); err != nil {
		t.Fatal(err)
	}
	if b := read(t, out); len(b) == 0 || b[len(b)-1] != '\n' {
		t.Errorf("the trace of %d bytes does not end with a line", len(b))
	}
}
