package host

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tandem-ecs/tandem/systems/netcode"
)

// exposition is a text in Prometheus' exposition format, version 0.0.4. Each family of samples
// begins with its HELP and TYPE and has all of its samples together.
//
// https://prometheus.io/docs/instrumenting/exposition_formats/
type exposition struct{ text []byte }

// escaped makes any text the value of a label.
var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// family begins a family of samples.
func (e *exposition) family(name, kind, help string) {
	e.text = append(e.text, "# HELP "+name+" "+help+"\n# TYPE "+name+" "+kind+"\n"...)
}

// sample writes a sample, with a label unless its name is empty.
func (e *exposition) sample(name, label, value string, v float64) {
	e.text = append(e.text, name...)
	if label != "" {
		e.text = append(e.text, "{"+label+`="`+escaped.Replace(strings.ToValidUTF8(value, "\uFFFD"))+`"}`...)
	}
	e.text = append(e.text, ' ')
	e.text = strconv.AppendFloat(e.text, v, 'f', -1, 64)
	e.text = append(e.text, '\n')
}

// gauge writes a family of one value that goes up and down.
func (e *exposition) gauge(name, help string, v float64) {
	e.family(name, "gauge", help)
	e.sample(name, "", "", v)
}

// counter writes a family of one value that only goes up.
func (e *exposition) counter(name, help string, v float64) {
	e.family(name, "counter", help)
	e.sample(name, "", "", v)
}

// prometheus returns the figures as Prometheus reads them, in its base units: seconds and bytes.
func (f *figures) prometheus() []byte {
	var e exposition
	s, l := &f.server, &f.listeners
	e.gauge("tandem_players", "Players that are connected.", float64(s.Players))
	e.gauge("tandem_players_away", "Players that are away after a lost connection and expected back.", float64(s.Away))
	e.gauge("tandem_connections_waiting", "Connections without a hello.", float64(s.Waiting))
	e.gauge("tandem_entities", "Entities that are replicated.", float64(s.Entities))
	e.counter("tandem_joined_total", "Players that joined.", float64(s.Joined))
	e.counter("tandem_resumed_total", "Players that returned to their place.", float64(s.Resumed))
	e.counter("tandem_left_total", "Players that left for good.", float64(s.Left))
	e.counter("tandem_refused_total", "Connections that were refused: full, wrong token, other build.", float64(s.Refused))
	e.counter("tandem_kicked_total", "Players that were removed, by the game or by the policy.", float64(s.Kicked))
	e.counter("tandem_malformed_total", "Datagrams that no client would send.", float64(s.Malformed))
	e.counter("tandem_sent_bytes_total", "Bytes sent to players, without those of the transport.", float64(s.SentBytes))
	e.counter("tandem_sent_packets_total", "Packets sent to players.", float64(s.Sent))
	e.counter("tandem_received_bytes_total", "Bytes received, without those of the transport.", float64(s.ReceivedBytes))
	e.counter("tandem_snapshots_total", "States of the world that were prepared for sending.", float64(s.Snapshots))
	e.family("tandem_rate_players", "gauge", "Players by the cause of the rate at which they are sent to.")
	for cause, players := range s.Causes {
		e.sample("tandem_rate_players", "cause", netcode.RateCause(cause).String(), float64(players))
	}
	e.gauge("tandem_least_rate_bytes_per_second", "Lowest measured rate of a line, with the bytes of the transport.", s.LeastRate)
	e.gauge("tandem_most_queue_seconds", "Longest wait of a packet in a queue on the way.", s.MostQueue.Seconds())
	e.family("tandem_handshakes_total", "counter", "Connections before their hello, by what became of them.")
	e.sample("tandem_handshakes_total", "result", "accepted", float64(l.Accepted))
	e.sample("tandem_handshakes_total", "result", "refused", float64(l.Refused))
	e.sample("tandem_handshakes_total", "result", "failed", float64(l.Failed))
	e.gauge("tandem_handshakes_pending", "Handshakes under way, and connections that are not accepted yet.", float64(l.Pending))
	e.counter("tandem_hellos_total", "First packets of handshakes over UDP.", float64(l.Hellos))
	e.counter("tandem_challenges_total", "Hellos answered by the request to prove the sender's address.", float64(l.Challenges))
	e.counter("tandem_unanswered_total", "Hellos and strangers' packets that were dropped because too many arrived.", float64(l.Unanswered))
	e.counter("tandem_strays_total", "Packets that are no hello and belong to no connection.", float64(l.Strays))
	draining := 0.0
	if f.server.Draining {
		draining = 1
	}
	e.gauge("tandem_draining", "1 while the server is shutting down, otherwise 0.", draining)
	e.counter("tandem_dropped_seconds_total", "Time that was skipped because steps took too long.", f.dropped.Seconds())
	f.prometheusTicks(&e)
	f.prometheusGame(&e)
	return e.text
}

// prometheusTicks writes the durations of the ticks: a histogram since the start, and percentiles.
func (f *figures) prometheusTicks(e *exposition) {
	e.family("tandem_tick_seconds", "histogram", "Duration of the steps.")
	total := uint64(0)
	for i, bound := range tickBounds {
		total += f.all.buckets[i]
		e.sample("tandem_tick_seconds_bucket", "le", strconv.FormatFloat(bound.Seconds(), 'f', -1, 64), float64(total))
	}
	e.sample("tandem_tick_seconds_bucket", "le", "+Inf", float64(f.all.count))
	e.sample("tandem_tick_seconds_sum", "", "", f.all.sum.Seconds())
	e.sample("tandem_tick_seconds_count", "", "", float64(f.all.count))
	e.family("tandem_tick_recent_seconds", "gauge", "Percentiles of the duration of the steps of the last minute.")
	e.sample("tandem_tick_recent_seconds", "quantile", "0.5", f.recent.p50.Seconds())
	e.sample("tandem_tick_recent_seconds", "quantile", "0.95", f.recent.p95.Seconds())
	e.sample("tandem_tick_recent_seconds", "quantile", "0.99", f.recent.p99.Seconds())
	e.sample("tandem_tick_recent_seconds", "quantile", "1", f.recent.most.Seconds())
}

// prometheusGame writes the numbers and bools of Config.Vars. Their names are values of a label, so
// that any name is possible. Prometheus has no place for other values.
func (f *figures) prometheusGame(e *exposition) {
	begun := false
	for _, name := range slices.Sorted(maps.Keys(f.game)) {
		v, ok := number(f.game[name])
		if !ok {
			continue
		}
		if !begun {
			e.family("tandem_game", "untyped", "Figures of the game, by their names.")
			begun = true
		}
		e.sample("tandem_game", "name", name, v)
	}
}

// number returns a number or a bool as a float.
func number(value any) (float64, bool) {
	switch v := reflect.ValueOf(value); {
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	case v.CanFloat():
		return v.Float(), true
	case v.Kind() == reflect.Bool:
		if v.Bool() {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}
