package main_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// built returns the demo, built once for all tests. pure is a build without cgo.
func built(t *testing.T, pure bool) string {
	t.Helper()
	name := "demo"
	if pure {
		name = "demo-pure"
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path := filepath.Join(binaries, name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	build := exec.Command("go", "build", "-o", path, ".")
	if pure {
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
	}
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

var binaries string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "tandem-demo-")
	if err != nil {
		panic(err)
	}
	binaries = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// noDisplay is the environment without anything that names a display.
func noDisplay() (env []string) {
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "DISPLAY=") && !strings.HasPrefix(e, "WAYLAND_DISPLAY=") {
			env = append(env, e)
		}
	}
	return env
}

type result struct {
	code           int
	stdout, stderr string
}

func run(t *testing.T, program string, env []string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v: %v", args, err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	times := filepath.Join(dir, "times.txt")
	if err := os.WriteFile(times, []byte("16666667\n1\nx\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, pure := range []bool{false, true} {
		program := built(t, pure)
		for _, test := range []struct {
			args   []string
			code   int
			stdout string // parts of the output
			stderr string
		}{
			{[]string{"-h"}, 0, "Scenes", ""},
			{[]string{"-h"}, 0, "go run ./demo duel ", ""},
			{[]string{"--help"}, 0, "-frame-times FILE", ""},
			{[]string{"help"}, 0, "go run ./demo duel ", ""},
			{[]string{"help", "duel"}, 0, "go run ./demo duel [flags]", ""},
			{[]string{"-scene", "arena", "-h"}, 0, "go run ./demo duel [flags]", ""},
			{[]string{"-seed=3", "--scene=arena", "-kind", "magic"}, 2, "", `-kind "magic": choose one of`},
			{[]string{"-scene", "arena", "-jitter", "0.1"}, 2, "", "frame times vary by -frame-jitter"},
			{[]string{"help", "serve"}, 2, "", `there is no command "serve"`},
			{[]string{"-interpolate", "false"}, 2, "", "as -name=false"},
			{[]string{"-headless", "-frames", "3", "-trace", filepath.Join(dir, "a.csv")}, 0, "wrote " + filepath.Join(dir, "a.csv"), ""},
			{[]string{"-nonsense"}, 2, "", "demo: there is no flag -nonsense\nFor help:"},
			{[]string{"-hz", "0"}, 2, "", "demo: -hz 0:"},
			{[]string{"-hz", "x"}, 2, "", `demo: -hz "x": it takes a whole number`},
			{[]string{"-scene", "moon"}, 2, "", "the scenes are orbits, lanes, teleports, physics, stress"},
			{[]string{"serve"}, 2, "", `there is no command "serve"; the commands are server, client, host, duel, bots, replay, timeline`},
			{[]string{"-headless", "-frame-times", times, "-trace", filepath.Join(dir, "b.csv")}, 2, "", times + `:3: "x" is not a whole number of nanoseconds`},
			{[]string{"-headless", "-frame-times", filepath.Join(dir, "none")}, 2, "", "no such file"},
			{[]string{"-headless", "-trace", filepath.Join(dir, "none", "c.csv")}, 2, "", "demo: -trace:"},
			{[]string{"-headless", "-screenshot", filepath.Join(dir, "none", "c.png")}, 2, "", "demo: -screenshot: record: cannot write"},
			{[]string{"-screenshot", dir + ".png/c.png", "-trace", filepath.Join(dir, "none.csv")}, 2, "", "demo: -screenshot: record: cannot write"},
		} {
			got := run(t, program, noDisplay(), test.args...)
			if got.code != test.code || !strings.Contains(got.stdout, test.stdout) || !strings.Contains(got.stderr, test.stderr) {
				t.Errorf("%v (without cgo: %v): exit code %d, want %d\nout: %s\nerr: %s", test.args, pure, got.code, test.code, got.stdout, got.stderr)
			}
			if test.code == 0 && got.stderr != "" || test.code != 0 && got.stdout != "" {
				t.Errorf("%v: the message is on the wrong stream\nout: %s\nerr: %s", test.args, got.stdout, got.stderr)
			}
		}
	}
}

// A table on the standard output is all that is there.
func TestTraceToStandardOutput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.csv")
	run(t, built(t, true), noDisplay(), "-headless", "-frames", "20", "-trace", file)
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"-", "/dev/stdout"} {
		got := run(t, built(t, true), noDisplay(), "-headless", "-frames", "20", "-trace", name)
		if got.code != 0 || got.stdout != string(want) || !strings.Contains(got.stderr, "orbits: 20 frames") {
			t.Errorf("-trace %s: exit code %d\nout: %s\nerr: %s", name, got.code, got.stdout, got.stderr)
		}
	}
	if _, err := os.Stat("-"); err == nil {
		t.Error("there is a file called -")
		os.Remove("-")
	}
}

