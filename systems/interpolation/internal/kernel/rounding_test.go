package kernel

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// Compilers may fuse a product with a sum, also when it comes to the sum through a variable: on
// arm64, ppc64le, riscv64 and s390x they do, and on amd64 from GOAMD64=v3 on. A conversion keeps
// them from it. So every product of floats is converted on the spot, or a factor of another one.
// Most machines that run the tests do not fuse, so the source is looked at.
func TestProductsAreConverted(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	var sources []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, source)
	}
	// Other packages are not looked at: what is of unknown type counts as a float.
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: noPackages{}, Error: func(error) {}}
	_, _ = config.Check("kernel", files, sources, &info)
	products := 0
	for _, file := range sources {
		for _, declaration := range file.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if ok && f.Name.Name == "normalize" { // its products are exact: see there
				continue
			}
			var path []ast.Node
			ast.Inspect(declaration, func(n ast.Node) bool {
				if n == nil {
					path = path[:len(path)-1]
					return true
				}
				if product, ok := n.(*ast.BinaryExpr); ok && product.Op == token.MUL && mayBeFloat(info.Types[product]) {
					products++
					if !roundedAtOnce(path, &info) {
						t.Errorf("%v: this product may be fused with a sum; convert it to its own type", files.Position(product.Pos()))
					}
				}
				path = append(path, n)
				return true
			})
		}
	}
	if products < 40 {
		t.Errorf("only %d products found", products)
	}
}

type noPackages struct{}

func (noPackages) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return nil, errors.New("not looked at")
}

func mayBeFloat(v types.TypeAndValue) bool {
	if v.Value != nil || v.Type == nil {
		return v.Value == nil // a constant is computed by the compiler
	}
	basic, ok := v.Type.Underlying().(*types.Basic)
	return !ok || basic.Info()&types.IsInteger == 0
}

// roundedAtOnce reports whether what stands innermost in the path to a product converts it, or
// multiplies it again.
func roundedAtOnce(path []ast.Node, info *types.Info) bool {
	for k := len(path) - 1; k >= 0; k-- {
		switch outer := path[k].(type) {
		case *ast.ParenExpr:
		case *ast.CallExpr:
			return info.Types[outer.Fun].IsType()
		case *ast.BinaryExpr:
			return outer.Op == token.MUL
		default:
			return false
		}
	}
	return false
}
