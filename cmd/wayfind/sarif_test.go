package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/sarif"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
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
