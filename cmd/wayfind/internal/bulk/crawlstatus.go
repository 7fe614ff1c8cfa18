package bulk

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/commandline"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// crawlReport is the output of "crawl status --json".
type crawlReport struct {
	// Waiting is the number of domains that no worker has.
	Waiting uint64 `json:"waiting"`
	// Leased is the number of domains that a worker has, or that wait to be asked again.
	Leased uint64 `json:"leased"`
	// Finished is the number of domains with a result.
	Finished uint64 `json:"finished"`
	// Unstored is the number of answers that could not be written to --cache.
	Unstored uint64 `json:"unstored,omitempty"`
	// Rate is the number of results per second, lately. It is absent if it is not known, as
	// for a queue in a file.
	Rate float64 `json:"rate,omitempty"`
	// Left is the number of seconds until all domains have a result, at this rate.
	Left int `json:"secondsLeft,omitempty"`
	// Next is the domain that is due first of those that workers have put off.
	Next string `json:"next,omitempty"`
	// Due is the time when Next is asked.
	Due time.Time `json:"due,omitzero"`
	// Causes count the results: "found", or the code of an error. They are
	// there with --causes.
	Causes map[string]int `json:"causes,omitempty"`
}

func crawlStatusCommand(a *ui.App, f *queueFlags) *cobra.Command {
	var asJSON, causes bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "show how far the crawl is",
		Long: `status counts the domains of a queue: those that wait, those with a worker or put off,
and those that are finished. Of a queue in NATS it also says the rate of the last results,
the time to go, and the next domain that a worker has put off.`,
		Args: commandline.NoWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.with(cmd.Context(), func(q crawl.Queue) error { return crawlStatus(cmd.Context(), a, q, causes) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&causes, "causes", false, "count the results by cause: all of them are read")
	return cmd
}

func crawlStatus(ctx context.Context, a *ui.App, q crawl.Queue, causes bool) error {
	c, err := q.Count(ctx)
	if err != nil {
		return err
	}
	report := crawlReport{Waiting: c.Waiting, Leased: c.Leased, Finished: c.Finished, Unstored: c.Unstored}
	if err := report.pace(ctx, q, c.Open()); err != nil {
		return err
	}
	samples := map[string]string{} // the first error of each cause, in words
	if causes {
		report.Causes = map[string]int{}
		for r, err := range q.Results(ctx, "") {
			if err != nil {
				return err
			}
			report.Causes[r.Cause]++
			if samples[r.Cause] == "" && r.Cause != wayfind.KindWord(wayfind.ErrNotFound) {
				samples[r.Cause] = messageOf(r.Data)
			}
		}
	}
	if a.JSON {
		a.PrintJSON(report, nil)
		return nil
	}
	rows := [][]string{{"waiting", fmt.Sprint(c.Waiting)}, {"with a worker, or put off", fmt.Sprint(c.Leased)}, {"finished", fmt.Sprint(c.Finished)}}
	if c.Unstored > 0 {
		rows = append(rows, []string{"answers not written to --cache", fmt.Sprint(c.Unstored)})
	}
	if report.Rate > 0 {
		rows = append(rows, []string{"rate", rate(report.Rate)})
	}
	if report.Left > 0 {
		rows = append(rows, []string{"left", "about " + (time.Duration(report.Left) * time.Second).String()})
	}
	if report.Next != "" {
		rows = append(rows, []string{"due next", report.Next + " at " + ui.ClockText(report.Due)})
	}
	if causes {
		rows = append(rows, []string{"results", byCause(report.Causes)})
		for _, cause := range largestFirst(report.Causes) {
			if samples[cause] != "" {
				rows = append(rows, []string{"for example", samples[cause]})
			}
		}
	}
	a.Table(rows)
	return nil
}

// messageOf returns the text of the error of a result, or "".
func messageOf(data []byte) string {
	var have struct{ Error *ui.Failure }
	if json.Unmarshal(data, &have) != nil || have.Error == nil {
		return ""
	}
	return have.Error.Message
}

// pace sets the rate, the time left and the next domain, if the queue knows them.
func (r *crawlReport) pace(ctx context.Context, q crawl.Queue, open uint64) error {
	timed, ok := q.(crawl.Timed)
	if !ok {
		return nil
	}
	p, err := timed.Pace(ctx)
	if err != nil {
		return err
	}
	r.Rate, r.Next, r.Due = p.Rate, p.Next, p.Due
	if p.Rate > 0 {
		r.Left = int(float64(open)/p.Rate + 0.5)
	}
	return nil
}

// byCause returns the counts of results by cause, the largest first. Causes have the form that
// --failed takes.
func byCause(m map[string]int) string {
	causes := largestFirst(m)
	for i, cause := range causes {
		causes[i] = fmt.Sprintf("%s: %d", cause, m[cause])
	}
	return cmp.Or(strings.Join(causes, ", "), "no results")
}
