package openapi_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/allocs"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats/openapi"
)

// repeat joins n texts that a layout makes of numbers.
func repeat(n int, layout string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.ReplaceAll(layout, "N", fmt.Sprint(i))
	}
	return strings.Join(list, ",")
}

// hostile returns documents of about n bytes that try to cost more than that.
func hostile(n int) map[string]string {
	const top = `{"openapi":"3.1.0","info":{"title":"T","version":"1"},`
	get := func(op, rest string) string { return top + `"paths":{"/a":{"get":{` + op + `}}}` + rest + "}" }
	schema := func(s, rest string) string {
		return get(`"responses":{"200":{"description":"ok","content":{"application/json":{"schema":`+s+`}}}}`, `,"components":{`+rest+`}`)
	}
	ref := `{"$ref":"#/components/schemas/A"}`
	text := strings.Repeat("x", n/2)
	return map[string]string{
		"operations":     top + `"paths":{` + repeat(n/20, `"/N":{"get":{}}`) + `}}`,
		"same id":        top + `"paths":{` + repeat(n/40, `"/N":{"get":{"operationId":"a"}}`) + `}}`,
		"wrong types":    top + `"paths":{` + repeat(n/10, `"/N":7`) + `}}`,
		"shared items":   top + `"paths":{` + repeat(n/60, `"/N":{"$ref":"#/components/pathItems/A"}`) + `},"components":{"pathItems":{"A":{"get":{"description":"` + text + `"}}}}}`,
		"shared scopes":  top + `"paths":{` + repeat(n/80, `"/N":{"get":{"security":[{"a":[]}]}}`) + `},"components":{"securitySchemes":{"a":{"type":"oauth2","description":"` + text[:n/4] + `","flows":{"implicit":{"scopes":{` + repeat(n/40, `"sN":""`) + `}}}}}}}`,
		"servers":        top + `"servers":[` + repeat(n/40, `{"url":"https://sN.example"}`) + `],"paths":{"/a":{"get":{}}}}`,
		"variables":      top + `"servers":[{"url":"https://a.example/` + strings.Repeat("{a}", 600) + `","variables":{"a":{"default":"` + text[:n/4] + `"},` + repeat(n/60, `"vN":{"default":"{a}{a}{a}"}`) + `}}],"paths":{"/a":{"get":{}}}}`,
		"tags":           top + `"tags":[` + repeat(n/20, `{"name":"tN"}`) + `],"paths":{"/a":{"get":{}}}}`,
		"parameters":     get(`"parameters":[`+repeat(n/60, `{"name":"pN","in":"query","schema":{"type":"string"}}`)+`]`, ""),
		"shared enum":    get(`"parameters":[`+repeat(n/600, `{"name":"pN","in":"query","schema":`+ref+`}`)+`]`, `,"components":{"schemas":{"A":{"enum":[`+repeat(100, `"`+text[:n/200]+`N"`)+`]}}}`),
		"shared text":    get(`"parameters":[`+repeat(n/120, `{"name":"pN","in":"query","schema":`+ref+`}`)+`]`, `,"components":{"schemas":{"A":{"description":"`+text+`"}}}`),
		"flat body":      get(`"requestBody":{"required":true,"content":{"application/json":{"schema":{"properties":{`+repeat(n/600, `"pN":`+ref)+`}}}}}`, `,"components":{"schemas":{"A":{"description":"`+text+`","enum":[`+repeat(n/50, "N")+`]}}}`),
		"shared object":  schema(`{"properties":{`+repeat(n/100, `"pN":`+ref)+`}}`, `"schemas":{"A":{"properties":{`+repeat(n/50, `"qN":{"type":"string"}`)+`}}}`),
		"chain":          schema(`{"$ref":"#/components/schemas/S0"}`, `"schemas":{`+repeat(n/160, `"SN":{"allOf":[{"$ref":"#/components/schemas/SN0"},{"$ref":"#/components/schemas/SN1"}]}`)+`}`),
		"one name":       schema(`{"allOf":[`+repeat(n/100, `{"$ref":"#/components/x/N/A"}`)+`]}`, `"x":[`+repeat(n/50, `{"A":{}}`)+`]`),
		"dangling":       schema(`{"allOf":[`+repeat(n/40, `{"$ref":"#/components/schemas/N"}`)+`]}`, `"schemas":{`+repeat(n/40, `"A_N":{}`)+`}`),
		"deep":           schema(strings.Repeat(`{"items":`, 40)+`{"allOf":[`+repeat(n/12, `{}`)+`]}`+strings.Repeat("}", 40), ""),
		"keywords":       schema(`{`+repeat(n/12, `"kN":0`)+`}`, ""),
		"required":       schema(`{"required":[`+repeat(n/20, `"pN"`)+`],"properties":{`+repeat(n/24, `"pN":{}`)+`}}`, ""),
		"nullable":       strings.Replace(schema(strings.Repeat(`{"nullable":true,"not":`, 40)+`{"enum":["`+text+`"]}`+strings.Repeat("}", 40), ""), "3.1.0", "3.0.0", 1),
		"examples":       get(`"responses":{"200":{"description":"ok","content":{"application/json":{"examples":{`+repeat(n/80, `"eN":{"$ref":"#/components/examples/A"}`)+`}}}}}`, `,"components":{"examples":{"A":{"value":"`+text+`"}}}`),
		"responses":      get(`"responses":{`+repeat(n/80, `"N":{"$ref":"#/components/responses/A"}`)+`}`, `,"components":{"responses":{"A":{"description":"`+text+`"}}}`),
		"webhooks":       top + `"webhooks":{` + repeat(n/12, `"wN":0`) + `}}`,
		"hops":           schema(`{"$ref":"#/components/schemas/S0"}`, `"schemas":{`+hops(n/60)+`"Z":{}}`),
		"aliases (YAML)": "openapi: 3.1.0\ninfo: {title: T, version: '1'}\nx: &a\n  get: {description: " + text + "}\npaths:\n" + strings.ReplaceAll(repeat(n/40, "  /N: *a"), ",", "\n") + "\n",
	}
}

