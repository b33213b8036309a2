// Package flags reads command lines and writes their help, in the same form for every command of
// the demo.
package flags

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tandem-ecs/tandem/demo/internal/textwrap"
)

// Set is the flags of a command, in sections.
type Set struct {
	*flag.FlagSet
	Operand  *string // the one argument that is no flag, before or after them; nil: there is none
	sections []section
}

type section struct {
	title string
	names []string // of its flags
}

// ErrHelp is returned after the help has been printed.
var ErrHelp = flag.ErrHelp

// BadUsage is the error for a command line that is wrong.
type BadUsage struct{ Err error }

func (e *BadUsage) Error() string { return e.Err.Error() }
func (e *BadUsage) Unwrap() error { return e.Err }

// Badf returns a [BadUsage].
func Badf(format string, values ...any) error { return &BadUsage{fmt.Errorf(format, values...)} }

// New returns a command without flags. The name is empty for the demo itself.
func New(name string) *Set {
	s := &Set{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError)}
	s.SetOutput(io.Discard) // errors are returned, help is printed below
	return s
}

// Section names the flags that have been defined since the last section.
func (s *Set) Section(title string) {
	var names []string
	s.VisitAll(func(f *flag.Flag) {
		if !slices.ContainsFunc(s.sections, func(k section) bool { return slices.Contains(k.names, f.Name) }) {
			names = append(names, f.Name)
		}
	})
	if len(names) > 0 {
		s.sections = append(s.sections, section{title, names})
	}
}

// Read reads the arguments. Help goes to out: head, all flags, tail.
func (s *Set) Read(args []string, out io.Writer, head, tail string) error {
	err := s.Parse(args)
	for ; err == nil && s.NArg() > 0 && s.Operand != nil && *s.Operand == ""; err = s.Parse(s.Args()[1:]) {
		*s.Operand = s.Arg(0)
	}
	if errors.Is(err, flag.ErrHelp) {
		s.Section("Flags")
		fmt.Fprint(out, head)
		s.write(out)
		fmt.Fprint(out, tail)
		return ErrHelp
	}
	if err != nil {
		return &BadUsage{readable(err, func(name string) string { return takes(s.Lookup(name)) })}
	}
	if s.NArg() > 0 {
		return Badf("%q is not a flag; flags begin with a dash, and switches take an equals sign, as -name=false", s.Arg(0))
	}
	return nil
}

// Given reports whether the command line sets a flag.
func (s *Set) Given(name string) (given bool) {
	s.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// helpWidth is the width of the help, in columns.
const helpWidth = 116

// write explains all flags of a command, in two columns.
func (s *Set) write(out io.Writer) {
	for _, k := range s.sections {
		fmt.Fprintf(out, "\n%s\n", k.title)
		for _, name := range k.names {
			writeFlag(out, s.Lookup(name))
		}
	}
}

func writeFlag(out io.Writer, f *flag.Flag) {
	const indent = 22
	value, text := flag.UnquoteUsage(f)
	switch {
	case isBool(f) && f.DefValue == "true":
		text += " (on; off with -" + f.Name + "=false)"
	case f.DefValue != "" && f.DefValue != "0" && f.DefValue != "0s" && f.DefValue != "false" && !strings.Contains(text, "(default"):
		text += " (default " + f.DefValue + ")"
	}
	if strings.Contains(value, " ") { // a range, which the text states
		value = "n"
	}
	head := strings.TrimRight("  -"+f.Name+" "+strings.ToUpper(value), " ")
	lines := textwrap.Lines(text, func(line string) bool { return utf8.RuneCountInString(line) <= helpWidth-indent })
	if len(head) >= indent {
		fmt.Fprintln(out, head)
		head = ""
	}
	for _, line := range lines {
		fmt.Fprintf(out, "%-*s%s\n", indent, head, line)
		head = ""
	}
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// takes describes the values of a flag. It returns "" for a flag whose own errors do so.
func takes(f *flag.Flag) string {
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
