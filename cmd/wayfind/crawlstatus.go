package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/client/crawl"
)

// crawlReport is the output of "crawl status --json".
type crawlReport struct {
	// Waiting domains are not with a worker.
	Waiting uint64 `json:"waiting"`
	// Leased domains are with a worker, or wait to be asked again.
	Leased uint64 `json:"leased"`
	// Finished domains have a result.
	Finished uint64 `json:"finished"`
	// Unstored answers were not written to --cache.
	Unstored uint64 `json:"unstored,omitempty"`
	// Causes count the results: "found", or the code of an error. They are
	// there with --causes.
	Causes map[string]int `json:"causes,omitempty"`
}

func (a *app) crawlStatusCommand(f *queueFlags) *cobra.Command {
	var asJSON, causes bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "show how far the crawl is",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.with(cmd.Context(), func(q crawl.Queue) error { return a.crawlStatus(cmd.Context(), q, causes) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&causes, "causes", false, "count the results by cause: all of them are read")
	return cmd
}

func (a *app) crawlStatus(ctx context.Context, q crawl.Queue, causes bool) error {
	c, err := q.Count(ctx)
	if err != nil {
		return err
	}
	report := crawlReport{Waiting: c.Waiting, Leased: c.Leased, Finished: c.Finished, Unstored: c.Unstored}
	if causes {
		report.Causes = map[string]int{}
		for r, err := range q.Results(ctx, "") {
			if err != nil {
				return err
			}
			report.Causes[r.Cause]++
		}
	}
	if a.json {
		a.printJSON(report, nil)
		return nil
	}
	rows := [][]string{{"waiting", fmt.Sprint(c.Waiting)}, {"with a worker, or put off", fmt.Sprint(c.Leased)}, {"finished", fmt.Sprint(c.Finished)}}
	if c.Unstored > 0 {
		rows = append(rows, []string{"answers not written to --cache", fmt.Sprint(c.Unstored)})
	}
	if causes {
		rows = append(rows, []string{"results", byCause(report.Causes)})
	}
	a.table(rows)
	return nil
}

// byCause lists counts of results, the largest first, with the causes as --failed
// takes them.
func byCause(m map[string]int) string {
	causes := slices.SortedFunc(maps.Keys(m), func(a, b string) int { return cmp.Or(cmp.Compare(m[b], m[a]), strings.Compare(a, b)) })
	for i, cause := range causes {
		causes[i] = fmt.Sprintf("%s: %d", cause, m[cause])
	}
	return cmp.Or(strings.Join(causes, ", "), "no results")
}
