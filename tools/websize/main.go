// Command websize checks the sizes of programs for browsers, as brotli at quality 11 sends them.
//
//	go -C tools run ./websize -file FILE -go VERSION [-record] PROGRAM=LIMIT...
//
// Brotli takes minutes at quality 11, and seconds at quality 5. FILE has the sizes of both for
// earlier builds, and their checksums. A program with a recorded checksum has the recorded size. Of
// another one the size at quality 5 and the recorded ratio of the two say whether it is below its
// limit, since the ratio changes little from build to build. If they say so by less than the margin,
// the program is compressed at quality 11, and that size decides.
//
// A program must not grow unnoticed either: it may have 1 % more bytes before compression than
// those in FILE, unless another version of Go has built it. With -record the file is written anew.
package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

// margin is by how much the estimate may be wrong. The ratios of the three programs that were
// measured are 0.849 (the whole demo), 0.853 (the arena) and 0.857 (the scenes).
const margin = 0.03

// growth is how much a program may grow before it has to be recorded.
const growth = 0.01

// size is that of a build.
type size struct {
	raw, quick, best int
	sum              string
}

// sum returns a text's checksum.
func sum(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// counter counts what is written to it.
type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// packed returns the size of a text at a quality of brotli.
func packed(text []byte, quality int) int {
	var c counter
	w := brotli.NewWriterLevel(&c, quality)
	_, _ = w.Write(text) // the counter takes everything
	_ = w.Close()
	return int(c)
}

func main() {
	file := flag.String("file", "", "the recorded sizes")
	version := flag.String("go", "", "the version of Go that built the programs")
	record := flag.Bool("record", false, "write the file")
	flag.Parse()
	if err := run(*file, *version, *record, flag.Args(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "websize:", err)
		os.Exit(1)
	}
}

// program is one to check.
type program struct {
	name  string
	text  []byte
	limit int
}

func run(file, version string, record bool, args []string, out io.Writer) error {
	if file == "" || len(args) == 0 {
		return errors.New("give it -file FILE and PROGRAM=LIMIT")
	}
	var programs []program
	for _, arg := range args {
		name, text, _ := strings.Cut(arg, "=")
		limit, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("%q: give it PROGRAM=LIMIT, the limit in bytes", arg)
		}
		p := program{name: strings.TrimSuffix(filepath.Base(name), ".wasm"), limit: limit}
		if p.text, err = os.ReadFile(name); err != nil {
			return err
		}
		programs = append(programs, p)
	}
	if record {
		return write(file, version, programs, out)
	}
	builder, known, err := read(file)
	if err != nil {
		return err
	}
	var errs []error
	for _, p := range programs {
		before, ok := known[p.name]
		if !ok {
			errs = append(errs, fmt.Errorf("%s has no line for %s; tools/web.sh record writes it", file, p.name))
			continue
		}
		errs = append(errs, p.check(before, builder == version, out))
	}
	return errors.Join(errs...)
}

// check compares a program with its limit, and with its recorded size if the same Go built both.
func (p program) check(before size, sameGo bool, out io.Writer) error {
	best, how := before.best, "as recorded"
	if sum(p.text) != before.sum {
		ratio := float64(before.best) / float64(before.quick)
		best, how = int(float64(packed(p.text, 5))*ratio), "about"
		if float64(best)*(1+margin) > float64(p.limit) {
			best, how = packed(p.text, 11), "exactly"
		}
	}
	fmt.Fprintf(out, "%s: %d bytes, as brotli %s %d of at most %d\n", p.name, len(p.text), how, best, p.limit)
	switch {
	case best > p.limit:
		return fmt.Errorf("%s has %s %d bytes as brotli, and the limit is %d", p.name, how, best, p.limit)
	case !sameGo:
		fmt.Fprintf(out, "%s: another version of Go built the recorded one, so its growth is not checked\n", p.name)
	case float64(len(p.text)) > float64(before.raw)*(1+growth):
		return fmt.Errorf("%s has grown from %d to %d bytes before compression; find out by what, and if that is worth it record the sizes with tools/web.sh record", p.name, before.raw, len(p.text))
	}
	return nil
}

// write records the sizes of the programs, all of which have to be below their limits.
func write(file, version string, programs []program, out io.Writer) error {
	sizes := make([]size, len(programs))
	var all sync.WaitGroup
	for i, p := range programs {
		all.Go(func() { sizes[i] = size{len(p.text), packed(p.text, 5), packed(p.text, 11), sum(p.text)} })
	}
	all.Wait()
	var b strings.Builder
	fmt.Fprintf(&b, "# Sizes in bytes: of the program, and as brotli at quality 5 and 11; and the checksum. tools/web.sh record writes this file.\n%s\n", version)
	for i, p := range programs {
		s := sizes[i]
		fmt.Fprintf(&b, "%s %d %d %d %s\n", p.name, s.raw, s.quick, s.best, s.sum)
		if s.best > p.limit {
			return fmt.Errorf("%s has %d bytes as brotli, and the limit is %d", p.name, s.best, p.limit)
		}
	}
	fmt.Fprint(out, b.String())
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

// read reads the recorded sizes, and the version of Go that built those programs.
func read(file string) (version string, known map[string]size, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", nil, err
	}
	known = map[string]size{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		var name string
		var s size
		switch n, _ := fmt.Sscan(line, &name, &s.raw, &s.quick, &s.best, &s.sum); {
		case strings.HasPrefix(line, "#"):
		case version == "" && n == 1:
			version = name
		case n == 5 && s.raw > 0 && s.quick > 0 && s.best > 0:
			known[name] = s
		default:
			return "", nil, fmt.Errorf("%s: %q is no line of sizes; tools/web.sh record writes the file", file, line)
		}
	}
	return version, known, nil
}
