package jsonscan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// codeOf scans a body and returns the code of the refusal, or "". Each refusal must have the
// documented form.
func codeOf(t testing.TB, body string) wayfind.Code {
	t.Helper()
	doc, err := jsonscan.Scan([]byte(body))
	if err == nil {
		return ""
	}
	if doc != nil {
		t.Errorf("a document beside the error %v", err)
	}
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok || e.Op != "parse" || !errors.Is(err, wayfind.ErrInvalid) {
		t.Fatalf("error %#v is not the promised one", err)
	}
	at, ok := errors.AsType[*jsonscan.SyntaxError](err)
	if !ok || at.Offset < 0 || at.Offset > len(body) || at.Line < 1 {
		t.Errorf("error %v has no sound place", err)
	}
	if text := err.Error(); len(text) > 512 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		t.Errorf("error text is not short printable ASCII: %q", text)
	}
	return e.Code
}

// checkCodes scans each body and compares the codes.
func checkCodes(t *testing.T, want map[string]wayfind.Code) {
	t.Helper()
	got := make(map[string]wayfind.Code, len(want))
	for body := range want {
		got[body] = codeOf(t, body)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}
}

func TestDuplicateMembersAreRefused(t *testing.T) {
	checkCodes(t, map[string]wayfind.Code{
		`{"endpoint":1,"endpoint":2}`:               wayfind.CodeJSONDuplicate,
		`{"endpoint":1,"\u0065ndpoint":2}`:          wayfind.CodeJSONDuplicate,
		`{"\u0065ndpoint":1,"endpoint":2}`:          wayfind.CodeJSONDuplicate,
		`{"zzz":{"a":1,"a":2}}`:                     wayfind.CodeJSONDuplicate,
		`[[{"x":[{"":1,"":2}]}]]`:                   wayfind.CodeJSONDuplicate,
		`{"\ud83d\ude00":1,"😀":2}`:                  wayfind.CodeJSONDuplicate,
		`{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}`: "",
		`{"a":1,"A":2}`:                             "",
	})
	_, err := jsonscan.Scan([]byte("{\n\"zzz\":{\"a\":1,\n\"\\u0061\":2}}"))
	at, _ := errors.AsType[*jsonscan.SyntaxError](err)
	want := &jsonscan.SyntaxError{Offset: 16, Line: 3, Pointer: "/zzz/a", Reason: "member name comes twice in one object"}
	if diff := cmp.Diff(want, at); diff != "" {
		t.Errorf("place (-want +got):\n%s", diff)
	}
}

func TestNamesAreExact(t *testing.T) {
	for _, body := range []string{
		`{"endpoint":"good","ENDPOINT":"evil"}`,
		`{"ENDPOINT":"evil","endpoint":"good"}`,
		`{"Endpoint":"evil","\u0065ndpoint":"good"}`,
	} {
		if got, _ := scan(t, body).Root().Get("endpoint").Str(); got != "good" {
			t.Errorf("%s: endpoint is %q", body, got)
		}
	}
	for name, body := range map[string]string{
		"capabilities": `{"capabilitieſ":1}`,
		"kind":         `{"` + "\u212a" + `ind":1}`,
		"a":            `{"A":1}`,
	} {
		if n := scan(t, body).Root().Get(name); n.Kind() != jsonscan.Missing {
			t.Errorf("%s: %q was found: %s", body, name, n.Raw())
		}
	}
}

func TestANameWithNULIsItsOwn(t *testing.T) {
	root := scan(t, `{"endpoint":"good","endpoint\u0000":"evil"}`).Root()
	var names, values []string
	for name, value := range root.Members() {
		text, _ := value.Str()
		names, values = append(names, name), append(values, text)
	}
	if diff := cmp.Diff([]string{"endpoint", "endpoint\x00"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"good", "evil"}, values); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if got, _ := root.Get("endpoint\x00").Str(); got != "evil" {
		t.Errorf("the name with NUL gives %q", got)
	}
}

