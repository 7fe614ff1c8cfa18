// Testsum reads the output of one or more `go test -json` runs on standard input, prints one
// line per package and the output of failures, and counts tests, including subtests, examples
// and fuzz seeds.
//
// It exits with 1 if a test or a package failed, if nothing ran, or if a test was skipped for a
// reason that no line of the file -skips allows: a test must not be skipped because of software
// that is installed. It also exits with 1 if more than -most tests were skipped, or if a test was
// skipped whose rule another test must state, and that one has not passed (skips.go). If packages only exceeded the time of go test, it exits with 124, as timeout(1)
// does, and adds nothing to the totals: .ci/run then runs the step again.
//
//	go test -json ./... | tee EVENTS | go run .ci/testsum -skips .ci/allowed-skips -totals FILE
//	cat EVENTS… | go run .ci/testsum -catalogue .ci/catalogue
//
// It adds "passed failed skipped" to the numbers in FILE. With -catalogue it prints which
// sentences of this file are not proved (catalogue.go), and fails if a test of the file passed
// in no run or failed in one.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
)

// event is one line of `go test -json` (see `go doc test2json`).
type event struct {
	Action     string
	Package    string
	ImportPath string // in output of the build
	Test       string
	Output     string
	Elapsed    float64
}

// totals are the numbers of tests by their results.
type totals struct{ passed, failed, skipped int }

// A test that takes slowAfter seconds or more is named at the end. At most mostSlow are named,
// the slowest first.
const (
	slowAfter = 5
	mostSlow  = 25
)

// summary contains the results so far.
type summary struct {
	totals
	perPackage map[string]*totals
	late       map[string]bool     // packages that exceeded the time of go test
	output     map[string][]string // by package and test
	skips      []string            // "package test: reason", if the reason is not allowed
	catalogue  *catalogue          // nil: only totals
	slow       []event             // tests that took slowAfter or more
	allowed    []allowance
	ended      map[proof]string // how each test ended: "pass", "fail" or "skip"
	instead    map[proof]proof  // skipped tests, each with another test of its rule
	out        io.Writer
}

func main() {
	skips := flag.String("skips", "", "file of allowed skips: one regular expression per line, matched against the reason")
	sections := flag.String("sections", "", "sections of this file that hold, separated by commas")
	most := flag.Int("most", math.MaxInt, "how many tests may be skipped")
	file := flag.String("totals", "", "file to add the totals to")
	sentences := flag.String("catalogue", "", "only print which sentences of this file are not proved by their tests")
	flag.Parse()
	var err error
	if *sentences != "" {
		err = runCatalogue(os.Stdin, os.Stdout, *sentences)
	} else {
		err = run(os.Stdin, os.Stdout, *skips, strings.Split(*sections, ","), *most, *file)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		if errors.Is(err, errLate) {
			os.Exit(exitLate)
		}
		os.Exit(1)
	}
}

// errLate is the error of a run without failures in which packages exceeded their time.
var errLate = errors.New("the time was too short")

// exitLate is the status for errLate, the same as of timeout(1).
const exitLate = 124

// run counts tests, and reports tests that failed or must not be skipped.
func run(in io.Reader, out io.Writer, skips string, sections []string, most int, file string) error {
	allowed, err := readAllowed(skips, sections...)
	if err != nil {
		return err
	}
	s := newSummary(out)
	s.allowed = allowed
	if err := s.read(in); err != nil {
		return err
	}
	s.printSlow()
	if s.failed == 0 && len(s.late) > 0 {
		return fmt.Errorf("%d packages: %w", len(s.late), errLate)
	}
	if err := s.save(file); err != nil {
		return err
	}
	return s.verdict(most)
}

