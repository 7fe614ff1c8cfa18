package openrpc_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/openrpc"
	"github.com/wayfindhq/wayfind/parse"
)

// Input describes the params of a request.
func TestParamStructure(t *testing.T) {
	params := list{object{"name": "a", "required": true, "schema": object{"type": "string"}}, object{"name": "b", "schema": true}}
	const (
		named = `{"type":"object","properties":{"a":{"type":"string"},"b":true},"required":["a"]}`
		tuple = `{"type":"array","prefixItems":[{"type":"string"},true],"minItems":1,"maxItems":2}`
	)
	for _, c := range []struct {
		version   string
		written   any
		structure string
		defaulted []string
		input     string
	}{
		{"1.0.0", nil, "by-position", []string{"paramStructure"}, tuple}, {"1.1.9", nil, "by-position", []string{"paramStructure"}, tuple},
		{"1.2.4", nil, "by-position", []string{"paramStructure"}, tuple}, {"1.3.0", nil, "either", []string{"paramStructure"}, named}, {"1.4.1", nil, "either", []string{"paramStructure"}, named},
		{"1.4.0", "either", "either", nil, named}, {"1.4.0", "by-name", "by-name", nil, named}, {"1.0.0", "by-name", "by-name", nil, named},
		{"1.4.0", "by-position", "by-position", nil, tuple}, {"1.4.0", "By-Name", "either", []string{"paramStructure"}, named},
	} {
		m := first(t, one(t, object{"params": params, "paramStructure": c.written}, object{"openrpc": c.version}))
		got := []any{string(m.Extensions["paramStructure"]), m.Defaulted, string(m.Input)}
		if diff := cmp.Diff([]any{`"` + c.structure + `"`, c.defaulted, c.input}, got); diff != "" {
			t.Errorf("%s, %v (-want +got):\n%s", c.version, c.written, diff)
		}
	}
	if m := first(t, one(t, nil, nil)); m.Input != nil || m.Params != nil {
		t.Errorf("no parameters: %s, %v", m.Input, m.Params)
	}
}

// The request of an example is valid for the method.
func TestExamples(t *testing.T) {
	params := list{object{"name": "a", "schema": true}, object{"name": "b", "schema": true}}
	value := func(name string, v any) object { return object{"name": name, "value": v} }
	for _, c := range []struct {
		structure string
		params    list
		want      string
	}{
		{"by-position", list{value("x", 1), value("y", nil)}, `[1,null]`},
		{"by-name", list{value("x", 1), value("y", 2)}, `{"a":1,"b":2}`},
		{"either", list{value("b", 1), value("a", 2)}, `{"b":1,"a":2}`},
		{"either", list{value("a", 1), value("b", 2), value("c", 3)}, `{"a":1,"b":2,"c":3}`},
		{"either", list{value("a", 1), object{"name": "b"}}, ``},
		{"either", list{value("a", strings.Repeat("x", 40_000))}, ``},
		{"either", list{value("a", strings.Repeat("x", 20_000)), value("b", strings.Repeat("x", 20_000))}, ``},
		{"by-name", list{}, `{}`},
	} {
		m := first(t, one(t, object{"params": params, "paramStructure": c.structure, "examples": list{object{"name": "e", "params": c.params}}}, nil))
		if got := string(m.Examples[0].Request); got != c.want {
			t.Errorf("%s, %v: got %s, want %s", c.structure, c.params, got, c.want)
		}
	}
}

// A method without a result is a notification, if the version supports notifications.
func TestNotifications(t *testing.T) {
	for version, want := range map[string]string{"1.2.6": "", "1.3.0": "true", "1.4.0": "true"} {
		r := read(t, one(t, nil, object{"openrpc": version}))
		missing := slices.Contains(codes(r.Diagnostics), "error missing /methods/0")
		if got := string(r.Services[0].Capabilities[0].Extensions["notification"]); got != want || missing != (want == "") {
			t.Errorf("%s: notification %q, %q", version, got, codes(r.Diagnostics))
		}
	}
	if m := first(t, one(t, object{"result": object{"name": "r", "schema": object{}}}, nil)); m.Extensions["notification"] != nil || string(m.Output) != "{}" {
		t.Errorf("a method with a result: %s, output %s", m.Extensions["notification"], m.Output)
	}
}

