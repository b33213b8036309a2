package main

import (
	"fmt"
	"os"
	"strings"
)

// netcodeRow is one Go benchmark of the netcode.
type netcodeRow struct {
	name string
	// ns/op, ns/entity, B/entity, allocs/op; empty where the benchmark does not report it
	op, entity, bytes, allocs string
}

// readNetcode reads the figures from the output of go test -bench.
func readNetcode(path string) (list []netcodeRow, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pkg := ""
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 2 && fields[0] == "pkg:":
			pkg = fields[1][strings.LastIndexByte(fields[1], '/')+1:]
		case len(fields) >= 4 && strings.HasPrefix(fields[0], "Benchmark"):
			name := strings.TrimPrefix(fields[0], "Benchmark")
			if dash := strings.LastIndexByte(name, '-'); dash > 0 {
				name = name[:dash]
			}
			row := netcodeRow{name: pkg + "." + name}
			for k := 2; k+1 < len(fields); k += 2 {
				switch v := fields[k]; fields[k+1] {
				case "ns/op":
					row.op = v
				case "ns/entity":
					row.entity = v
				case "B/entity":
					row.bytes = v
				case "allocs/op":
					row.allocs = v
				}
			}
			list = append(list, row)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s holds no benchmark's result", path)
	}
	return list, nil
}
