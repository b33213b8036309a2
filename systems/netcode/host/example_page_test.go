package host_test

import (
	"fmt"
	"log"
	"strings"
	"testing/fstest"

	"github.com/tandem-ecs/tandem/systems/netcode/host"
)

// A server that also serves the game's page. The page of this one is in memory. A real server gives
// NewPage the folder that its build has written, as os.DirFS("web").
func ExampleNewPage() {
	files := fstest.MapFS{"index.html": {Data: []byte("<!doctype html><title>Walk</title>")}}
	page, err := host.NewPage(files)
	if err != nil {
		log.Fatal(err)
	}
	h, err := host.Open(host.Config{
		Listen:    "127.0.0.1:0",
		WebSocket: host.WebSocket{Addr: "127.0.0.1:0", Page: page},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	address, token, _ := strings.Cut(h.PageLink(), "#")
	fmt.Println(strings.HasPrefix(address, "http://127.0.0.1:"), token == h.Token())
	// Output:
	// true true
}
