// Mutants puts faults into the code, one at a time, and fails if the tests do not detect them:
// each fault in the lists must make the test in its entry fail.
//
//	go run ./.ci/mutants                          # all lists of .ci/mutants
//	go run ./.ci/mutants -run 'ticket' -show      # some entries, with the output of the tests
//	go run ./.ci/mutants .ci/mutants/call.txt     # one list
//
// An entry names a fault, a file and a test, and contains text of the file with its
// replacement:
//
//	== principal in the key of tokens
//	file client/call/oauth.go
//	test ./client/call ^TestTokensAreOfOnePrincipal$
//	- 	key := tokenKey{principal, issuer}
//	+ 	key := tokenKey{"", issuer}
//
// The text follows a sign and one space. Consecutive lines with the same sign are one text,
// which may be a part of a line and must occur exactly once in the file. Another "-" or "file"
// adds a change to the same fault. For a test of another module its folder comes first: "test
// -C internal/lab/oracle/nats . ^TestName$". Lines that begin with # are comments.
//
// The tree is not changed: the compiler reads the changed file with -overlay. An entry is
// broken, which is a failure too, if its text does not occur exactly once, if the changed code
// does not compile, if its test does not run or fails without the fault, or if the fault ends
// the test in another way than a failure: a test that hangs does not show which rule was
// broken.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// options are the options of a run.
type options struct {
	only   *regexp.Regexp // matches the names of entries
	time   time.Duration  // for one test
	atOnce int
	show   bool // print the output of the tests
}

func main() {
	var o options
	only := flag.String("run", "", "run only entries with names that match this regular expression")
	flag.DurationVar(&o.time, "time", 2*time.Minute, "the time for one test")
	flag.IntVar(&o.atOnce, "at-once", 2, "how many entries run at a time")
	flag.BoolVar(&o.show, "show", false, "print the output of each test")
	flag.Parse()
	if err := start(*only, flag.Args(), o); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// start reads the arguments of the command line.
func start(only string, files []string, o options) (err error) {
	if o.only, err = regexp.Compile(only); err != nil {
		return err
	}
	if len(files) == 0 {
		if files, err = filepath.Glob(".ci/mutants/*.txt"); err != nil {
			return err
		}
	}
	return run(context.Background(), os.Stdout, files, o)
}

// run tries each entry of the lists, and prints a line for each entry and a line for all.
func run(ctx context.Context, out io.Writer, files []string, o options) error {
	mutants, err := readLists(files, o.only)
	if err != nil {
		return err
	}
	if len(mutants) == 0 {
		return errors.New("there is no entry to try")
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	counts := map[outcome]int{}
	for r := range tryAll(ctx, dir, mutants, o) {
		counts[r.outcome]++
		fmt.Fprintf(out, "%-8s %-60s %s %s %6.1fs\n", r.outcome, r.name, r.pkg, r.tests, r.took.Seconds())
		if r.detail != nil {
			fmt.Fprintf(out, "  %s: %v\n", r.place, r.detail)
		}
		if o.show {
			fmt.Fprintf(out, "%s\n", r.output)
		}
	}
	fmt.Fprintf(out, "%d killed, %d survived, %d broken\n", counts[killed], counts[survived], counts[broken])
	if n := counts[survived] + counts[broken]; n > 0 {
		return fmt.Errorf("%d of %d entries are not killed by their tests", n, len(mutants))
	}
	return nil
}
