package main

import (
	"slices"
	"strings"
	"testing"
)

func TestRowsOf(t *testing.T) {
	for test, want := range map[string][]string{
		"TestP037_Stalls":              {"P037"},
		"TestP076_P077_P078_Tables":    {"P076", "P077", "P078"},
		"TestP001":                     {"P001"},
		"TestP037_Stalls/case":         {"P037"},
		"TestRFC9111/R11_x":            {"R11"},
		"TestR02_CutAtEachByte/P044/x": {"R02", "P044"},
		"FuzzR08_Gzip":                 {"R08"},
		"TestRecord_Credentialed":      nil,
		"TestP2P":                      nil,
		"TestR401":                     nil,
		"TestXP001_":                   nil,
		"TestStatus_P99":               nil,
	} {
		if got := rowsOf(test); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", test, got, want)
		}
	}
}

func TestRows(t *testing.T) {
	line := func(test, action string) string {
		return `{"Action":"` + action + `","Package":"a","Test":"` + test + `"}` + "\n"
	}
	sound := line("TestP001_P002_X", "pass") + line("TestR01_Y", "pass") + line("TestR02", "pass") + `{"Action":"pass","Package":"a"}` + "\n"
	skipped := `{"Action":"output","Package":"a","Test":"TestP002_Z","Output":"not here\n"}` + "\n" + line("TestP002_Z", "skip")
	for _, row := range []struct {
		name, in, rows, err string
		out                 []string
	}{
		{"all", sound, "P001-P002,R01-R02", "", []string{"rows P001 to P002: 2 passing, 0 failing, 0 skipped, 0 missing\n", "rows R01 to R02: 2 passing"}},
		{"missing", sound, "P001-P003,R01-R03", "2 rows are without", []string{"missing: P003 R03\n"}},
		{"failing", sound + line("TestR01_Y/sub", "fail"), "R01-R02", "1 rows are without", []string{"1 passing, 1 failing", "failing: R01\n"}},
		{"skipped", skipped + sound, "P001-P002", "", []string{"1 skipped", "skipped: P002, TestP002_Z: not here\n"}},
		{"skipped, then passed", skipped + sound + line("TestP002_Z", "pass"), "P001-P002", "", []string{"2 passing, 0 failing, 0 skipped"}},
		{"passed, then skipped", line("TestP002_Z", "pass") + skipped + sound, "P001-P002", "", []string{"2 passing, 0 failing, 0 skipped"}},
		{"failed, then passed", line("TestP002_Z", "fail") + sound + line("TestP002_Z", "pass"), "P001-P002", "1 rows are without", []string{"failing: P002\n"}},
		{"nonsense", sound, "P1-R2", "not like", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out strings.Builder
			err := runRows(strings.NewReader(row.in), &out, row.rows)
			if got := message(err); !strings.Contains(got, row.err) || (row.err == "") != (err == nil) {
				t.Errorf("error %q, want %q", got, row.err)
			}
			for _, want := range row.out {
				if !strings.Contains(out.String(), want) {
					t.Errorf("printed:\n%s\nwant %q in it", out.String(), want)
				}
			}
		})
	}
}