// A method is called at the servers of its document or at its own servers, or the place is not
// known.
func TestInvocations(t *testing.T) {
	via := &wayfind.Invocation{Protocol: "jsonrpc", Via: "jsonrpc", Operation: "m"}
	own := &wayfind.Invocation{Protocol: "jsonrpc", Via: "jsonrpc", Operation: "m", URL: "https://own.example/rpc", ContentType: "application/json"}
	socket := &wayfind.Invocation{Protocol: "jsonrpc", Via: "jsonrpc", Operation: "m", URL: "wss://own.example/rpc"}
	at := func(url string) list { return list{object{"name": "s", "url": url}} }
	for name, c := range map[string]struct {
		document, method any
		want             *wayfind.Invocation
	}{
		"the document's":      {at("/rpc"), nil, via},
		"its own":             {at("/rpc"), at("https://own.example/rpc"), own},
		"its own only":        {nil, at("https://own.example/rpc"), own},
		"a socket":            {nil, at("wss://own.example/rpc"), socket},
		"none":                {nil, nil, nil},
		"localhost":           {at("localhost"), nil, nil},
		"localhost, port":     {at("localhost:8080"), nil, nil},
		"no web":              {at("ipc:///x"), nil, nil},
		"its own is unusable": {at("/rpc"), at("///evil.example"), nil},
		"another host":        {at("/rpc"), at("//own.example/rpc"), own},
	} {
		m := first(t, one(t, object{"servers": c.method}, object{"servers": c.document}))
		if diff := cmp.Diff(c.want, m.Invocation); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if err := m.Check(); (err == nil) != (c.want != nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
	nowhere := one(t, nil, nil)
	nowhere.URL, nowhere.FinalURL = nil, nil
	if s := read(t, nowhere).Services[0]; s.Interfaces != nil || s.Capabilities[0].Invocation != nil {
		t.Errorf("a document of unknown origin: %+v", s)
	}
}

// Methods that share too much are listed in short form, and the document contains each in full.
func TestListedInShort(t *testing.T) {
	in := made(t, shared())
	r := read(t, in)
	for _, c := range r.Services[0].Capabilities {
		if !c.Lazy || !slices.Equal(c.DetailURLs, []string{place}) || c.Output != nil || c.Extensions != nil {
			t.Fatalf("%s: %+v", c.ID, c)
		}
	}
	if diff := cmp.Diff([]string{"info listed_in_short /methods"}, codes(r.Diagnostics)); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
	d, err := openrpc.Format().Detail(in, parse.Subject{Capability: &r.Services[0].Capabilities[7]})
	if err != nil {
		t.Fatal(err)
	}
	if c := d.Services[0].Capabilities[0]; c.ID != "m7" || c.Lazy || len(c.Output) < 10_000 || d.Diagnostics != nil {
		t.Errorf("lazy %t, output of %d bytes, %q", c.Lazy, len(c.Output), codes(d.Diagnostics))
	}
	few := shared()
	few["methods"] = few["methods"].(list)[:5]
	if c := first(t, made(t, few)); c.Lazy || len(c.Output) < 10_000 {
		t.Errorf("few methods: lazy %t, output of %d bytes", c.Lazy, len(c.Output))
	}
}

// Methods that an endpoint lists in short form are only in its answer.
func TestDiscoverInShort(t *testing.T) {
	in := document(t, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"result":%s}`, made(t, shared()).Body))
	r, err := openrpc.Discover(in)
	if err != nil {
		t.Fatal(err)
	}
	c := r.Services[0].Capabilities[7]
	if c.Lazy || c.DetailURLs != nil || c.Claimed || c.Output != nil {
		t.Errorf("in short: %+v", c)
	}
	d, err := openrpc.Format().Detail(in, parse.Subject{Capability: &c})
	if err != nil {
		t.Fatal(err)
	}
	if full := d.Services[0].Capabilities[0]; full.ID != "m7" || len(full.Output) < 10_000 || full.Invocation == nil {
		t.Errorf("in full: output of %d bytes, %+v", len(full.Output), full.Invocation)
	}
}

// Each list of a document is limited.
func TestListsAreBounded(t *testing.T) {
	r := read(t, made(t, object{
		"servers": numbered(150, func(i int) any { return object{"url": fmt.Sprintf("https://s%d.example", i)} }),
		"methods": numbered(1200, func(i int) any {
			m := object{"name": fmt.Sprint(i), "params": list{}}
			if i == 0 {
				maps.Copy(m, object{
					"params":   numbered(1100, func(i int) any { return object{"name": fmt.Sprint("p", i), "schema": true} }),
					"tags":     numbered(200, func(i int) any { return object{"name": fmt.Sprint(i)} }),
					"errors":   numbered(200, func(i int) any { return object{"code": i, "message": "x"} }),
					"examples": numbered(50, func(int) any { return object{"name": "e", "params": list{}} }),
				})
			}
			return m
		}),
	}))
	s := r.Services[0]
	m := s.Capabilities[0]
	list, err := (&parse.Input{Body: m.Extensions["errors"]}).JSON()
	if err != nil {
		t.Fatal(err)
	}
	got := []int{len(s.Interfaces), len(s.Capabilities), len(m.Params), len(m.Tags), list.Len(), len(m.Examples)}
	if diff := cmp.Diff([]int{100, 1000, 1000, 100, 100, 20}, got); diff != "" {
		t.Errorf("lengths (-want +got):\n%s", diff)
	}
	truncated := 0
	for _, d := range r.Diagnostics {
		if d.Code == "openrpc.truncated" {
			truncated++
		}
	}
	if truncated != len(got) {
		t.Errorf("%d of %d are told: %q", truncated, len(got), codes(r.Diagnostics))
	}
}

// A reference never leads out of the document, and the result contains no part of one that
// does.
func TestReferencesStayInside(t *testing.T) {
	for ref, want := range map[string]string{
		"#/components/schemas/A":               `{"$ref":"#/$defs/A","$defs":{"A":{"type":"string"}}}`,
		"openrpc.json#/components/schemas/A":   `{"$ref":"#/$defs/A","$defs":{"A":{"type":"string"}}}`,
		place + "#/components/schemas/A":       `{"$ref":"#/$defs/A","$defs":{"A":{"type":"string"}}}`,
		"#/components/schemas/a~1b%20~0":       `{"$ref":"#/$defs/a_1b_20_0","$defs":{"a_1b_20_0":{"type":"null"}}}`,
		"other.json#/components/schemas/A":     `{}`,
		"file:///etc/passwd":                   `{}`,
		"http://10.0.0.1/x":                    `{}`,
		"https://evil.example/x#/components/A": `{}`,
		"#":                                    `{}`,
		"":                                     `{}`,
		"#anchor":                              `{}`,
		"#/components/schemas/gone":            `{}`,
	} {
		in := one(t, object{"result": object{"name": "r", "schema": object{"$ref": ref}}}, object{"components": object{"schemas": object{"A": object{"type": "string"}, "a/b ~": object{"type": "null"}}}})
		if got := string(first(t, in).Output); got != want {
			t.Errorf("%q: got %s, want %s", ref, got, want)
		}
	}
}

// Data is never treated as a reference.
func TestDataHoldsNoReference(t *testing.T) {
	ref := object{"$ref": "https://evil.example/x"}
	m := first(t, one(t, object{
		"params": list{object{"name": "p", "schema": object{"default": ref, "const": list{ref}, "enum": list{ref, 1}, "examples": list{ref}}}},
		"errors": list{object{"code": 1, "message": "x", "data": ref}},
	}, nil))
	for _, text := range []string{string(m.Input), string(m.Params[0].Schema), string(m.Params[0].Default), string(m.Extensions["errors"])} {
		if strings.Contains(text, "evil") {
			t.Errorf("got %s", text)
		}
	}
}

// Before 1.3 a parameter or result may be one of several. A schema with alternatives is a
// different case.
func TestAlternatives(t *testing.T) {
	descriptors := object{"oneOf": list{object{"name": "a", "schema": object{"type": "string"}}, object{"name": "b", "schema": object{"type": "null"}}}}
	schemas := object{"oneOf": list{object{"type": "string"}, object{"type": "null"}}}
	const want = `{"oneOf":[{"type":"string"},{"type":"null"}]}`
	for version, said := range map[string][]string{"1.2.4": nil, "1.4.0": {"warning one_of /methods/0/params/0", "warning one_of /methods/0/result"}} {
		r := read(t, one(t, object{"params": list{descriptors}, "result": descriptors}, object{"openrpc": version, "servers": list{object{"name": "s", "url": "/rpc"}}}))
		m := r.Services[0].Capabilities[0]
		if diff := cmp.Diff(said, codes(r.Diagnostics)); diff != "" || string(m.Output) != want || string(m.Params[0].Schema) != want || m.Params[0].Name != "a" {
			t.Errorf("%s: output %s, parameter %+v (-want +got):\n%s", version, m.Output, m.Params[0], diff)
		}
	}
	r := read(t, one(t, object{"result": schemas}, nil))
	if got := string(r.Services[0].Capabilities[0].Output); got != want || !slices.Equal(codes(r.Diagnostics), []string{"error bare_schema /methods/0/result"}) {
		t.Errorf("schemas: %s, %q", got, codes(r.Diagnostics))
	}
}
