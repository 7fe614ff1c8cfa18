package parse_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

func document(t testing.TB, body string) parse.Node {
	t.Helper()
	root, err := (&parse.Input{Body: []byte(body)}).JSON()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestNode(t *testing.T) {
	root := document(t, `{"a":[true,1.5,"x",null,{}],"n":7}`)
	var got []string
	for i, item := range root.Get("a").Items() {
		if root.Get("a").Index(i) != item {
			t.Errorf("element %d is not Index(%d)", i, i)
		}
		got = append(got, item.Pointer()+" "+item.Kind().String()+" "+string(item.Raw()))
		if i == 4 {
			break
		}
	}
	for name, value := range root.Members() {
		got = append(got, name+" "+value.Kind().String())
	}
	want := []string{"/a/0 boolean true", "/a/1 number 1.5", "/a/2 string \"x\"", "/a/3 null null", "/a/4 object {}", "a array", "n number"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if n := root.Index(0); n.Exists() {
		t.Error("an object has an element by index")
	}
	for range root.Items() {
		t.Error("an object has items")
	}
}

func TestZeroNode(t *testing.T) {
	root := document(t, `{"a":1}`)
	for _, n := range []parse.Node{{}, root.Get("b"), root.Get("a").Index(0), root.Get("b").Get("c").Index(3)} {
		_, isString := n.Str()
		_, isBool := n.Bool()
		_, isInt := n.Int()
		_, isFloat := n.Float()
		if n.Exists() || n.Kind() != parse.Missing || n.Kind().String() != "nothing" || n.Len() != 0 || n.Pointer() != "" ||
			n.Raw() != nil || isString || isBool || isInt || isFloat {
			t.Errorf("missing node has something: %v", n.Kind())
		}
	}
	if !document(t, "null").Exists() {
		t.Error("null does not exist")
	}
}

func TestInputJSONOnce(t *testing.T) {
	in := &parse.Input{Body: []byte(`{"a":1}`), Header: http.Header{}}
	bad := &parse.Input{Body: []byte(`{"a":1`)}
	var nodes [8]parse.Node
	var errs [8]error
	var wg sync.WaitGroup
	for i := range nodes {
		wg.Go(func() {
			nodes[i], _ = in.JSON()
			_, errs[i] = bad.JSON()
		})
	}
	wg.Wait()
	for i := range nodes {
		if nodes[i] != nodes[0] || errs[i] == nil || errs[i] != errs[0] {
			t.Errorf("call %d was answered anew", i)
		}
	}
}

func TestOnlyAnObjectIsADocument(t *testing.T) {
	want := map[string]wayfind.Code{
		"null": wayfind.CodeSchema, "[]": wayfind.CodeSchema, `"x"`: wayfind.CodeSchema, "1": wayfind.CodeSchema,
		"": wayfind.CodeJSONSyntax, "  ": wayfind.CodeJSONSyntax, "{}": "",
	}
	got := make(map[string]wayfind.Code)
	for body := range want {
		n, err := (&parse.Input{Body: []byte(body)}).JSONObject()
		got[body] = errorCode(t, err)
		if n.Exists() != (err == nil) {
			t.Errorf("%q: %v beside %v", body, n.Kind(), err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}
}

func errorCode(t testing.TB, err error) wayfind.Code {
	t.Helper()
	if err == nil {
		return ""
	}
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok || e.Op != "parse" || e.Kind != wayfind.ErrInvalid {
		t.Fatalf("not the promised error: %#v", err)
	}
	return e.Code
}

func TestInputDiagnostics(t *testing.T) {
	want := []wayfind.Diagnostic{{
		Severity: wayfind.SeverityInfo, Code: "json.bom",
		Message: "a byte order mark stands before the JSON text; it was ignored",
		Spec:    &wayfind.SpecRef{Title: "RFC 8259", URL: "https://www.rfc-editor.org/rfc/rfc8259", Section: "§8.1"},
	}}
	if diff := cmp.Diff(want, (&parse.Input{Body: []byte("\ufeff{}")}).Diagnostics()); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
	for _, body := range []string{"{}", "\ufeff# title", ""} {
		if got := (&parse.Input{Body: []byte(body)}).Diagnostics(); got != nil {
			t.Errorf("%q: %v", body, got)
		}
	}
}

func TestHTML(t *testing.T) {
	type doc struct{ MediaType, Body string }
	want := map[doc]bool{
		{"", "<!doctype html><html>{\"capabilities\":[]}</html>"}: true,
		{"application/json", "\ufeff \n<!DOCTYPE HTML PUBLIC>"}:   true,
		{"", "<!-- a --><!-- b -->\n<HTML lang=en>"}:              true,
		{"", "<?xml version=\"1.0\"?><!-- x --><html xmlns=''>"}:  true,
		{"", "<head>"}:                    true,
		{"", "<body\n>"}:                  true,
		{"", "<script>"}:                  true,
		{"", "<html"}:                     true,
		{"text/html", "Not found"}:        true,
		{"text/html", ""}:                 true,
		{"text/html", `{"a":1}`}:          false,
		{"text/html", `{"a":1,}`}:         false, // malformed, not a page
		{"text/html", "\ufeff [1]"}:       false,
		{"text/html", "null"}:             false,
		{"", "# title\n<html>"}:           false,
		{"", "<!-- comment -->\n# title"}: false,
		{"", "<!-- never closed <html>"}:  false,
		{"", "<htmlx>"}:                   false,
		{"", "<svg>"}:                     false,
		{"", `"<html>"`}:                  false,
		{"text/plain", ""}:                false,
	}
	got := make(map[doc]bool)
	for d := range want {
		in := &parse.Input{MediaType: d.MediaType, Body: []byte(d.Body)}
		got[d] = in.HTML()
		if in.HTML() != got[d] {
			t.Errorf("%v: another answer the second time", d)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("web pages (-want +got):\n%s", diff)
	}
}

func TestBuilders(t *testing.T) {
	got := rawjson.Obj(
		rawjson.Member{Name: "type", Value: rawjson.Quote("object")},
		rawjson.Member{Name: "none"},
		rawjson.Member{Name: "q\"\x00\xff", Value: rawjson.Arr(rawjson.QuoteInt(-5), nil, rawjson.QuoteBool(true), rawjson.Quote("é\n"))},
		rawjson.Member{Name: "type", Value: rawjson.Quote("second")},
		rawjson.Member{Name: "required", Value: rawjson.Quotes([]string{"a", "b"})},
		rawjson.Member{Name: "empty", Value: rawjson.Obj()},
		rawjson.Member{Name: "list", Value: rawjson.Arr()},
	)
	want := `{"type":"object","q\"\u0000` + "\ufffd" + `":[-5,true,"é\n"],"required":["a","b"],"empty":{},"list":[]}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("object (-want +got):\n%s", diff)
	}
	if !json.Valid(got) {
		t.Error("not valid")
	}
	capability := wayfind.Capability{Input: rawjson.Obj()}
	if string(capability.Input) != "{}" {
		t.Errorf("input %s", capability.Input)
	}
}