func TestInvalidUnicodeIsRefused(t *testing.T) {
	checkCodes(t, map[string]wayfind.Code{
		"{\"a\":\"\xff\"}":             wayfind.CodeInvalidUTF8,
		"{\"\xff\":1}":                 wayfind.CodeInvalidUTF8,
		"{\"a\":\"\xc0\xaf\"}":         wayfind.CodeInvalidUTF8, // overlong
		"{\"a\":\"\xed\xa0\x80\"}":     wayfind.CodeInvalidUTF8, // CESU-8
		"{\"a\":\"\xf4\x90\x80\x80\"}": wayfind.CodeInvalidUTF8, // beyond U+10FFFF
		`"\ud800"`:                     wayfind.CodeInvalidUTF8,
		`"\udc00"`:                     wayfind.CodeInvalidUTF8,
		`"\uD800\u0041"`:               wayfind.CodeInvalidUTF8,
		`"\ud800\ud800"`:               wayfind.CodeInvalidUTF8,
		`{"\udead":1}`:                 wayfind.CodeInvalidUTF8,
		"\xff\xfe{\x00}\x00":           wayfind.CodeJSONSyntax, // UTF-16LE
		"\xfe\xff\x00{\x00}":           wayfind.CodeJSONSyntax, // UTF-16BE
		"{\x00}\x00":                   wayfind.CodeJSONSyntax, // without a mark
		"\x00{\x00}":                   wayfind.CodeJSONSyntax,
		"+AHsAIgBhACI-":                wayfind.CodeJSONSyntax, // UTF-7
		"\"\x01\"":                     wayfind.CodeJSONSyntax,
		"\u00a0{}":                     wayfind.CodeJSONSyntax,
		"\ufeff\ufeff{}":               wayfind.CodeJSONSyntax,
		"\ufeff":                       wayfind.CodeJSONSyntax,
		"\ufeff{}":                     "",
		`"\ud83d\ude00\uffff"`:         "",
		"\"\ufffd\u2028\x7f\"":         "",
	})
}

func TestByteOrderMark(t *testing.T) {
	doc := scan(t, "\ufeff {\"a\":[1]}")
	if n := doc.Root().Get("a").Child(0); !doc.BOM() || n.Pointer() != "/a/0" || string(n.Raw()) != "1" {
		t.Errorf("BOM %v, %q at %q", doc.BOM(), n.Raw(), n.Pointer())
	}
	if scan(t, "{}").BOM() {
		t.Error("a byte order mark that is not there")
	}
	_, err := jsonscan.Scan([]byte("\ufeff{x"))
	if at, _ := errors.AsType[*jsonscan.SyntaxError](err); at == nil || at.Offset != 4 {
		t.Errorf("the offset does not count the mark: %v", err)
	}
}

func TestTrailingDataIsRefused(t *testing.T) {
	checkCodes(t, map[string]wayfind.Code{
		"{} {}":                wayfind.CodeJSONTrailing,
		"{}x":                  wayfind.CodeJSONTrailing,
		"{}\x00":               wayfind.CodeJSONTrailing,
		"{}\xff":               wayfind.CodeJSONTrailing,
		"{},":                  wayfind.CodeJSONTrailing,
		"[1]]":                 wayfind.CodeJSONTrailing,
		"null null":            wayfind.CodeJSONTrailing,
		"{\"a\":1}\n{\"a\":2}": wayfind.CodeJSONTrailing,
		`callback({"a":1})`:    wayfind.CodeJSONSyntax,
		")]}',\n{}":            wayfind.CodeJSONSyntax,
		"{\"a\":1,}":           wayfind.CodeJSONSyntax,
		"{\"a\":1/*x*/}":       wayfind.CodeJSONSyntax,
		"{}\r\n\t ":            "",
	})
}

func TestTheDepthIsLimited(t *testing.T) {
	nest := func(open, middle, end string, n int) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
	}
	checkCodes(t, map[string]wayfind.Code{
		nest("[", "", "]", 64):              "",
		nest("[", "", "]", 65):              wayfind.CodeJSONDepth,
		nest(`{"a":`, "1", "}", 64):         "",
		nest(`{"a":`, "1", "}", 65):         wayfind.CodeJSONDepth,
		nest("[", "", "", 130_000):          wayfind.CodeJSONDepth,
		nest(`{"a":`, "1", "}", 40_000):     wayfind.CodeJSONDepth,
		nest(`[{"a":`, "1", "}]", 33):       wayfind.CodeJSONDepth,
		nest("[", "x", "]", 30) + "[[[[[[[": wayfind.CodeJSONSyntax, // the first mistake is reported
	})
}

