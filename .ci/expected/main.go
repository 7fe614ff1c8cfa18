// Expected runs the tests that show known faults, each in a separate process, and fails if one
// of them passes: its line must then be removed from the list.
//
//	go run ./.ci/expected -list .ci/expected-failures
//
// A test that exceeds its time or its memory shows its fault too. The program also fails if a
// test of the list is missing, skipped, not started or listed twice, or has not ended within
// -budget.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// limits are the limits of a run.
type limits struct {
	budget time.Duration // for all tests together, including the build
	time   time.Duration // for one test
	memory int64         // for one process, in MiB
	atOnce int
	show   bool // print the output of each test
}

func main() {
	var l limits
	list := flag.String("list", ".ci/expected-failures", "file of tests: name, issue and package on each line")
	flag.DurationVar(&l.budget, "budget", 4*time.Minute, "the time for all tests, including the build")
	flag.DurationVar(&l.time, "time", 20*time.Second, "the time for one test")
	flag.Int64Var(&l.memory, "memory", 2048, "the memory for one process, in MiB")
	flag.IntVar(&l.atOnce, "at-once", 2, "how many tests run at a time")
	flag.BoolVar(&l.show, "show", false, "print the output of each test")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *list, l); err != nil {
		fmt.Fprintln(os.Stderr, "expected:", err)
		os.Exit(1)
	}
}

// run reads the list, runs its tests, and prints a line for each test and a line for all.
func run(ctx context.Context, out io.Writer, file string, l limits) error {
	started := time.Now()
	ctx, cancel := context.WithTimeout(ctx, l.budget)
	defer cancel()
	faults, err := readList(file)
	if err != nil {
		return err
	}
	if len(faults) == 0 {
		fmt.Fprintf(out, "%s is empty: there are no known faults\n", file)
		return nil
	}
	dir, err := os.MkdirTemp("", "expected")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binaries, err := build(ctx, dir, faults, l.atOnce)
	if err != nil {
		return err
	}
	counts := map[outcome]int{}
	for r := range runAll(ctx, binaries, faults, l) {
		counts[r.outcome]++
		fmt.Fprintf(out, "%-11s %-24s %-44s issue %s %7.1fs\n", r.outcome, r.pkg, r.name, r.issue, r.took.Seconds())
		if r.detail != "" || l.show {
			fmt.Fprintf(out, "%s\n%s", r.detail, r.output)
		}
	}
	fmt.Fprintf(out, "%4d failed as expected %3d passed %3d missing %3d skipped %3d not started %3d not reached %7.1fs\n",
		counts[failed], counts[passed], counts[missing], counts[skipped], counts[notStarted], counts[notReached], time.Since(started).Seconds())
	return verdict(counts)
}

// verdict returns an error if the list contains wrong lines.
func verdict(counts map[outcome]int) error {
	var wrong []error
	for _, row := range []struct {
		outcome outcome
		words   string
	}{
		{passed, "%d tests pass: remove them from the list, their faults are resolved"},
		{missing, "%d tests do not exist"},
		{skipped, "%d tests were skipped"},
		{notStarted, "%d tests were not started"},
		{notReached, "%d tests were not reached: the time has expired"},
	} {
		if n := counts[row.outcome]; n > 0 {
			wrong = append(wrong, fmt.Errorf(row.words, n))
		}
	}
	return errors.Join(wrong...)
}
