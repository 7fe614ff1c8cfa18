package agentskills_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/agentskills"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/parse"
)

// A SKILL.md is judged as the reference validator of the specification judges it: its folder, its name in
// any script, the lengths, and the keys.
func TestAFileIsJudgedAsTheReferenceValidatorDoes(t *testing.T) {
	skill := func(name string) string { return "name: " + name + "\ndescription: Does it.\n" }
	for _, test := range []struct{ folder, front, want string }{
		{"book-a-table", skill("book-a-table"), ""},
		{"book2", skill("book2"), ""},
		{"预订", skill("预订"), ""},
		{"стол", skill("стол"), ""},
		{"cafe\u0301", skill("caf\u00e9"), ""}, // one name in two forms of Unicode
		{"x", skill("x") + "license: MIT\nmetadata:\n  author: Ada\nallowed-tools: Read Bash(git:*)\ncompatibility: Needs git\n", ""},
		{"x", "name: x\ndescription: " + strings.Repeat("é", 1024) + "\ncompatibility: " + strings.Repeat("é", 500) + "\n", ""},
		{"x", "description: Does it.\n", "front_matter"},
		{"x", "name: x\n", "front_matter"},
		{"x", "name: x\ndescription: ''\n", "front_matter"},
		{"x", "name: x\ndescription: use this: when needed\n", "front_matter"},
		{"Book", skill("Book"), "front_name"},
		{"Стол", skill("Стол"), "front_name"},
		{"-book", skill("-book"), "front_name"},
		{"book-", skill("book-"), "front_name"},
		{"a--b", skill("a--b"), "front_name"},
		{"a_b", skill("a_b"), "front_name"},
		{"other", skill("book"), "front_name"},
		{strings.Repeat("a", 65), skill(strings.Repeat("a", 65)), "too_long"},
		{"x", "name: x\ndescription: " + strings.Repeat("x", 1025) + "\n", "too_long"},
		{"x", skill("x") + "compatibility: " + strings.Repeat("x", 501) + "\n", "too_long"},
		{"x", skill("x") + "author: Ada\n", "front_key"},
	} {
		in := formattest.Input(t, site+"/skills/"+test.folder+"/SKILL.md", "text/markdown", []byte("---\n"+test.front+"---\nText\n"))
		if claim := agentskills.Format().Match(in); claim.Level != parse.Likely || claim.Dialect != parse.DialectDetail {
			t.Errorf("%q: %+v", test.front, claim)
		}
		for how, read := range map[string]func() (*parse.Reading, error){
			"Detail": func() (*parse.Reading, error) { return agentskills.Format().Detail(in, parse.Subject{}) },
			"Parse":  func() (*parse.Reading, error) { return agentskills.Format().Parse(in) },
		} {
			r, err := read()
			if err != nil {
				t.Fatal(err)
			}
			var codes []string
			for _, d := range r.Diagnostics {
				if d.Severity == wayfind.SeverityError {
					codes = append(codes, strings.TrimPrefix(d.Code, "agentskills."))
				}
			}
			if got := strings.Join(codes, " "); got != test.want {
				t.Errorf("%s of %s, %q: %s, want %s", how, test.folder, test.front, got, test.want)
			}
		}
	}
}

// A file in no folder has any name, and a skill that is misspelt is told once.
func TestAFileInNoFolderHasAnyName(t *testing.T) {
	for path, body := range map[string]string{
		"/SKILL.md":          "---\nname: x\ndescription: Does it.\n---\n",
		"/notes/x.md":        "---\nname: x\ndescription: Does it.\n---\n",
		"/x/SKILL.md":        "---\nname: x\ndescripton: Does it.\n---\n",
		"/x/kettle-SKILL.md": "---\nname: y\ndescription: Does it.\n---\n",
	} {
		r, err := agentskills.Format().Detail(formattest.Input(t, site+path, "text/markdown", []byte(body)), parse.Subject{})
		if err != nil || len(r.Diagnostics) > strings.Count(body, "descripton") {
			t.Errorf("%s: %v, %v", path, r, err)
		}
	}
}

// A key beside a misspelt one is told, also on one line.
func TestAnUnknownKeyBesideAMisspeltOneIsTold(t *testing.T) {
	in := formattest.Input(t, site+"/x/SKILL.md", "text/markdown", []byte("---\n{name: x, descripton: Does it., author: Ada}\n---\n"))
	r, err := agentskills.Format().Detail(in, parse.Subject{})
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, d := range r.Diagnostics {
		codes = append(codes, d.Code)
	}
	if got := strings.Join(codes, " "); got != "agentskills.misspelt agentskills.front_key" {
		t.Error(got)
	}
}
