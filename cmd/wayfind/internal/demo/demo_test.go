package demo

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/credentials"
	"github.com/wayfindhq/wayfind/security"
)

// argumentsFor are arguments that the schema of a tool asks for.
func argumentsFor(t *testing.T, tool *tools.Tool) []byte {
	raw, err := tool.Schema.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Required   []string
		Properties map[string]struct{ Type any }
	}
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	arguments := map[string]any{}
	for _, name := range schema.Required {
		arguments[name] = "sample"
		if schema.Properties[name].Type == "integer" {
			arguments[name] = 2
		}
	}
	out, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every call that a sample site describes has an answer, so that a newcomer can make it.
func TestSampleSitesAnswerTheCallsTheyDescribe(t *testing.T) {
	sites, err := Start(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer sites.Close()
	o := sites.Options(nil)
	o.Approve = func(context.Context, security.ApprovalRequest) error { return nil }
	c, err := client.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	caller, err := call.New(c, &call.Options{
		Confirm: func(context.Context, *call.Question) (call.Answer, error) {
			return call.Answer{Verdict: call.AllowOnce}, nil
		},
		AllowAnyOrder: true, // each tool is called for itself
		Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			return credentials.StandIn(q.Scheme, call.Binding{Origin: q.Origin, Proof: call.ProofPerson})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for _, s := range Sites() {
		box, err := tools.Load(t.Context(), c, []string{s.Host}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, listed := range box.Tools() {
			tool, err := box.Tool(listed.Name) // with its whole schema
			if err != nil {
				t.Fatal(err)
			}
			res, err := caller.Call(t.Context(), box, tool.Name, argumentsFor(t, tool))
			if err != nil {
				t.Errorf("%s %s: %v", s.Host, tool.Name, err)
			} else if res.Model.Text == "" && res.Model.JSON == nil {
				t.Errorf("%s %s: the answer is empty", s.Host, tool.Name)
			}
			made++
		}
		for _, skipped := range box.Skipped() {
			if !strings.Contains("recipes.example shoes.example pantry.example everything.example sloppy.example market.example.com catchall.example nothing.example registry.example", s.Host) { // these describe nothing that can be called besides
				t.Errorf("%s %s: %s", s.Host, skipped.Key, skipped.Reason)
			}
		}
	}
	if made < 20 {
		t.Errorf("%d calls", made)
	}
}
