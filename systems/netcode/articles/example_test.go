package articles_test

import (
	"fmt"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/articles"
)

const ms = time.Millisecond

// The network becomes 100 ms slower. The view runs at 0.9 of real time until it has the longer
// delay, and never runs backwards.
func ExampleView() {
	view := articles.NewView()
	delay := 100 * ms
	for now := time.Duration(0); now <= 2*time.Second; now += 20 * ms {
		reference := now + time.Hour
		view.Advance(now, reference, delay)
		if now%(400*ms) == 0 {
			fmt.Printf("%4v: lag %v, rate %.2f\n", now, view.Lag().Round(ms), view.Rate())
		}
		delay = 200 * ms
	}
	// Output:
	//   0s: lag 100ms, rate 1.00
	// 400ms: lag 140ms, rate 0.90
	// 800ms: lag 180ms, rate 0.91
	// 1.2s: lag 196ms, rate 0.98
	// 1.6s: lag 199ms, rate 1.00
	//   2s: lag 200ms, rate 1.00
}

// The article's loop counts updates, so a lost one shifts it by 100 ms. The corrected loop reads
// the tick.
func ExampleTickPLL() {
	article := articles.NewPLL(0)
	mended, err := articles.NewTickPLL(60)
	if err != nil {
		panic(err)
	}
	mended.Update(0, 0)
	for update := 1; update <= 50; update++ {
		if update == 20 {
			continue // lost
		}
		now := time.Duration(update) * 100 * ms
		article.OnServerUpdate(now)
		mended.Update(now, articles.Tick(6*update))
	}
	fmt.Println("the article labels the newest state", article.ServerDelta(0))
	fmt.Println("the mended loop's time is", mended.Now(5*time.Second))
	// Output:
	// the article labels the newest state 4.9s
	// the mended loop's time is 5s
}

// When a thousand steps are due, eight of them run.
func ExampleStepper() {
	stepper, err := articles.NewStepper(60, 8)
	if err != nil {
		panic(err)
	}
	stepper.Advance(0)
	first, n, _ := stepper.Advance(100 * ms)
	fmt.Println(n, "steps from", first)
	first, n, skipped := stepper.Advance(10 * time.Second)
	fmt.Println(n, "steps from", first, "then tick", first.Add(n+int(skipped)))
	// Output:
	// 6 steps from 1
	// 8 steps from 7 then tick 601
}

// This is Racer's exchange. The offset is server minus client, and is sent to the client.
func ExampleRequestAck() {
	request := articles.Request{Server: 1000 * ms}
	acknowledge := request.Answer(420 * ms) // by the client's clock
	var shared articles.RequestAck
	shared.Acknowledged(acknowledge, 1060*ms) // by the server's
	fmt.Println("ping", shared.Ping(), "offset", shared.Offset())
	// Output:
	// ping 60ms offset 610ms
}
