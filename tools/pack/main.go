// Command pack writes archives that depend on the files' names and contents alone: the same files
// give the same bytes, whenever and by whichever user they were made. Programs are executable.
//
//	go -C tools run ./pack -out ARCHIVE FOLDER     a .tar.gz or a .zip of a folder
//	go -C tools run ./pack -sums FILE ARCHIVE...   their SHA-256, as sha256sum writes it
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	out := flag.String("out", "", "the archive to write")
	sums := flag.String("sums", "", "the file of checksums to write")
	flag.Parse()
	err := errors.New("give it -out ARCHIVE FOLDER, or -sums FILE ARCHIVE...")
	switch {
	case *out != "" && flag.NArg() == 1:
		err = pack(*out, flag.Arg(0))
	case *sums != "" && flag.NArg() > 0:
		err = checksums(*sums, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// date is that of all files: the first that a zip can hold.
var date = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// mode returns that of a file: programs are executable.
func mode(name string) fs.FileMode {
	base := filepath.Base(name)
	if filepath.Ext(base) == ".exe" || !strings.Contains(base, ".") && base != "LICENSE" {
		return 0o755
	}
	return 0o644
}

// pack writes an archive of a folder, whose name begins all names.
func pack(out, dir string) error {
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	var add func(name string, text []byte) error
	var ends []io.Closer
	switch {
	case strings.HasSuffix(out, ".zip"):
		z := zip.NewWriter(file)
		ends = []io.Closer{z}
		add = func(name string, text []byte) error {
			h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: date}
			h.SetMode(mode(name))
			w, err := z.CreateHeader(h)
			if err == nil {
				_, err = w.Write(text)
			}
			return err
		}
	case strings.HasSuffix(out, ".tar.gz"):
		g, _ := gzip.NewWriterLevel(file, gzip.BestCompression) // the level is valid
		t := tar.NewWriter(g)
		ends = []io.Closer{t, g}
		add = func(name string, text []byte) error {
			err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(text)), Mode: int64(mode(name)), ModTime: date, Format: tar.FormatUSTAR})
			if err == nil {
				_, err = t.Write(text)
			}
			return err
		}
	default:
		return errors.Join(file.Close(), os.Remove(out), fmt.Errorf("%s: it writes .tar.gz and .zip", out))
	}
	errs := []error{filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error { // in the order of the names
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		inside, err := filepath.Rel(filepath.Dir(filepath.Clean(dir)), name)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return add(filepath.ToSlash(inside), text)
	})}
	for _, end := range ends {
		errs = append(errs, end.Close())
	}
	return errors.Join(append(errs, file.Close())...)
}

// checksums writes the checksums of files.
func checksums(out string, files []string) error {
	var b strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(text), filepath.Base(name))
	}
	return os.WriteFile(out, []byte(b.String()), 0o644)
}
