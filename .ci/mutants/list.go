package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// mutant is an entry of a list: a fault, and the test that must notice it.
type mutant struct {
	name    string
	place   string // file and line in the list
	changes []change
	test
}

// change replaces a text in a file. The name of the file is a path from the module root.
type change struct{ file, old, new string }

// test is a test of a package: the folder of its module, the path of the package in the module,
// and the pattern of go test -run.
type test struct{ module, pkg, tests string }

// readLists reads the entries with names that match. A name occurs once in all lists.
func readLists(files []string, only *regexp.Regexp) ([]mutant, error) {
	var all []mutant
	var wrong []error
	first := map[string]string{}
	for _, file := range files {
		list, err := readList(file)
		wrong = append(wrong, err)
		for _, m := range list {
			if place, ok := first[m.name]; ok {
				wrong = append(wrong, fmt.Errorf("%s: %q is also in %s", m.place, m.name, place))
			}
			first[m.name] = m.place
			if only.MatchString(m.name) {
				all = append(all, m)
			}
		}
	}
	return all, errors.Join(wrong...)
}

// readList reads one list.
func readList(file string) ([]mutant, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := reader{mutants: []mutant{}}
	var wrong []error
	number := 0
	for line := range strings.Lines(string(b)) {
		number++
		place := fmt.Sprintf("%s:%d", file, number)
		if err := r.line(place, strings.TrimSuffix(line, "\n")); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", place, err))
		}
	}
	for _, m := range r.mutants {
		if err := m.complete(); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %q %w", m.place, m.name, err))
		}
	}
	return r.mutants, errors.Join(wrong...)
}

// reader contains the entries so far, and properties of the previous line.
type reader struct {
	mutants []mutant
	file    string // the file of the next changes
	sign    string // the sign of the previous line
}

// line reads one line.
func (r *reader) line(place, line string) error {
	word, rest, _ := strings.Cut(line, " ")
	before := r.sign
	r.sign = word
	switch {
	case line == "" || strings.HasPrefix(line, "#"):
		return nil
	case word == "==":
		r.mutants = append(r.mutants, mutant{name: rest, place: place})
		r.file = ""
		return nil
	case len(r.mutants) == 0:
		return fmt.Errorf("%q comes before the first entry", line)
	}
	m := &r.mutants[len(r.mutants)-1]
	last := len(m.changes) - 1
	switch {
	case word == "file":
		r.file = rest
	case word == "test":
		return m.readTest(rest)
	case word == "-" && before == "-":
		m.changes[last].old += "\n" + rest
	case word == "-":
		m.changes = append(m.changes, change{file: r.file, old: rest})
	case word == "+" && before == "-":
		m.changes[last].new = rest
	case word == "+" && before == "+":
		m.changes[last].new += "\n" + rest
	default:
		return fmt.Errorf("%q is not allowed here", line)
	}
	return nil
}

// readTest reads "[-C module] package pattern".
func (m *mutant) readTest(line string) error {
	module := "."
	fields := strings.Fields(line)
	if len(fields) == 4 && fields[0] == "-C" {
		module, fields = fields[1], fields[2:]
	}
	if len(fields) != 2 || !strings.HasPrefix(fields[0], ".") {
		return fmt.Errorf("%q is not a package such as ./cache and a pattern", line)
	}
	m.test = test{module, fields[0], fields[1]}
	return nil
}

// complete returns an error if a part of the entry is missing.
func (m mutant) complete() error {
	switch {
	case m.pkg == "":
		return errors.New("has no test")
	case len(m.changes) == 0:
		return errors.New("has no change")
	}
	for _, c := range m.changes {
		if c.file == "" || c.old == "" || c.old == c.new {
			return errors.New("has a change without a file or without a text that changes")
		}
	}
	return nil
}

// apply returns the changed files by name.
func (m mutant) apply() (map[string]string, error) {
	files := map[string]string{}
	for _, c := range m.changes {
		text, ok := files[c.file]
		if !ok {
			b, err := os.ReadFile(c.file)
			if err != nil {
				return nil, err
			}
			text = string(b)
		}
		if n := strings.Count(text, c.old); n != 1 {
			return nil, fmt.Errorf("%d places in %s contain the text %q, want one", n, c.file, c.old)
		}
		files[c.file] = strings.Replace(text, c.old, c.new, 1)
	}
	return files, nil
}
