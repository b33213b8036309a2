package linksim

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// String returns the condition and its seed as one line that [Parse] reads back exactly, for a
// failing case to print:
//
//	delay=100ms jitter=10ms loss=15% seed=7
//
// Effects that are off are left out. The seed is always included. These are all fields:
//
//	delay=100ms jitter=10ms        one-way delay and uniform jitter
//	loss=15%                       independent loss
//	burst=2%/12.5%:0%/100%         Gilbert-Elliott: good to bad / bad to good : loss in good / loss in bad
//	dup=30% reorder=5%/50ms        duplicates; delayed datagrams and the delay (left out: 50 ms)
//	rate=32000 queue=8000          bytes per second, and bytes that wait (left out: 250 ms worth)
//	queue=32p codel header=66      packets that wait; CoDel; bytes in addition to each datagram
//	rate=20s:12500 reno=60s:30s    from 20 s on 12500 bytes per second; a download from 60 to 90 s
//	trace=5ms*8,40ms               gaps between moments at which 1500 bytes pass, *8: eight times
//	inorder                        no datagram overtakes another
//	ordered                        a reliable ordered stream
//	route=20s:+100ms               from 20 s on the delay is 100 ms longer
//	stall=30s:2s cut=40s:500ms     2 s of silence then a burst; 500 ms in which everything sent is lost
//	seed=7                         of all random draws
func (c Condition) String() string {
	var fields []string
	field := func(on bool, parts ...string) {
		if on {
			fields = append(fields, strings.Join(parts, ""))
		}
	}
	field(c.Delay != 0, "delay=", c.Delay.String())
	field(c.Jitter != 0, "jitter=", c.Jitter.String())
	field(c.Loss != 0, "loss=", percent(c.Loss))
	field(c.Burst != Burst{}, "burst=", percent(c.Burst.Enter), "/", percent(c.Burst.Leave), ":", percent(c.Burst.GoodLoss), "/", percent(c.Burst.BadLoss))
	field(c.Duplicate != 0, "dup=", percent(c.Duplicate))
	by := ""
	if c.ReorderBy != 0 {
		by = "/" + c.ReorderBy.String()
	}
	field(c.Reorder != 0 || by != "", "reorder=", percent(c.Reorder), by)
	field(c.Rate != 0, "rate=", strconv.Itoa(c.Rate))
	field(c.Trace != nil, "trace=", gaps(c.Trace))
	field(c.Queue != 0, "queue=", strconv.Itoa(c.Queue))
	field(c.Packets != 0, "queue=", strconv.Itoa(c.Packets), "p")
	field(c.CoDel, "codel")
	field(c.Header != 0, "header=", strconv.Itoa(c.Header))
	field(c.InOrder, "inorder")
	field(c.Ordered, "ordered")
	for _, e := range c.Script {
		by := e.By.String()
		switch {
		case e.Kind == Capacity:
			by = strconv.Itoa(e.To)
		case e.Kind == Route && e.By >= 0:
			by = "+" + by
		}
		field(true, e.Kind.String(), "=", e.At.String(), ":", by)
	}
	field(true, "seed=", strconv.FormatUint(c.Seed, 10))
	return strings.Join(fields, " ")
}

// kinds holds the keys of events in the textual form.
var kinds = [...]string{Route: "route", Stall: "stall", Cut: "cut", Capacity: "rate", Reno: "reno"}

// String returns the kind's key in the textual form.
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k]
	}
	return "kind" + strconv.Itoa(int(k))
}

// Parse reads the textual form that [Condition.String] describes, with its fields in any order. The
// empty text is the zero Condition. Probabilities may also be plain numbers from 0 to 1. The error
// names the invalid field and the expected form.
func Parse(text string) (Condition, error) {
	var c Condition
	seen := map[string]bool{}
	for _, field := range strings.Fields(text) {
		key, value, _ := strings.Cut(field, "=")
		event := slices.Contains(kinds[:], key) && (key != "rate" || strings.Contains(value, ":"))
		if packets, ok := strings.CutSuffix(value, "p"); ok && key == "queue" {
			key, value = "queue in packets", packets
		}
		set := c.set
		if event {
			set = c.addEvent
		} else if seen[key] {
			return Condition{}, fmt.Errorf("linksim: %s is given twice: give it once", key)
		} else {
			seen[key] = true
		}
		if err := set(key, value); err != nil {
			return Condition{}, fmt.Errorf("linksim: %.60q: %w", field, err)
		}
	}
	if err := c.Validate(); err != nil {
		return Condition{}, err
	}
	return c, nil
}