// hops are schemas each of which is nothing but a reference to the next.
func hops(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"S%d":{"$ref":"#/components/schemas/S%d"},`, i, i+1)
	}
	return b.String()
}

// work reads a document and its first operation in full, and returns the bytes
// that were allocated and the size of what came out, as JSON.
func work(t *testing.T, body string) (allocated, size float64) {
	t.Helper()
	in := document(t, []byte(body))
	var r, d *parse.Reading
	var err error
	allocated = allocs.Bytes(func() {
		openapi.Format().Match(in)
		r, err = openapi.Format().Parse(in)
		if err == nil && len(r.Services[0].Capabilities) > 0 {
			d, err = openapi.Format().Detail(in, parse.Subject{Capability: &r.Services[0].Capabilities[0]})
		}
	})
	if err != nil {
		return allocated, 1
	}
	text, err := json.Marshal([]*parse.Reading{r, d})
	if err != nil {
		t.Fatal(err)
	}
	return allocated, float64(len(text))
}

// TestGrowth: memory, and what comes out, grow no faster than the document.
func TestGrowth(t *testing.T) {
	const small, large = 16 << 10, 128 << 10
	bodies := hostile(small)
	for name, big := range hostile(large) {
		t.Run(name, func(t *testing.T) {
			low, less := work(t, bodies[name])
			high, more := work(t, big)
			factor := math.Log(float64(len(big)) / float64(len(bodies[name])))
			if growth := math.Log(high/low) / factor; growth > 1.2 {
				t.Errorf("%.0f bytes allocated for %d, %.0f for %d: exponent %.2f", low, len(bodies[name]), high, len(big), growth)
			}
			if growth := math.Log(more/less) / factor; growth > 1.2 {
				t.Errorf("%.0f bytes come out of %d, %.0f of %d: exponent %.2f", less, len(bodies[name]), more, len(big), growth)
			}
			if high > 300*float64(len(big)) {
				t.Errorf("%.0f bytes allocated for %d", high, len(big))
			}
		})
	}
}
