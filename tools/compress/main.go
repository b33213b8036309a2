// Command compress writes FILE.br (brotli, quality 11) and FILE.gz (gzip, level 9) beside each file
// of the folders that it is given, for servers that send files as they are. It keeps a compressed
// file that holds the present text, so a second run takes a moment. It writes none that would be
// larger, and removes those whose file is gone.
//
//	go -C tools run ./compress [-quick] FOLDER...
//
// Brotli takes minutes for a program. With -quick there is none.
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/andybalholm/brotli"
)

// form is one way to compress.
type form struct {
	suffix string
	writer func(io.Writer) io.WriteCloser
	reader func(io.Reader) (io.Reader, error)
}

var forms = []form{
	{
		".br",
		func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, brotli.BestCompression) },
		func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
	},
	{
		".gz",
		func(w io.Writer) io.WriteCloser {
			z, _ := gzip.NewWriterLevel(w, gzip.BestCompression) // the level is valid
			return z
		},
		func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	},
}

func main() {
	quick := flag.Bool("quick", false, "without brotli")
	flag.Parse()
	if err := run(flag.Args(), *quick, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "compress:", err)
		os.Exit(1)
	}
}

// run compresses the files of all folders, all at the same time.
func run(dirs []string, quick bool, out io.Writer) error {
	if len(dirs) == 0 {
		return errors.New("give it folders")
	}
	var (
		all  sync.WaitGroup
		mu   sync.Mutex
		errs []error
	)
	report := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		errs = append(errs, err)
	}
	say := func(format string, values ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(out, format, values...)
	}
	for _, dir := range dirs {
		report(filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			for _, f := range forms {
				if filepath.Ext(name) == f.suffix {
					return f.clean(name, quick)
				}
			}
			for _, f := range forms {
				if f.suffix == ".br" && quick {
					continue
				}
				all.Go(func() { report(f.compress(name, say)) })
			}
			return nil
		}))
	}
	all.Wait()
	return errors.Join(errs...)
}

// clean removes a compressed file if its text is gone, or if it is to be left out.
func (f form) clean(name string, quick bool) error {
	_, err := os.Stat(name[:len(name)-len(f.suffix)])
	if errors.Is(err, fs.ErrNotExist) || quick && f.suffix == ".br" {
		return os.Remove(name)
	}
	return err
}

// compress writes the compressed form of a file, unless it is there.
func (f form) compress(name string, say func(string, ...any)) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	to, begin := name+f.suffix, time.Now()
	if old, err := os.ReadFile(to); err == nil && f.holds(old, text) {
		return nil
	}
	if len(text) > 1<<20 && f.suffix == ".br" {
		say("compressing %s with brotli takes some minutes, once\n", name)
	}
	var packed bytes.Buffer
	w := f.writer(&packed)
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	if packed.Len() >= len(text) {
		if err := os.Remove(to); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	say("%s: %d of %d bytes, in %v\n", to, packed.Len(), len(text), time.Since(begin).Round(100*time.Millisecond))
	return os.WriteFile(to, packed.Bytes(), 0o644)
}

// holds reports whether a compressed file holds the text.
func (f form) holds(packed, text []byte) bool {
	r, err := f.reader(bytes.NewReader(packed))
	if err != nil {
		return false
	}
	got, err := io.ReadAll(io.LimitReader(r, int64(len(text))+1))
	return err == nil && bytes.Equal(got, text)
}
