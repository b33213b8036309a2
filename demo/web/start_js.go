package main

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"syscall/js"
	"time"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/demo/internal/app"
	"github.com/tandem-ecs/tandem/demo/internal/arena/view"
	"github.com/tandem-ecs/tandem/demo/internal/match"
	"github.com/tandem-ecs/tandem/demo/internal/options"
	"github.com/tandem-ecs/tandem/demo/internal/page"
	"github.com/tandem-ecs/tandem/systems/netcode/replay"
	"github.com/tandem-ecs/tandem/systems/netcode/transport"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/websocket"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/webtransport"
)

func start() { page.Main(arena, recorded) }

// recorded opens a recorded match.
func recorded(o *options.Options, data []byte) (app.Content, error) {
	tape, err := replay.Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	c, err := view.New(view.Config{Replay: tape, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	return match.New(match.Config{Settings: o.Settings, Clients: []*view.Client{c}, At: o.At, Gaps: match.NewSurvey(tape).Gaps, Log: os.Stderr}), nil
}

// arena opens a match on the page's own server.
func arena(o *options.Options, token string) (app.Content, func(map[string]any), error) {
	var line dialer
	config := view.Config{
		Dial: line.dial, Token: []byte(token), Rate: o.Rate, Link: o.Link, Log: slog.New(slog.DiscardHandler),
	}
	if o.Autopilot {
		bot := view.NewBot(o.Seed)
		bot.Peace, bot.Near = o.Peace, o.Still
		config.Controller = bot
	}
	me, err := view.New(config)
	if err != nil {
		return nil, nil, err
	}
	ring := replay.NewRing(match.AgainTime)
	if err := me.Record(ring); err != nil {
		return nil, nil, err
	}
	m := match.New(match.Config{Settings: o.Settings, Clients: []*view.Client{me}, Ring: ring, Manual: !o.Autopilot, Log: os.Stderr})
	return m, func(s map[string]any) { addState(s, me, line.name) }, nil
}

// patience is how long WebTransport may take before WebSocket is tried.
const patience = 3 * time.Second

// dialer connects to the server that the page is from, at the page's own folder.
type dialer struct{ name string } // of the transport that was tried last

// dial tries WebTransport, and WebSocket where that cannot be had.
func (d *dialer) dial() (transport.Conn, error) {
	folder := js.Global().Get("URL").New(".", js.Global().Get("location").Get("href")).Get("href").String()
	first := func() transport.Conn {
		d.name = "webtransport"
		return webtransport.Dial(folder+"webtransport", webtransport.Config{})
	}
	second := func() transport.Conn {
		d.name = "websocket"
		return websocket.Dial("ws"+strings.TrimPrefix(folder, "http"), websocket.Config{})
	}
	return transport.Fallback(patience, first, second), nil
}

// addState adds what tests read of a match.
func addState(s map[string]any, me *view.Client, transport string) {
	status, _ := me.Net().Status()
	stats := me.Net().Stats()
	s["rate"] = me.Rules().Rate
	s["status"], s["player"], s["text"] = status.String(), me.Net().Number(), me.Status()
	s["replicas"], s["snapshots"], s["corrections"] = stats.Replicas, float64(stats.Snapshots), float64(stats.Corrections)
	s["starved"], s["sampled"], s["reconnects"] = float64(stats.Starved), float64(stats.Sampled), float64(stats.Reconnects)
	s["rtt"], s["transport"] = float64(stats.RTT.Microseconds())/1000, transport
	drawn := map[string]any{}
	me.Trace(func(name string, _, visual components.Pose3D) {
		if name == "me" || strings.HasPrefix(name, "player-") {
			at := visual.Position
			drawn[name] = []any{at[0], at[1], at[2]}
		}
	})
	now := me.Engine().Time()
	s["real"], s["steps"], s["drawn"] = now.Real.Seconds(), now.Steps, drawn
}
