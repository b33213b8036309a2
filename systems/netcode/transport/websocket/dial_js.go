package websocket

import (
	"context"
	"net/http"

	"github.com/coder/websocket"

	"github.com/tandem-ecs/tandem/systems/netcode/transport"
)

// dialOptions returns the library's options: browsers have none.
func dialOptions(Config) (options *websocket.DialOptions, release func()) { return nil, func() {} }

// dialReason returns why there is no connection. A browser does not report it.
func dialReason(ctx context.Context, _ *http.Response, _ error) transport.Reason {
	if ctx.Err() != nil {
		return transport.Reason{Code: transport.TimedOut, Text: "no answer: is the server running?"}
	}
	return transport.Reason{Code: transport.Failed, Text: "cannot connect: is the server running, and does it take connections from this page's site?"}
}

// shut closes the WebSocket. Browsers permit a program few close codes, and the library's CloseNow
// uses another.
func shut(ws *websocket.Conn) { _ = ws.Close(websocket.StatusNormalClosure, "") }
