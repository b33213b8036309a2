package markdown

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWrap(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("wörds ", 40))
	wide := "| " + long + " |"
	page := "# " + long + "\n\n" + long + "\n" + long + "\n\n- one\n- " + long + "\n  more\n\n" + wide + "\n\n    " + long + "\n\n```\n" + long + "\n```\n<!-- " + long + " -->\n"
	got := Wrap(page)
	if Wrap(got) != got {
		t.Errorf("a page that was wrapped is wrapped again:\n%s", Wrap(got))
	}
	if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(page), " ") {
		t.Errorf("the words have changed:\n%s", got)
	}
	for _, kept := range []string{"# " + long + "\n\nw", "\n\n- one\n- wörds", "\n" + wide + "\n", "\n\n    " + long + "\n", "```\n" + long + "\n```\n", "<!-- " + long + " -->\n"} {
		if !strings.Contains(got, kept) {
			t.Errorf("the page lacks %q:\n%s", kept, got)
		}
	}
	prose, _, _ := strings.Cut(strings.TrimPrefix(got, "# "+long+"\n\n"), "\n|")
	for line := range strings.Lines(prose) {
		if n := utf8.RuneCountInString(line) - 1; n > Width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if !strings.Contains(prose, "\n  wörds") || !strings.Contains(prose, " more\n") {
		t.Errorf("the second line of an item is not indented:\n%s", prose)
	}
}

func TestWrapKeepsNumbersWhole(t *testing.T) {
	for n := range 30 {
		page := strings.Repeat("x", 75+n) + " at 1 000 000, and 10 000"
		if got := Wrap(page); !strings.Contains(got, "1 000 000,") || !strings.Contains(got, "10 000") {
			t.Errorf("a number is broken: %q", got)
		}
	}
}

func TestTablesAreReadAsWritten(t *testing.T) {
	table := Table{1, 0, []string{"lane", "max"}, [][]string{{"a lane", "1 m"}, {"another", ""}}}
	text := table.String()
	if want := "| lane | max |\n|---|---:|\n| a lane | 1 m |\n| another |  |"; text != want {
		t.Errorf("%q, want %q", text, want)
	}
	page := "# Page\n\n| no | 1 |\n\n### Here, and more\n\nText.\n\n" + text + "\n\n| later |\n\n### None\n\n### Next\n" + text
	read := Read(page, "### Here,")
	if got := (Table{1, 0, read.Head, read.Rows}).String(); got != text {
		t.Errorf("read %q, want %q", got, text)
	}
	for _, test := range []struct {
		name, head, want string
		ok               bool
	}{{"a lane", "max", "1 m", true}, {"another", "max", "", true}, {"none", "max", "", false}, {"a lane", "least", "", false}} {
		if cell, ok := read.Cell(test.name, test.head); cell != test.want || ok != test.ok {
			t.Errorf("%s, %s: %q, %v", test.name, test.head, cell, ok)
		}
	}
	for _, heading := range []string{"### None", "### Nowhere"} {
		if got := Read(page, heading); got.Head != nil {
			t.Errorf("below %q: %v", heading, got)
		}
	}
}
