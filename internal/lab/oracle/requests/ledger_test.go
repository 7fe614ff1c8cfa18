package requests

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// ledger is the list of decided differences.
type ledger struct {
	// rules contains the rules by name, with the side that is right.
	rules map[string]string
	// decided contains the rows of the table, seen the rows of this run, and fresh the rows
	// that are not decided.
	decided map[string]bool
	seen    map[string]bool
	fresh   []string
	wrong   map[*example]bool // differences without a rule, and differences in which the builder is right
}

// differencesFile has a row for each difference: document, operation, builder, part, rule.
// rulesFile has a row for each rule: its name, the side that is right (wayfind, both or
// builder), the section of the specification, and the reason.
const (
	differencesFile = "testdata/differences.tsv"
	rulesFile       = "testdata/rules.tsv"
)

func newLedger(t *testing.T) *ledger {
	t.Helper()
	l := &ledger{rules: make(map[string]string), decided: make(map[string]bool), seen: make(map[string]bool), wrong: make(map[*example]bool)}
	for _, row := range rows(t, rulesFile, 4) {
		if !slices.Contains([]string{"wayfind", "both", "builder"}, row[1]) || row[2] == "" || row[3] == "" {
			t.Errorf("%s: %q", rulesFile, row)
		}
		l.rules[row[0]] = row[1]
	}
	for _, row := range rows(t, differencesFile, 5) {
		l.decided[strings.Join(row, "\t")] = true
	}
	return l
}

// rows returns the lines of a table without the head.
func rows(t *testing.T, file string, columns int) (list [][]string) {
	t.Helper()
	for line := range strings.Lines(string(golden.Read(t, file))) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(row) != columns {
			t.Fatalf("%s: %q", file, line)
		}
		list = append(list, row)
	}
	return list[1:]
}

// add adds a difference of a case. If b is nil, wayfind refuses the call.
func (l *ledger) add(e *example, builder, part string, b *built) {
	rule := decides(e, builder, b, part)
	row := strings.Join([]string{e.String(), builder, part, rule}, "\t")
	l.seen[row] = true
	if l.rules[rule] == "" || !l.decided[row] && !golden.Updating() {
		l.fresh = append(l.fresh, fmt.Sprintf("%s\n  arguments %v\n  request %s\n  %s has\n  %s", row, e.arguments, e.sent(), builder, b))
	} else if l.rules[rule] != "builder" {
		return
	}
	l.wrong[e] = true
}

// decides returns the first rule whose condition is true.
func decides(e *example, builder string, b *built, part string) string {
	all := conditions()
	for _, rule := range slices.Sorted(maps.Keys(all)) {
		if all[rule](e, builder, b, part) {
			return rule
		}
	}
	return ""
}

// check fails for each difference without a rule, and for each row and rule without a
// difference. With -update it writes the rows. It keeps the rows of documents that were not
// read.
func (l *ledger) check(t *testing.T) {
	t.Helper()
	used := make(map[string]bool)
	for row := range l.decided {
		document, _, _ := strings.Cut(row, "\t")
		used[row[strings.LastIndex(row, "\t")+1:]] = true
		if l.seen[row] || !everything() && slices.Contains(largest(), document) {
			continue
		}
		if delete(l.decided, row); !golden.Updating() {
			t.Errorf("no longer a difference: %s", row)
		}
	}
	for rule := range l.rules {
		if !used[rule] {
			t.Errorf("no difference needs the rule %s", rule)
		}
	}
	for _, what := range l.fresh {
		t.Errorf("not decided: %s", what)
	}
	if golden.Updating() {
		l.write(t)
	}
}

// write writes the rows. The rule is empty if no condition is true.
func (l *ledger) write(t *testing.T) {
	t.Helper()
	var file bytes.Buffer
	fmt.Fprint(&file, "document\toperation\tbuilder\tpart\trule\n")
	maps.Copy(l.decided, l.seen)
	for _, row := range slices.Sorted(maps.Keys(l.decided)) {
		fmt.Fprintln(&file, row)
	}
	if err := os.WriteFile(differencesFile, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
