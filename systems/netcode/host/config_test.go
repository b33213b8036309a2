package host

import (
	"errors"
	"strings"
	"testing"
)

// An invalid field is reported with its name and the remedy, before anything listens. The other
// fields are completed.
func TestConfig(t *testing.T) {
	web := func(w WebSocket) Config { return Config{WebSocket: w} }
	const addr = "127.0.0.1:0"
	for _, test := range []struct {
		c           Config
		field, want string
	}{
		{Config{}, "", ""},
		{Config{JoinRate: 1001}, "JoinRate", "host: JoinRate 1001: 1 to 1000 handshakes"},
		{Config{JoinRate: -1}, "JoinRate", "or 0"},
		{Config{Listen: "here"}, "Listen", "host: Listen here: it takes HOST:PORT"},
		{Config{Listen: "127.0.0.1:1234567"}, "Listen", "it takes HOST:PORT"},
		{web(WebSocket{Addr: "here"}), "WebSocket.Addr", `"here": it takes HOST:PORT`},
		{web(WebSocket{Path: "/"}), "WebSocket.Path", "give that an address"},
		{web(WebSocket{Origins: []string{"*"}}), "WebSocket.Origins", "give that an address"},
		{web(WebSocket{SelfSigned: true}), "WebSocket.SelfSigned", "give that an address"},
		{web(WebSocket{CertFile: "a"}), "WebSocket.CertFile", "give that an address"},
		{web(WebSocket{KeyFile: "a"}), "WebSocket.KeyFile", "give that an address"},
		{web(WebSocket{Proxy: "wss://x/"}), "WebSocket.Proxy", "give that an address"},
		{web(WebSocket{Addr: addr, KeyFile: "a"}), "WebSocket.CertFile", "a key its certificate"},
		{web(WebSocket{Addr: addr, CertFile: "a", KeyFile: "a", SelfSigned: true}), "WebSocket.SelfSigned", "leave one of them out"},
		{web(WebSocket{Addr: addr, SelfSigned: true, Proxy: "wss://x/"}), "WebSocket.Proxy", "the proxy does TLS"},
		{web(WebSocket{Addr: addr, Origins: []string{"https://x"}}), "WebSocket.Origins", "no https://"},
		{web(WebSocket{Addr: addr, Origins: []string{""}}), "WebSocket.Origins", "it takes hosts"},
		{web(WebSocket{Addr: addr, Proxy: "ws://x/"}), "WebSocket.Proxy", "wss://play"},
		{web(WebSocket{Addr: addr, Proxy: "wss://x/game//"}), "WebSocket.Proxy", "leave one / out"},
		{web(WebSocket{Addr: addr, Proxy: "wss://x:70000/"}), "WebSocket.Proxy", `"70000" is no port`},
		{web(WebSocket{Addr: addr, Path: "arena"}), "WebSocket.Path", "joinlink:"},
		{web(WebSocket{Addr: addr, CertFile: "a", KeyFile: "b"}), "", ""},
	} {
		err := test.c.Validate()
		var wrong *ConfigError
		switch {
		case test.field == "" && err != nil:
			t.Errorf("%+v: %v", test.c, err)
		case test.field == "":
		case !errors.As(err, &wrong) || wrong.Field != test.field || !strings.Contains(err.Error(), test.want):
			t.Errorf("%+v: %v, want %s and %q", test.c, err, test.field, test.want)
		}
	}
	for proxy, want := range map[string]string{"": "/", "wss://play.example.org": "/", "wss://play.example.org:8443/arena": "/arena"} {
		s, err := Config{WebSocket: WebSocket{Addr: addr, Proxy: proxy}}.complete()
		if err != nil || s.WebSocket.Path != want || proxy != "" && (s.proxy == nil || !strings.HasPrefix(proxy+":443", "wss://"+s.proxy.Host)) {
			t.Errorf("behind %q the path is %q, the link %+v, %v", proxy, s.WebSocket.Path, s.proxy, err)
		}
	}
}
