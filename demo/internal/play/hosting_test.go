package play

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tandem-ecs/tandem/demo/internal/flags"
)

// The page for operators names flags that there are, and its command lines are ones that a server
// takes.
func TestHostingPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/hosting.md")
	if err != nil {
		t.Fatal(err)
	}
	server := func(s *serverFlags) *flags.Set {
		set := flags.New("server")
		s.flags(set, "")
		set.Bool("console", true, "")
		set.Bool("agones", false, "")
		return set
	}
	lines := regexp.MustCompile(`(?m)arena server (.*?)(?: <> commands)?$`).FindAllStringSubmatch(string(page), -1)
	for _, line := range lines {
		var s serverFlags
		if err := server(&s).Read(strings.Fields(line[1]), io.Discard, "", ""); err != nil {
			t.Errorf("%s: %v", line[0], err)
			continue
		}
		if s.web.addr != "" {
			s.web.dir = pageDir(t) // none is built
		}
		if err := s.check(); err != nil {
			t.Errorf("%s: %v", line[0], err)
		}
	}
	var s serverFlags
	set := server(&s)
	named := regexp.MustCompile("`-([a-z-]+)").FindAllStringSubmatch(string(page), -1)
	for _, name := range named {
		if set.Lookup(name[1]) == nil {
			t.Errorf("there is no flag -%s", name[1])
		}
	}
	if len(lines) < 2 || len(named) < 10 {
		t.Errorf("the page has %d command lines and names %d flags", len(lines), len(named))
	}
}
