package openapi_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security/schema"
)

// TestADescriptionWithNothingToCallIsFound checks that a description with only webhooks, or
// without paths (OpenAPI 3.1.0 §4.8.1, §4.8.8), is found, with its title and version.
func TestADescriptionWithNothingToCallIsFound(t *testing.T) {
	for name, member := range map[string]string{
		"webhooks": `"webhooks": {"paid": {"post": {"responses": {"200": {"description": "ok"}}}}}`,
		"no paths": `"paths": {}`,
	} {
		t.Run(name, func(t *testing.T) {
			r, err := client.Parse(t.Context(), []byte(`{"openapi": "3.1.0", "info": {"title": "Orders", "version": "2.1"}, `+member+`}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != wayfind.VerdictFound || len(r.Site.Services) != 1 || r.Site.Services[0].Name != "Orders" || r.Site.Services[0].Version != "2.1" {
				t.Errorf("%s (%s), services %+v", r.Verdict, r.Reason, r.Site.Services)
			}
			for _, d := range r.Diagnostics {
				if d.Severity == wayfind.SeverityError {
					t.Errorf("%s: %s", d.Code, d.Message)
				}
			}
		})
	}
}

// manifest leads to the description, which has no place of its own.
const manifest = `{"schema_version": "v1", "name_for_human": "Shop", "name_for_model": "shop", "description_for_human": "A shop.",
	"description_for_model": "Use it.", "auth": {"type": "none"}, "api": {"type": "openapi", "url": "https://shop.example/openapi.json"},
	"logo_url": "https://shop.example/logo.png", "contact_email": "a@shop.example", "legal_info_url": "https://shop.example/legal"}`

// described resolves a site with one description, and describes its only operation.
func described(t *testing.T, n *clienttest.Internet, operation string) *wayfind.Capability {
	t.Helper()
	n.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": manifest, "/openapi.json": `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"},
		"servers": [{"url": "https://shop.example"}], "paths": {"/orders": {"put": ` + operation + `}}}`})
	c := n.Client()
	site, err := c.Resolve(t.Context(), "shop.example")
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range site.Capabilities() {
		detail, err := c.Describe(t.Context(), site, found.Key)
		if err != nil {
			t.Fatal(err)
		}
		return detail.Capability
	}
	t.Fatal("no operation was found")
	return nil
}

// TestHeaderParametersMayHaveAlmostAnyName checks that a header parameter may have the name of
// any field except Accept, Content-Type and Authorization (OpenAPI 3.1.0 §4.8.12.2.1), also of
// a field in which no key is sent.
func TestHeaderParametersMayHaveAlmostAnyName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		want := []string{"X-Trace", "If-Match", "User-Agent", "Range", "Prefer"}
		var list []string
		for _, name := range want {
			list = append(list, `{"name": "`+name+`", "in": "header", "schema": {"type": "string"}}`)
		}
		c := described(t, clienttest.New(t), `{"operationId": "put", "parameters": [`+strings.Join(list, ", ")+`], "responses": {"200": {"description": "ok"}}}`)
		var got []string
		for _, p := range c.Params {
			if p.In == "header" {
				got = append(got, p.Name)
			}
		}
		for _, name := range want {
			if !slices.Contains(got, name) {
				t.Errorf("%s is no parameter: %q", name, got)
			}
		}
	})
}

// TestPricesOfOperationsStandInTheModel checks that the price of an operation is in the field
// of the model for prices.
func TestPricesOfOperationsStandInTheModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := described(t, clienttest.New(t), `{"operationId": "put", "x-payment-info": {"price": "0.05", "currency": "USD"}, "responses": {"200": {"description": "ok"}}}`)
		if !strings.Contains(c.Price, "0.05") {
			t.Errorf("price %q, extensions %s", c.Price, c.Extensions)
		}
	})
}

// A description is unusable if its operations cannot be read, or if it does not name its
// format.
func TestADescriptionWithNothingReadableIsUnusable(t *testing.T) {
	for name, body := range map[string]string{
		"no object":    `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "paths": {"/a": {"get": 7}}}`,
		"no item":      `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "paths": {"/a": 7}}`,
		"no reference": `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "paths": {"/a": {"$ref": "other.json"}}}`,
		"no paths":     `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "paths": []}`,
		"no title":     `{"openapi": "3.1.0", "info": {"version": "1"}, "paths": {}}`,
		"no version":   `{"openapi": "9", "info": {"title": "Orders", "version": "1"}, "paths": {}}`,
	} {
		r, err := client.Parse(t.Context(), []byte(body), nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Usable || r.Verdict != wayfind.VerdictMalformed || r.Format != "openapi" {
			t.Errorf("%s: %q %s (%s), usable %v", name, r.Format, r.Verdict, r.Reason, r.Usable)
		}
	}
	for name, member := range map[string]string{"empty item": `"paths": {"/a": {}}`, "hidden item": `"paths": {"/a": {"summary": "For partners"}}`,
		"extension": `"paths": {"x-a": 1}`, "components": `"components": {"schemas": {}}`} {
		r, err := client.Parse(t.Context(), []byte(`{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, `+member+`}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Usable || r.Verdict != wayfind.VerdictFound {
			t.Errorf("%s: %q %s (%s), usable %v", name, r.Format, r.Verdict, r.Reason, r.Usable)
		}
	}
}

