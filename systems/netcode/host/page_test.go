package host

import (
	"bytes"
	stdgzip "compress/gzip"
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"github.com/tandem-ecs/tandem/systems/interpolation"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/internal/testgame"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
)

func gzipped(t testing.TB, text string) *fstest.MapFile {
	t.Helper()
	var b bytes.Buffer
	w := stdgzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: b.Bytes()}
}

// folder is that of a page. Its brotli is no brotli, since nothing here reads it.
func folder(t testing.TB) fstest.MapFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return fstest.MapFS{
		"index.html": file("<p>"), "game.wasm": file("program"), "game.wasm.br": file("br"), "game.wasm.gz": gzipped(t, "program"),
		"js/page.js": file("script"), "js/page.js.gz": gzipped(t, "script"), "level/index.html": file("level"), "alone.br": file("alone"), ".secret": file("hidden"), ".git/config": file("hidden"),
	}
}

func newPage(t testing.TB, files fstest.MapFS) http.Handler {
	t.Helper()
	p, err := NewPage(files)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ask returns the answer to a request. The path is as a client sends it, also one that no browser
// would send.
func ask(p http.Handler, method, path string, header http.Header) *http.Response {
	r := httptest.NewRequest(method, "/", nil)
	r.URL.Path, r.Header = path, header
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Result()
}

// body returns an answer's text.
func body(t testing.TB, answer *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Files have the types that browsers ask for, and nothing else is served: no hidden file, no
// listing, and nothing outside of the folder.
func TestPageServesItsFiles(t *testing.T) {
	p := newPage(t, folder(t))
	for path, want := range map[string]struct{ kind, text string }{
		"/": {"text/html; charset=utf-8", "<p>"}, "/index.html": {"text/html; charset=utf-8", "<p>"}, "/level/": {"text/html; charset=utf-8", "level"},
		"/game.wasm": {"application/wasm", "program"}, "/js/page.js": {"text/javascript; charset=utf-8", "script"}, "/alone.br": {"application/octet-stream", "alone"},
	} {
		answer := ask(p, "GET", path, nil)
		if text := body(t, answer); answer.StatusCode != 200 || text != want.text || answer.Header.Get("Content-Type") != want.kind || answer.Header.Get("Content-Length") != strconv.Itoa(len(text)) {
			t.Errorf("%s: %q, %v", path, text, answer)
		}
		head := ask(p, "HEAD", path, nil)
		same := maps.EqualFunc(head.Header, answer.Header, slices.Equal)
		if head.StatusCode != 200 || body(t, head) != "" || !same {
			t.Errorf("%s: HEAD has other headers: %v", path, head)
		}
	}
	for _, path := range []string{"", "/js", "/js/", "/none", "/.secret", "/.git/config", "//game.wasm", "/js/../game.wasm", "/../page.go", "..", "/..", "/%2e%2e/page.go", "game.wasm", "/game.wasm/", "/game.wasm.br", "/game.wasm.gz", "/GAME.WASM", "/index.html\x00"} {
		answer := ask(p, "GET", path, nil)
		if answer.StatusCode != 404 || answer.Header.Get("Cache-Control") != "" {
			t.Errorf("%q: %v", path, answer)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW"} {
		if answer := ask(p, method, "/", nil); answer.StatusCode != 405 || answer.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %v", method, answer)
		}
	}
}

// Every answer isolates the page and forbids what it does not need, also one that reports an error.
func TestPageHeaders(t *testing.T) {
	p := newPage(t, folder(t))
	for _, path := range []string{"/", "/game.wasm", "/none"} {
		h := ask(p, "GET", path, nil).Header
		for name, want := range map[string]string{
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp", "Cross-Origin-Resource-Policy": "same-origin",
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q, want %q", path, name, h.Get(name), want)
			}
		}
		policy := h.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "connect-src 'self'", "frame-ancestors 'none'"} {
			if !strings.Contains(policy+";", want+";") {
				t.Errorf("%s: the policy is %q, without %q", path, policy, want)
			}
		}
	}
}

