package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/sarif"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/textpos"
)

// TestSARIF: the report has the members that its schema requires, and only values
// that it allows.
func TestSARIF(t *testing.T) {
	broken := strings.Replace(contractManifest, `"spec_version": "1.0"`, `"spec_version": 1`, 1)
	code, out, errs := exec(t, "", "lint", "--format", "sarif", writeFile(t, broken), writeFile(t, contractManifest), "missing file")
	if code != ui.ExitUsage || errs == "" {
		t.Fatalf("exit status %d, %s", code, errs)
	}
	var report struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct {
						ID               string
						ShortDescription struct{ Text string }
					}
				}
			}
			Invocations []struct {
				ExecutionSuccessful        *bool
				ToolExecutionNotifications []struct{ Message struct{ Text string } }
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           *struct{ StartLine, StartColumn int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if report.Version != "2.1.0" || len(report.Runs) != 1 || report.Runs[0].Tool.Driver.Name != "wayfind" {
		t.Fatalf("%+v", report)
	}
	run := report.Runs[0]
	in := run.Invocations
	if len(in) != 1 || in[0].ExecutionSuccessful == nil || *in[0].ExecutionSuccessful || len(in[0].ToolExecutionNotifications) != 1 {
		t.Errorf("%+v", in)
	}
	if len(run.Results) == 0 {
		t.Error("no results")
	}
	ids := map[string]bool{}
	for _, r := range run.Tool.Driver.Rules {
		if r.ID == "" || ids[r.ID] || r.ShortDescription.Text == "" {
			t.Errorf("rule %+v", r)
		}
		ids[r.ID] = true
	}
	for _, r := range run.Results {
		place := r.Locations[0].PhysicalLocation
		if r.Message.Text == "" || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || !strings.Contains("error warning note", r.Level) ||
			place.ArtifactLocation.URI == "" || strings.Contains(place.ArtifactLocation.URI, " ") || place.Region != nil && place.Region.StartLine < 1 {
			t.Errorf("result %+v", r)
		}
	}
	var b strings.Builder
	if err := sarif.New().Print(&b); err != nil || !strings.Contains(b.String(), `"results": []`) {
		t.Errorf("%v %s", err, b.String())
	}
}

// TestMechanical: which values are mended without a decision.
func TestMechanical(t *testing.T) {
	text := textpos.New([]byte(`{"a": "get", "b": 1, "c": "https://x/", "d": "7", "e": "true", "f": {"g": 2}}`))
	for _, row := range []struct{ code, pointer, message, want string }{
		{"adp.method_case", "/a", "", `"GET"`},
		{"adp.wrong_type", "/b", `member "b" is number where string belongs; it is ignored`, `"1"`},
		{"adp.wrong_type", "/d", `member "d" is string where number belongs; it is ignored`, `7`},
		{"adp.wrong_type", "/e", `member "e" is string where boolean belongs; it is ignored`, `true`},
		{"adp.wrong_type", "/a", `member "a" is string where number belongs; it is ignored`, ""},
		{"adp.base_url_slash", "/c", "", `"https://x"`},
		{"json.bom", "", "", ""},
		{"adp.missing", "/f", `required member "x" is missing`, ""},
		{"adp.wrong_type", "/nowhere", `member "b" is number where string belongs`, ""},
	} {
		f := lintFinding{}
		f.Code, f.Pointer, f.Message = row.code, row.pointer, row.message
		edits := mends(&mended{text, ""}, []lintFinding{f, f})
		if row.want == "" && len(edits) != 0 || row.want != "" && (len(edits) != 1 || edits[0].text != row.want) {
			t.Errorf("%s at %s: %+v, want %q", row.code, row.pointer, edits, row.want)
		}
	}
}

// TestUnified: hunks apart and together, a file without a last line break.
func TestUnified(t *testing.T) {
	before := strings.SplitAfter("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14", "\n")
	after := strings.SplitAfter("1\nx\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\ny", "\n")
	want := "--- f\n+++ f\n@@ -1,5 +1,5 @@\n 1\n-2\n+x\n 3\n 4\n 5\n@@ -11,4 +11,4 @@\n 11\n 12\n 13\n-14\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n"
	if got := unified("f", before, after); got != want {
		t.Errorf("%s", got)
	}
}
