package zones_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/tandem-ecs/tandem/components"
	"github.com/tandem-ecs/tandem/ecs"
	"github.com/tandem-ecs/tandem/systems/netcode"
	"github.com/tandem-ecs/tandem/systems/netcode/transport/dtls"
	"github.com/tandem-ecs/tandem/systems/netcode/zones"
	"github.com/tandem-ecs/tandem/systems/netcode/zones/custody"
)

// processRate is the tick rate of the processes.
const processRate = 30

// helper is the variable that makes this program a zone or a node of NATS.
const helper = "TANDEM_ZONES_HELPER"

func TestMain(m *testing.M) {
	switch os.Getenv(helper) {
	case "nats":
		runNode()
	case "zone":
		if err := runZone(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
	os.Exit(0)
}

// runNode is a process with one node of a cluster of NATS.
func runNode() {
	port, _ := strconv.Atoi(os.Getenv("PORT"))
	route, _ := strconv.Atoi(os.Getenv("ROUTE"))
	n, err := server.NewServer(&server.Options{
		ServerName: os.Getenv("NAME"), Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: os.Getenv("DIR"), SyncAlways: true,
		NoSigs: true, NoLog: true, Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: route},
		Routes: server.RoutesFromStr(os.Getenv("ROUTES")),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	n.Start()
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test has ended
}

// line is what the process of a zone writes in each second, and at its end.
type line struct {
	Stats   zones.Stats
	Tick    netcode.Tick
	Late    int           // steps that began more than a tick late
	Latest  time.Duration // the latest one
	Err     string
	Fenced  bool
	Players int
}

// runZone is the process of a zone. It writes the names of what it simulates in each tick
// into a file.
func runZone() error {
	name, rate := os.Getenv("NAME"), processRate
	links, err := zones.DTLS("127.0.0.1:0", "", quiet())
	if err != nil {
		return err
	}
	joins := dtls.Rate{PerSecond: 500, Burst: 500} // all bots have one address
	listener, err := dtls.Listen("127.0.0.1:0", dtls.Config{Log: quiet(), Handshakes: joins, NetworkHandshakes: joins, Cookies: joins, NetworkCookies: joins})
	if err != nil {
		return err
	}
	engine, err := ecs.New(ecs.Config{FixedRate: rate, Log: quiet()})
	if err != nil {
		return err
	}
	p := &place{name: name, engine: engine}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	protocol, err := gameProtocol(rate)
	if err != nil {
		return err
	}
	zone, err := zones.New(ctx, protocol, zones.Config[runner, input]{
		NATS: os.Getenv("NATS"), World: "vale", Zone: name, Dir: os.Getenv("DIR"), Address: listener.Link("127.0.0.1", "").String(), Links: links, Log: quiet(),
		Server: netcode.ServerConfig[runner, input]{
			Listener: listener, Log: quiet(), MaxPlayers: 200, MaxPerAddress: 1000, Interest: netcode.Interest{Radius: 20},
			Joined: func(player *netcode.Player[runner, input]) (runner, arche.Entity) {
				var at runner
				_, _ = fmt.Sscan(string(player.Token()), &at.X, &at.Z)
				return at, p.spawn(kindRun, components.At3D(at.X, 0, at.Z))
			},
			Left: func(player *netcode.Player[runner, input], _ netcode.Reason) {
				if engine.World().Alive(player.Entity) {
					engine.World().RemoveEntity(player.Entity)
				}
			},
		},
		Spawn: func(a *zones.Arrival[runner, input]) arche.Entity { return p.spawn(a.Archetype, a.Pose) },
	})
	if err != nil {
		return err
	}
	defer zone.Close()
	engine.Install(zone)
	record, err := os.OpenFile(os.Getenv("RECORD"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer record.Close()
	out := bufio.NewWriter(record)
	engine.AddAt(ecs.FixedUpdate, ecs.OrderUser, ecs.SystemFunc(func(*arche.World) {
		fmt.Fprint(out, zone.Server().Tick())
		zone.EachOwnedForTest(func(n custody.Name, _ arche.Entity) { fmt.Fprintf(out, " %d", uint64(n)) })
		fmt.Fprintln(out)
	}))
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	go func() { // the test's end is this one's
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}()
	l := line{}
	say := func() {
		l.Stats, l.Tick, l.Players = zone.Stats(), zone.Server().Tick(), zone.Server().Stats().Players
		if err := zone.Err(); err != nil {
			l.Err, l.Fenced = err.Error(), errors.Is(err, zones.ErrFenced)
		}
		_ = json.NewEncoder(os.Stdout).Encode(l)
		_ = out.Flush()
	}
	step := time.Second / time.Duration(rate)
	last, said, ticks := time.Now(), time.Now(), uint64(0)
	stepped := last
	for ended := false; !ended; {
		t := engine.Time()
		time.Sleep(min(t.Fixed-t.Normal-time.Since(last), 10*time.Millisecond))
		now := time.Now()
		engine.Update(now.Sub(last))
		last = now
		if t := engine.Time().Tick; t != ticks {
			if over := now.Sub(stepped) - 2*step; ticks != 0 && over > 0 {
				l.Late++
				l.Latest = max(l.Latest, over)
			}
			ticks, stepped = t, now
		}
		select {
		case <-zone.Done():
			ended = true
		case <-stop:
			engine.Close()
			ended = true
		default:
		}
		if ended || now.Sub(said) > 250*time.Millisecond {
			said = now
			say()
		}
	}
	return nil
}
