package measure

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// Outcome is the outcome of a goal.
type Outcome int

// These are the outcomes, from best to worst.
const (
	None    Outcome = iota // there is no goal
	Met                    // the median keeps the goal
	Unclear                // the median exceeds the goal, but the interval includes it
	Missed                 // the whole interval exceeds the goal
	Doubled                // the whole interval exceeds twice the goal
	Broken                 // a count exceeds its goal
)

// String returns the word for the table.
func (o Outcome) String() string {
	return [...]string{"", "met", "unclear", "NOT MET", "OVER TWICE THE GOAL", "BROKEN"}[o]
}

// Table contains the results of a comparison or a count.
type Table struct {
	Title string
	Head  []string
	Rows  []Row
}

// Row is a row of a table, with the outcome of its goals.
type Row struct {
	Cells   []string
	Goal    string
	Outcome Outcome
}

// Worst returns the worst outcome of all rows.
func (t *Table) Worst() Outcome {
	worst := None
	for _, r := range t.Rows {
		worst = max(worst, r.Outcome)
	}
	return worst
}

// WriteMarkdown writes the table.
func (t *Table) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n", t.Title)
	line := func(cells ...string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	head := append(append([]string{}, t.Head...), "goal", "")
	line(head...)
	line(append([]string{"---"}, repeat("---:", len(head)-1)...)...)
	for _, r := range t.Rows {
		line(append(append([]string{}, r.Cells...), r.Goal, r.Outcome.String())...)
	}
	_, err := io.WriteString(w, b.String()+"\n")
	return err
}

func repeat(s string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = s
	}
	return list
}

func measured(byCPU bool) string {
	if byCPU {
		return "CPU"
	}
	return "wall"
}

// tabulate returns the table of a comparison.
func tabulate(title string, byCPU bool, cases []Case, results []result) (*Table, error) {
	t := &Table{Title: title, Head: []string{"case", "median", "minimum", "CPU", "ratio of " + measured(byCPU) + " (95 %)", "of", "allocs"}}
	for i, k := range cases {
		r := results[i]
		row := Row{Cells: []string{k.Name, Seconds(Median(r.wall)), Seconds(least(r.wall)), Seconds(Median(r.cpu)), "", k.Reference, fmt.Sprintf("%.2f", r.allocs)}}
		if k.Reference != "" {
			ref, err := find(cases, k.Reference)
			if err != nil {
				return nil, err
			}
			values, base := r.wall, results[ref].wall
			if byCPU {
				values, base = r.cpu, results[ref].cpu
			}
			ratios := Ratios(values, base)
			median, interval := Median(ratios), BootstrapMedian(ratios)
			row.Cells[4] = fmt.Sprintf("%s (%s–%s)", short(median), short(interval.Low), short(interval.High))
			row.judgeRatio(&k, median, interval)
			if k.AllocsOf > 0 {
				row.JudgeCount("allocs", r.allocs, k.AllocsOf*results[ref].allocs)
			}
			row.judgeMore(&k, r, results[ref])
		}
		if k.MaxAllocs >= 0 {
			row.JudgeCount("allocs", r.allocs, k.MaxAllocs)
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// JudgeRatio adds the goal that a ratio is at most goal.
func (r *Row) JudgeRatio(goal, median float64, in Interval) {
	r.judgeRatio(&Case{Goal: goal}, median, in)
}

func (r *Row) judgeRatio(k *Case, median float64, in Interval) {
	if k.Goal == 0 {
		return
	}
	sign, outcome := "≤", outcomeOf(median, in.Low, k.Goal)
	if k.AtLeast {
		sign, outcome = "≥", outcomeOf(-median, -in.High, -k.Goal)
	}
	r.add(fmt.Sprintf("%s %s×", sign, short(k.Goal)), outcome)
}

// outcomeOf judges a median and the least value of its interval by the largest that is wanted. A goal
// is negative if the smallest value is wanted.
func outcomeOf(median, least, goal float64) Outcome {
	twice := 2 * goal
	if goal < 0 {
		twice = goal / 2
	}
	switch {
	case median <= goal:
		return Met
	case least <= goal:
		return Unclear
	case least <= twice:
		return Missed
	}
	return Doubled
}

// judgeMore adds the goals for what a case takes in addition to its reference.
func (r *Row) judgeMore(k *Case, own, reference result) {
	if k.MoreAllocs > 0 {
		r.JudgeCount("allocs beyond", own.allocs-reference.allocs, k.MoreAllocs)
	}
	if k.MoreCPU == 0 {
		return
	}
	more := Differences(own.cpu, reference.cpu)
	median, goal := Median(more), k.MoreCPU.Seconds()
	outcome := outcomeOf(median, BootstrapMedian(more).Low, goal)
	r.add(fmt.Sprintf("CPU beyond (%s) ≤ %s", Seconds(median), Seconds(goal)), outcome)
}

// countSlack is the amount by which a count may exceed its goal, because the runtime sometimes
// allocates in addition to the case.
const countSlack = 0.05

// JudgeCount adds the hard goal that a count is at most limit.
func (r *Row) JudgeCount(what string, value, limit float64) {
	outcome := Met
	if value > limit*(1+countSlack)+countSlack {
		outcome = Broken
	}
	r.add(fmt.Sprintf("%s ≤ %s", what, short(limit)), outcome)
}

// add adds a goal to the row and keeps the worst outcome.
func (r *Row) add(goal string, o Outcome) {
	if r.Goal != "" {
		r.Goal += ", "
	}
	r.Goal += goal
	r.Outcome = max(r.Outcome, o)
}

// Count is a number that is exact, or almost exact.
type Count struct {
	Name  string
	Cells []string
	// Value must be at most Limit. If Limit is 0, there is no goal.
	Value, Limit float64
	// Hard is true if a value above the limit is a fault instead of a missed goal.
	Hard bool
}

// Row returns the row for a count.
func (c Count) Row() Row {
	r := Row{Cells: append([]string{c.Name, short(c.Value)}, c.Cells...)}
	switch {
	case c.Limit == 0:
	case c.Value <= c.Limit:
		r.add("≤ "+short(c.Limit), Met)
	case c.Hard:
		r.add("≤ "+short(c.Limit), Broken)
	default:
		r.add("≤ "+short(c.Limit), Missed)
	}
	return r
}

func least(values []float64) float64 {
	m := math.Inf(1)
	for _, v := range values {
		m = min(m, v)
	}
	return m
}

// short formats a number with about three digits.
func short(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100 || v == math.Trunc(v):
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	case a >= 0.1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

// Seconds formats a duration with its unit.
func Seconds(s float64) string {
	switch {
	case s >= 1:
		return fmt.Sprintf("%.2f s", s)
	case s >= 1e-3:
		return fmt.Sprintf("%.2f ms", s*1e3)
	case s >= 1e-6:
		return fmt.Sprintf("%.2f µs", s*1e6)
	}
	return fmt.Sprintf("%.1f ns", s*1e9)
}