// set sets the field of a key to its value.
func (c *Condition) set(key, value string) (err error) {
	if key == "reorder" {
		p, by, timed := strings.Cut(value, "/")
		if c.Reorder, err = probability(p); err == nil && timed {
			c.ReorderBy, err = duration(by)
		}
		return err
	}
	switch field := map[string]any{
		"delay": &c.Delay, "jitter": &c.Jitter, "loss": &c.Loss, "burst": &c.Burst, "dup": &c.Duplicate, "rate": &c.Rate,
		"trace": &c.Trace, "queue": &c.Queue, "queue in packets": &c.Packets, "codel": &c.CoDel, "header": &c.Header, "inorder": &c.InOrder, "ordered": &c.Ordered, "seed": &c.Seed,
	}[key].(type) {
	case *time.Duration:
		*field, err = duration(value)
	case *float64:
		*field, err = probability(value)
	case *int:
		*field, err = strconv.Atoi(value)
	case *uint64:
		*field, err = strconv.ParseUint(value, 10, 64)
	case *bool:
		if *field = true; value != "" {
			err = fmt.Errorf("%s takes no value", key)
		}
	case *Burst:
		*field, err = burst(value)
	case *[]time.Duration:
		*field, err = parseGaps(value)
	default:
		err = fmt.Errorf("unknown: use delay, jitter, loss, burst, dup, reorder, rate, trace, queue, codel, header, inorder, ordered, route, stall, cut, reno or seed")
	}
	return err
}

// addEvent adds the event that a field describes to the script.
func (c *Condition) addEvent(key, value string) (err error) {
	at, by, found := strings.Cut(value, ":")
	if !found {
		return fmt.Errorf("want a time and a duration, such as %s=20s:500ms", key)
	}
	e := Event{Kind: Kind(slices.Index(kinds[:], key))}
	if e.At, err = duration(at); err != nil {
		return err
	}
	if e.Kind == Capacity {
		e.To, err = strconv.Atoi(by)
	} else {
		e.By, err = duration(by)
	}
	c.Script = append(c.Script, e)
	return err
}

func duration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("want a duration with its unit, such as 100ms")
	}
	return d, nil
}

func burst(text string) (Burst, error) {
	var b Burst
	step, loss, ok := strings.Cut(text, ":")
	enter, leave, ok1 := strings.Cut(step, "/")
	good, bad, ok2 := strings.Cut(loss, "/")
	if !ok || !ok1 || !ok2 {
		return b, fmt.Errorf("want good-to-bad/bad-to-good:loss-in-good/loss-in-bad, such as burst=2%%/12.5%%:0%%/100%%")
	}
	for _, part := range []struct {
		p    *float64
		text string
	}{{&b.Enter, enter}, {&b.Leave, leave}, {&b.GoodLoss, good}, {&b.BadLoss, bad}} {
		var err error
		if *part.p, err = probability(part.text); err != nil {
			return Burst{}, err
		}
	}
	return b, nil
}

// probability parses "15%" or "0.15". The per cent sign moves the decimal point in the text, so
// that nothing is rounded in either direction.
func probability(text string) (float64, error) {
	number, isPercent := strings.CutSuffix(text, "%")
	if isPercent {
		number += "e-2"
	}
	p, err := strconv.ParseFloat(number, 64)
	if err != nil || !(p >= 0 && p <= 1) {
		return 0, fmt.Errorf("want a probability, such as 15%% or 0.15")
	}
	return p + 0, nil // a -0 becomes 0
}

// percent writes a probability in per cent, exactly.
func percent(p float64) string {
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(p, 'f', -1, 64), ".")
	fraction = (fraction + "00")[:max(len(fraction), 2)]
	whole = cmp.Or(strings.TrimLeft(whole+fraction[:2], "0"), "0")
	return strings.TrimSuffix(whole+"."+fraction[2:], ".") + "%"
}
