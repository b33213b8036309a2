package host

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/transport/joinlink"
)

// Config configures a [Host]. The zero value is useful: no socket, no files, and the default log.
// Addresses to listen on are HOST:PORT, or :PORT for all addresses of the machine.
type Config struct {
	// Listen is the UDP address for encrypted datagrams (package dtls). Empty: none.
	Listen string
	// WebSocket serves browsers, and networks that let no UDP pass.
	WebSocket WebSocket
	// Public is the host that join links name: a DNS name or an address under which players find
	// this machine, without a port. Empty: the address that is listened on.
	Public string
	// State is the folder that keeps the certificate, the token and, unless Access names another
	// file, the access list. It is made if it is missing. Empty: all of these are new at every
	// start, and old links are not valid.
	State string
	// Access is the file of bans and invitations. Empty: access.json in State, if that is given.
	Access string
	// JoinRate is how many handshakes per second are accepted from one network (a /24, or a /56 of
	// IPv6), at most 1000. Zero: 10. Raise it if many players are behind one address.
	JoinRate int
	// Metrics is the HTTP address of [Host.Metrics], such as :7780; :PORT listens on this machine
	// alone. Empty: none.
	Metrics string
	// Vars adds the game's own figures to the metrics. It is called a few times a second, with an
	// empty map, in the goroutine that calls Update. Values are numbers, strings and bools, or
	// others that do not change any more. The text for Prometheus has the numbers and bools.
	Vars func(vars map[string]any)
	// Commands are the game's own commands for the console, beside the host's.
	Commands []Command
	// Drain is the time between the announcement of the shutdown and the shutdown. Zero: 3 s;
	// negative: none.
	Drain time.Duration
	// OnDrain is called when the shutdown is announced, so that the game can show it to the
	// players. Nil: players see it when their connections end.
	OnDrain func(left time.Duration)
	// Log receives messages for the operator. Nil: slog.Default().
	Log *slog.Logger
}

// WebSocket configures how a [Host] serves over WebSocket. The zero value: it does not.
type WebSocket struct {
	// Addr is the TCP address. Empty: none; the other fields are then empty, too.
	Addr string
	// Path is the path on which connections are accepted, as it arrives here. Empty: /, or the path
	// of Proxy.
	Path string
	// Page answers all requests that are not for a WebSocket, such as those for the page that plays
	// here (see [NewPage]). Its address is [Host.PageLink]. Behind a Proxy with a path it is below
	// that path, where its relative links lead, and receives the paths without it. An answer takes
	// at most two minutes. Nil: none.
	Page http.Handler
	// PageQuery stands behind the ? of every link to Page, also those of invitations, such as
	// hz=30. Empty: none.
	PageQuery string
	// Origins are hosts whose web pages may connect in addition to the server's own, such as
	// play.example.org or *.example.org.
	Origins []string
	// CertFile and KeyFile are the certificate of an authority with its chain, and its key (PEM).
	// Renewed files are used without a restart.
	CertFile, KeyFile string
	// SelfSigned encrypts with the server's own certificate, whose fingerprint is in the link. It
	// is for programs, and for pages that this server serves itself: a browser warns of it once,
	// and then opens the page and its connections.
	SelfSigned bool
	// TLS encrypts with certificates from elsewhere, such as autocert.Manager.TLSConfig.
	TLS *tls.Config
	// Proxy is the address under which players reach this server through a proxy that does TLS,
	// such as wss://play.example.org/ or wss://play.example.org/game/. The proxy may take the path
	// off or pass it on, and write any Host: pages of this address's host may connect. The server
	// then trusts the client addresses that the proxy writes at the end of X-Forwarded-For, or of
	// Forwarded (RFC 7239). docs/hosting.md has configurations of proxies.
	Proxy string
}

// Command is a command of the game for the console.
type Command struct {
	// Usage is the command and its arguments, such as "say TEXT". Its first word is the command. A
	// command of the host with the same name takes precedence.
	Usage string
	// Help describes the command in one line.
	Help string
	// Run runs the command, in the goroutine that calls Run or Execute of the host. The arguments
	// are the rest of the line without outer blanks. The operator is shown its output and its
	// error.
	Run func(args string, out io.Writer) error
}

// ConfigError reports an invalid field of a [Config], with the remedy.
type ConfigError struct {
	Field string // its name, such as Listen or WebSocket.Proxy
	Value string // as it is shown; may be empty
	Err   error
}

