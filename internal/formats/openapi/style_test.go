package openapi_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/parse"
)

// operation returns the only operation of a document.
func operation(t *testing.T, head, members string) wayfind.Capability {
	t.Helper()
	u := &url.URL{Scheme: "https", Host: "shop.example", Path: "/openapi.json"}
	body := fmt.Sprintf(`{%s,"info":{"title":"t","version":"1"},"paths":{"/a/{id}":{"post":{"operationId":"op","responses":{"200":{"description":"ok"}},%s}}}}`, head, members)
	r, err := openapi.Format().Detail(&parse.Input{URL: u, FinalURL: u, Body: []byte(body)}, parse.Subject{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Services[0].Capabilities[0]
}

// These are the styles of parameters: OpenAPI 3.1.1, Parameter Object, and 2.0.
func TestStyles(t *testing.T) {
	const three, newest, two = `"openapi":"3.1.1"`, `"openapi":"3.2.0"`, `"swagger":"2.0","host":"shop.example"`
	tests := []struct {
		head, param, want string
	}{
		{three, `"in":"path","required":true`, "simple false style,explode"},
		{three, `"in":"path","required":true,"style":"matrix","explode":true`, "matrix true "},
		{three, `"in":"query"`, "form true style,explode"},
		{three, `"in":"query","style":"pipeDelimited"`, "pipeDelimited false explode"},
		{three, `"in":"query","style":"deepObject"`, "deepObject true explode"},
		{three, `"in":"query","explode":false,"allowReserved":true`, "form false style reserved"},
		{three, `"in":"header","allowReserved":true`, "simple false style,explode"},
		{newest, `"in":"header","allowReserved":true`, "simple false style,explode reserved"},
		{three, `"in":"cookie"`, "form true style,explode"},
		{newest, `"in":"cookie","style":"cookie"`, "cookie true explode"},
		{three, `"in":"query","content":{"application/json":{}}`, "application/json"},
		{newest, `"in":"querystring","content":{"application/x-www-form-urlencoded":{}}`, "application/x-www-form-urlencoded whole"},
		{two, `"in":"query","type":"array"`, "form false style,explode"},
		{two, `"in":"query","type":"array","collectionFormat":"multi"`, "form true "},
		{two, `"in":"query","type":"array","collectionFormat":"ssv"`, "spaceDelimited false "},
		{two, `"in":"query","type":"array","collectionFormat":"tsv"`, "tabDelimited false "},
		{two, `"in":"header","type":"array","collectionFormat":"pipes"`, "pipeDelimited false "},
		{two, `"in":"path","required":true,"type":"array","collectionFormat":"csv"`, "simple false "},
	}
	for _, tt := range tests {
		c := operation(t, tt.head, `"parameters":[{"name":"id",`+tt.param+`}]`)
		var p wayfind.Param
		for _, q := range c.Params {
			if p.Name == "" || q.Style != "" && !strings.Contains(tt.param, "path") {
				p = q
			}
		}
		got := p.ContentType
		if p.Explode != nil {
			got = fmt.Sprintf("%s %t %s", p.Style, *p.Explode, strings.Join(p.Defaulted, ","))
		}
		if p.AllowReserved {
			got += " reserved"
		}
		if p.Whole {
			got += " whole"
		}
		if strings.TrimSpace(got) != strings.TrimSpace(tt.want) {
			t.Errorf("%s %s: %q, want %q", tt.head, tt.param, got, tt.want)
		}
	}
}

func TestBodies(t *testing.T) {
	c := operation(t, `"openapi":"3.1.1"`, `"requestBody":{"content":{
		"multipart/form-data":{"schema":{"type":"object","properties":{"file":{"type":"string"},"meta":{"type":"object"}}},
			"encoding":{"file":{"contentType":"image/png, image/jpeg","headers":{"X-A":{"schema":{"type":"string"}}}},"meta":{"style":"deepObject","explode":true,"allowReserved":true}}},
		"application/xml":{}}}`)
	want := []wayfind.Encoding{
		{Name: "file", ContentType: "image/png, image/jpeg", Headers: []wayfind.Param{{
			Name: "X-A", In: "header", Style: "simple", Explode: new(false), Type: "string", Schema: []byte(`{"type":"string"}`), Defaulted: []string{"style", "explode"},
		}}},
		{Name: "meta", Style: "deepObject", Explode: new(true), AllowReserved: true},
	}
	if diff := cmp.Diff(want, c.Invocation.Encodings); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"multipart/form-data", "application/xml"}, c.Invocation.ContentTypes); diff != "" || c.Invocation.ContentType != "multipart/form-data" {
		t.Errorf("%s, %s", diff, c.Invocation.ContentType)
	}
	whole := operation(t, `"openapi":"3.0.4"`, `"requestBody":{"content":{"text/plain":{"schema":{"type":"string"}}}}`)
	if p := whole.Params[len(whole.Params)-2]; !p.Whole && !whole.Params[len(whole.Params)-1].Whole || whole.Invocation.ContentTypes != nil {
		t.Errorf("%+v %+v", whole.Params, whole.Invocation)
	}
	form := operation(t, `"swagger":"2.0","host":"shop.example"`, `"parameters":[{"name":"ids","in":"formData","type":"array","collectionFormat":"multi"}]`)
	if diff := cmp.Diff([]wayfind.Encoding{{Name: "ids", Style: "form", Explode: new(true)}}, form.Invocation.Encodings); diff != "" {
		t.Error(diff)
	}
}
