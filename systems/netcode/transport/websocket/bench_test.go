//go:build linux

package websocket_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
)

// cpu returns the processor time that this process has used.
func cpu(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// Datagrams from one end to the other over 127.0.0.1, 32 at a time as a server sends them in a
// tick. cpu-ns/datagram is the processor time of everything on both ends, the kernel included.
func BenchmarkDatagram(b *testing.B) {
	secure, pinned := security(b)
	for _, test := range []struct {
		name           string
		server, client websocket.Config
	}{{"ws", open(websocket.Config{}), websocket.Config{}}, {"wss", secure, pinned}} {
		for _, size := range []int{200, websocket.MTU} {
			b.Run(fmt.Sprint(test.name, "/", size), func(b *testing.B) {
				all := websocket.Rate{PerSecond: 1e9, Burst: 1e9}
				test.server.ClientFrames, test.server.ClientBytes = all, all
				l := listen(b, test.server)
				client, server := join(b, l, l.Addr(), test.client)
				datagram, buf, got := make([]byte, size), make([]byte, websocket.MTU), 0
				b.ReportAllocs()
				start, n := cpu(b), 0
				for b.Loop() {
					n++
					if err := client.Send(datagram); err != nil {
						b.Fatal(err)
					}
					for n%32 == 0 && got < n {
						time.Sleep(20 * time.Microsecond)
						for _, ok := server.Recv(buf); ok; _, ok = server.Recv(buf) {
							got++
						}
					}
				}
				b.ReportMetric(float64(cpu(b)-start)/float64(n), "cpu-ns/datagram")
			})
		}
	}
}

// A client joins and leaves: both ends, on 127.0.0.1.
func BenchmarkHandshake(b *testing.B) {
	secure, pinned := security(b)
	for _, test := range []struct {
		name           string
		server, client websocket.Config
	}{{"ws", open(websocket.Config{}), websocket.Config{}}, {"wss", secure, pinned}} {
		b.Run(test.name, func(b *testing.B) {
			l := listen(b, test.server)
			b.ReportAllocs()
			start, n := cpu(b), 0
			for b.Loop() {
				n++
				client, _ := join(b, l, l.Addr(), test.client)
				client.Close(transport.Reason{})
				<-client.(*websocket.Conn).Done()
			}
			b.ReportMetric(float64(cpu(b)-start)/float64(n), "cpu-ns/handshake")
		})
	}
}
