//go:build linux

package dtls_test

import (
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
)

// cpu returns the processor time that this process has used.
func cpu(b *testing.B) time.Duration { return used(b, syscall.RUSAGE_SELF) }

// ownCPU returns the processor time of the calling thread.
func ownCPU(b *testing.B) time.Duration { return used(b, syscall.RUSAGE_THREAD) }

func used(b *testing.B, who int) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(who, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// Datagrams from one end to the other over 127.0.0.1, 32 at a time as a server sends them in a
// tick. cpu-ns/datagram is the processor time of everything on both ends, the kernel included.
func BenchmarkDatagram(b *testing.B) {
	for _, size := range []int{200, dtls.MTU} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			all := dtls.Rate{PerSecond: 1e9, Burst: 1e9}
			l := listen(b, open(dtls.Config{ClientDatagrams: all, ClientBytes: all}))
			client, server := join(b, l, l.Addr(), dtls.Config{})
			exchange(b, client, server)
			datagram, buf, got := make([]byte, size), make([]byte, dtls.MTU), 0
			b.ReportAllocs()
			start, n := cpu(b), 0
			for b.Loop() {
				n++
				if err := client.Send(datagram); err != nil {
					b.Fatal(err)
				}
				if n%32 != 0 {
					continue
				}
				for deadline := time.Now().Add(time.Second); got < n && time.Now().Before(deadline); time.Sleep(20 * time.Microsecond) {
					for _, ok := server.Recv(buf); ok; _, ok = server.Recv(buf) {
						got++
					}
				}
				got = n
			}
			b.ReportMetric(float64(cpu(b)-start)/float64(n), "cpu-ns/datagram")
		})
	}
}

// A client joins and leaves: both ends, on 127.0.0.1.
func BenchmarkHandshake(b *testing.B) {
	l := listen(b, open(dtls.Config{}))
	b.ReportAllocs()
	start, n := cpu(b), 0
	for b.Loop() {
		n++
		client, _ := join(b, l, l.Addr(), dtls.Config{})
		client.Close(transport.Reason{})
		<-client.(*dtls.Conn).Done()
	}
	b.ReportMetric(float64(cpu(b)-start)/float64(n), "cpu-ns/handshake")
}

// Forged hellos from one sender to a server's socket. cpu-ns/hello is the processor time of the
// receiving side, the kernel's included: all of the process but the sender's thread.
func BenchmarkFlood(b *testing.B) {
	for _, test := range []struct {
		name    string
		cookies dtls.Rate
	}{{"all answered", generous}, {"beyond the limit", dtls.Rate{PerSecond: 1, Burst: 1}}} {
		b.Run(test.name, func(b *testing.B) {
			l := listen(b, dtls.Config{Cookies: test.cookies, NetworkCookies: test.cookies})
			hello, attacker := firstHello(b, l), localSocket(b)
			defer attacker.Close()
			server, err := net.ResolveUDPAddr("udp", l.Addr())
			if err != nil {
				b.Fatal(err)
			}
			to := server.AddrPort()
			to = netip.AddrPortFrom(to.Addr().Unmap(), to.Port())
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			start, own, before := cpu(b), ownCPU(b), l.Stats().Hellos
			for n := 1; b.Loop(); n++ {
				if _, err := attacker.WriteToUDPAddrPort(hello, to); err != nil {
					b.Fatal(err)
				}
				if n%50 == 0 { // 10 000 per second
					time.Sleep(5 * time.Millisecond)
				}
			}
			b.ReportMetric(float64(cpu(b)-start-(ownCPU(b)-own))/float64(l.Stats().Hellos-before), "cpu-ns/hello")
		})
	}
}

// Forged records with a connection's id, from one sender. cpu-ns/record is the processor time of
// the receiving side, the kernel's included.
func BenchmarkForgedRecords(b *testing.B) {
	for _, test := range []struct {
		name   string
		budget dtls.Rate
	}{{"within the budget", dtls.Rate{PerSecond: 1e9, Burst: 1e9}}, {"beyond it", dtls.Rate{PerSecond: 1, Burst: 100}}} {
		b.Run(test.name, func(b *testing.B) {
			l := listen(b, open(dtls.Config{ClientDatagrams: test.budget, ClientBytes: dtls.Rate{PerSecond: 1e9, Burst: 1e9}}))
			r := newRelay(b, l.Addr())
			client, there := join(b, l, r.addr(), dtls.Config{})
			exchange(b, client, there)
			up, _ := r.recorded()
			forged, attacker := up[len(up)-1], localSocket(b)
			defer attacker.Close()
			forged[len(forged)-1] ^= 1
			forged[5] = 1 // of its number: later than all
			to := r.server.AddrPort()
			to = netip.AddrPortFrom(to.Addr().Unmap(), to.Port())
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			start, own, sent := cpu(b), ownCPU(b), 0
			for b.Loop() {
				if _, err := attacker.WriteToUDPAddrPort(forged, to); err != nil {
					b.Fatal(err)
				}
				if sent++; sent%50 == 0 { // 10 000 per second
					time.Sleep(5 * time.Millisecond)
				}
			}
			b.ReportMetric(float64(cpu(b)-start-(ownCPU(b)-own))/float64(sent), "cpu-ns/record")
		})
	}
}
