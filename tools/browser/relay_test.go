package browser

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/linksim"
)

// relay forwards what comes to a port of this machine to a server, in real time: requests for files
// as they are, WebSocket over a path on which a loss is a stall, as TCP makes of it, and packets of
// QUIC over a path that loses them.
type relay struct {
	t      *testing.T
	addr   string
	server string
	path   linksim.Path
	closed chan struct{}
	wg     sync.WaitGroup

	mu    sync.Mutex
	seed  uint64
	conns []io.Closer
}

// newRelay listens on a free port. Without datagrams it takes no UDP.
func newRelay(t *testing.T, server, path string, datagrams bool) *relay {
	t.Helper()
	p, err := linksim.ParsePath(path)
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{t: t, server: server, path: p, closed: make(chan struct{})}
	t.Cleanup(r.close)
	for range 20 { // the port has to be free for both
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		r.addr = l.Addr().String()
		if !datagrams {
			r.keep(l)
			r.wg.Go(func() { r.accept(l) })
			return r
		}
		socket, err := net.ListenPacket("udp", r.addr)
		if err != nil {
			l.Close()
			continue
		}
		r.keep(l)
		r.keep(socket)
		r.wg.Go(func() { r.accept(l) })
		r.wg.Go(func() { r.forward(socket) })
		return r
	}
	t.Fatal("no port is free for TCP and UDP")
	return nil
}

func (r *relay) close() {
	close(r.closed)
	r.mu.Lock()
	for _, c := range r.conns {
		c.Close()
	}
	r.mu.Unlock()
	r.wg.Wait()
}

// keep closes a connection at the end.
func (r *relay) keep(c io.Closer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.closed:
		c.Close()
	default:
		r.conns = append(r.conns, c)
	}
}

// lanes returns both directions of a path of its own for one connection.
func (r *relay) lanes(ordered bool, up, down func([]byte)) (a, b *lane) {
	r.mu.Lock()
	r.seed++
	p := r.path
	p.Send.Seed, p.Receive.Seed = 2*r.seed, 2*r.seed+1
	r.mu.Unlock()
	p.Send.Ordered, p.Receive.Ordered = ordered, ordered
	send, receive, err := p.Links()
	if err != nil {
		panic(err) // the path was parsed
	}
	a, b = newLane(send, up), newLane(receive, down)
	r.wg.Go(func() { a.run(r.closed) })
	r.wg.Go(func() { b.run(r.closed) })
	return a, b
}

// accept takes connections of TCP.
func (r *relay) accept(l net.Listener) {
	for {
		front, err := l.Accept()
		if err != nil {
			return
		}
		r.keep(front)
		r.wg.Go(func() { r.stream(front) })
	}
}

// stream forwards one connection. Its first request says whether it is a WebSocket.
func (r *relay) stream(front net.Conn) {
	defer front.Close()
	head := make([]byte, 0, 8192)
	for !bytes.Contains(head, []byte("\r\n\r\n")) {
		n, err := front.Read(head[len(head):cap(head)])
		if err != nil || n == 0 {
			return
		}
		head = head[:len(head)+n]
	}
	back, err := net.Dial("tcp", r.server)
	if err != nil {
		return // the server is down
	}
	defer back.Close()
	r.keep(back)
	if !bytes.Contains(bytes.ToLower(head), []byte("upgrade: websocket")) {
		if _, err := back.Write(head); err != nil {
			return
		}
		r.wg.Go(func() {
			io.Copy(back, front)
			back.Close()
		})
		io.Copy(front, back)
		return
	}
	up, down := r.lanes(true, func(b []byte) { back.Write(b) }, func(b []byte) { front.Write(b) })
	up.push(head)
	r.wg.Go(func() {
		up.take(front)
		back.Close()
	})
	down.take(back)
}

// forward forwards the packets of all clients.
func (r *relay) forward(front net.PacketConn) {
	server, err := net.ResolveUDPAddr("udp", r.server)
	if err != nil {
		panic(err)
	}
	clients := map[string]*lane{}
	buf := make([]byte, 2048)
	for {
		n, from, err := front.ReadFrom(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // an answer that could not be delivered
		}
		up := clients[from.String()]
		if up == nil {
			back, err := net.DialUDP("udp", nil, server)
			if err != nil {
				panic(err)
			}
			r.keep(back)
			var down *lane
			up, down = r.lanes(false, func(b []byte) { back.Write(b) }, func(b []byte) { front.WriteTo(b, from) })
			clients[from.String()] = up
			r.wg.Go(func() { down.take(back) })
		}
		up.push(buf[:n])
	}
}

// lane is one direction of one connection.
type lane struct {
	begin time.Time
	send  func([]byte)
	wake  chan struct{}

	mu   sync.Mutex
	link *linksim.Link
}

func newLane(link *linksim.Link, send func([]byte)) *lane {
	return &lane{begin: time.Now(), link: link, send: send, wake: make(chan struct{}, 1)}
}

// push puts data on the path.
func (l *lane) push(b []byte) {
	l.mu.Lock()
	l.link.Push(time.Since(l.begin), b)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// take puts on the path what a connection brings, in pieces of a packet, until it ends.
func (l *lane) take(from io.Reader) {
	buf := make([]byte, 1400)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			l.push(buf[:n])
		}
		if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) {
			return
		}
		if _, stream := from.(*net.TCPConn); err != nil && stream {
			return
		}
	}
}

// run delivers what has reached the end of the path.
func (l *lane) run(closed <-chan struct{}) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		now := time.Since(l.begin)
		var due [][]byte
		l.mu.Lock()
		for b, _, ok := l.link.Pop(now); ok; b, _, ok = l.link.Pop(now) {
			due = append(due, bytes.Clone(b))
		}
		next := now + time.Hour
		if at, ok := l.link.Next(); ok {
			next = at
		}
		l.mu.Unlock()
		for _, b := range due {
			l.send(b)
		}
		timer.Reset(next - now)
		select {
		case <-timer.C:
		case <-l.wake:
		case <-closed:
			return
		}
	}
}
