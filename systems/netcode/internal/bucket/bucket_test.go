package bucket_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tandem-ecs/tandem/systems/netcode/internal/bucket"
)

const step = time.Second / 60

func TestPacedKeepsTheRate(t *testing.T) {
	p := bucket.NewPaced(1000, 200)
	var total int
	for i := range 600 { // 10 s
		now := time.Duration(i) * step
		n := p.Allowance(now)
		if again := p.Allowance(now); again != n {
			t.Fatalf("asking twice gave %d and %d", n, again)
		}
		if back := p.Allowance(now - step); back != n {
			t.Fatalf("going back in time gave %d after %d", back, n)
		}
		p.Spend(float64(n))
		total += n
	}
	if total < 9900+200 || total > 10000+200 {
		t.Errorf("%d bytes in 10 s at 1000 a second with a burst of 200", total)
	}
	p.Spend(500)
	if n := p.Allowance(10*time.Second + 400*time.Millisecond); n != 0 {
		t.Errorf("allowance %d while in debt", n)
	}
	p.SetRate(2000, 100)
	if n := p.Allowance(20 * time.Second); n != 100 {
		t.Errorf("allowance %d after a long rest, want the new burst", n)
	}
}

// A bucket that its owner fills must give out at most the granted tokens, and never more at once
// than its burst.
func TestBucketBoundsTheRate(t *testing.T) {
	b := bucket.Full(3)
	for range 3 {
		if !b.Take(1) {
			t.Fatal("a full bucket refused a token")
		}
	}
	if b.Take(1) || b.Tokens() != 0 {
		t.Fatalf("an empty bucket gave a token, or took one: %v left", b.Tokens())
	}
	b.Spend(2)
	if b.Grant(1); b.Tokens() != -1 || b.Take(1) {
		t.Errorf("%v tokens in debt, want -1", b.Tokens())
	}
	if b.Grant(100); b.Tokens() != 3 {
		t.Errorf("%v tokens after a large grant, want the burst of 3", b.Tokens())
	}
}

// A client with an allowance of 32 kB a second receives as much of each snapshot as the bucket
// holds.
func ExamplePaced() {
	pacer := bucket.NewPaced(32_000, 1500)
	for i := range 4 {
		now := time.Duration(i) * 25 * time.Millisecond
		n := min(1150, pacer.Allowance(now))
		fmt.Println(now, n)
		pacer.Spend(float64(n))
	}
	// Output:
	// 0s 1150
	// 25ms 1150
	// 50ms 800
	// 75ms 800
}
