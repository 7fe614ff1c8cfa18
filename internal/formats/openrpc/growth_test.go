package openrpc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/openrpc"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
)

// hostile returns documents of about n bytes that try to cost more.
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
		return methods(formattest.Repeat(n/200, `{"name":"mN",`+members+`}`), `,"components":{`+rest+`}`)
	}
	return map[string]string{
		"methods":         methods(formattest.Repeat(n/30, `{"name":"mN","params":[]}`), ""),
		"one name":        methods(formattest.Repeat(n/30, `{"name":"m","params":[]}`), ""),
		"wrong types":     methods(formattest.Repeat(n/3, `7`), ""),
		"shared methods":  methods(formattest.Repeat(n/60, `{"$ref":"#/components/x"}`), `,"components":{"x":{"name":"m","params":[],"description":"`+text+`"}}`),
		"shared results":  shared(`"params":[],"result":{"name":"r","schema":`+ref+`}`, `"schemas":{"A":{"description":"`+text+`"}}`),
		"shared errors":   shared(`"params":[],"errors":[{"$ref":"#/components/errors/A"},{"$ref":"#/components/errors/A"}]`, `"errors":{"A":{"code":1,"message":"`+text[:min(len(text), 3000)]+`"}}`),
		"shared examples": shared(`"params":[],"examples":[{"$ref":"#/components/x"},{"$ref":"#/components/x"}]`, `"x":{"name":"e","params":[{"name":"p","value":"`+text+`"}]}`),
		"shared tags":     shared(`"params":[],"tags":[{"$ref":"#/components/tags/A"},{"$ref":"#/components/tags/A"}]`, `"tags":{"A":{"name":"`+text[:256]+`"}}`),
		"shared texts":    shared(`"params":[{"$ref":"#/components/x"}]`, `"x":{"name":"p","description":"`+text+`","schema":true}`),
		"long tags":       shared(`"params":[],"tags":[{"$ref":"#/components/tags/A"},{"$ref":"#/components/tags/A"}]`, `"tags":{"A":{"name":"`+text+`"}}`),
		"one descriptor":  methods(`{"name":"m","params":[`+formattest.Repeat(n/80, `{"$ref":"#/components/x"}`)+`]}`, `,"components":{"x":{"name":"p","description":"`+text+`","schema":true}}`),
		"one type":        methods(`{"name":"m","params":[`+formattest.Repeat(n/120, `{"name":"pN","schema":`+ref+`}`)+`]}`, `,"components":{"schemas":{"A":{"type":"`+text+`"}}}`),
		"one value":       method(`"examples":[{"name":"e","params":[`+formattest.Repeat(n/80, `{"$ref":"#/components/x"}`)+`]}]`, `"x":{"name":"p","value":"`+text[:4000]+`"}`),
		"servers":         bare + `"servers":[` + formattest.Repeat(n/40, `{"url":"https://sN.example"}`) + `],"methods":[]}`,
		"variables":       bare + `"servers":[{"url":"https://a.example/` + strings.Repeat("{a}", 600) + `","variables":{"a":{"default":"` + text[:n/4] + `"},` + formattest.Repeat(n/60, `"vN":{"default":"{a}"}`) + `}}],"methods":[]}`,
		"parameters":      methods(`{"name":"m","params":[`+formattest.Repeat(n/60, `{"name":"pN","schema":{"type":"string"}}`)+`]}`, ""),
		"shared enum":     methods(`{"name":"m","params":[`+formattest.Repeat(n/600, `{"name":"pN","schema":`+ref+`}`)+`]}`, `,"components":{"schemas":{"A":{"enum":[`+formattest.Repeat(100, `"`+text[:n/200]+`N"`)+`]}}}`),
		"alternatives":    strings.Replace(methods(`{"name":"m","params":[`+formattest.Repeat(n/400, `{"oneOf":[{"name":"pN","schema":`+ref+`}]}`)+`]}`, `,"components":{"schemas":{"A":{"description":"`+text+`"}}}`), "1.4.0", "1.0.0", 1),
		"examples":        method(`"examples":[`+formattest.Repeat(n/30, `{"name":"e","params":[]}`)+`]`, ""),
		"long example":    methods(`{"name":"m","params":[`+formattest.Repeat(n/60, `{"name":"pN","schema":true}`)+`],"examples":[{"name":"e","params":[`+formattest.Repeat(n/60, `{"name":"x","value":1}`)+`]}]}`, ""),
		"errors":          method(`"errors":[`+formattest.Repeat(n/30, `{"code":N,"message":"x"}`)+`]`, ""),
		"chain":           schema(`{"$ref":"#/components/schemas/S0"}`, `"schemas":{`+formattest.Repeat(n/160, `"SN":{"allOf":[{"$ref":"#/components/schemas/SN0"},{"$ref":"#/components/schemas/SN1"}]}`)+`}`),
		"one definition":  schema(`{"allOf":[`+formattest.Repeat(n/100, `{"$ref":"#/components/x/N/A"}`)+`]}`, `"x":[`+formattest.Repeat(n/50, `{"A":{}}`)+`]`),
		"dangling":        schema(`{"allOf":[`+formattest.Repeat(n/40, `{"$ref":"#/components/schemas/N"}`)+`]}`, `"schemas":{`+formattest.Repeat(n/40, `"A_N":{}`)+`}`),
		"deep":            schema(strings.Repeat(`{"items":`, 40)+`{"allOf":[`+formattest.Repeat(n/12, `{}`)+`]}`+strings.Repeat("}", 40), ""),
		"keywords":        schema(`{`+formattest.Repeat(n/12, `"kN":0`)+`}`, ""),
		"siblings":        schema(`{"$ref":"#/components/schemas/A",`+formattest.Repeat(n/12, `"kN":0`)+`}`, `"schemas":{"A":{}}`),
		"dependencies":    schema(`{"dependencies":{`+formattest.Repeat(n/24, `"kN":["a"]`)+`}}`, ""),
		"hops":            schema(`{"$ref":"#/components/schemas/S0"}`, `"schemas":{`+hops(n/60)+`"Z":{}}`),
		"members":         top + `"methods":[],` + formattest.Repeat(n/12, `"x-N":0`) + `}`,
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
func TestGrowth(t *testing.T) {
	formattest.GrowthInFull(t, openrpc.Format(), hostile, place, 16<<10, 128<<10)
}