// A browser that has a file gets it again only if the file or its coding has changed.
func TestPageIsCached(t *testing.T) {
	files := folder(t)
	p := newPage(t, files)
	header := func(encoding, tag string) http.Header {
		return http.Header{"Accept-Encoding": {encoding}, "If-None-Match": {tag}}
	}
	first := ask(p, "GET", "/game.wasm", header("br", ""))
	tag := first.Header.Get("ETag")
	if first.StatusCode != 200 || !strings.HasPrefix(tag, `"`) || first.Header.Get("Cache-Control") != "no-cache" || first.Header.Get("Vary") != "Accept-Encoding" {
		t.Fatalf("%v", first)
	}
	for _, test := range []struct {
		encoding, tag string
		status        int
	}{
		{"br", tag, 304}, {"br", "W/" + tag, 304}, {"br", `"other", ` + tag, 304}, {"br", "*", 304},
		{"br", `"other"`, 200}, {"br", strings.Trim(tag, `"`), 200}, {"gzip", tag, 200}, {"", tag, 200},
	} {
		answer := ask(p, "GET", "/game.wasm", header(test.encoding, test.tag))
		if answer.StatusCode != test.status || answer.Header.Get("ETag") == "" || (body(t, answer) == "") != (test.status == 304) {
			t.Errorf("%+v: %v", test, answer)
		}
	}
	packed := files["game.wasm.br"]
	files["game.wasm.br"] = &fstest.MapFile{Data: []byte("compressed anew")}
	if answer := ask(newPage(t, files), "GET", "/game.wasm", header("br", tag)); answer.StatusCode != 200 {
		t.Errorf("after another compression: %v", answer)
	}
	files["game.wasm.br"] = packed
	files["game.wasm"].Data = []byte("another")
	delete(files, "game.wasm.gz")
	if answer := ask(newPage(t, files), "GET", "/game.wasm", header("br", tag)); answer.StatusCode != 200 {
		t.Errorf("after a change: %v", answer)
	}
	if answer := ask(p, "GET", "/game.wasm", header("br", tag)); answer.StatusCode != 304 {
		t.Errorf("the page that has been read before the change: %v", answer)
	}
}

// For any Accept-Encoding the answer has a coding that the client accepts, the best of those that
// there are, or none. The model reads weights that the test has made itself.
func TestPageCodings(t *testing.T) {
	p := newPage(t, folder(t))
	answers := map[string]int{}
	rapid.Check(t, func(r *rapid.T) {
		path := rapid.SampledFrom([]string{"/game.wasm", "/js/page.js", "/index.html"}).Draw(r, "path")
		exists := map[string][]string{"/game.wasm": {"br", "gzip", ""}, "/js/page.js": {"gzip", ""}, "/index.html": {""}}[path]
		weights := rapid.MapOf(rapid.SampledFrom([]string{"br", "gzip", "identity", "*", "deflate", "zstd"}), rapid.IntRange(0, 10)).Draw(r, "weights")
		blank := rapid.SampledFrom([]string{"", " ", "\t"}).Draw(r, "blank")
		var items []string
		for name, weight := range weights {
			if rapid.Bool().Draw(r, "upper") {
				name = strings.ToUpper(name)
			}
			item := name + blank + ";" + blank + "q=" + strconv.FormatFloat(float64(weight)/10, 'f', -1, 64)
			if weight == 10 && rapid.Bool().Draw(r, "short") {
				item = name
			}
			items = append(items, blank+item)
		}
		slices.Sort(items)
		cut := rapid.IntRange(0, len(items)).Draw(r, "cut")
		header := http.Header{"Accept-Encoding": {strings.Join(items[:cut], ","), strings.Join(items[cut:], ",")}}
		want, most := "", 0
		for _, c := range exists {
			name := c
			if c == "" {
				name = "identity"
			}
			weight, named := weights[name]
			if !named {
				weight = weights["*"]
			}
			if weight > most {
				want, most = c, weight
			}
		}
		answer := ask(p, "GET", path, header)
		if got := answer.Header.Get("Content-Encoding"); got != want || answer.StatusCode != 200 {
			r.Fatalf("%s with %q: the coding is %q, want %q", path, header, got, want)
		}
		if text := body(t, answer); want == "br" && text != "br" || want == "" && text == "br" {
			r.Fatalf("the coding is %q and the text %q", want, text)
		}
		answers[want]++
		noise := rapid.StringN(0, 40, -1).Draw(r, "noise")
		ask(p, "GET", path, http.Header{"Accept-Encoding": {noise}, "If-None-Match": {noise}})
	})
	if !testing.Short() && (answers["br"] == 0 || answers["gzip"] == 0 || answers[""] == 0) {
		t.Errorf("the cases do not cover all codings: %v", answers)
	}
	for accept, want := range map[string]string{"gzip, deflate, br, zstd": "br", "gzip, deflate": "gzip", "": "", "*": "br", "gzip;q=2": "", "br;level=3": "", "gzip;q=NaN": "", "identity": "", "br;q=0": ""} {
		if got := ask(p, "GET", "/game.wasm", http.Header{"Accept-Encoding": {accept}}).Header.Get("Content-Encoding"); got != want {
			t.Errorf("%q: %q, want %q", accept, got, want)
		}
	}
}

