package sarif_test

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// schema returns the schema of OASIS in the module go-sarif. The module does not export this
// constant, and its Validate does not check a report in its written form.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif").Output()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && text == "" {
			text, err = strconv.Unquote(l.Value)
		}
		return true
	})
	const id = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	if err != nil || !strings.Contains(text, id) {
		t.Fatalf("no schema: %v", err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(id, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// command builds wayfind.
func command(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "wayfind")
	build := exec.Command("go", "build", "-o", bin, "./cmd/wayfind")
	build.Dir = golden.Root(t)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// report returns lint's report on files. Faults in them cause an exit status, which is not an
// error here.
func report(t *testing.T, bin string, files ...string) []byte {
	t.Helper()
	cmd := exec.Command(bin, append([]string{"lint", "--format", "sarif", "--"}, files...)...)
	out, err := cmd.Output()
	if _, status := errors.AsType[*exec.ExitError](err); err != nil && !status {
		t.Fatal(err)
	}
	return out
}

// judge checks a report with the schema, and reads it into the types of the module.
func judge(t *testing.T, s *jsonschema.Schema, out []byte, documents int) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
	if err != nil {
		t.Fatalf("%v: %.200s", err, out)
	}
	if err := s.Validate(value); err != nil {
		t.Errorf("%d documents: %v", documents, err)
	}
	r, err := sarif.FromBytes(out)
	if err != nil || len(r.Runs) != 1 || len(r.Runs[0].Results)+len(r.Runs[0].Invocations[0].ToolExecutionNotifications) == 0 {
		t.Fatalf("%d documents: %v", documents, err)
	}
}

// TestCorpus checks the reports on five published documents of different formats, and the
// report on all of them.
func TestCorpus(t *testing.T) {
	s, bin := schema(t), command(t)
	var files []string
	first := map[string]bool{}
	for _, folder := range []string{"a2a-agent-card", "llms-txt", "openapi", "mcp-server-card", "agent-skills-index"} {
		first[folder] = true
	}
	err := filepath.WalkDir(golden.Corpus(t), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Dir(path) == golden.Corpus(t) {
			return err
		}
		files = append(files, path)
		if folder := filepath.Base(filepath.Dir(path)); first[folder] {
			first[folder] = false
			if out := report(t, bin, path); bytes.Contains(out, []byte(`"ruleId"`)) {
				judge(t, s, out, 1)
			} else {
				first[folder] = true // it has no faults: try the next one
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder, none := range first {
		if none {
			t.Errorf("%s has no document with a finding", folder)
		}
	}
	judge(t, s, report(t, bin, files...), len(files))
}

// TestOdd checks reports on unusual documents: names that are not URIs, no content, a missing
// file, text that must be escaped.
func TestOdd(t *testing.T) {
	s, bin, dir := schema(t), command(t), t.TempDir()
	for name, body := range map[string]string{
		"a b%c#d?.json":  `{"name": 1}`,
		"empty":          "",
		"llms.txt":       "no title\n",
		"bom.json":       "\ufeff{\"swagger\": \"2.0\", \"info\": 7}",
		"ä\u202e\n.json": "{\"name\": \"\u202e\", \"skills\": [{}], \"url\": \"http://localhost:1\"}",
		"document.yaml":  "openapi: 3.0.0\ninfo: {title: 7}\npaths: {}\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Run(strconv.Quote(name), func(t *testing.T) {
			judge(t, s, report(t, bin, file, filepath.Join(dir, "not there")), 2)
		})
	}
}

// TestSchemaRefuses checks that the schema refuses a report with a wrong level, column or
// member.
func TestSchemaRefuses(t *testing.T) {
	s, bin := schema(t), command(t)
	file := filepath.Join(t.TempDir(), "agent-card.json")
	if err := os.WriteFile(file, []byte("{\"name\": 1,\n \"protocolVersion\": \"0.3.0\", \"skills\": [{}], \"url\": \"http://localhost:1\"}"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := string(report(t, bin, file))
	for from, to := range map[string]string{`"level": "error"`: `"level": "fatal"`, `"startLine": `: `"startLine": -`, `"ruleIndex"`: `"ruleindex"`, `"version": "2.1.0"`: `"version": "2.1"`} {
		changed := strings.Replace(out, from, to, 1)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(changed))
		if err != nil || changed == out || s.Validate(value) == nil {
			t.Errorf("%s is taken: %v", to, err)
		}
	}
}
