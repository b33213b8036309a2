package docstest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// caseList is one of the lists of docs/cases.md that name tests.
type caseList struct {
	heading string
	rows    map[int]string // the tests of each case, as they stand on the page
}

func readCases(t *testing.T, heading string) caseList {
	t.Helper()
	_, section, found := strings.Cut(pages(t)[root+"docs/cases.md"], "\n## "+heading+"\n")
	if !found {
		t.Fatalf("docs/cases.md has no section %q", heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	list := caseList{heading, map[int]string{}}
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \| .+ \| (.+) \|$`).FindAllStringSubmatch(section, -1) {
		n, err := strconv.Atoi(m[1])
		if _, twice := list.rows[n]; err != nil || twice {
			t.Errorf("docs/cases.md, %s: case %s is there twice", heading, m[1])
		}
		list.rows[n] = m[2]
	}
	if len(list.rows) < 30 {
		t.Errorf("docs/cases.md, %s: only %d cases found", heading, len(list.rows))
	}
	return list
}

var (
	caseNumbers = regexp.MustCompile(`\b[Cc]ases? (\d+(?:(?:, | and )\d+)*)`)
	caseNames   = regexp.MustCompile(`^TestCase(\d+)`)
	digits      = regexp.MustCompile(`\d+`)
)

// casesOf returns the numbers of the cases that a comment names.
func casesOf(comment string) (numbers []int) {
	for _, m := range caseNumbers.FindAllStringSubmatch(strings.Join(strings.Fields(comment), " "), -1) {
		for _, d := range digits.FindAllString(m[1], -1) {
			n, _ := strconv.Atoi(d)
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// docs/cases.md lists every case that a test names, with that test, and lists no test that does not
// exist.
func TestCasesAreListed(t *testing.T) {
	picture, network := readCases(t, "The picture of one process"), readCases(t, "Server and clients")
	exist := map[string]bool{}
	for _, dir := range []string{"ecs", "components", "systems"} {
		err := filepath.WalkDir(root+dir, func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, "_test.go") {
				return err
			}
			list := &picture
			if strings.Contains(filepath.ToSlash(name), "systems/netcode/") {
				list = &network
			}
			positions := token.NewFileSet()
			file, err := parser.ParseFile(positions, name, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			for _, c := range file.Comments {
				for _, n := range casesOf(c.Text()) {
					if list.rows[n] == "" {
						t.Errorf("%s names case %d, which is not on docs/cases.md under %q; add a row", positions.Position(c.Pos()), n, list.heading)
					}
				}
			}
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") && !strings.HasPrefix(f.Name.Name, "Fuzz") {
					continue
				}
				test := strings.TrimSuffix(file.Name.Name, "_test") + "." + f.Name.Name
				exist[test] = true
				numbers := casesOf(f.Doc.Text())
				if m := caseNames.FindStringSubmatch(f.Name.Name); m != nil {
					n, _ := strconv.Atoi(m[1])
					numbers = append(numbers, n)
				}
				for _, n := range numbers {
					if !strings.Contains(list.rows[n], "`"+test+"`") {
						t.Errorf("docs/cases.md does not list %s in the row of case %d under %q; add it", test, n, list.heading)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, list := range []caseList{picture, network} {
		for n, tests := range list.rows {
			for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(tests, -1) {
				if !exist[m[1]] {
					t.Errorf("docs/cases.md, %s, case %d: there is no test %s; correct or remove it", list.heading, n, m[1])
				}
			}
		}
	}
}
