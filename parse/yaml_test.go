package parse_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// code returns the code of an error, "" for any other.
func code(err error) wayfind.Code {
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		return e.Code
	}
	return ""
}

func ExampleParseYAML() {
	y, err := parse.ParseYAML("endpoint: https://shop.example/mcp\nauth: no\n", 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	for key, value := range y.Members() {
		text, _ := value.Str()
		fmt.Println(value.Line(), key, text)
	}
	// Output:
	// 5 endpoint https://shop.example/mcp
	// 6 auth no
}

func TestYAML(t *testing.T) {
	y, err := parse.ParseYAML("a: 1.0\nb: [x, '1', {c: ~}]\nd: {}\ne: \"\\\"\\n\"\n", 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`{"a":"1.0","b":["x","1",{"c":null}],"d":{},"e":"\"\n"}`, string(y.Raw())); diff != "" {
		t.Errorf("as JSON (-want +got):\n%s", diff)
	}
	var kinds []parse.Kind
	for _, n := range []parse.YAML{y, y.Get("a"), y.Get("b"), y.Get("b").Index(2).Get("c"), y.Get("d"), y.Get("A"), y.Get("a").Index(0), {}} {
		kinds = append(kinds, n.Kind())
		if n.Exists() != (n.Kind() != parse.Missing) || n.Exists() != (n.Raw() != nil) {
			t.Errorf("%v: exists %t, raw %s", n.Kind(), n.Exists(), n.Raw())
		}
	}
	want := []parse.Kind{parse.Object, parse.String, parse.Array, parse.Null, parse.Object, parse.Missing, parse.Missing, parse.Missing}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	quoted := 0
	for i, item := range y.Get("b").Items() {
		if item.Quoted() {
			quoted += i
		}
	}
	if quoted != 1 || y.Get("b").Len() != 3 || y.Len() != 4 || y.Get("e").Line() != 4 {
		t.Errorf("quoted %d, lengths %d and %d, line %d", quoted, y.Get("b").Len(), y.Len(), y.Get("e").Line())
	}
}

func TestUnknownKeys(t *testing.T) {
	y, err := parse.ParseYAML("mcp: a\nMCP: b\nx: [c]\n\"\\u212a\": d\nendpiont: e\nTransprt: f\n", 10)
	if err != nil {
		t.Fatal(err)
	}
	r := parse.NewReader(&parse.Format{Name: "x", Spec: wayfind.SpecRef{Title: "X"}})
	more, meant := r.UnknownKeys(y, []string{"endpoint"}, "mcp", "k", "endpoint", "transport")
	if diff := cmp.Diff(map[string]parse.Raw{"x": parse.Raw(`["c"]`), "endpiont": parse.Raw(`"e"`), "Transprt": parse.Raw(`"f"`)}, more); diff != "" {
		t.Errorf("unknown keys (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"k": "\u212a", "endpoint": "endpiont", "transport": "Transprt"}, meant); diff != "" {
		t.Errorf("keys that are meant (-want +got):\n%s", diff)
	}
	var got []string
	for _, d := range r.Diagnostics() {
		got = append(got, fmt.Sprintf("%s %s %d", d.Severity, d.Code, d.Line))
	}
	if diff := cmp.Diff([]string{"warning yaml.case_variant 11", "warning x.misspelt 13", "error x.misspelt 14", "warning x.misspelt 15"}, got); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
	if more, _ := r.UnknownKeys(parse.YAML{}, nil); more != nil {
		t.Errorf("keys of nothing: %v", more)
	}
}
