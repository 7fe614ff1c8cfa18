package parse_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

// vector is one case of own_hostile.json.
type vector struct {
	Name string
	In   json.RawMessage
	Want string
}

// generator is an "in" that is an object.
type generator struct {
	Base64       *string
	Prefix       string
	Repeat, Then []json.RawMessage
	Mid, Suffix  string
	Capabilities int
	Keys         int
	Keylen       int
}

func (v vector) body(t *testing.T) string {
	t.Helper()
	if v.In[0] == '"' {
		return decode[string](t, v.In)
	}
	g := decode[generator](t, v.In)
	switch {
	case g.Base64 != nil:
		raw, err := base64.StdEncoding.DecodeString(*g.Base64)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	case g.Capabilities > 0:
		return `{"capabilities":[` + list(g.Capabilities, `{"id":"c%d"}`) + `]}`
	case g.Keys > 0:
		return "{" + list(g.Keys, `"k%d":1`) + "}"
	case g.Keylen > 0:
		return `{"` + strings.Repeat("k", g.Keylen) + `":1}`
	case len(g.Repeat) == 2:
		return g.Prefix + repeated(t, g.Repeat) + g.Mid + repeated(t, g.Then) + g.Suffix
	}
	t.Fatalf("unknown generator %s", v.In)
	return ""
}

func decode[T any](t *testing.T, raw []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func list(n int, format string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(items, ",")
}

func repeated(t *testing.T, pair []json.RawMessage) string {
	t.Helper()
	if len(pair) != 2 {
		return ""
	}
	return strings.Repeat(decode[string](t, pair[0]), decode[int](t, pair[1]))
}

// answer returns the result for a body, in one line: the code of the refusal, "html", or the
// content that a format would read.
func answer(t *testing.T, body string) string {
	in := &parse.Input{Body: []byte(body)}
	if in.HTML() {
		return "html"
	}
	root, err := in.JSONObject()
	if err != nil {
		return string(errorCode(t, err))
	}
	r := parse.NewReader(format())
	words := []string{"ok"}
	for _, name := range []string{"endpoint", "kind"} {
		if s := r.String(root, name, parse.Optional, ""); s != "" {
			words = append(words, name+"="+s)
		}
	}
	for _, name := range []string{"requests_per_minute", "n"} {
		if v := r.Int(root, name, parse.Optional, ""); v != nil {
			words = append(words, name+"="+strconv.FormatInt(*v, 10))
		}
	}
	if slices.Contains([]string{"{", "["}, body[:1]) && strings.Contains(strings.ToLower(body), "capabilitie") {
		items := r.Array(root, "capabilities", parse.Must, "")
		words = append(words, "capabilities="+strconv.Itoa(items.Len()))
		for _, item := range items.Items() {
			if item.Kind() == parse.Null {
				r.Report(rule("null_item").AsWarning(), item, "null")
			}
		}
	}
	r.CaseVariants(root, "endpoint", "kind", "capabilities")
	for _, d := range append(in.Diagnostics(), r.Diagnostics()...) {
		words = append(words, d.Code)
	}
	return strings.Join(words, " ")
}

// TestHostileBodiesAreReadAsDecided runs the catalogue of hostile bodies through the public API:
// Input, Node and Reader. The catalogue leaves some results open; here they are decided.
func TestHostileBodiesAreReadAsDecided(t *testing.T) {
	raw, err := os.ReadFile(golden.Vectors(t, "json", "own_hostile.json"))
	if err != nil {
		t.Fatal(err)
	}
	vectors := decode[struct{ Cases []vector }](t, raw).Cases
	if len(vectors) == 0 {
		t.Fatal("no cases")
	}
	decided := decisions()
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			want, ok := decided[v.Name]
			if !ok {
				want = byWord(v.Want)
			}
			if diff := cmp.Diff(want, answer(t, v.body(t))); diff != "" || want == "" {
				t.Errorf("catalogue says %q (-want +got):\n%s", v.Want, diff)
			}
		})
	}
}

// byWord translates the catalogue's words that need no decision.
func byWord(want string) string {
	for word, code := range map[string]wayfind.Code{
		"ErrJSONDuplicate": wayfind.CodeJSONDuplicate, "ErrJSONTrailing": wayfind.CodeJSONTrailing,
		"ErrJSONSyntax": wayfind.CodeJSONSyntax, "ErrJSONDepth": wayfind.CodeJSONDepth,
		"ErrInvalidUTF8": wayfind.CodeInvalidUTF8, "ErrSchema": wayfind.CodeSchema, "ErrLimit": wayfind.CodeLimit,
		"ErrSoft404": wayfind.CodeHTML,
	} {
		if strings.HasPrefix(want, word) {
			return string(code)
		}
	}
	if want == "ok" || strings.HasPrefix(want, "bounded") || strings.HasPrefix(want, "plain data") {
		return "ok"
	}
	return ""
}

// decisions are the answers that the catalogue leaves to us.
func decisions() map[string]string {
	return map[string]string{
		"case variant":    "ok endpoint=https://good/ json.case_variant",
		"only wrong case": "ok capabilities=0 demo.missing json.case_variant",
		"long s":          "ok capabilities=1 json.case_variant",
		"kelvin":          "ok kind=a json.case_variant",
		"nul suffix key":  "ok endpoint=https://good/",
		"bom":             "ok json.bom",
		// An array is scanned; the document wants an object.
		"depth 64 array":   string(wayfind.CodeSchema),
		"1e999":            "ok demo.wrong_type",
		"2^53+1":           "ok requests_per_minute=9007199254740993",
		"-0":               "ok requests_per_minute=0",
		"1.0 int":          "ok requests_per_minute=1",
		"250 KB number":    "ok demo.wrong_type",
		"wrong type":       "ok capabilities=0 demo.wrong_type",
		"null capability":  "ok capabilities=1 demo.null_item",
		"101 capabilities": "ok capabilities=101",
	}
}
