// Package markdown writes and reads the parts of the pages that tests write.
package markdown

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Width is the greatest number of columns of a line of prose. Only a word can be wider.
const Width = 100

var (
	// kept matches headings, tables, pictures and comments.
	kept = regexp.MustCompile(`^(#+ |\||!\[|<!--)`)
	// thousands matches words that are a number with spaces, such as 1 000 000.
	thousands = regexp.MustCompile(`\d \d{3}\b[^ ]*$`)
)

// Wrap breaks the lines of a page's paragraphs and list items anew, each at most [Width] columns
// wide. Headings, tables, pictures, comments and code keep their lines. A number such as 1 000 000
// stays whole.
func Wrap(page string) string {
	var out, paragraph []string
	fenced := false
	flush := func() {
		out = append(out, fill(paragraph)...)
		paragraph = nil
	}
	for _, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			flush()
			out = append(out, line)
			continue
		}
		if strings.HasPrefix(line, "- ") {
			flush()
		}
		isCode := fenced || len(paragraph) == 0 && strings.HasPrefix(line, "  ")
		if line != "" && !isCode && !kept.MatchString(line) {
			for _, word := range strings.Fields(line) {
				if last := len(paragraph) - 1; last >= 0 && thousands.MatchString(paragraph[last]+" "+word) {
					paragraph[last] += " " + word
				} else {
					paragraph = append(paragraph, word)
				}
			}
			continue
		}
		flush()
		out = append(out, line)
	}
	flush()
	return strings.Join(out, "\n")
}

// fill returns the lines of a paragraph or of an item of a list.
func fill(words []string) (lines []string) {
	indent := ""
	if len(words) > 0 && words[0] == "-" {
		indent = "  "
	}
	for _, word := range words {
		last := len(lines) - 1
		if last < 0 {
			lines = append(lines, word)
		} else if wider := lines[last] + " " + word; utf8.RuneCountInString(wider) <= Width {
			lines[last] = wider
		} else {
			lines = append(lines, indent+word)
		}
	}
	return lines
}

// Row returns a line of a table.
func Row(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }

// Table is a table of figures, with columns of text beside them.
type Table struct {
	Labels int // columns of text in front of the figures
	Texts  int // those behind them
	Head   []string
	Rows   [][]string
}

// String returns the table's lines, without a newline at the end.
func (t Table) String() string {
	rule := "|" + strings.Repeat("---|", t.Labels) + strings.Repeat("---:|", len(t.Head)-t.Labels-t.Texts) + strings.Repeat("---|", t.Texts)
	lines := []string{Row(t.Head), rule}
	for _, cells := range t.Rows {
		lines = append(lines, Row(cells))
	}
	return strings.Join(lines, "\n")
}

// Read returns the first table below the first line that begins with a heading. A table without
// columns means that there is none. Labels and Texts are not read.
func Read(page, heading string) (t Table) {
	_, section, _ := strings.Cut("\n"+page, "\n"+heading)
	for line := range strings.Lines(section) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "|---"):
		case strings.HasPrefix(line, "|"):
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			if t.Head == nil {
				t.Head = cells
			} else {
				t.Rows = append(t.Rows, cells)
			}
		case t.Head != nil || strings.HasPrefix(line, "#"):
			return t
		}
	}
	return t
}

// Cell returns the cell of the row with a name in its first column, below a word of the head. It
// reports whether there is one.
func (t Table) Cell(name, head string) (cell string, ok bool) {
	row := slices.IndexFunc(t.Rows, func(cells []string) bool { return cells[0] == name })
	column := slices.Index(t.Head, head)
	if row < 0 || column < 0 || column >= len(t.Rows[row]) {
		return "", false
	}
	return t.Rows[row][column], true
}