// A folder that is no page's, or that was compressed before its last change, is refused.
func TestFoldersThatAreNoPage(t *testing.T) {
	stale, none, large := folder(t), folder(t), folder(t)
	stale["game.wasm"].Data = []byte("changed")
	delete(none, "index.html")
	large["large"] = &fstest.MapFile{Data: make([]byte, maxPage)}
	for want, files := range map[string]fs.FS{
		"game.wasm.gz is compressed from another": stale, "no index.html": none, "more than 256 MiB": large, "no such file": os.DirFS(filepath.Join(t.TempDir(), "none")),
	} {
		if _, err := NewPage(files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A browser's way: the link's page comes over TLS, and a client with the link's token plays through
// the same port. A wrong token is refused, and an invitation has a link of its own.
func TestPlayThroughThePort(t *testing.T) {
	h := open(t, Config{WebSocket: WebSocket{Addr: "127.0.0.1:0", SelfSigned: true, Page: newPage(t, folder(t))}})
	serve(t, h, nil)
	link, page := h.Links()[0], h.PageLink()
	if want := "https://" + link.Address() + "/#" + h.Token(); page != want {
		t.Fatalf("the page's link is %s, want %s", page, want)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	answer, err := client.Get(page)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text := body(t, answer); text != "<p>" || answer.Header.Get("Cross-Origin-Opener-Policy") == "" {
		t.Errorf("the page is %q, %v", text, answer)
	}
	var out strings.Builder
	if err := h.Execute("invite", &out); err != nil {
		t.Fatal(err)
	}
	_, invitation, _ := strings.Cut(strings.Fields(out.String())[1], "/#")
	if !strings.HasPrefix(out.String(), "tandem+wss://") || invitation == h.Token() {
		t.Errorf("an invitation is %q", out.String())
	}
	for token, want := range map[string]netcode.Status{h.Token(): netcode.Playing, invitation: netcode.Playing, "wrong": netcode.Ended} {
		c, err := testgame.Join(protocol(t), testgame.ClientConfig{
			Dial: func() (transport.Conn, error) {
				return websocket.Dial(link.URL(), websocket.Config{Fingerprint: link.Fingerprint}), nil
			},
			Input: func(netcode.Tick) testgame.Input { return testgame.Input{} },
			Token: []byte(token),
		}, interpolation.New3D())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Engine.Close()
		status := netcode.Joining
		for deadline := time.Now().Add(time.Minute); status != want && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			h.Update(time.Second / rate)
			c.Engine.Update(time.Second / rate)
			status, _ = c.Status()
		}
		if status != want {
			t.Errorf("token %q: the player is %v, want %v", token, status, want)
		}
	}
}

// Links of pages leave out the usual port, and have brackets around an address of IPv6.
func TestPageLinks(t *testing.T) {
	for want, link := range map[string]joinlink.Link{
		"https://play.example.org/#t":      {Transport: joinlink.WSS, Host: "play.example.org", Port: 443, Path: "/"},
		"https://play.example.org:8443/#t": {Transport: joinlink.WSS, Host: "play.example.org", Port: 8443, Path: "/arena"},
		"http://127.0.0.1:8080/#t":         {Transport: joinlink.WS, Host: "127.0.0.1", Port: 8080, Path: "/"},
		"http://[::1]/#t":                  {Transport: joinlink.WS, Host: "::1", Port: 80, Path: "/"},
	} {
		h := &Host{links: []joinlink.Link{{}, link}}
		if got := h.pageLink("t"); got != "" {
			t.Errorf("without a page: %s", got)
		}
		h.settings.WebSocket.Page = page{}
		if got := h.pageLink("t"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		h.settings.WebSocket.PageQuery = "hz=30"
		if got, want := h.pageLink("t"), strings.Replace(want, "/#", "/?hz=30#", 1); got != want {
			t.Errorf("with a query: %s, want %s", got, want)
		}
	}
}

// A page needs an address, and one certificate at most.
func TestPageMistakes(t *testing.T) {
	for want, w := range map[string]WebSocket{
		"WebSocket.Page":  {Page: page{}},
		"WebSocket.TLS":   {Addr: "127.0.0.1:0", TLS: &tls.Config{}, SelfSigned: true},
		"WebSocket.Proxy": {Addr: "127.0.0.1:0", TLS: &tls.Config{}, Proxy: "wss://play.example.org/"},
	} {
		var wrong *ConfigError
		if err := (Config{WebSocket: w}).Validate(); !errors.As(err, &wrong) || wrong.Field != want {
			t.Errorf("%+v: %v, want an error of %s", w, err, want)
		}
	}
}