// There is a field for the refusals, header fields and body of an operation, and no value leads
// out of the document.
func TestRefusalsHeadersAndBodiesHaveAPlace(t *testing.T) {
	const operation = `{"operationId": "put", "requestBody": {"description": "What is ordered.", "content": {"application/json": {"schema": {"type": "object", "properties": {"n": {"type": "integer"}}}}}},
		"responses": {%s"404": {"description": "gone", "headers": {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}},
		"content": {"application/json": {"example": {"code": "GONE"}, "examples": {"far": {"value": {"$ref": "https://evil.example/x"}}}}}}}}`
	for name, success := range map[string]string{"with a success": `"200": {"description": "ok", "content": {"application/json": {"example": {"done": true}}}}, `, "without": ""} {
		body := `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "paths": {"/orders": {"put": ` + strings.Replace(operation, "%s", success, 1) + `}}}`
		r, err := client.Parse(t.Context(), []byte(body), &client.ParseOptions{Full: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Site.Capabilities() {
			got := map[string]string{}
			for _, member := range []string{"responseHeaders", "responseExamples", "requestBody"} {
				got[member] = string(c.Extensions[member])
			}
			if got["responseHeaders"] != `{"404":{"Retry-After":"Seconds."}}` || got["responseExamples"] != `{"404":[{"code": "GONE"}]}` || got["requestBody"] != `{"description":"What is ordered."}` {
				t.Errorf("%s: %v", name, got)
			}
			if len(c.Examples) != len(success)/max(len(success), 1) {
				t.Errorf("%s: examples %+v", name, c.Examples)
			}
		}
	}
}

// The requests that an API sends are named and counted. They are not capabilities.
func TestCallbacksAndWebhooksAreNamed(t *testing.T) {
	called := object{"https://{$request.query.url}": object{"post": object{"responses": object{}}}}
	r := read(t, one(t, object{"operationId": "pay", "callbacks": object{"paid": called, "refused": called}}, object{"webhooks": object{"closed": object{"post": object{"operationId": "hook"}}}}))
	s := r.Services[0]
	if len(s.Capabilities) != 1 || string(s.Extensions["webhooks"]) != `["closed"]` {
		t.Errorf("%d capabilities, webhooks %s", len(s.Capabilities), s.Extensions["webhooks"])
	}
	if got := string(s.Extensions["callbacks"]); got != `["paid of pay","refused of pay"]` && got != `["refused of pay","paid of pay"]` {
		t.Errorf("callbacks %s", got)
	}
	if list := codes(r.Diagnostics); !slices.Contains(list, "info callback /paths") || !slices.Contains(list, "info webhook /webhooks/closed") {
		t.Errorf("diagnostics %v", list)
	}
	file, want := "Universal-Commerce-Protocol__ucp__2.json", `["orderEvent"]`
	if !golden.Published(t, golden.EnvCorpus) {
		file, want = "notes.json", `["noteChanged"]`
	}
	published := read(t, document(t, golden.Read(t, golden.Corpus(t, "openapi", file))))
	if got := string(published.Services[0].Extensions["webhooks"]); got != want {
		t.Errorf("published webhooks %s", got)
	}
}

// The mapping of a discriminator uses the names of definitions. A value that leads nowhere, or
// to a document that was not read, is reported. The schema is usable without it.
func TestAMappingNamesDefinitions(t *testing.T) {
	pet := object{"oneOf": list{object{"$ref": "#/components/schemas/Cat"}, object{"$ref": "#/components/schemas/Dog"}}, "discriminator": object{"propertyName": "kind", "mapping": object{
		"cat": "#/components/schemas/Cat", "dog": "Dog", "cow": "#/components/schemas/Cow", "fox": "Fox", "far": "pets.json#/Far", "odd": 7}}}
	in := one(t, object{"requestBody": object{"required": true, "content": object{"application/json": object{"schema": object{"type": "object", "properties": object{"pet": pet}}}}},
		"responses": object{"200": object{"description": "ok", "content": object{"application/json": object{"schema": pet}}}}},
		object{"components": object{"schemas": object{"Cat": object{"type": "object"}, "Dog": object{"type": "object"}}}})
	reading, c := detailOf(t, in)
	const want = `"mapping":{"cat":"Cat","dog":"Dog"}`
	if !strings.Contains(string(c.Output), want) || !strings.Contains(string(c.Input), want) {
		t.Errorf("input %s, output %s", c.Input, c.Output)
	}
	told := map[string]int{}
	for _, d := range reading.Diagnostics {
		if _, value, ok := strings.Cut(d.Pointer, "/discriminator/mapping/"); ok {
			told[d.Code+" "+value]++
		}
	}
	for _, one := range []string{"openapi.ref_dangling cow", "openapi.ref_dangling fox", "openapi.ref_external far", "openapi.wrong_type odd"} {
		if told[one] == 0 {
			t.Errorf("%s is not told: %v", one, told)
		}
	}
	if len(told) != 4 || slices.ContainsFunc(reading.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "openapi.unread_input" }) {
		t.Errorf("told %v", lines(reading.Diagnostics))
	}
}

// A schema to which only the mapping of a discriminator leads is an alternative of the schema
// that it extends, in each place that uses that schema, except in the place that extends it.
func TestASchemaThatOnlyAMappingLeadsToIsAnAlternative(t *testing.T) {
	ref := func(name string) object { return object{"$ref": "#/components/schemas/" + name} }
	pets := func(mapping object) object {
		return object{
			"Pet": object{"type": "object", "required": list{"kind"}, "properties": object{"kind": object{"type": "string"}, "friend": ref("Pet")}, "discriminator": object{"propertyName": "kind", "mapping": mapping}},
			"Cat": object{"allOf": list{ref("Pet"), object{"properties": object{"lives": object{"type": "integer"}, "enemy": object{"allOf": list{ref("Pet")}}}}}},
			"Dog": object{"allOf": list{ref("Pet"), object{"properties": object{"barks": object{"type": "boolean"}}}}},
		}
	}
	made := func(mapping, use object) (*parse.Reading, *wayfind.Capability) {
		in := one(t, object{"requestBody": object{"required": true, "content": object{"application/json": object{"schema": object{"type": "object", "properties": object{"pet": use}}}}},
			"responses": object{"200": object{"description": "ok", "content": object{"application/json": object{"schema": use}}}}},
			object{"components": object{"schemas": pets(mapping)}})
		return detailOf(t, in)
	}
	const alternatives = `"anyOf":[{"$ref":"#/$defs/Cat"},{"$ref":"#/$defs/Dog"},{"$ref":"#/$defs/Pet"}],"discriminator":{"propertyName":"kind","mapping":{`
	few := object{"cat": "#/components/schemas/Cat", "dog": "Dog", "hound": "Dog"}
	for _, use := range []object{ref("Pet"), {"allOf": list{ref("Pet")}}} {
		_, c := made(few, use)
		for _, written := range []json.RawMessage{json.RawMessage(c.Input), json.RawMessage(c.Output)} {
			text := string(written)
			if n := strings.Count(text, alternatives); n != 3 { // in the place that uses it, a friend, an enemy
				t.Errorf("%d places with alternatives: %s", n, text)
			}
			if n := strings.Count(text, `"allOf":[{"$ref":"#/$defs/Pet"},`); n != 2 { // in the place that extends it
				t.Errorf("%d definitions extend the schema: %s", n, text)
			}
			if _, err := schema.Check(written, schema.Draft202012, nil); err != nil {
				t.Errorf("%v: %s", err, text)
			}
		}
	}
	many := object{}
	for i := range 33 {
		many["kind"+strconv.Itoa(i)] = "Cat"
	}
	reading, c := made(many, ref("Pet"))
	told := slices.ContainsFunc(reading.Diagnostics, func(d wayfind.Diagnostic) bool {
		return d.Code == "openapi.truncated" && strings.HasSuffix(d.Pointer, "/mapping")
	})
	if !told || strings.Contains(string(c.Output), "lives") {
		t.Errorf("told %t, output %s, %v", told, c.Output, lines(reading.Diagnostics))
	}
}
