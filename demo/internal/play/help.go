package play

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"time"
)

// helpWidth is how many columns the help takes at most.
const helpWidth = 116

// writeFlags explains all flags of a command, in two columns.
func writeFlags(out io.Writer, fs *flag.FlagSet) {
	const indent = 22
	fs.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		switch {
		case isBool(f) && f.DefValue == "true":
			text += " (on; off with -" + f.Name + "=false)"
		case f.DefValue != "" && f.DefValue != "0" && f.DefValue != "0s" && f.DefValue != "false" && !strings.Contains(text, "(default "):
			text += " (default " + f.DefValue + ")"
		}
		if strings.Contains(value, " ") { // a range, which the text tells
			value = "n"
		}
		head := strings.TrimRight("  -"+f.Name+" "+strings.ToUpper(value), " ")
		lines := wrap(text, helpWidth-indent)
		if len(head) >= indent {
			fmt.Fprintln(out, head)
			head = ""
		}
		for _, line := range lines {
			fmt.Fprintf(out, "%-*s%s\n", indent, head, line)
			head = ""
		}
	})
}

// wrap breaks a text at spaces into lines of at most so many characters; a longer word has a line of its own.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// takes says what values a flag can be given, if there is such a flag and its parsing can fail.
func takes(f *flag.Flag) string {
	if f == nil {
		return ""
	}
	g, ok := f.Value.(flag.Getter)
	if !ok {
		return ""
	}
	switch g.Get().(type) {
	case time.Duration:
		return "a time with its unit, such as 200ms"
	case int:
		return "a whole number"
	case uint64:
		return "a whole number, 0 or more"
	case float64:
		return "a number such as 0.15"
	case bool:
		return "true or false, as -" + f.Name + "=false"
	}
	return ""
}
