package openapi_test

import (
	"fmt"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse"
)

// sharing returns a document with ten operations that share n servers, n tags and n extensions.
func sharing(n int) string {
	return `{"openapi":"3.1.0","info":{"title":"T","version":"1","x-more":{` + formattest.Repeat(n, `"mN":"words"`) + `}},
		"servers":[` + formattest.Repeat(n, `{"url":"https://sN.example","description":"words"}`) + `],
		"tags":[` + formattest.Repeat(n, `{"name":"tN","description":"words"}`) + `],
		"paths":{` + formattest.Repeat(10, `"/N":{"get":{"operationId":"oN","responses":{"200":{"description":"ok"}}}}`) + `}}`
}

// The part of a document that all operations share is read once.
func TestAnOperationDoesNotReadTheDocumentAgain(t *testing.T) {
	in := formattest.Input(t, place, "", []byte(sharing(90)))
	f := openapi.Format()
	detail := func(id string) *parse.Reading {
		r, err := f.Detail(in, parse.Subject{Capability: &wayfind.Capability{ID: id}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := detail("o0"); r.Services[0].Capabilities[0].Invocation.URL != "https://s0.example/0" {
		t.Fatalf("%+v", r.Services[0].Capabilities[0].Invocation)
	}
	testkit.BoundAllocs(t, 9, 16<<10, 0, func() {
		for i := range 9 {
			detail(fmt.Sprint("o", i+1))
		}
	})
}

// A reading is cleaned in place, so the readings of two operations must not share memory that
// can be written.
func TestOperationsOfOneDocumentShareNothingThatCanBeWritten(t *testing.T) {
	in := formattest.Input(t, place, "", []byte(`{"openapi":"3.1.0","info":{"title":"T","version":"1"},"security":[{"o":["a"]}],
		"paths":{"/a":{"get":{"operationId":"a","responses":{"200":{"description":"ok"}}},"post":{"operationId":"b","responses":{"200":{"description":"ok"}}}}},
		"components":{"securitySchemes":{"o":{"type":"oauth2","flows":{"implicit":{"authorizationUrl":"https://a.example/","scopes":{"a":"","b":""}}}}}}}`))
	f := openapi.Format()
	auth := func(id string) *wayfind.Auth {
		r, err := f.Detail(in, parse.Subject{Capability: &wayfind.Capability{ID: id}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Services[0].Auth
	}
	first := auth("a")
	flow := &first.Schemes["o"].Flows[0]
	flow.AuthorizationURL, flow.Scopes[0] = "", ""
	first.Requirements[0][0].Scopes[0] = ""
	first.Schemes["o"] = wayfind.Scheme{}
	for _, second := range []*wayfind.Auth{auth("b"), auth("a")} {
		flow := second.Schemes["o"].Flows[0]
		if flow.AuthorizationURL == "" || flow.Scopes[0] != "a" || second.Requirements[0][0].Scopes[0] != "a" {
			t.Errorf("%+v", second)
		}
	}
}