// printSlow prints the slowest tests of a step.
func (s *summary) printSlow() {
	slices.SortFunc(s.slow, func(a, b event) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	for _, e := range s.slow[:min(len(s.slow), mostSlow)] {
		fmt.Fprintf(s.out, "slow %7.1fs %s %s\n", e.Elapsed, e.Package, e.Test)
	}
}

// runCatalogue compares the tests of a catalogue with the tests that ran. run has reported the
// failures.
func runCatalogue(in io.Reader, out io.Writer, file string) (err error) {
	s := newSummary(io.Discard)
	if s.catalogue, err = readCatalogue(file); err != nil {
		return err
	}
	if err := s.read(in); err != nil {
		return err
	}
	return s.catalogue.verdict(out)
}

func newSummary(out io.Writer) *summary {
	return &summary{perPackage: map[string]*totals{}, late: map[string]bool{}, ended: map[proof]string{}, instead: map[proof]proof{}, output: map[string][]string{}, out: out}
}

func (s *summary) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(s.out, "%s\n", strings.TrimRight(string(line), "\n")) // not an event, but a message of go
			} else {
				s.add(&e)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *summary) add(e *event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output":
		s.output[key] = append(s.output[key], e.Output)
		if strings.HasPrefix(e.Output, "panic: test timed out after ") {
			s.late[e.Package] = true
		}
	case "build-output":
		fmt.Fprint(s.out, e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			s.endPackage(e)
		} else {
			s.endTest(e, key)
		}
	}
}

func (s *summary) of(pkg string) *totals {
	if s.perPackage[pkg] == nil {
		s.perPackage[pkg] = &totals{}
	}
	return s.perPackage[pkg]
}

func (s *summary) endTest(e *event, key string) {
	p := s.of(e.Package)
	switch e.Action {
	case "pass":
		p.passed++
	case "fail":
		if !s.late[e.Package] { // it was running when the time was over
			p.failed++
		}
		fmt.Fprintf(s.out, "FAIL %s\n%s", key, strings.Join(s.output[key], ""))
	case "skip":
		p.skipped++
		s.skip(proof{e.Package, e.Test}, reasonOf(s.output[key]))
	}
	if e.Elapsed >= slowAfter && !strings.Contains(e.Test, "/") {
		s.slow = append(s.slow, *e)
	}
	s.ended[proof{e.Package, e.Test}] = e.Action
	s.catalogue.add(e.Package, e.Test, e.Action)
	delete(s.output, key)
}

// reasonOf finds the text of t.Skip in the lines around "--- SKIP".
func reasonOf(output []string) string {
	var words []string
	for _, line := range output {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "---") {
			words = append(words, line)
		}
	}
	return strings.Join(words, " ")
}

func (s *summary) endPackage(e *event) {
	p := s.of(e.Package)
	if e.Action == "fail" && p.failed == 0 {
		// It did not build, panicked outside a test, or exceeded its time.
		if !s.late[e.Package] {
			p.failed++
		}
		fmt.Fprint(s.out, strings.Join(s.output[e.Package+" "], ""))
		s.unfinished(e.Package)
	}
	s.passed += p.passed
	s.failed += p.failed
	s.skipped += p.skipped
	if p.passed+p.failed+p.skipped > 0 {
		fmt.Fprintf(s.out, "%-4s %-60s %5d passed %3d failed %3d skipped %7.1fs\n", e.Action, e.Package, p.passed, p.failed, p.skipped, e.Elapsed)
	}
}

// unfinished prints the output of tests that did not end.
func (s *summary) unfinished(pkg string) {
	for key, lines := range s.output {
		if strings.HasPrefix(key, pkg+" ") && key != pkg+" " {
			fmt.Fprintf(s.out, "did not end: %s\n%s", key, strings.Join(lines, ""))
		}
	}
}

// save adds the totals to the totals in the file.
func (s *summary) save(file string) error {
	if file == "" {
		return nil
	}
	var before totals
	b, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(b) > 0 {
		if _, err := fmt.Sscan(string(b), &before.passed, &before.failed, &before.skipped); err != nil {
			return err
		}
	}
	sum := fmt.Sprintln(before.passed+s.passed, before.failed+s.failed, before.skipped+s.skipped)
	return os.WriteFile(file, []byte(sum), 0o644)
}

func (s *summary) verdict(most int) error {
	for _, line := range s.skips {
		fmt.Fprintf(s.out, "skipped for a reason that is not in .ci/allowed-skips: %s\n", line)
	}
	unstated := s.unstated()
	switch {
	case s.failed > 0:
		return fmt.Errorf("%d tests failed", s.failed)
	case len(s.skips) > 0:
		return fmt.Errorf("%d tests were skipped that must run here", len(s.skips))
	case unstated > 0:
		return fmt.Errorf("the rules of %d skipped tests were not stated", unstated)
	case s.skipped > most:
		return fmt.Errorf("%d tests were skipped, at most %d may be", s.skipped, most)
	case s.passed == 0:
		return errors.New("no test ran")
	}
	return nil
}
