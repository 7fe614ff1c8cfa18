package yamlscan_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// vector is one case of own_hostile.json.
type vector struct {
	Name string          `json:"name"`
	In   json.RawMessage `json:"in"`
	Want string          `json:"want"`
}

// text returns the input of a case, which is a string or a recipe for a string.
func (v vector) text(t *testing.T) string {
	t.Helper()
	var literal string
	if json.Unmarshal(v.In, &literal) == nil {
		return literal
	}
	var r struct {
		Prefix, Suffix, Base64              string
		Repeat                              []any
		Laughs                              []int
		Genkeys, Anchor, Aliases, Mergebomb int
		Size, Nodes                         int
	}
	if err := json.Unmarshal(v.In, &r); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	switch {
	case r.Base64 != "":
		raw, err := base64.StdEncoding.DecodeString(r.Base64)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(strings.TrimPrefix(string(raw), "\ufeff---\n"), "---\n")
	case r.Repeat != nil:
		return r.Prefix + strings.Repeat(r.Repeat[0].(string), int(r.Repeat[1].(float64))) + r.Suffix
	case r.Laughs != nil:
		b.WriteString("a0: &a0 [x]\n")
		for i := range r.Laughs[0] {
			fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), r.Laughs[1]), ","))
		}
	case r.Anchor > 0:
		fmt.Fprintf(&b, "a: &a %s\nb: [%s]\n", strings.Repeat("x", r.Anchor), strings.Repeat("*a,", r.Aliases))
	case r.Mergebomb > 0:
		b.WriteString("a0: &a0 {x: y}\n")
		for i := range r.Mergebomb {
			fmt.Fprintf(&b, "a%d: &a%d {<<: *a%d}\n", i+1, i+1, i)
		}
	case r.Size > 0:
		return "a: " + strings.Repeat("x", r.Size)
	default:
		for i := range r.Genkeys + r.Nodes {
			fmt.Fprintf(&b, "k%d: v\n", i)
		}
	}
	return b.String()
}

// TestVectors runs own_hostile.json. A schema error in the vectors does not concern YAML: such
// a text is read, and the format judges it.
func TestVectors(t *testing.T) {
	var file struct {
		Cases []vector `json:"cases"`
	}
	if err := json.Unmarshal(golden.Read(t, golden.Vectors(t, "yaml", "own_hostile.json")), &file); err != nil {
		t.Fatal(err)
	}
	// These texts are read as YAML. Texts with two documents are split before.
	read := map[string]bool{
		"case variant": true, "norway": true, "auth off": true, "auth null": true, "auth missing": true, "version float": true,
		"sexagesimal": true, "timestamp": true, "octal": true, "bom": true, "empty": true, "block scalar instructions": true, "comment secrets": true,
	}
	if len(file.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, v := range file.Cases {
		text := v.text(t)
		code := codeOf(t, text)
		if (code == "") != read[v.Name] {
			t.Errorf("%s: code %q, want %s", v.Name, code, v.Want)
		}
		// A text with two faults is refused for the first one that is checked: size and marks
		// are checked first.
		want, _, _ := strings.Cut(v.Want, " ")
		names := map[string]wayfind.Code{"ErrYAMLForbidden": wayfind.CodeYAMLForbidden, "ErrYAMLDuplicate": wayfind.CodeYAMLDuplicate,
			"ErrYAMLLimit": wayfind.CodeLimit, "ErrYAMLSyntax": wayfind.CodeYAMLSyntax, "ErrInvalidUTF8": wayfind.CodeInvalidUTF8}
		if c, ok := names[want]; ok && code != c && code != wayfind.CodeLimit {
			t.Errorf("%s: code %q, want %q", v.Name, code, c)
		}
		if got := allocated(text); got > 2<<20 {
			t.Errorf("%s: %.0f bytes allocated", v.Name, got)
		}
	}
	t.Logf("%d cases", len(file.Cases))
}

// TestSuite reads the files of the YAML test suite and the examples in them, and checks that
// none causes a panic, and that the result is limited and deterministic.
func TestSuite(t *testing.T) {
	read := 0
	paths := golden.Files(t, golden.Vectors(t, "yaml", "yaml-test-suite", "src"), "*.yaml")
	for _, path := range paths {
		texts := []string{string(golden.Read(t, path))}
		for example := range strings.SplitSeq(texts[0], "\n  yaml: |\n") {
			example, _, _ = strings.Cut(example, "\n  tree: |\n")
			texts = append(texts, strings.NewReplacer("\n    ", "\n", "␣", " ", "∎\n", "", "——»", "\t", "↵", "").Replace("\n"+example))
		}
		for _, text := range texts {
			code := codeOf(t, text)
			if code == "" {
				read++
			}
			if again := codeOf(t, text); again != code {
				t.Errorf("%s: %q, then %q", filepath.Base(path), code, again)
			}
			if got := allocated(text); got > 2<<20 {
				t.Errorf("%s: %.0f bytes allocated", filepath.Base(path), got)
			}
		}
	}
	t.Logf("%d files, %d texts read", len(paths), read)
	if read == 0 {
		t.Error("nothing of the suite is read")
	}
}