// Error returns the field, its value and the remedy.
func (e *ConfigError) Error() string {
	text := "host: " + e.Field
	if e.Value != "" {
		text += " " + e.Value
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *ConfigError) Unwrap() error { return e.Err }

func invalid(field, value, format string, values ...any) error {
	return &ConfigError{field, value, fmt.Errorf(format, values...)}
}

// Validate returns a [*ConfigError] if a field is invalid, without opening anything. [Open] calls
// it.
func (c Config) Validate() error {
	_, err := c.complete()
	return err
}

// settings is a checked Config.
type settings struct {
	Config
	// proxy is the WebSocket's link behind a proxy, without the token; nil: there is no proxy.
	proxy *joinlink.Link
	// prefix is the path under which the proxy has this server, without a slash at its end.
	prefix string
}

func (c Config) complete() (settings, error) {
	s := settings{Config: c}
	if c.JoinRate < 0 || c.JoinRate > 1000 {
		return s, invalid("JoinRate", strconv.Itoa(c.JoinRate), "1 to 1000 handshakes per second, or 0 for the usual 10")
	}
	var err error
	if c.Metrics != "" {
		if s.Metrics, err = metricsAddress(c.Metrics); err != nil {
			return s, err
		}
	}
	if s.Public, err = publicHost(c.Public); err != nil {
		return s, err
	}
	if c.Listen != "" {
		if _, err := net.ResolveUDPAddr("udp", c.Listen); err != nil {
			return s, invalid("Listen", c.Listen, "it takes HOST:PORT or :PORT, such as 127.0.0.1:7777: %w", err)
		}
	}
	return s, s.completeWebSocket()
}

func (s *settings) completeWebSocket() error {
	w := &s.WebSocket
	if w.Addr == "" {
		for _, f := range [...]struct {
			name  string
			given bool
		}{{"Path", w.Path != ""}, {"Origins", len(w.Origins) > 0}, {"Page", w.Page != nil}, {"PageQuery", w.PageQuery != ""}, {"CertFile", w.CertFile != ""}, {"KeyFile", w.KeyFile != ""}, {"SelfSigned", w.SelfSigned}, {"TLS", w.TLS != nil}, {"Proxy", w.Proxy != ""}} {
			if f.given {
				return invalid("WebSocket."+f.name, "", "it is for WebSocket; give that an address, too")
			}
		}
		return nil
	}
	if _, _, err := net.SplitHostPort(w.Addr); err != nil {
		return invalid("WebSocket.Addr", strconv.Quote(w.Addr), "it takes HOST:PORT or :PORT, such as 127.0.0.1:8080")
	}
	switch {
	case (w.CertFile == "") != (w.KeyFile == ""):
		return invalid("WebSocket.CertFile", "", "a certificate needs its key, and a key its certificate; give both files")
	case w.SelfSigned && w.CertFile != "":
		return invalid("WebSocket.SelfSigned", "", "there is a certificate of an authority already; leave one of them out")
	case w.TLS != nil && (w.SelfSigned || w.CertFile != ""):
		return invalid("WebSocket.TLS", "", "there is another certificate already; leave one of them out")
	case w.Proxy != "" && (w.SelfSigned || w.CertFile != "" || w.TLS != nil):
		return invalid("WebSocket.Proxy", "", "the proxy does TLS; leave out certificates here")
	}
	for _, host := range w.Origins {
		if _, err := path.Match(host, ""); err != nil || host == "" || strings.ContainsAny(host, "/ ") {
			return invalid("WebSocket.Origins", strconv.Quote(host), "it takes hosts, such as play.example.org or *.example.org, and no https://")
		}
	}
	return s.completeProxy()
}

// completeProxy turns the proxy's address into a link, and completes the path.
func (s *settings) completeProxy() error {
	w := &s.WebSocket
	if w.Proxy != "" {
		u, err := url.Parse(w.Proxy)
		if err != nil || u.Scheme != "wss" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return invalid("WebSocket.Proxy", strconv.Quote(w.Proxy), "it takes the address that players reach, such as wss://play.example.org/arena or wss://play.example.org:8443/")
		}
		host := u.Hostname()
		if at, err := netip.ParseAddr(host); err == nil {
			host = at.String() // as browsers write it
		}
		l, err := joinlink.Parse("tandem+wss://" + net.JoinHostPort(host, cmp.Or(u.Port(), "443")) + cmp.Or(u.Path, "/"))
		if err != nil {
			return invalid("WebSocket.Proxy", strconv.Quote(w.Proxy), "%w", err)
		}
		s.proxy = &l
		if strings.Contains(l.Path, "//") {
			return invalid("WebSocket.Proxy", strconv.Quote(w.Proxy), "its path has an empty part; leave one / out, as in wss://play.example.org/game/")
		}
		w.Path = cmp.Or(w.Path, l.Path)
		if s.prefix = l.Path; w.Path != l.Path {
			s.prefix = strings.TrimSuffix(l.Path, w.Path) // Path is below it
		}
		s.prefix = strings.TrimSuffix(s.prefix, "/")
	}
	w.Path = cmp.Or(w.Path, "/")
	if err := (joinlink.Link{Transport: joinlink.WS, Host: "localhost", Port: 1, Path: w.Path}).Validate(); err != nil {
		return invalid("WebSocket.Path", "", "%w", err)
	}
	return nil
}

// origins returns the patterns of the hosts whose pages may connect: those of the configuration,
// and that of the proxy, which may write another Host into the requests of its pages.
func (s *settings) origins() []string {
	if s.proxy == nil {
		return s.WebSocket.Origins
	}
	host := withoutPort(s.proxy.Address(), 443) // as browsers write it
	pattern := strings.ReplaceAll(host, "[", `\[`)
	return append(slices.Clone(s.WebSocket.Origins), pattern)
}

// inTheClear reports whether other machines could read the WebSocket's datagrams.
func (s *settings) inTheClear() bool {
	w := &s.WebSocket
	return !w.SelfSigned && w.CertFile == "" && w.TLS == nil && s.proxy == nil && !onlyHere(w.Addr)
}

// onlyHere reports whether an address is reachable from this machine alone.
func onlyHere(addr string) bool {
	host, _, _ := net.SplitHostPort(addr)
	at, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && at.IsLoopback()
}

// everywhere reports whether an address to listen on covers all addresses of the machine.
func everywhere(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	ip := net.ParseIP(host)
	return err == nil && (host == "" || ip != nil && ip.IsUnspecified())
}
