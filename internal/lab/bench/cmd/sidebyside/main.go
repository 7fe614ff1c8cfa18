// Sidebyside compares wayfind with other ways to do the same work, in one process, and prints a
// Markdown table for each comparison.
//
//	go run -C internal/lab/bench ./cmd/sidebyside -suite hit,cold
//	go run -C internal/lab/bench ./cmd/sidebyside -quick
//
// The exit status is 1 if something fails, a count exceeds its goal, or the whole interval of a
// ratio exceeds twice its goal in three runs. It is 2 if the whole interval of a ratio, or a size,
// exceeds its goal. go run turns both into 1. With -quick, a ratio never gives 1: its rounds are too
// few.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/internal/lab/bench/measure"
	"github.com/wayfindhq/wayfind/internal/lab/bench/suites"
)

func main() {
	if suites.Child(os.Args) { // the server or a client of a sweep
		return
	}
	worst, err := run(os.Args[1:])
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "sidebyside:", err)
		os.Exit(1)
	case worst >= measure.Doubled:
		os.Exit(1)
	case worst == measure.Missed:
		os.Exit(2)
	}
}

func run(args []string) (measure.Outcome, error) {
	var names []string
	for _, s := range suites.All() {
		names = append(names, s.Name)
	}
	flags := flag.NewFlagSet("sidebyside", flag.ExitOnError)
	chosen := flags.String("suite", strings.Join(names, ","), "suites, separated by commas")
	quick := flags.Bool("quick", false, "only a few short rounds, which are enough for the counts")
	byCPU := flags.Bool("cpu", false, "compare processor time instead of wall time, for a machine that has other work")
	rounds := flags.Int("rounds", 0, "the number of rounds instead of the default")
	if err := flags.Parse(args); err != nil {
		return measure.None, err
	}
	config := measure.Default()
	if *quick {
		config = measure.Quick()
	}
	config.ByCPU = *byCPU
	if *rounds > 0 {
		config.Rounds = *rounds
	}
	fmt.Printf("%s, %d processors, %s/%s, %d rounds\n\n", runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, config.Rounds)
	worst := measure.None
	for name := range strings.SplitSeq(*chosen, ",") {
		i := slices.Index(names, name)
		if i < 0 {
			return worst, fmt.Errorf("no suite %q; there are %s", name, strings.Join(names, ", "))
		}
		o, err := best(suites.All()[i], config, *quick)
		if err != nil {
			return worst, fmt.Errorf("suite %s: %w", name, err)
		}
		worst = max(worst, o)
	}
	return worst, nil
}

// best runs a suite, up to three times while a ratio exceeds twice its goal, because other work of
// the machine can slow down a run.
func best(s suites.Suite, config measure.Config, quick bool) (measure.Outcome, error) {
	for run := 1; ; run++ {
		o, err := runSuite(s, config)
		switch {
		case err != nil || o != measure.Doubled:
			return o, err
		case quick:
			return measure.Missed, nil
		case run == 3:
			return o, nil
		}
	}
}

func runSuite(s suites.Suite, config measure.Config) (measure.Outcome, error) {
	start, worst := time.Now(), measure.None
	tables, err := s.Run(config)
	if err != nil {
		return worst, err
	}
	fmt.Printf("### %s: %s\n\n", s.Name, s.About)
	for _, t := range tables {
		if err := t.WriteMarkdown(os.Stdout); err != nil {
			return worst, err
		}
		worst = max(worst, t.Worst())
	}
	fmt.Fprintf(os.Stderr, "%s took %v\n", s.Name, time.Since(start).Round(time.Second))
	return worst, nil
}
