package timeline_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// outside is what a page that stands alone, and whose numbers are numbers, does not contain.
var outside = []string{"<script", "<link", "<img", "http:", "https:", "@import", "url(", "NaN", "Inf", "%!"}

// The page of any log needs nothing from outside, its diagrams are well-formed and have labels, and
// names cannot leave their place.
func TestPage(t *testing.T) {
	most := 0
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		if err := anyLog(t).WriteHTML(&b, `Why <it> & "moved"`); err != nil {
			t.Fatal(err)
		}
		page := b.String()
		for _, bad := range outside {
			if strings.Contains(page, bad) {
				t.Fatalf("the page contains %q", bad)
			}
		}
		if !strings.Contains(page, "<h1>Why &lt;it&gt; &amp; &#34;moved&#34;</h1>") || strings.Contains(page, "<player>") {
			t.Fatal("a name is not escaped")
		}
		all := strings.Split(page, "<svg ")[1:]
		most = max(most, len(all))
		for _, svg := range all {
			svg, _, _ = strings.Cut("<svg "+svg, "</svg>")
			svg += "</svg>"
			if !strings.Contains(svg, `aria-label="`) {
				t.Fatal("a diagram has no label")
			}
			for d := xml.NewDecoder(strings.NewReader(svg)); ; {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("%v in\n%s", err, svg)
				}
			}
		}
	})
	if !testing.Short() && most < 10 {
		t.Errorf("at most %d diagrams", most)
	}
}
