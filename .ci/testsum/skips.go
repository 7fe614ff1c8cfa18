package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// allowance is a reason for which tests may be skipped.
type allowance struct {
	reason *regexp.Regexp
	tests  map[proof]proof // the only ones, each with another test of its rule; nil: all
}

// readAllowed reads reasons, one regular expression per line. Lines that begin with # are for
// readers. A line "== name" begins a section, which holds only if it is in sections. The lines
// after a reason that begin with a tab are the only tests that it allows to be skipped, once: a
// package such as ./cache and a name, and the same of another test of the rule.
func readAllowed(file string, sections ...string) ([]allowance, error) {
	if file == "" {
		return nil, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []allowance
	holds := true
	for line := range strings.Lines(string(b)) {
		words := strings.TrimSpace(line)
		switch name, section := strings.CutPrefix(words, "== "); {
		case section:
			holds = slices.Contains(sections, name)
		case words == "" || strings.HasPrefix(words, "#") || !holds:
		case !strings.HasPrefix(line, "\t"):
			re, err := regexp.Compile(words)
			if err != nil {
				return nil, err
			}
			list = append(list, allowance{reason: re})
		case len(list) == 0:
			return nil, fmt.Errorf("%s: a test before the first reason: %s", file, words)
		default:
			if err := list[len(list)-1].add(words); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return list, nil
}

// add reads a line such as "./cache TestA ./cache TestB".
func (a *allowance) add(words string) error {
	fields := strings.Fields(words)
	if len(fields) != 4 {
		return fmt.Errorf("%q is not a test and another test of its rule", words)
	}
	skipped, err := readProof(fields[0] + " " + fields[1])
	if err != nil {
		return err
	}
	instead, err := readProof(fields[2] + " " + fields[3])
	if err != nil {
		return err
	}
	if a.tests == nil {
		a.tests = map[proof]proof{}
	}
	a.tests[skipped] = instead
	return nil
}

// skip records that a test was skipped.
func (s *summary) skip(test proof, reason string) {
	for _, a := range s.allowed {
		if !a.reason.MatchString(reason) {
			continue
		}
		instead, listed := a.tests[test]
		if listed {
			s.instead[test] = instead
		}
		if listed || a.tests == nil {
			return
		}
	}
	s.skips = append(s.skips, fmt.Sprintf("%s %s: %s", test.pkg, test.test, reason))
}

// unstated prints the rules of skipped tests that no other test has stated, and returns their
// number.
func (s *summary) unstated() (n int) {
	for skipped, instead := range s.instead {
		if how := s.ended[instead]; how != "pass" {
			fmt.Fprintf(s.out, "%s %s was skipped, and %s %s, which states the same rule, has not passed\n", skipped.pkg, skipped.test, instead.pkg, instead.test)
			n++
		}
	}
	return n
}
