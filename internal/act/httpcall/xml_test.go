package httpcall_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/security/schema"
)

func xmlOperation(schema string) *httpcall.Operation {
	return needs(operation("POST", "https://api.example/", "application/xml", wayfind.Param{Name: "b", In: "body", Whole: true, Schema: json.RawMessage(schema), Required: new(true)}))
}

func xmlOf(t *testing.T, schema, value string) (string, error) {
	t.Helper()
	r, err := httpcall.Place(xmlOperation(schema), []byte(`{"b":`+value+`}`))
	if err != nil {
		return "", err
	}
	return string(r.Body), nil
}

// xmlNodes reads a document with another reader, as its nodes; attributes are sorted, and blanks
// around texts are left out.
func xmlNodes(t *testing.T, text string) (list []string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for depth := 0; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && depth == 0 {
			return list
		} else if err != nil {
			t.Errorf("%v in %.300s", err, text)
			return nil
		}
		switch token := token.(type) {
		case xml.StartElement:
			depth++
			var attributes []string
			for _, a := range token.Attr {
				if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
					attributes = append(attributes, fmt.Sprintf("%s|%s=%q", a.Name.Space, a.Name.Local, a.Value))
				}
			}
			slices.Sort(attributes)
			list = append(list, fmt.Sprint("<", token.Name.Space, "|", token.Name.Local, attributes))
		case xml.EndElement:
			depth--
			list = append(list, ">")
		case xml.CharData:
			if s := strings.TrimSpace(string(token)); s != "" {
				list = append(list, s)
			}
		case xml.ProcInst:
			if token.Target != "xml" || len(list) > 0 {
				t.Errorf("the instruction %s", token.Target)
			}
		default:
			t.Errorf("%T in %.300s", token, text)
		}
	}
}

