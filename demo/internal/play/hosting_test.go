package play

import (
	"flag"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The page for operators names flags that there are, and its command lines are ones that a server takes.
func TestHostingPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/hosting.md")
	if err != nil {
		t.Fatal(err)
	}
	flags := func(s *serving) *flag.FlagSet {
		fs := flag.NewFlagSet("server", flag.ContinueOnError)
		fs.SetOutput(io.Discard)
		s.flags(fs, "")
		fs.Bool("console", true, "")
		return fs
	}
	lines := regexp.MustCompile(`(?m)arena server (.*?)(?: <> commands)?$`).FindAllStringSubmatch(string(page), -1)
	for _, line := range lines {
		var s serving
		fs := flags(&s)
		if err := fs.Parse(strings.Fields(line[1])); err != nil || fs.NArg() > 0 {
			t.Errorf("%s: %v, %v", line[0], err, fs.Args())
		} else if err := s.check(); err != nil {
			t.Errorf("%s: %v", line[0], err)
		}
	}
	var s serving
	fs := flags(&s)
	named := regexp.MustCompile("`-([a-z-]+)").FindAllStringSubmatch(string(page), -1)
	for _, name := range named {
		if fs.Lookup(name[1]) == nil {
			t.Errorf("there is no flag -%s", name[1])
		}
	}
	if len(lines) < 2 || len(named) < 10 {
		t.Errorf("the page has %d command lines and names %d flags", len(lines), len(named))
	}
}
