package conformance

import (
	"os"
	"testing"
)

// Docs is the folder of the pages, as seen from the packages of tests below this one.
const Docs = "../../../../../docs/"

// Page returns the text of a page in [Docs]. It fails the test if there is none.
func Page(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile(Docs + name)
	if err != nil {
		t.Fatalf("%v: run `make conformance`", err)
	}
	return string(page)
}