// TestTheScanStopsAtTheDepth checks that the rest of a body that is too deep is not read, so
// that the cost does not depend on its length.
func TestTheScanStopsAtTheDepth(t *testing.T) {
	cost := func(body []byte) float64 {
		return testkit.Allocated(func() {
			if _, err := jsonscan.Scan(body); err == nil {
				t.Error("accepted")
			}
		})
	}
	small, large := []byte(strings.Repeat("[", 100)), []byte(strings.Repeat("[", 4<<20))
	cost(large) // the first garbage collection has additional costs
	short, long := cost(small), cost(large)
	if long > 2*short {
		t.Errorf("%v bytes allocated for 100 brackets, %v for 4 Mi of them", short, long)
	}
}

func TestNamesNodesAndBytesAreLimited(t *testing.T) {
	checkCodes(t, map[string]wayfind.Code{
		`{"` + strings.Repeat("k", jsonscan.MaxName) + `":1}`:   "",
		`{"` + strings.Repeat("k", jsonscan.MaxName+1) + `":1}`: wayfind.CodeLimit,
		`{"` + strings.Repeat("k", 200_000) + `":1}`:            wayfind.CodeLimit,
		`{"n":` + strings.Repeat("9", 250_000) + `}`:            "",
		"[" + strings.Repeat("0,", jsonscan.MaxNodes) + "0]":    wayfind.CodeLimit,
		`{"n":NaN}`: wayfind.CodeJSONSyntax,
		`{"n":01}`:  wayfind.CodeJSONSyntax,
		`{"n":1e999,"z":-0,"i":9007199254740993}`: "",
	})
	if _, err := jsonscan.Scan(bytes.Repeat([]byte(" "), jsonscan.MaxBytes+1)); !errors.Is(err, wayfind.ErrInvalid) {
		t.Errorf("a body beyond MaxBytes gives %v", err)
	}
	full := scan(t, "["+strings.Repeat("0,", jsonscan.MaxNodes-2)+"0]")
	if full.Nodes() != jsonscan.MaxNodes {
		t.Errorf("%d nodes, want the full %d", full.Nodes(), jsonscan.MaxNodes)
	}
}

func TestAnyValueMayBeTheTop(t *testing.T) {
	checkCodes(t, map[string]wayfind.Code{
		"": wayfind.CodeJSONSyntax, "   ": wayfind.CodeJSONSyntax, "nul": wayfind.CodeJSONSyntax,
		"null": "", "[]": "", `"x"`: "", "1": "", "true": "",
	})
	kinds := map[string]jsonscan.Kind{
		"null": jsonscan.Null, "[]": jsonscan.Array, `"x"`: jsonscan.String,
		" -1 ": jsonscan.Number, "false": jsonscan.Bool, "{}": jsonscan.Object,
	}
	for body, want := range kinds {
		root := scan(t, body).Root()
		if root.Kind() != want || string(root.Raw()) != strings.TrimSpace(body) {
			t.Errorf("%q: kind %v, raw %q", body, root.Kind(), root.Raw())
		}
	}
}

func scan(t testing.TB, body string) *jsonscan.Doc {
	t.Helper()
	doc, err := jsonscan.Scan([]byte(body))
	if err != nil {
		t.Fatalf("%.100q: %v", body, err)
	}
	return doc
}

// plain converts a node to the values of encoding/json with UseNumber.
func plain(n jsonscan.Node) any {
	switch n.Kind() {
	case jsonscan.Bool:
		v, _ := n.Bool()
		return v
	case jsonscan.Number:
		return json.Number(n.Raw())
	case jsonscan.String:
		v, _ := n.Str()
		return v
	case jsonscan.Array:
		list := make([]any, 0, n.Len())
		for i := range n.Len() {
			list = append(list, plain(n.Child(i)))
		}
		return list
	case jsonscan.Object:
		members := make(map[string]any, n.Len())
		for name, value := range n.Members() {
			members[name] = plain(value)
		}
		return members
	}
	return nil
}
