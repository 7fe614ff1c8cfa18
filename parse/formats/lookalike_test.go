package formats_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// If a document at the place of a format does not belong to the format, the reading contains
// the missing mark, for each format with places.
func TestAForeignDocumentAtAPlaceOfAFormatSaysWhatItLacks(t *testing.T) {
	asked := 0
	for _, f := range formats.All() {
		for _, l := range f.Locations {
			if l.Aside || l.Base || f.Name == "robots" { // each text is a robots.txt
				continue
			}
			asked++
			body := `{"message": "Welcome", "colour": "blue"}`
			r := parsed(t, []byte(body), &client.ParseOptions{URL: "https://shop.example" + l.Path})
			if r.Verdict != wayfind.VerdictUnrecognised || r.Reason != "" {
				t.Errorf("%s: %s %q of a document without a mark", l.Path, r.Verdict, r.Reason)
			}
			if said := foreign(r.Diagnostics); len(said) != 1 || said[0].Severity != wayfind.SeverityInfo || said[0].Spec == nil {
				t.Errorf("%s: %+v of a document without a mark, want one note", l.Path, r.Diagnostics)
			}
		}
	}
	if asked < 20 {
		t.Errorf("%d places were tried", asked)
	}
}

// A document with some marks of the format has its name, with the first missing mark.
func TestADocumentWithSomeMarksIsALookalike(t *testing.T) {
	for _, row := range []struct{ place, body, reason, lacks string }{
		{"/.well-known/agent", `{"spec_version": "1.0", "capability_list": []}`, "adp-lookalike", "`base_url`"},
		{"/.well-known/ai", `{"service": {"name": "Shop"}}`, "aidiscovery-lookalike", "`aiendpoint`"},
		{"/.well-known/agent-card.json", `{"name": "Shop", "skills": ["go"]}`, "a2a-lookalike", "`capabilities`"},
		{"/.well-known/mcp/server-card.json", `{"name": "Shop", "version": "1", "repository": {"url": "https://shop.example/git"}}`, "mcp-lookalike", "`remotes`"},
		{"/.well-known/ai-plugin.json", `{"api": {"kind": "openapi"}}`, "aiplugin-lookalike", "`schema_version`"},
		{"/.well-known/agent-skills/index.json", `{"$schema": "https://shop.example/x.json"}`, "agentskills-lookalike", "`skills`"},
		{"/.well-known/ai-catalog.json", `{"specVersion": "1.0"}`, "aicatalog-lookalike", "`entries`"},
	} {
		r := parsed(t, []byte(row.body), &client.ParseOptions{URL: "https://shop.example" + row.place})
		said := foreign(r.Diagnostics)
		if r.Verdict != wayfind.VerdictOtherFormat || r.Reason != row.reason || len(said) != 1 || !strings.Contains(said[0].Message, row.lacks) {
			t.Errorf("%s at %s: %s %q %+v, want %q without %s", row.body, row.place, r.Verdict, r.Reason, r.Diagnostics, row.reason, row.lacks)
		}
	}
}

// Each format with a place has marks, because the rule above needs them.
func TestAFormatWithPlacesHasMarks(t *testing.T) {
	for _, f := range formats.All() {
		aside := func(l parse.Location) bool { return l.Aside }
		if n := len(f.Locations); n > 0 && !aside(f.Locations[0]) && f.Name != "robots" && len(f.Marks) == 0 {
			t.Errorf("%s has %d places and no Marks", f.Name, n)
		}
	}
}

func foreign(list []wayfind.Diagnostic) []wayfind.Diagnostic {
	var found []wayfind.Diagnostic
	for _, d := range list {
		if d.Code == "document.foreign" {
			found = append(found, d)
		}
	}
	return found
}
