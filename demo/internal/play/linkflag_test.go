package play

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tandem-ecs/tandem/demo/internal/flags"
)

// A join link comes from the command line, a file, the standard input or the environment, with
// blanks and empty lines round it; errors say where it was looked for, and never quote the token.
func TestJoinLinksComeFromElsewhere(t *testing.T) {
	const token = "Xo3bqT9-secret-token"
	const link, wrong = "tandem+ws://127.0.0.1:8080/#+" + token, "tandem+tcp://127.0.0.1:8080/#+" + token
	file := func(text string) string {
		name := filepath.Join(t.TempDir(), "link")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return "@" + name
	}
	for _, test := range []struct {
		name, flag, in, env, want string // want: of the error; empty: none
	}{
		{"on the command line", link, "", "", ""},
		{"the command line before the environment", link, "", wrong, ""},
		{"in a file", file(link + "\n"), "", "", ""},
		{"in a file without an end of line", file(link), "", "", ""},
		{"in a file of another system", file("\r\n  " + link + " \r\nmore"), "", "", ""},
		{"on the standard input", "-", "\n" + link + "\nmore", "", ""},
		{"in the environment", "", "", " " + link, ""},
		{"nowhere", "", link, "", "-connect: give the join link"},
		{"no file", "@" + filepath.Join(t.TempDir(), "none"), "", "", "none"},
		{"a folder", "@" + t.TempDir(), "", "", "-connect @"},
		{"no name", "@", "", "", "-connect @"},
		{"an empty file", file(""), "", "", "no join link"},
		{"empty lines", "-", strings.Repeat("\n", 10_000), "", "no join link"},
		{"no input", "-", "", "", "no join link"},
		{"an endless line", "-", strings.Repeat("x", 1<<20), "", "more than 4096 bytes"},
		{"a wrong one", "-", wrong, "", "-connect -: on the standard input: joinlink:"},
		{"a wrong one in a file", file(wrong), "", "", "joinlink:"},
		{"a wrong one in the environment", "", "", wrong, "TANDEM_CONNECT: joinlink:"},
	} {
		t.Setenv(connectVariable, test.env)
		c := linkFlag{text: test.flag}
		err := c.check(strings.NewReader(test.in))
		var usage *flags.BadUsage
		switch {
		case test.want == "" && (err != nil || c.link.Token != token):
			t.Errorf("%s: %v, token %q", test.name, err, c.link.Token)
		case test.want == "":
		case !errors.As(err, &usage) || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret"):
			t.Errorf("%s: %v, want an error with %q", test.name, err, test.want)
		}
		if text := os.Getenv(connectVariable); test.flag == "" && text != "" {
			t.Errorf("%s: programs that this one starts have %q", test.name, text)
		}
	}
	c := linkFlag{text: "-"}
	if err := c.check(iotest.ErrReader(errors.New("hung up"))); err == nil || !strings.Contains(err.Error(), "hung up") {
		t.Errorf("an input that breaks: %v", err)
	}
}
