package host

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// maxPage bounds a page's folder, since NewPage reads all of it.
const maxPage = 256 << 20

// asset is a file of a page.
type asset struct {
	kind  string // its Content-Type
	tag   string // of its forms, without quotes
	forms map[coding][]byte
}

// page serves the files of a folder from memory, by their paths.
type page map[string]*asset

// NewPage returns a handler for the files of a folder that holds a game in a browser: a page,
// scripts and WebAssembly. Mount it as the Page of [WebSocket], or in a program's own http.Server.
//
// It reads all files at once, so later changes have no effect, and a request cannot leave the
// folder. A file FILE.br or FILE.gz beside FILE is sent in its place to browsers that accept brotli
// or gzip. Nothing is compressed at run time. The answer to a request for a folder is its
// index.html. Hidden files are left out, and there are no listings. Browsers ask at each use
// whether a file has changed, by a tag of its content.
//
// The headers isolate the page from others (Cross-Origin-Opener-Policy and -Embedder-Policy), which
// gives it a finer clock. Its Content-Security-Policy allows files and connections of its own
// origin, WebAssembly and workers, and no script within the HTML.
//
// NewPage returns an error if the folder has no index.html, cannot be read, is larger than 256 MiB,
// or has a FILE.gz that holds another text than FILE.
func NewPage(files fs.FS) (http.Handler, error) {
	p := page{}
	all := map[string][]byte{}
	total := int64(0)
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		switch hidden := name != "." && strings.HasPrefix(d.Name(), "."); {
		case err != nil:
			return err
		case hidden && d.IsDir():
			return fs.SkipDir
		case hidden || !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if total += info.Size(); total > maxPage {
			return fmt.Errorf("its files have more than %d MiB", maxPage>>20)
		}
		all[name], err = fs.ReadFile(files, name)
		return err
	})
	if err == nil && all["index.html"] == nil {
		err = errors.New("it has no index.html")
	}
	if err != nil {
		return nil, fmt.Errorf("host: the folder of a page: %w", err)
	}
	for name, text := range all {
		if base, ok := strings.CutSuffix(name, brotli.suffix()); ok && all[base] != nil {
			continue
		}
		if base, ok := strings.CutSuffix(name, gzip.suffix()); ok && all[base] != nil {
			continue
		}
		a := &asset{kind: kindOf(name), forms: map[coding][]byte{identity: text}}
		sum := sha256.New()
		sum.Write(text)
		for _, c := range []coding{brotli, gzip} {
			if packed := all[name+c.suffix()]; packed != nil {
				a.forms[c] = packed
				sum.Write(packed) // a file that was compressed anew needs a new tag
			}
		}
		a.tag = base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12])
		if packed := a.forms[gzip]; packed != nil && !isGzipOf(packed, text) {
			return nil, fmt.Errorf("host: the folder of a page: %s is compressed from another %s; compress it again", name+gzip.suffix(), name)
		}
		p["/"+name] = a
		if path.Base(name) == "index.html" {
			p["/"+strings.TrimSuffix(name, "index.html")] = a
		}
	}
	return p, nil
}

// isGzipOf reports whether a gzip file is one of a text, by the checksum and the length at its end.
func isGzipOf(packed, text []byte) bool {
	want := binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(text))
	return bytes.HasSuffix(packed, binary.LittleEndian.AppendUint32(want, uint32(len(text))))
}

// kindOf returns a file's Content-Type. The tables of operating systems differ, and browsers
// compile WebAssembly while it arrives under one type only.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".wasm":
		return "application/wasm"
	case ".css":
		return "text/css; charset=utf-8"
	case ".json", ".webmanifest":
		return "application/json"
	case ".txt", ".md", "":
		return "text/plain; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".gif":
		return "image/gif"
	case ".ico":
		return "image/x-icon"
	}
	return "application/octet-stream"
}

// policy is the page's Content-Security-Policy.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
	"media-src 'self'; font-src 'self'; manifest-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP implements http.Handler.
func (p page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Embedder-Policy", "require-corp")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	a := p[r.URL.Path]
	if a == nil {
		http.NotFound(w, r)
		return
	}
	c := identity
	if len(a.forms) > 1 {
		h.Set("Vary", "Accept-Encoding")
		c = choose(r.Header.Values("Accept-Encoding"), func(c coding) bool { return a.forms[c] != nil })
	}
	text, tag := a.forms[c], strconv.Quote(a.tag+c.suffix())
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", tag)
	if matches(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", a.kind)
	h.Set("Content-Length", strconv.Itoa(len(text)))
	if c != identity {
		h.Set("Content-Encoding", c.name())
	}
	if r.Method == http.MethodGet {
		_, _ = w.Write(text)
	}
}

// matches reports whether a tag is in the values of If-None-Match (RFC 9110, 13.1.2).
func matches(values []string, tag string) bool {
	for _, value := range values {
		for one := range strings.SplitSeq(value, ",") {
			one = strings.TrimPrefix(strings.TrimSpace(one), "W/")
			if one == tag || one == "*" {
				return true
			}
		}
	}
	return false
}
