package requests

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/golden"
)

// ledger is the list of decided differences.
type ledger struct {
	// rules are the rules by name: who is right.
	rules map[string]string
	// decided are the names of rules by difference.
	decided map[string]string
	seen    map[string]bool
	wrong   map[*example]bool
	fresh   []string
}

// differencesFile has a row for each difference: document, operation, builder, part, rule.
// rulesFile has a row for each rule: its name, who is right (wayfind, both or builder), the
// section of the specification, and the reason.
var (
	differencesFile = filepath.Join("testdata", "differences.tsv")
	rulesFile       = filepath.Join("testdata", "rules.tsv")
)

func newLedger(t *testing.T) *ledger {
	t.Helper()
	l := &ledger{rules: make(map[string]string), decided: make(map[string]string), seen: make(map[string]bool), wrong: make(map[*example]bool)}
	for _, row := range rows(t, rulesFile, 4) {
		if !slices.Contains([]string{"wayfind", "both", "builder"}, row[1]) || row[2] == "" || row[3] == "" {
			t.Errorf("%s: %q", rulesFile, row)
		}
		l.rules[row[0]] = row[1]
	}
	for _, row := range rows(t, differencesFile, 5) {
		l.decided[strings.Join(row[:4], "\t")] = row[4]
	}
	return l
}

// rows are the lines of a table without the head.
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

// add adds a difference of a case. Without a built request it is that wayfind refuses.
func (l *ledger) add(e *example, builder, part string, b *built) {
	row := strings.Join([]string{e.String(), builder, part}, "\t")
	rule := l.decided[row]
	if golden.Updating() {
		rule = decides(e, builder, b, part)
		l.decided[row] = rule
	}
	l.seen[row] = true
	holds := conditions()[rule]
	if holds == nil || !holds(e, builder, b, part) {
		l.fresh = append(l.fresh, fmt.Sprintf("%s\n  rule %q\n  arguments %v\n  request %s\n  %s has\n  %s", row, rule, e.arguments, e.sent(), builder, b))
	} else if l.rules[rule] != "builder" {
		return
	}
	l.wrong[e] = true
}

// decides is the first rule whose condition holds.
func decides(e *example, builder string, b *built, part string) string {
	all := conditions()
	for _, rule := range slices.Sorted(maps.Keys(all)) {
		if all[rule](e, builder, b, part) {
			return rule
		}
	}
	return ""
}

// check fails for each difference that no rule decides, and for each row and rule that no
// difference needs. With -update the rows are written. Rows of documents that were not
// read stay as they are.
func (l *ledger) check(t *testing.T) {
	t.Helper()
	used := make(map[string]bool)
	for row, rule := range l.decided {
		used[rule] = true
		document, _, _ := strings.Cut(row, "\t")
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

// write writes the rows, an empty rule where none holds.
func (l *ledger) write(t *testing.T) {
	t.Helper()
	var file bytes.Buffer
	fmt.Fprint(&file, "document\toperation\tbuilder\tpart\trule\n")
	for _, row := range slices.Sorted(maps.Keys(l.decided)) {
		fmt.Fprintf(&file, "%s\t%s\n", row, l.decided[row])
	}
	if err := os.WriteFile(differencesFile, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
