package openrpc_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/allocs"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats/openrpc"
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
	const bare = `{"openrpc":"1.4.0","info":{"title":"T","version":"1"},`
	const top = bare + `"servers":[{"url":"/rpc"}],`
	methods := func(list, rest string) string { return top + `"methods":[` + list + `]` + rest + "}" }
	method := func(members, rest string) string {
		return methods(`{"name":"m","params":[],`+members+`}`, `,"components":{`+rest+`}`)
	}
	schema := func(s, rest string) string { return method(`"result":{"name":"r","schema":`+s+`}`, rest) }
	const ref = `{"$ref":"#/components/schemas/A"}`
	text := strings.Repeat("x", n/2)
	shared := func(members, rest string) string {
		return methods(repeat(n/200, `{"name":"mN",`+members+`}`), `,"components":{`+rest+`}`)
	}
	return map[string]string{
		"methods":         methods(repeat(n/30, `{"name":"mN","params":[]}`), ""),
		"one name":        methods(repeat(n/30, `{"name":"m","params":[]}`), ""),
		"wrong types":     methods(repeat(n/3, `7`), ""),
		"shared methods":  methods(repeat(n/60, `{"$ref":"#/components/x"}`), `,"components":{"x":{"name":"m","params":[],"description":"`+text+`"}}`),
		"shared results":  shared(`"params":[],"result":{"name":"r","schema":`+ref+`}`, `"schemas":{"A":{"description":"`+text+`"}}`),
		"shared errors":   shared(`"params":[],"errors":[{"$ref":"#/components/errors/A"},{"$ref":"#/components/errors/A"}]`, `"errors":{"A":{"code":1,"message":"`+text[:min(len(text), 3000)]+`"}}`),
		"shared examples": shared(`"params":[],"examples":[{"$ref":"#/components/x"},{"$ref":"#/components/x"}]`, `"x":{"name":"e","params":[{"name":"p","value":"`+text+`"}]}`),
		"shared tags":     shared(`"params":[],"tags":[{"$ref":"#/components/tags/A"},{"$ref":"#/components/tags/A"}]`, `"tags":{"A":{"name":"`+text[:256]+`"}}`),
		"shared texts":    shared(`"params":[{"$ref":"#/components/x"}]`, `"x":{"name":"p","description":"`+text+`","schema":true}`),
		"long tags":       shared(`"params":[],"tags":[{"$ref":"#/components/tags/A"},{"$ref":"#/components/tags/A"}]`, `"tags":{"A":{"name":"`+text+`"}}`),
		"one descriptor":  methods(`{"name":"m","params":[`+repeat(n/80, `{"$ref":"#/components/x"}`)+`]}`, `,"components":{"x":{"name":"p","description":"`+text+`","schema":true}}`),
		"one type":        methods(`{"name":"m","params":[`+repeat(n/120, `{"name":"pN","schema":`+ref+`}`)+`]}`, `,"components":{"schemas":{"A":{"type":"`+text+`"}}}`),
		"one value":       method(`"examples":[{"name":"e","params":[`+repeat(n/80, `{"$ref":"#/components/x"}`)+`]}]`, `"x":{"name":"p","value":"`+text[:4000]+`"}`),
		"servers":         bare + `"servers":[` + repeat(n/40, `{"url":"https://sN.example"}`) + `],"methods":[]}`,
		"variables":       bare + `"servers":[{"url":"https://a.example/` + strings.Repeat("{a}", 600) + `","variables":{"a":{"default":"` + text[:n/4] + `"},` + repeat(n/60, `"vN":{"default":"{a}"}`) + `}}],"methods":[]}`,
		"parameters":      methods(`{"name":"m","params":[`+repeat(n/60, `{"name":"pN","schema":{"type":"string"}}`)+`]}`, ""),
		"shared enum":     methods(`{"name":"m","params":[`+repeat(n/600, `{"name":"pN","schema":`+ref+`}`)+`]}`, `,"components":{"schemas":{"A":{"enum":[`+repeat(100, `"`+text[:n/200]+`N"`)+`]}}}`),
		"alternatives":    strings.Replace(methods(`{"name":"m","params":[`+repeat(n/400, `{"oneOf":[{"name":"pN","schema":`+ref+`}]}`)+`]}`, `,"components":{"schemas":{"A":{"description":"`+text+`"}}}`), "1.4.0", "1.0.0", 1),
		"examples":        method(`"examples":[`+repeat(n/30, `{"name":"e","params":[]}`)+`]`, ""),
		"long example":    methods(`{"name":"m","params":[`+repeat(n/60, `{"name":"pN","schema":true}`)+`],"examples":[{"name":"e","params":[`+repeat(n/60, `{"name":"x","value":1}`)+`]}]}`, ""),
		"errors":          method(`"errors":[`+repeat(n/30, `{"code":N,"message":"x"}`)+`]`, ""),
		"chain":           schema(`{"$ref":"#/components/schemas/S0"}`, `"schemas":{`+repeat(n/160, `"SN":{"allOf":[{"$ref":"#/components/schemas/SN0"},{"$ref":"#/components/schemas/SN1"}]}`)+`}`),
		"one definition":  schema(`{"allOf":[`+repeat(n/100, `{"$ref":"#/components/x/N/A"}`)+`]}`, `"x":[`+repeat(n/50, `{"A":{}}`)+`]`),
		"dangling":        schema(`{"allOf":[`+repeat(n/40, `{"$ref":"#/components/schemas/N"}`)+`]}`, `"schemas":{`+repeat(n/40, `"A_N":{}`)+`}`),
		"deep":            schema(strings.Repeat(`{"items":`, 40)+`{"allOf":[`+repeat(n/12, `{}`)+`]}`+strings.Repeat("}", 40), ""),
		"keywords":        schema(`{`+repeat(n/12, `"kN":0`)+`}`, ""),
		"siblings":        schema(`{"$ref":"#/components/schemas/A",`+repeat(n/12, `"kN":0`)+`}`, `"schemas":{"A":{}}`),
		"dependencies":    schema(`{"dependencies":{`+repeat(n/24, `"kN":["a"]`)+`}}`, ""),
		"hops":            schema(`{"$ref":"#/components/schemas/S0"}`, `"schemas":{`+hops(n/60)+`"Z":{}}`),
		"members":         top + `"methods":[],` + repeat(n/12, `"x-N":0`) + `}`,
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

// work reads a document and its first method in full, and returns the bytes that
// were allocated and the size of what came out, as JSON.
func work(t *testing.T, body string) (allocated, size float64) {
	t.Helper()
	in := document(t, []byte(body))
	var r, d *parse.Reading
	var err error
	allocated = allocs.Bytes(func() {
		openrpc.Format().Match(in)
		r, err = openrpc.Format().Parse(in)
		if err == nil && len(r.Services[0].Capabilities) > 0 {
			d, err = openrpc.Format().Detail(in, parse.Subject{Capability: &r.Services[0].Capabilities[0]})
		}
	})
	if err != nil {
		t.Fatal(err)
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
