package parse_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse"
)

// treeOf returns a body as JSON, or the code of the error.
func treeOf(t *testing.T, body string) string {
	t.Helper()
	in := &parse.Input{Body: []byte(body)}
	root, err := in.Tree()
	var e *wayfind.Error
	switch {
	case errors.As(err, &e):
		return string(e.Code)
	case err != nil:
		t.Fatalf("%.60q: %v", body, err)
	}
	if again, err := in.Tree(); again != root || err != nil {
		t.Errorf("%.60q: another tree the second time, %v", body, err)
	}
	return string(root.Raw())
}

func TestTreeOfJSON(t *testing.T) {
	for body, want := range map[string]string{
		` {"a": 1}`: `{"a": 1}`, "\ufeff{}": "{}", "[1]": "[1]", "{a:b}": "json_syntax", "{a: b}": `{"a":"b"}`, "": "json_syntax", `{"a":1,"a":2}`: "json_duplicate",
	} {
		if diff := cmp.Diff(want, treeOf(t, body)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", body, diff)
		}
	}
}

// The same values come out of YAML as out of the JSON that means the same.
func TestTreeOfYAML(t *testing.T) {
	for body, want := range map[string]string{
		"a: b":                              `{"a":"b"}`,
		"---\na: [1, 1.50, -0, 1e3]\n...\n": `{"a":[1,1.50,-0,1e3]}`,
		"\ufeff# c\n\n--- # c\na: {b: c}":   `{"a":{"b":"c"}}`,
		"a: [true, False, null, ~, , no, yes, on, 'true', '1']":              `yaml_syntax`,
		"a: [true, False, null, ~, no, yes, on, 'true', \"1\"]":              `{"a":[true,false,null,null,"no","yes","on","true","1"]}`,
		"a: [01, +1, .5, 1., 0x1F, 0o7, 1_000, .inf, 2024-01-01, 1.2.3, '']": `{"a":["01","+1",".5","1.","0x1F","0o7","1_000",".inf","2024-01-01","1.2.3",""]}`,
		"a:\nb: |\n  x\n  y\nc: \"\\0\\x1b\"":                                `{"a":null,"b":"x\ny\n","c":"\u0000\u001b"}`,
		"'200': ok\n404: no\ntrue: t":                                        `{"200":"ok","404":"no","true":"t"}`,
		"a: &x {b: 1}\nc: *x\nd: [*x, *x]":                                   `{"a":{"b":1},"c":{"b":1},"d":[{"b":1},{"b":1}]}`,
		"a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3":                           `{"a":{"b":1,"c":2},"d":{"c":3,"b":1}}`,
		"a: &x {b: 1}\ne: &y {b: 2, f: 3}\nd:\n  <<: [*x, *y]":               `{"a":{"b":1},"e":{"b":2,"f":3},"d":{"b":1,"f":3}}`,
		"a: &x [*x]": "yaml_forbidden",
		"a: *x":      "yaml_syntax",
		"a: [!!str 1, !!binary aGk=, !!int 1, !!bool true, !!map {b: !!seq [c]}]": `{"a":["1","aGk=",1,true,{"b":["c"]}]}`,
		"a: !!python/object:os.system b":                                          "yaml_forbidden",
		"a: !x 1":                                                                 "yaml_forbidden",
		"a: ! 1":                                                                  "yaml_forbidden",
		"a: b\n---\nc: d":                                                         "yaml_forbidden",
		"%YAML 1.2\n---\na: b":                                                    `{"a":"b"}`,
		"%YAML 1.1\n# c\n---\n{a: b}":                                             `{"a":"b"}`,
		"%TAG ! x\n---\na: b":                                                     "yaml_forbidden",
		"# c\n{a: b, 'c': [d, \"e\"]}":                                            `{"a":"b","c":["d","e"]}`,
		"{'a': b}":                                                                `{"a":"b"}`,
		"{ # c\n a: b}":                                                           `{"a":"b"}`,
		"  a: b\n  c: d":                                                          `{"a":"b","c":"d"}`,
		"a: b\na: c":                                                              "yaml_duplicate",
		"a: \xff":                                                                 "invalid_utf8",
		"a: b\u2028c: d":                                                          "yaml_forbidden",
		"- a":                                                                     "yaml_forbidden",
		"# nothing":                                                               "schema",
		"a: 1\n<<: {[b]: c}":                                                      "yaml_forbidden",
		"a: b\n<<: c":                                                             "yaml_forbidden",
	} {
		if diff := cmp.Diff(want, treeOf(t, body)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", body, diff)
		}
	}
}