// These are the examples of the specifications (OpenAPI 3.1.0 and 3.2.1, "XML Object Examples"). The
// object "related" is closed here: what an open one has inside is not described.
func TestXML_TheExamplesOfTheSpecification(t *testing.T) {
	const animals = `{"type":"object","xml":{"name":"document"},"properties":{"animals":%s}}`
	const list = `{"animals":["dog","cat","hamster"]}`
	const nils = ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"`
	documentation := `{"type":"object","properties":{"content":{"type":"string","xml":{"nodeType":"cdata"}}}`
	for name, tt := range map[string]struct{ schema, value, want string }{
		"no XML Object":       {fmt.Sprintf(animals, `{"type":"string"}`), `{"animals":"dog, cat"}`, `<document><animals>dog, cat</animals></document>`},
		"array":               {fmt.Sprintf(animals, `{"type":"array","items":{"type":"string"}}`), list, `<document><animals>dog</animals><animals>cat</animals><animals>hamster</animals></document>`},
		"name replaced":       {fmt.Sprintf(animals, `{"type":"string","xml":{"name":"animal"}}`), `{"animals":"dog"}`, `<document><animal>dog</animal></document>`},
		"items renamed":       {fmt.Sprintf(animals, `{"type":"array","items":{"type":"string","xml":{"name":"animal"}}}`), list, `<document><animal>dog</animal><animal>cat</animal><animal>hamster</animal></document>`},
		"name of an array":    {fmt.Sprintf(animals, `{"type":"array","xml":{"name":"aliens"},"items":{"type":"string","xml":{"name":"animal"}}}`), list, `<document><animal>dog</animal><animal>cat</animal><animal>hamster</animal></document>`},
		"wrapped":             {fmt.Sprintf(animals, `{"type":"array","xml":{"wrapped":true},"items":{"type":"string"}}`), list, `<document><animals><animals>dog</animals><animals>cat</animals><animals>hamster</animals></animals></document>`},
		"wrapped, items":      {fmt.Sprintf(animals, `{"type":"array","xml":{"wrapped":true},"items":{"type":"string","xml":{"name":"animal"}}}`), list, `<document><animals><animal>dog</animal><animal>cat</animal><animal>hamster</animal></animals></document>`},
		"both renamed":        {fmt.Sprintf(animals, `{"type":"array","xml":{"wrapped":true,"name":"aliens"},"items":{"type":"string","xml":{"name":"animal"}}}`), list, `<document><aliens><animal>dog</animal><animal>cat</animal><animal>hamster</animal></aliens></document>`},
		"wrapper renamed":     {fmt.Sprintf(animals, `{"type":"array","xml":{"nodeType":"element","name":"aliens"},"items":{"type":"string"}}`), list, `<document><aliens><aliens>dog</aliens><aliens>cat</aliens><aliens>hamster</aliens></aliens></document>`},
		"attribute, prefix":   {`{"type":"object","xml":{"name":"Person"},"properties":{"id":{"type":"integer","xml":{"attribute":true}},"name":{"type":"string","xml":{"namespace":"https://example.com/schema/sample","prefix":"sample"}}}}`, `{"id":123,"name":"example"}`, `<Person id="123"><sample:name xmlns:sample="https://example.com/schema/sample">example</sample:name></Person>`},
		"attributes and text": {`{"type":"array","xml":{"nodeType":"element","name":"animals"},"items":{"xml":{"name":"animal"},"properties":{"kind":{"type":"string","xml":{"nodeType":"attribute"}},"name":{"type":"string","xml":{"nodeType":"text"}}}}}`, `[{"kind":"Cat","name":"Fluffy"},{"kind":"Dog","name":"Fido"}]`, `<animals><animal kind="Cat">Fluffy</animal><animal kind="Dog">Fido</animal></animals>`},
		"CDATA":               {`{"$ref":"#/$defs/Documentation","xml":{"name":"Documentation"},"$defs":{"Documentation":` + documentation + `}}}`, `{"content":"<html><title>Docs</title></html>"}`, `<Documentation><![CDATA[<html><title>Docs</title></html>]]></Documentation>`},
		"no node":             {`{"$ref":"#/$defs/Documentation","xml":{"nodeType":"element","name":"Stored"},"$defs":{"Documentation":` + documentation + `,"xml":{"nodeType":"none"}}}}`, `{"content":"<b>"}`, `<Stored><![CDATA[<b>]]></Stored>`},
		"ordered":             {`{"xml":{"nodeType":"element","name":"OneTwoThree"},"type":"array","prefixItems":[{"xml":{"name":"One"},"type":"string"},{"xml":{"name":"Two"},"type":"object","properties":{"unit":{"type":"string","xml":{"nodeType":"attribute"}},"value":{"type":"number","xml":{"nodeType":"text"}}}},{"xml":{"name":"Three"},"type":["boolean","null"]}]}`, `["Some text",{"unit":"cubits","value":42},null]`, `<OneTwoThree><One>Some text</One><Two unit="cubits">42</Two><Three` + nils + `/></OneTwoThree>`},
		"texts":               {`{"xml":{"nodeType":"element","name":"Report"},"type":"array","prefixItems":[{"xml":{"nodeType":"text"},"type":"string"},{"xml":{"name":"data"},"type":"number"},{"xml":{"nodeType":"text"},"type":"string"}]}`, `["Some preamble text.",42,"Some postamble text."]`, `<Report>Some preamble text.<data>42</data>Some postamble text.</Report>`},
		"nulls":               {`{"xml":{"name":"product"},"type":"object","properties":{"count":{"type":["number","null"],"xml":{"nodeType":"attribute"}},"rating":{"type":"string","xml":{"nodeType":"attribute"}},"description":{"type":"string"},"related":{"type":["object","null"],"additionalProperties":false}}}`, `{"count":null,"description":"Thing","related":null}`, `<product><description>Thing</description><related` + nils + `/></product>`},
		"no nulls":            {`{"xml":{"name":"product"},"type":"object","properties":{"count":{"type":["number","null"],"xml":{"nodeType":"attribute"}},"description":{"type":"string"},"related":{"type":["object","null"],"additionalProperties":false}}}`, `{"count":42,"description":"Thing","related":{}}`, `<product count="42"><description>Thing</description><related></related></product>`},
	} {
		got, err := xmlOf(t, tt.schema, tt.value)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(xmlNodes(t, tt.want), xmlNodes(t, got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// No value adds a node: each text comes back from another reader as it was, and so does the number of
// the elements.
func TestXML_AnArgumentIsTextAndNothingElse(t *testing.T) {
	const of = `{"type":"object","xml":{"name":"d"},"properties":{"a":{"type":"string","xml":{"attribute":true}},"t":{"type":"string"}}}`
	for _, text := range []string{
		"plain", "</t><admin>1</admin><t>", "]]>", "<![CDATA[x]]>", "&lt;", "&x;", `"><d x='`, "<!DOCTYPE d [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>", "<?xml version='1.1'?>",
		"<!-- -->", "grüße 日本 😀", "a\tb\nc\r\nd\re", " around ", "",
	} {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := xmlOf(t, of, fmt.Sprintf(`{"a":%s,"t":%[1]s}`, quoted))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var read struct {
			XMLName xml.Name `xml:"d"`
			A       string   `xml:"a,attr"`
			T       string   `xml:"t"`
			Other   []any    `xml:",any"`
		}
		if err := xml.Unmarshal([]byte(got), &read); err != nil || read.A != text || read.T != text || len(read.Other) > 0 || strings.Contains(got, "<!") || strings.Count(got, "<?") != 1 {
			t.Errorf("%q came back as %q and %q: %v, %s", text, read.A, read.T, err, got)
		}
	}
	for value, want := range map[string]httpcall.Code{
		`{"t":"\u0000"}`: httpcall.CodeControl, `{"t":"\u000b"}`: httpcall.CodeControl, `{"a":"\uffff"}`: httpcall.CodeControl, `{"t":"\ufffe"}`: httpcall.CodeControl,
		`{"x y":1}`: httpcall.CodeBodyValue, `{"x><y":1}`: httpcall.CodeBodyValue, `{"a:b":1}`: httpcall.CodeBodyValue, `{"xmlns":"x"}`: httpcall.CodeBodyValue, `{"":1}`: httpcall.CodeBodyValue,
		`{"1":1}`: httpcall.CodeBodyValue, `{"-a":1}`: httpcall.CodeBodyValue, `{"a":[1]}`: httpcall.CodeNested, `{"a":{"b":1}}`: httpcall.CodeNested, `{"u":[[1],[2]]}`: httpcall.CodeNested,
		`null`: httpcall.CodeMissing, `[1]`: httpcall.CodeBodyValue, `{"ö-1.x":{"y":[1,null,{"z":true}]}}`: noCode,
	} {
		got, err := xmlOf(t, of, value)
		if codeOf(err) != want || err == nil && xmlNodes(t, got) == nil {
			t.Errorf("%s: %v, want %v", value, err, want)
		}
	}
}

// A schema that leaves open how a value is written makes no tool: the body cannot be written.
func TestXML_WhatTheSchemaDoesNotSayIsNotGuessed(t *testing.T) {
	of := func(property string) string {
		return `{"type":"object","xml":{"name":"d"},"properties":{"p":` + property + `}}`
	}
	for schemaText, want := range map[string]bool{
		of(`{}`): false, of(`{"type":"object","additionalProperties":{"type":"string"}}`): false, of(`{"enum":["a",1]}`): true, of(`{"type":"array"}`): false, of(`{"type":"string"}`): true, of(`{"anyOf":[{"type":"string"},{"type":"number"}]}`): true,
		of(`{"oneOf":[{"type":"object","properties":{"x":{"type":"string"}}},{"type":"null"}]}`): true, of(`{"$ref":"#"}`): true, of(`{"allOf":[{"$ref":"#/properties/p"}]}`): false,
		`{"type":"object","properties":{"p":{}}}`: false, `{"type":"string"}`: false, `{}`: false, `{"xml":{"name":"a b"}}`: false, `{"xml":{"name":"x:y"}}`: false, `true`: false,
		`{"type":"array","xml":{"name":"d"}}`: false, `{"xml":{"name":"d","nodeType":"text"}}`: false, `{"xml":{"name":"d","namespace":"http://www.w3.org/2000/xmlns/"}}`: false,
		of(`{"type":"string","xml":{"name":"<x>"}}`): false, of(`{"xml":{"prefix":"q"}}`): false, of(`{"xml":{"nodeType":"word"}}`): false, of(`{"xml":{"name":"xmlns","attribute":true}}`): false,
		of(`{"type":"array","items":{"type":"array"}}`): false, of(`{"type":"object","xml":{"attribute":true}}`): false, of(`{"xml":{"attribute":true,"namespace":"urn:x"}}`): false,
		of(`{"oneOf":[{"type":"object","properties":{"x":{}}},{"type":"object","properties":{"x":{"xml":{"attribute":true}}}}]}`): false,
		of(`{"additionalProperties":{"xml":{"name":"entry"}}}`):                                                                   false,
		`{"xml":{"name":"d"},"properties":{"a b":{"type":"string"}}}`:                                                             false, `{"xml":{"name":"d"},"properties":{"a b":{"type":"string","xml":{"name":"ab"}}}}`: true,
		`{"xml":{"name":"d"},"properties":{"a":{"xml":{"attribute":true}},"b":{"xml":{"attribute":true,"name":"a"}}}}`:                     false,
		`{"xml":{"name":"d","prefix":"q","namespace":"urn:q"},"properties":{"a":{"type":"string","xml":{"prefix":"q","attribute":true}}}}`: true,
	} {
		op := xmlOperation(schemaText)
		shapes, _ := op.Written(&op.Params[0])
		if _, err := op.Callable(); (err == nil) != want || (shapes == schema.AnyShape) != want || err != nil && codeOf(err) != httpcall.CodeMedia {
			t.Errorf("%s: %v and %v, want %t", schemaText, shapes, err, want)
		}
	}
	for kind, want := range map[string]bool{"text/xml": true, "application/soap+xml; charset=UTF-8": true, "application/xml; charset=utf-16": false} {
		op := xmlOperation(of(`{"type":"string"}`))
		op.Invocation.ContentType = kind
		if _, err := op.Callable(); (err == nil) != want {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// A body in XML costs by the size of its schema and its value.
func TestXML_Growth(t *testing.T) {
	twice := func(n int) string { // each extends the next twice
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}],"properties":{"p%d":{"type":"string"}}},`, i, i+1, i+1, i)
		}
		return `{"xml":{"name":"d"},"$ref":"#/$defs/d0","$defs":{` + b.String() + `"end":{}}}`
	}
	for name, work := range map[string]func(n int) error{
		"extends": func(n int) error { _, err := xmlOf(t, twice(n), `{}`); return err },
		"items": func(n int) error {
			_, err := xmlOf(t, `{"xml":{"name":"d"},"properties":{"a":{"type":"array","items":{"type":"number"}}}}`, `{"a":[`+strings.Repeat("1,", n*10)+`1]}`)
			return err
		},
		"members": func(n int) error {
			var b strings.Builder
			for i := range n * 10 {
				fmt.Fprintf(&b, `"m%d":1,`, i)
			}
			_, err := xmlOf(t, `{"xml":{"name":"d"},"properties":{"z":{"type":"number"}}}`, `{`+b.String()+`"z":1}`)
			return err
		},
		"deep": func(n int) error {
			_, err := xmlOf(t, `{"xml":{"name":"d"},"properties":{"a":{"$ref":"#"}}}`, strings.Repeat(`{"a":`, min(n, 60))+`{}`+strings.Repeat(`}`, min(n, 60)))
			return err
		},
	} {
		cost := func(n int) float64 {
			return testkit.Allocated(func() {
				if err := work(n); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		if small, large := cost(100), cost(400); large > 20*small {
			t.Errorf("%s: %.0f bytes, and %.0f for four times the size", name, small, large)
		}
	}
	long := strings.Repeat("n", 1000)
	if _, err := xmlOf(t, `{"xml":{"name":"d"},"properties":{"a":{"type":"array","items":{"type":"number","xml":{"name":"`+long+`"}}}}}`, `{"a":[`+strings.Repeat("1,", 20_000)+`1]}`); codeOf(err) != httpcall.CodeSize {
		t.Error(err)
	}
	if _, err := xmlOf(t, twice(3000), `{}`); err != nil && codeOf(err) != httpcall.CodeMedia {
		t.Error(err)
	}
}
