package browser

import (
	"context"
	"os"
	"strings"
	"sync"

	"github.com/chromedp/chromedp"
)

// browser is a running Chromium without windows on a display.
type browser struct {
	ctx   context.Context // of its first tab
	close func()

	mu   sync.Mutex
	line string   // of its output, as far as it has come
	said []string // lines of its output that are WebGL's complaints
}

// startBrowser starts a browser whose tabs are hidden and slowed down as in a user's. chromedp's own
// flags would prevent that.
func startBrowser(profile string) (*browser, error) {
	b := &browser{}
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(suite.chromium), chromedp.UserDataDir(profile), chromedp.CombinedOutput(b),
		chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.WindowSize(width, height),
		chromedp.Flag("headless", "new"), chromedp.Flag("enable-logging", "stderr"),
		chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("mute-audio", true),
	}
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, end := chromedp.NewExecAllocator(suite.ctx, options...)
	ctx, cancel := chromedp.NewContext(ctx)
	b.ctx, b.close = ctx, func() { cancel(); end() }
	if err := chromedp.Do(ctx); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// Write takes the browser's output. WebGL's complaints are in no event of the DevTools protocol.
func (b *browser) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.line += string(p)
	for {
		line, rest, ok := strings.Cut(b.line, "\n")
		if !ok {
			return len(p), nil
		}
		b.line = rest
		if complains(line) {
			b.said = append(b.said, line)
		}
	}
}

// complains reports whether a line of the browser's output is a complaint of WebGL.
func complains(line string) bool {
	for _, sign := range []string{"GL_INVALID_", "INVALID_OPERATION", "INVALID_VALUE", "INVALID_ENUM", "INVALID_FRAMEBUFFER", "OUT_OF_MEMORY", "GL ERROR", "too many errors"} {
		if strings.Contains(line, sign) {
			return true
		}
	}
	return false
}

// complaints returns the complaints since the last call.
func (b *browser) complaints() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	said := b.said
	b.said = nil
	return said
}
