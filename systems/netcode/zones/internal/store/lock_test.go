package store

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestLock(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "north")
	instance, release, err := Lock(dir)
	if err != nil || len(instance) != 32 {
		t.Fatalf("instance %q, error %v", instance, err)
	}
	if _, _, err := Lock(dir); err != ErrLocked {
		t.Errorf("a second lock: %v", err)
	}
	release()
	again, release, err := Lock(dir)
	if err != nil || again != instance {
		t.Errorf("instance %q after %q, error %v", again, instance, err)
	}
	release()
	other, release, err := Lock(t.TempDir())
	if err != nil || other == instance {
		t.Errorf("another folder is instance %q, error %v", other, err)
	}
	release()
	// A file that was cut off is written anew.
	if err := os.Truncate(filepath.Join(dir, lockName), 5); err != nil {
		t.Fatal(err)
	}
	next, release, err := Lock(dir)
	if err != nil || next == instance || len(next) != 32 {
		t.Errorf("instance %q, error %v", next, err)
	}
	release()
	if again, release, err = Lock(dir); err != nil || again != next {
		t.Errorf("instance %q after %q, error %v", again, next, err)
	}
	release()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Lock(filepath.Join(dir, "file")); err == nil {
		t.Error("a file is a folder")
	}
}

// lockFolder makes this test binary a process that holds a lock until it is killed.
const lockFolder = "TANDEM_TEST_LOCK"

func TestLockOfAProcess(t *testing.T) {
	if dir := os.Getenv(lockFolder); dir != "" {
		instance, _, err := Lock(dir)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = os.Stdout.WriteString(instance + "\n")
		_, _ = os.Stdin.Read(make([]byte, 1)) // until the pipe ends
		return
	}
	t.Parallel()
	dir := t.TempDir()
	command := exec.Command(os.Args[0], "-test.run=^TestLockOfAProcess$")
	command.Env = append(os.Environ(), lockFolder+"="+dir)
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Lock(dir); !errors.Is(err, ErrLocked) {
		t.Errorf("locked while another process has the lock: %v", err)
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait()
	instance, release, err := Lock(dir)
	if err != nil || instance+"\n" != line {
		t.Errorf("after its end: instance %q, that was %q, error %v", instance, line, err)
	}
	release()
}
