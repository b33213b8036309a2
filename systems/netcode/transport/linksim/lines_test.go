package linksim

import (
	"reflect"
	"testing"
)

func TestLines(t *testing.T) {
	seen := map[string]bool{}
	for _, line := range Lines() {
		p := line.Path(7)
		if again := line.Path(7); !reflect.DeepEqual(p, again) || seen[line.Name] || line.Text == "" {
			t.Errorf("%s is not the same twice, is there twice, or says nothing", line.Name)
		}
		seen[line.Name] = true
		if found, ok := FindLine(line.Name); !ok || found.Text != line.Text {
			t.Errorf("%s is not found", line.Name)
		}
		back, err := ParsePath(p.String())
		if err != nil || !reflect.DeepEqual(back, p) {
			t.Errorf("%s does not come back from its text: %v", line.Name, err)
		}
		up, down, err := p.Links()
		if err != nil {
			t.Fatalf("%s: %v", line.Name, err)
		}
		for name, l := range map[string]*Link{"up": up, "down": down} {
			passed, late := 0, 0
			for _, p := range offer(l, 100, 33*ms, period) {
				if !p.Lost {
					passed++
				}
				if p.Left-p.Sent > 100*ms {
					late++
				}
			}
			if line.Name == "codel" && name == "down" && late < 20 {
				continue // before the flow has started
			}
			quiet := name == "up" && !map[string]bool{"upload": true, "dsl": true, "handover": true, "phone": true}[line.Name] ||
				name == "down" && map[string]bool{"upload": true, "dsl": true, "thin": true}[line.Name]
			if name == "down" && line.Name == "drop" {
				quiet = true // a thirtieth of a second's 100 bytes are 40 kbit/s with their headers
			}
			if passed < 4900 || (late > 0) == quiet {
				t.Errorf("%s %s: %d of 5455 passed, %d of them waited", line.Name, name, passed, late)
			}
		}
	}
	if _, ok := FindLine("nowhere"); ok {
		t.Error("a line was found that is not there")
	}
	if p, _ := FindLine("phone"); reflect.DeepEqual(p.Path(1), p.Path(2)) {
		t.Error("the seed makes no difference")
	}
}
