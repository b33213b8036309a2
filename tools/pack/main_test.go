package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Two folders with the same files, made at other times with other rights, give the same bytes. The
// archives hold the files under the folder's name, and programs are executable.
func TestPack(t *testing.T) {
	files := map[string]string{"demo": "program", "demo.exe": "program", "LICENSE": "text", "web/index.html": "page"}
	want := []string{"v1/LICENSE 644 text", "v1/demo 755 program", "v1/demo.exe 755 program", "v1/web/index.html 644 page"}
	packed := map[string][][]byte{}
	for i := range 2 {
		root := t.TempDir()
		dir := filepath.Join(root, "v1")
		for name, text := range files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			at := time.Unix(1e9+int64(i)*1e6, 0)
			err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600+os.FileMode(i)*0o44), os.Chtimes(path, at, at))
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, kind := range []string{".tar.gz", ".zip"} {
			out := filepath.Join(root, "v1"+kind)
			if err := pack(out, dir); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			packed[kind] = append(packed[kind], text)
		}
		if err := pack(filepath.Join(root, "v1.rar"), dir); err == nil {
			t.Error("no error for another kind of archive")
		}
	}
	for kind, texts := range packed {
		if !bytes.Equal(texts[0], texts[1]) {
			t.Errorf("%s: the archives differ", kind)
		}
	}
	read := func(r io.Reader) string {
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	row := func(name string, mode os.FileMode, text string) string {
		return name + " " + map[os.FileMode]string{0o644: "644", 0o755: "755"}[mode] + " " + text
	}
	var got []string
	g, err := gzip.NewReader(bytes.NewReader(packed[".tar.gz"][0]))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(g); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row(h.Name, h.FileInfo().Mode(), read(r)))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the tar holds %q, want %q", got, want)
	}
	got = nil
	z, err := zip.NewReader(bytes.NewReader(packed[".zip"][0]), int64(len(packed[".zip"][0])))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row(f.Name, f.Mode(), read(r)))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the zip holds %q, want %q", got, want)
	}
}
