package play

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// Who asks for the metrics and then holds on to the connection is let go of: else the process runs out of file descriptors, with the players in it.
func TestMetricsLetGo(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for seconds of real time")
	}
	m, err := newMetrics("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	requests := map[string]string{
		"says nothing":                 "",
		"announces a body":             "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n",
		"has got an answer":            "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
		"asks for what there is not":   "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n",
		"does not end what it asks":    "GET /healthz HTTP/1.1\r\nHost: x\r\nX: ",
		"sends a part of its own body": "GET /debug/vars HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
	}
	all := map[string]net.Conn{}
	for who, request := range requests {
		c, err := net.Dial("tcp", m.addr())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := fmt.Fprint(c, request); err != nil {
			t.Fatal(err)
		}
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		all[who] = c
	}
	for who, c := range all {
		if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("who %s is still connected", who)
		}
	}
}
