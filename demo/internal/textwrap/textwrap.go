// Package textwrap breaks texts into lines.
package textwrap

import "strings"

// Lines breaks a text at spaces into lines that fit. A longer word has a line of its own. An empty
// text has no lines.
func Lines(text string, fits func(line string) bool) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		longer := word
		if line != "" {
			longer = line + " " + word
		}
		if line != "" && !fits(longer) {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
