// Package devnats runs servers of NATS in this process: one for development, or a cluster of three
// for tests. All of them listen on loopback addresses only.
package devnats

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// startTime is how long a server may take to start.
const startTime = 20 * time.Second

// Server is one server.
type Server struct {
	options server.Options
	running *server.Server
}

// Start starts a server without a cluster on a free port, with its files in a folder.
func Start(dir string) (*Server, error) {
	s := &Server{options: options(dir)}
	return s, s.Start()
}

// StartWithUsers starts a server that knows these users only, with their permissions.
func StartWithUsers(dir string, users ...*server.User) (*Server, error) {
	s := &Server{options: options(dir)}
	s.options.Users = users
	return s, s.Start()
}

// options are the settings of a server that keeps what it has acknowledged, also when the machine
// loses power.
func options(dir string) server.Options {
	return server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT,
		JetStream: true, StoreDir: dir, SyncAlways: true,
		NoSigs:                 true,
		DisableJetStreamBanner: true,
	}
}

// Start starts the server, again at the port that it had before.
func (s *Server) Start() error {
	o := s.options // the server changes its options
	n, err := server.NewServer(&o)
	if err != nil {
		return fmt.Errorf("devnats: %w", err)
	}
	var why reason
	n.SetLoggerV2(&why, false, false, false)
	n.Start()
	for end := time.Now().Add(startTime); !n.ReadyForConnections(100 * time.Millisecond); {
		if why.fatal.Load() || time.Now().After(end) {
			n.Shutdown()
			n.WaitForShutdown()
			return fmt.Errorf("devnats: the server does not start: %s", why.text())
		}
	}
	s.running = n
	s.options.Port = n.Addr().(*net.TCPAddr).Port
	return nil
}

// reason keeps the last error that a server has logged, and whether it cannot go on.
type reason struct {
	last  atomic.Pointer[string]
	fatal atomic.Bool
}

func (r *reason) text() string {
	if t := r.last.Load(); t != nil {
		return *t
	}
	return "it gives no reason"
}

func (r *reason) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.last.Store(&text)
}

func (r *reason) Errorf(format string, args ...any) { r.note(format, args...) }
func (r *reason) Fatalf(format string, args ...any) {
	r.note(format, args...)
	r.fatal.Store(true)
}

func (*reason) Noticef(string, ...any) {}
func (*reason) Warnf(string, ...any)   {}
func (*reason) Debugf(string, ...any)  {}
func (*reason) Tracef(string, ...any)  {}

// URL returns the address for clients.
func (s *Server) URL() string {
	return "nats://127.0.0.1:" + strconv.Itoa(s.options.Port)
}

// Stop ends the server and waits for it. Start starts it again with its files.
func (s *Server) Stop() {
	if s.running != nil {
		s.running.Shutdown()
		s.running.WaitForShutdown()
		s.running = nil
	}
}

// Cluster is three servers that form a cluster.
type Cluster struct {
	Servers [3]*Server
}

// StartCluster starts a cluster, with its files in folders below dir, and waits until it has a
// leader.
func StartCluster(dir string) (*Cluster, error) {
	var ports [3]int
	var routes string
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports[i] = l.Addr().(*net.TCPAddr).Port
		routes += fmt.Sprintf(",nats://127.0.0.1:%d", ports[i])
		_ = l.Close()
	}
	c := &Cluster{}
	for i, port := range ports {
		name := fmt.Sprintf("node%d", i+1)
		o := options(filepath.Join(dir, name))
		o.ServerName = name
		o.Cluster = server.ClusterOpts{Name: "dev", Host: "127.0.0.1", Port: port}
		o.RoutesStr = routes[1:]
		o.Routes = server.RoutesFromStr(o.RoutesStr)
		c.Servers[i] = &Server{options: o}
		if err := c.Servers[i].Start(); err != nil {
			c.Stop()
			return nil, err
		}
	}
	for end := time.Now().Add(startTime); ; time.Sleep(10 * time.Millisecond) {
		if c.ready() {
			return c, nil
		}
		if time.Now().After(end) {
			c.Stop()
			return nil, errors.New("devnats: the cluster has no leader")
		}
	}
}

// ready reports whether all servers belong to the cluster.
func (c *Cluster) ready() bool {
	leaders := 0
	for _, s := range c.Servers {
		if !s.running.JetStreamIsCurrent() {
			return false
		}
		if s.running.JetStreamIsLeader() {
			leaders++
			if len(s.running.JetStreamClusterPeers()) < len(c.Servers) {
				return false
			}
		}
	}
	return leaders == 1
}

// URL returns the addresses of all servers.
func (c *Cluster) URL() string {
	return c.Servers[0].URL() + "," + c.Servers[1].URL() + "," + c.Servers[2].URL()
}

// Leader returns the server that leads a stream, or nil if none does at present. The bucket B is
// the stream KV_B.
func (c *Cluster) Leader(stream string) *Server {
	for _, s := range c.Servers {
		if s.running != nil && s.running.JetStreamIsStreamLeader(server.DEFAULT_GLOBAL_ACCOUNT, stream) {
			return s
		}
	}
	return nil
}

// Stop ends all servers that run.
func (c *Cluster) Stop() {
	for _, s := range c.Servers {
		if s != nil {
			s.Stop()
		}
	}
}

// Temporary returns a new folder for a server, and a function that deletes it.
func Temporary() (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp("", "tandem-nats-")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}
