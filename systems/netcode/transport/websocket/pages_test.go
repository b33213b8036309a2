//go:build !js

package websocket_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
)

// A page and connections share a port and, unless the path says otherwise, the path. A request for
// a page has no body.
func TestPageBesideConnections(t *testing.T) {
	secure, dial := security(t)
	secure.Page = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "page ", r.URL.Path) })
	l := listen(t, secure)
	join(t, l, l.Addr(), dial)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	ask := func(method, path, body string) string {
		t.Helper()
		r, err := http.NewRequest(method, "https://"+tcpAddr(l)+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintln(answer.StatusCode, answer.Proto, strings.TrimSpace(string(text)))
	}
	for _, test := range []struct{ method, path, body, want string }{
		{"GET", "/", "", "200 HTTP/1.1 page /\n"},
		{"GET", "/other", "", "200 HTTP/1.1 page /other\n"},
		{"POST", "/", "text", "400 HTTP/1.1 a request for a page has no body\n"},
	} {
		if got := ask(test.method, test.path, test.body); got != test.want {
			t.Errorf("%s %s: %q, want %q", test.method, test.path, got, test.want)
		}
	}
}

// Clients that take their time over pages leave room for connections. One network has no more than
// 32 answers at a time, and all together have a quarter of MaxConns.
func TestSlowPages(t *testing.T) {
	for most, want := range map[int]int{0: 32, 40: 10} {
		let, begun := make(chan struct{}), make(chan struct{}, 100)
		config := open(websocket.Config{MaxConns: most, Page: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			begun <- struct{}{}
			<-let
		})})
		l := listen(t, config)
		answers := make(chan int, 100)
		ask := func() {
			answer, err := http.Get("http://" + tcpAddr(l))
			if err != nil {
				answers <- 0
				return
			}
			answer.Body.Close()
			answers <- answer.StatusCode
		}
		for range want {
			go ask()
		}
		for range want {
			<-begun
		}
		go ask()
		if got := <-answers; got != http.StatusServiceUnavailable {
			t.Errorf("MaxConns %d: the answer beside %d others is %d, want 503", most, want, got)
		}
		join(t, l, l.Addr(), websocket.Config{})
		close(let)
		for range want {
			if got := <-answers; got != http.StatusOK {
				t.Errorf("MaxConns %d: %d", most, got)
			}
		}
		go ask()
		if got := <-answers; got != http.StatusOK {
			t.Errorf("MaxConns %d: afterwards the answer is %d", most, got)
		}
	}
}
