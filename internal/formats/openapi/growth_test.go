package openapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/parse"
)

// hostile returns documents of about n bytes that try to cost more.
func hostile(n int) map[string]string {
	const top = `{"openapi":"3.1.0","info":{"title":"T","version":"1"},`
	get := func(op, rest string) string { return top + `"paths":{"/a":{"get":{` + op + `}}}` + rest + "}" }
	schema := func(s, rest string) string {
		return get(`"responses":{"200":{"description":"ok","content":{"application/json":{"schema":`+s+`}}}}`, `,"components":{`+rest+`}`)
	}
	ref := `{"$ref":"#/components/schemas/A"}`
	text := strings.Repeat("x", n/2)
	return map[string]string{
		"operations":     top + `"paths":{` + formattest.Repeat(n/20, `"/N":{"get":{}}`) + `}}`,
		"same id":        top + `"paths":{` + formattest.Repeat(n/40, `"/N":{"get":{"operationId":"a"}}`) + `}}`,
		"wrong types":    top + `"paths":{` + formattest.Repeat(n/10, `"/N":7`) + `}}`,
		"shared items":   top + `"paths":{` + formattest.Repeat(n/60, `"/N":{"$ref":"#/components/pathItems/A"}`) + `},"components":{"pathItems":{"A":{"get":{"description":"` + text + `"}}}}}`,
		"shared scopes":  top + `"paths":{` + formattest.Repeat(n/80, `"/N":{"get":{"security":[{"a":[]}]}}`) + `},"components":{"securitySchemes":{"a":{"type":"oauth2","description":"` + text[:n/4] + `","flows":{"implicit":{"scopes":{` + formattest.Repeat(n/40, `"sN":""`) + `}}}}}}}`,
		"servers":        top + `"servers":[` + formattest.Repeat(n/40, `{"url":"https://sN.example"}`) + `],"paths":{"/a":{"get":{}}}}`,
		"variables":      top + `"servers":[{"url":"https://a.example/` + strings.Repeat("{a}", 600) + `","variables":{"a":{"default":"` + text[:n/4] + `"},` + formattest.Repeat(n/60, `"vN":{"default":"{a}{a}{a}"}`) + `}}],"paths":{"/a":{"get":{}}}}`,
		"tags":           top + `"tags":[` + formattest.Repeat(n/20, `{"name":"tN"}`) + `],"paths":{"/a":{"get":{}}}}`,
		"parameters":     get(`"parameters":[`+formattest.Repeat(n/60, `{"name":"pN","in":"query","schema":{"type":"string"}}`)+`]`, ""),
		"path variables": top + `"paths":{"/` + formattest.Repeat(n/40, "{vN}") + `":{"get":{"parameters":[` + formattest.Repeat(n/80, `{"name":"pN","in":"path","required":true}`) + `]}}}}`,
		"capitals":       top + `"paths":{"/` + formattest.Repeat(n/80, "{vN}") + `":{"get":{"parameters":[` + formattest.Repeat(n/80, `{"name":"VN","in":"path","required":true}`) + `]}}}}`,
		"shared enum":    get(`"parameters":[`+formattest.Repeat(n/600, `{"name":"pN","in":"query","schema":`+ref+`}`)+`]`, `,"components":{"schemas":{"A":{"enum":[`+formattest.Repeat(100, `"`+text[:n/200]+`N"`)+`]}}}`),
		"shared text":    get(`"parameters":[`+formattest.Repeat(n/120, `{"name":"pN","in":"query","schema":`+ref+`}`)+`]`, `,"components":{"schemas":{"A":{"description":"`+text+`"}}}`),
		"flat body":      get(`"requestBody":{"required":true,"content":{"application/json":{"schema":{"properties":{`+formattest.Repeat(n/600, `"pN":`+ref)+`}}}}}`, `,"components":{"schemas":{"A":{"description":"`+text+`","enum":[`+formattest.Repeat(n/50, "N")+`]}}}`),
		"shared object":  schema(`{"properties":{`+formattest.Repeat(n/100, `"pN":`+ref)+`}}`, `"schemas":{"A":{"properties":{`+formattest.Repeat(n/50, `"qN":{"type":"string"}`)+`}}}`),
		"chain":          schema(`{"$ref":"#/components/schemas/S0"}`, `"schemas":{`+formattest.Repeat(n/160, `"SN":{"allOf":[{"$ref":"#/components/schemas/SN0"},{"$ref":"#/components/schemas/SN1"}]}`)+`}`),
		"one name":       schema(`{"allOf":[`+formattest.Repeat(n/100, `{"$ref":"#/components/x/N/A"}`)+`]}`, `"x":[`+formattest.Repeat(n/50, `{"A":{}}`)+`]`),
		"dangling":       schema(`{"allOf":[`+formattest.Repeat(n/40, `{"$ref":"#/components/schemas/N"}`)+`]}`, `"schemas":{`+formattest.Repeat(n/40, `"A_N":{}`)+`}`),
		"anchors":        schema(`{"allOf":[`+formattest.Repeat(n/60, `{"$ref":"#aN"}`)+`]}`, `"schemas":{`+formattest.Repeat(n/60, `"SN":{"$id":"sN","not":{"$anchor":"aN"}},"TN":{"$anchor":"aN"}`)+`}`),
		"deep":           schema(strings.Repeat(`{"items":`, 40)+`{"allOf":[`+formattest.Repeat(n/12, `{"title":"t"}`)+`]}`+strings.Repeat("}", 40), ""),
		"keywords":       schema(`{`+formattest.Repeat(n/12, `"kN":0`)+`}`, ""),
		"required":       schema(`{"required":[`+formattest.Repeat(n/20, `"pN"`)+`],"properties":{`+formattest.Repeat(n/24, `"pN":{}`)+`}}`, ""),
		"nullable":       strings.Replace(schema(strings.Repeat(`{"nullable":true,"not":`, 40)+`{"enum":["`+text+`"]}`+strings.Repeat("}", 40), ""), "3.1.0", "3.0.0", 1),
		"examples":       get(`"responses":{"200":{"description":"ok","content":{"application/json":{"examples":{`+formattest.Repeat(n/80, `"eN":{"$ref":"#/components/examples/A"}`)+`}}}}}`, `,"components":{"examples":{"A":{"value":"`+text+`"}}}`),
		"responses":      get(`"responses":{`+formattest.Repeat(n/80, `"N":{"$ref":"#/components/responses/A"}`)+`}`, `,"components":{"responses":{"A":{"description":"`+text+`"}}}`),
		"webhooks":       top + `"webhooks":{` + formattest.Repeat(n/12, `"wN":0`) + `}}`,
		"hops":           schema(`{"$ref":"#/components/schemas/S0"}`, `"schemas":{`+hops(n/60)+`"Z":{}}`),
		"aliases (YAML)": "openapi: 3.1.0\ninfo: {title: T, version: '1'}\nx: &a\n  get: {description: " + text + "}\npaths:\n" + strings.ReplaceAll(formattest.Repeat(n/40, "  /N: *a"), ",", "\n") + "\n",
	}
}

// hops returns schemas that are references, each to the next one.
func hops(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"S%d":{"$ref":"#/components/schemas/S%d"},`, i, i+1)
	}
	return b.String()
}

// TestGrowth checks that memory and the size of the result grow in proportion to the document.
// A refused document has no result.
func TestGrowth(t *testing.T) {
	f := openapi.Format()
	f.Parse = func(in *parse.Input) (*parse.Reading, error) {
		if r, err := openapi.Format().Parse(in); err == nil {
			return r, nil
		}
		return &parse.Reading{Services: make([]wayfind.Service, 1)}, nil
	}
	formattest.GrowthInFull(t, f, hostile, place, 16<<10, 128<<10)
}
