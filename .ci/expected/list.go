package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// fault is one line of the list: a test, the issue that will resolve the fault, and the package
// as a path from the module root.
type fault struct{ name, issue, pkg string }

// readList reads the list. It ignores empty lines and lines that begin with #. Each other line
// must name another test, because internal/lab/testkit finds a test by its name alone.
func readList(file string) ([]fault, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []fault
	var wrong []error
	first := map[string]int{}
	number := 0
	for line := range strings.Lines(string(b)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) != 3 || !strings.HasPrefix(fields[0], "Test") || !strings.HasPrefix(fields[2], ".") {
			wrong = append(wrong, fmt.Errorf("%s:%d: %q is not a test, an issue and a package such as ./cache", file, number, line))
			continue
		}
		f := fault{fields[0], fields[1], fields[2]}
		if first[f.name] > 0 {
			wrong = append(wrong, fmt.Errorf("%s:%d: %s is also in line %d", file, number, f.name, first[f.name]))
			continue
		}
		first[f.name] = number
		list = append(list, f)
	}
	return list, errors.Join(wrong...)
}
