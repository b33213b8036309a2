// Package browser tests the demo in a real browser: Chromium, by its DevTools protocol. The tests
// wait for states that the page reports, and never for times or frame rates.
package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// limit is the time for all tests together. It is for the hung: a quiet machine takes a third.
const limit = 8 * time.Minute

// suite is what the tests share.
var suite struct {
	ctx      context.Context // ends at the limit
	chromium string          // the browser's program
	demo     string          // the demo's
	web      string          // the folder of make web
	golden   string          // the folder of the golden pictures' page
	browser  *browser
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	path, err := exec.LookPath("chromium")
	if err != nil {
		fmt.Println("no chromium: tools/setup.sh browser installs it")
		return 1
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	dir, err := os.MkdirTemp("", "tandem-browser")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(dir)
	suite.ctx, suite.chromium = ctx, path
	if err := build(dir); err != nil {
		fmt.Println(err)
		return 1
	}
	suite.browser, err = startBrowser(filepath.Join(dir, "profile"))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer suite.browser.close()
	return m.Run()
}

// build builds what the tests open, as users do.
func build(dir string) error {
	suite.demo, suite.web, suite.golden = filepath.Join(dir, "demo"), filepath.Join(dir, "web"), filepath.Join(dir, "golden")
	if err := command(nil, "go", "build", "-o", suite.demo, "./demo"); err != nil {
		return err
	}
	if err := command([]string{"QUICK=1"}, "tools/web.sh", suite.web); err != nil {
		return err
	}
	// The same flags as in web.sh, so that packages are not compiled twice.
	js := []string{"GOOS=js", "GOARCH=wasm"}
	if err := command(js, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", filepath.Join(suite.golden, "golden.wasm"), "./demo/web/golden"); err != nil {
		return err
	}
	for from, to := range map[string]string{
		filepath.Join(suite.web, "wasm_exec.js"): "wasm_exec.js",
		filepath.Join("testdata", "golden.html"): "index.html",
	} {
		text, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(suite.golden, to), text, 0o666)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// command runs a command in the repository's root. The demo needs no C compiler here.
func command(env []string, name string, args ...string) error {
	cmd := exec.CommandContext(suite.ctx, name, args...)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %q: %w\n%s", name, args, err, out)
	}
	return nil
}
