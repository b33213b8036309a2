package store

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/tandem-ecs/tandem/systems/netcode/zones/internal/devnats"
)

// zoneSubjects returns the subjects of the package comment to which zone NAME of world vale may
// publish.
func zoneSubjects(t *testing.T, name string) (subjects []string) {
	t.Helper()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(text), "needs no others:\n//\n")
	list, _, ends := strings.Cut(list, "\n//\n")
	if !found || !ends {
		t.Fatal("the package comment has no list of subjects")
	}
	for line := range strings.Lines(list) {
		for _, subject := range regexp.MustCompile(`[$\w]+(\.[\w*>]+)+`).FindAllString(line, -1) {
			if strings.Contains(line, "the same for") && strings.HasPrefix(subject, "KV_") {
				continue
			}
			subject = strings.NewReplacer("_W", "_vale", ".W.", ".vale.", "NAME", name).Replace(subject)
			subjects = append(subjects, subject)
			if strings.Contains(line, "the same for") {
				subjects = append(subjects, strings.Replace(subject, "tandem_world", "tandem_saves", 1))
			}
		}
	}
	return subjects
}

// A zone with the permissions of the package comment does all that a zone does, and can write no
// other zone's keys, nor the map.
func TestZoneWithItsPermissionsOnly(t *testing.T) {
	t.Parallel()
	answers := &server.ResponsePermission{MaxMsgs: server.DEFAULT_ALLOW_RESPONSE_MAX_MSGS, Expires: time.Minute}
	users := []*server.User{{Username: "operator", Password: "p"}}
	for _, name := range []string{"north", "south"} {
		subjects := zoneSubjects(t, name)
		if len(subjects) < 12 || !slices.Contains(subjects, "$KV.tandem_saves_vale."+name+".>") {
			t.Fatalf("subjects %q", subjects)
		}
		users = append(users, &server.User{Username: name, Password: "p", Permissions: &server.Permissions{
			Publish:   &server.SubjectPermission{Allow: subjects},
			Subscribe: &server.SubjectPermission{Allow: []string{"tandem.vale.who", "tandem.vale.tick", "tandem.vale.drain." + name, "_INBOX.>"}},
			Response:  answers,
		}})
	}
	running, err := devnats.StartWithUsers(t.TempDir(), users...)
	if err != nil {
		t.Fatal(err)
	}
	defer running.Stop()
	as := func(user string) *nats.Conn {
		return connect(t, strings.Replace(running.URL(), "//", "//"+user+":p@", 1))
	}

	operator, c := open(t, as("operator")), &clock{}
	if err := operator.PutMap(patient(t), testMap(t), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := operator.Origin(patient(t), time.Now()); err != nil {
		t.Fatal(err)
	}
	north, south := open(t, as("north")), open(t, as("south"))
	if _, _, err := north.Map(patient(t)); err != nil {
		t.Error(err)
	}
	if _, err := north.Origin(patient(t), time.Now()); err != nil {
		t.Error(err)
	}
	if all, err := north.Records(patient(t)); err != nil || len(all) != 0 {
		t.Errorf("records %+v, error %v", all, err)
	}
	for epoch := range 2 { // the second one deletes the parts of the first
		a, b := take(t, north, "north", record(1, "a"), c), take(t, south, "south", record(2, "b"), c)
		if epoch == 1 && !bytes.Equal(a.Checkpoint(), noise(2, 100)) {
			t.Error("the checkpoint did not come back")
		}
		for n := range uint64(3) {
			save(t, a, n, noise(n, 100))
		}
		b.SetRecord(func(r *Record) { r.Active = true })
		b.Renew(0)
		poll(t, b)
		a.Ask([32]byte{1})
		poll(t, a)
		one[Asked](t, poll(t, b)).Answer(true)
		poll(t, b)
		one[Answered](t, poll(t, a))
		done := make(chan error, 2)
		go func() {
			_, _, _, err := north.AskTick(patient(t))
			done <- err
		}()
		go func() { done <- operator.Drain(patient(t), "south") }()
		for asked := 0; asked < 2; {
			b.Poll(func(e Event) {
				switch e := e.(type) {
				case TickAsked:
					e.Answer(0)
					asked++
				case DrainAsked:
					e.Answer()
					asked++
				}
			})
		}
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		a.Close()
		b.Close()
	}
	if left := keys(t, north); slices.Contains(left, "north.1.0.0") || !slices.Contains(left, "north.2.0.0") {
		t.Errorf("keys %v", left)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	_, err = south.Take(ctx, "west", record(3, "b"), true, c.now)
	wants(t, err, "Permissions Violation for Publish to \"$KV.tandem_world_vale.zone.west\"")
	for _, subject := range []string{
		"$KV.tandem_world_vale.zone.south", "$KV.tandem_world_vale.map", "$KV.tandem_saves_vale.south.head",
		"tandem.vale.drain.south", "$JS.API.STREAM.PURGE.KV_tandem_saves_vale", "$JS.API.STREAM.DELETE.KV_tandem_world_vale",
	} {
		refused := make(chan error, 1)
		nc := as("north")
		nc.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err })
		if err := nc.Publish(subject, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		if err := nc.FlushTimeout(time.Minute); err != nil {
			t.Fatal(err)
		}
		wants(t, <-refused, "permissions violation")
	}
}
