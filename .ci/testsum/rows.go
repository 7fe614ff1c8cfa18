package main

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// rows are the numbered rows of the catalogues of scenarios and faults. A test
// says in its name which it is for: TestP037_Stalls, TestP076_P077_Tables, also
// in the name of a subtest.
type rows struct {
	names []string                     // in order
	ended map[string]map[string]string // row and test to "pass", "fail", "skip"
	why   map[string]string            // row to the words of a test that was skipped
}

// newRows reads "P001-P111,R01-R40".
func newRows(catalogues string) (rows, error) {
	r := rows{ended: map[string]map[string]string{}, why: map[string]string{}}
	for part := range strings.SplitSeq(catalogues, ",") {
		m := regexp.MustCompile(`^([PR])(\d+)-([PR])(\d+)$`).FindStringSubmatch(part)
		if m == nil || m[1] != m[3] || len(m[2]) != len(m[4]) {
			return r, fmt.Errorf("rows %q are not like P001-P111", part)
		}
		from, _ := strconv.Atoi(m[2])
		to, _ := strconv.Atoi(m[4])
		for n := from; n <= to; n++ {
			r.names = append(r.names, fmt.Sprintf("%s%0*d", m[1], len(m[2]), n))
		}
	}
	return r, nil
}

// rowName finds the numbers in the name of a test.
var rowName = regexp.MustCompile(`(?:^(?:Test|Fuzz|Example)|[_/])(P\d{3}|R\d{2})(?:[_/]|$)`)

// rowsOf are the rows that a test is for. Its subtests are for them too.
func rowsOf(test string) []string {
	var list []string
	for at := 0; at < len(test); {
		m := rowName.FindStringSubmatchIndex(test[at:])
		if m == nil {
			break
		}
		list = append(list, test[at+m[2]:at+m[3]])
		at += m[3] // the end of one number may begin the next
	}
	return list
}

// add records the result and the output of a test. Of a test that ran twice,
// with and without the race detector, a pass counts for more than a skip, and a
// failure for more than both.
func (r *rows) add(pkg, test, action, words string) {
	if r.ended == nil {
		return // not asked for
	}
	for _, row := range rowsOf(test) {
		if r.ended[row] == nil {
			r.ended[row] = map[string]string{}
		}
		if key := pkg + " " + test; r.ended[row][key] != "fail" && (action != "skip" || r.ended[row][key] == "") {
			r.ended[row][key] = action
		}
		if action == "skip" {
			r.why[row] = test + ": " + words
		}
	}
}

// state is "failing", "skipped", "missing" or "passing". One skipped test
// leaves a row unproved, even if all others pass.
func (r *rows) state(row string) string {
	ended := slices.Collect(maps.Values(r.ended[row]))
	switch {
	case slices.Contains(ended, "fail"):
		return "failing"
	case slices.Contains(ended, "skip"):
		return "skipped"
	case len(ended) == 0:
		return "missing"
	}
	return "passing"
}

// in are the rows of one state.
func (r *rows) in(state string) []string {
	return slices.DeleteFunc(slices.Clone(r.names), func(row string) bool { return r.state(row) != state })
}

// print gives the counts of each catalogue, and names the rows that do not pass.
func (r *rows) print(out io.Writer) {
	for _, catalogue := range []string{"P", "R"} {
		own := rows{ended: r.ended, names: slices.DeleteFunc(slices.Clone(r.names), func(row string) bool { return row[:1] != catalogue })}
		if len(own.names) == 0 {
			continue
		}
		fmt.Fprintf(out, "rows %s to %s: %d passing, %d failing, %d skipped, %d missing\n", own.names[0], own.names[len(own.names)-1],
			len(own.in("passing")), len(own.in("failing")), len(own.in("skipped")), len(own.in("missing")))
	}
	for _, state := range []string{"failing", "missing"} {
		if list := r.in(state); len(list) > 0 {
			fmt.Fprintf(out, "%s: %s\n", state, strings.Join(list, " "))
		}
	}
	for _, row := range r.in("skipped") {
		fmt.Fprintf(out, "skipped: %s, %s\n", row, r.why[row])
	}
}

// verdict is the error of rows that nothing proves. Skips that are allowed
// elsewhere are none.
func (r *rows) verdict() error {
	if n := len(r.in("missing")) + len(r.in("failing")); n > 0 {
		return fmt.Errorf("%d rows are without a test that passes", n)
	}
	return nil
}