// A build without cgo says what is missing and what it runs, and leaves no files. A missing part of
// the system is no error of the command line: exit code 1.
func TestBuildWithoutGraphics(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{{"-dir", dir}, {"-headless", "-dir", dir}, {"-headless", "-screenshot", dir + ".png"}, {"duel"}, {"host"}, {"duel", "-headless", "-record", dir + ".gif"}} {
		got := run(t, built(t, true), noDisplay(), append(args, "-seconds", "1")...)
		if got.code != 1 || got.stdout != "" {
			t.Errorf("%v: exit code %d, want 1\n%s", args, got.code, got.stdout)
		}
		for _, part := range []string{"demo: this program was built without cgo", "make demo", "apt-get install gcc", "CGO_ENABLED=1", "-headless -trace out.csv", `"demo server"`} {
			if !strings.Contains(got.stderr, part) {
				t.Errorf("%v: the message lacks %q:\n%s", args, part, got.stderr)
			}
		}
	}
	if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

// A build without cgo runs scenes, matches and servers.
func TestRunsWithoutGraphics(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		args   []string
		stdout string
		stderr string
	}{
		{[]string{"-frames", "30", "-trace", filepath.Join(dir, "a.csv")}, "orbits: 30 frames", "opens no window"},
		{[]string{"-scene", "orbits", "-headless", "-frames", "30", "-trace", filepath.Join(dir, "b.csv")}, "orbits: 30 frames", ""},
		{[]string{"duel", "-headless", "-frames", "60"}, "client 2: 60 frames", "client 1: playing"},
		{[]string{"server", "-listen", "127.0.0.1:0", "-seconds", "0.1", "-drain", "0s"}, "tandem://", "msg=serving"},
	} {
		got := run(t, built(t, true), noDisplay(), test.args...)
		if got.code != 0 || !strings.Contains(got.stdout, test.stdout) || !strings.Contains(got.stderr, test.stderr) {
			t.Errorf("%v: exit code %d\nout: %s\nerr: %s", test.args, got.code, got.stdout, got.stderr)
		}
	}
}

// Without a display the demo says so and writes a picture and a clip.
func TestNoDisplay(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems always have a display")
	}
	dir := t.TempDir()
	got := run(t, built(t, false), noDisplay(), "-size", "128x72", "-seconds", "0.5", "-dir", dir)
	if strings.Contains(got.stderr, "cannot draw off screen") {
		t.Skip(got.stderr)
	}
	if got.code != 0 || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, "DISPLAY") || !strings.Contains(got.stderr, "drawing off screen instead") {
		t.Errorf("exit code %d\n%s", got.code, got.stderr)
	}
	if !strings.HasPrefix(got.stdout, "orbits: 15 frames") { // at the rate of -headless
		t.Errorf("half a second of a clip is\n%s", got.stdout)
	}
	for _, name := range []string{"orbits.gif", "orbits.png"} {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err != nil || info.Size() < 1000 || !strings.Contains(got.stdout, "wrote "+path) {
			t.Errorf("%s: %v, %v\n%s", name, info, err, got.stdout)
		}
	}
}