// A body that begins like JSON and is none is YAML if its name or its media type says so.
func TestTreeOfWhatIsNamedYAML(t *testing.T) {
	const mixed, cut = `{"a": 1, b: c}`, `{"a": `
	for _, test := range []struct{ path, mediaType, body, want string }{
		{"/x.yaml", "", mixed, `{"a":1,"b":"c"}`}, {"/x.yml", "", mixed, `{"a":1,"b":"c"}`}, {"/x", "application/yaml", mixed, `{"a":1,"b":"c"}`},
		{"/x.json", "", mixed, "json_syntax"}, {"/x", "application/json", mixed, "json_syntax"}, {"/x.yaml", "", cut, "yaml_syntax"}, {"/x", "", cut, "json_syntax"},
	} {
		in := &parse.Input{URL: &url.URL{Scheme: "https", Host: "s.example", Path: test.path}, MediaType: test.mediaType, Body: []byte(test.body)}
		root, err := in.Tree()
		got := string(root.Raw())
		if e, ok := errors.AsType[*wayfind.Error](err); ok {
			got = string(e.Code)
		}
		if got != test.want {
			t.Errorf("%s %s %s: got %s, want %s", test.path, test.mediaType, test.body, got, test.want)
		}
	}
}

// What aliases add is bounded by the text, and so are its size and its depth.
func TestTreeLimits(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString("a0: &a0 [x, x]\n")
	for i := range 9 {
		c := string(rune('0' + i))
		laughs.WriteString("a" + string(rune('1'+i)) + ": &a" + string(rune('1'+i)) + " [" + strings.TrimSuffix(strings.Repeat("*a"+c+",", 9), ",") + "]\n")
	}
	quadratic := "a: &a " + strings.Repeat("x", 100_000) + "\nb: [" + strings.Repeat("*a,", 1000) + "]"
	merges := "a: &a {" + keys(5000) + "}\nb:\n" + strings.Repeat("- <<: *a\n", 5000)
	for name, body := range map[string]string{
		"laughs": laughs.String(), "quadratic": quadratic, "merges": merges, "size": "a: " + strings.Repeat("x", 8<<20),
		"marks": "a: [" + strings.Repeat("a,", 500_000) + "]", "depth": "a: " + strings.Repeat("[", 64) + strings.Repeat("]", 64),
	} {
		if got := treeOf(t, body); got != "limit" {
			t.Errorf("%s: %.60s", name, got)
		}
	}
	in := &parse.Input{Body: []byte("a: [1, 2]")}
	before := in.Size()
	if _, err := in.Tree(); err != nil || before != 0 || in.Size() < 4*24 {
		t.Errorf("size %d, then %d, %v", before, in.Size(), err)
	}
}

func keys(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("k" + strings.Repeat("0", i%7) + strings.Repeat("1", i/7%11) + strings.Repeat("2", i/77) + ": v, ")
	}
	return b.String()
}

// A stored document has the same result later. YAML is not parsed again for it.
func TestADocumentThatIsKeptIsTheSame(t *testing.T) {
	yaml := []byte(strings.Repeat("- name: it is\n  size: 1\n", 2000))
	for _, body := range [][]byte{append([]byte("list:\n"), yaml...), []byte(`{"list": [1, 2]}`), []byte("list: [")} {
		in := &parse.Input{Body: body, MediaType: "text/any"}
		var first parse.Node
		var err error
		once := testkit.Allocated(func() { first, err = in.Tree() })
		kept, size := in.Rest()
		var second parse.Node
		var same error
		again := testkit.Allocated(func() { second, same = kept.Tree() })
		if string(first.Raw()) != string(second.Raw()) || (err == nil) != (same == nil) || kept.MediaType != in.MediaType {
			t.Errorf("%.20q: %.100q, %v, then %.100q, %v", body, first.Raw(), err, second.Raw(), same)
		}
		if size > 0 && (size != len(first.Raw()) || again > once/4) {
			t.Errorf("%d bytes are kept; %.0f bytes are allocated, then %.0f", size, once, again)
		}
		if yes := len(body) > 1000; yes != (size > 0) {
			t.Errorf("%.20q: %d bytes are kept", body, size)
		}
	}
}
