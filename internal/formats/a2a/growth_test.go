package a2a_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/parse"
)

// costly returns cards of about n bytes that try to cost more.
func costly(n int) map[string]string {
	list := func(s string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(s+",", max(n/(len(s)+1), 1)), ",") + "]"
	}
	names := func(value string) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString(`,"` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + string(rune('0'+i/26%10)) + string(rune('0'+i/260%10)) + string(rune('0'+i/2600%10)) + `":` + value)
		}
		return "{" + b.String()[1:] + "}"
	}
	const head, faces = `{"name": "A", "version": "1", "capabilities": {}`, `,"supportedInterfaces": [{"url": "https://a.example", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]`
	half := func(s string) string { return s[:strings.LastIndexByte(s[:len(s)/2], ',')] + "]" }
	return map[string]string{
		"skills":           head + faces + `,"skills":` + list(`{"id":"a","name":"b"}`) + "}",
		"empty skills":     head + faces + `,"skills":` + list(`{}`) + "}",
		"skills and modes": head + faces + `,"defaultInputModes":` + half(list(`"a/b"`)) + `,"skills":` + half(list(`{"id":"a"}`)) + "}",
		"interfaces":       head + `,"skills":[],"supportedInterfaces":` + list(`{"url":"https://a.example/a"}`) + "}",
		"former":           head + `,"skills":[],"url":"https://a.example","additionalInterfaces":` + list(`{"url":"https://a.example/a","transport":"a"}`) + "}",
		"addresses":        head + `,"skills":[],"supportedInterfaces":` + list(`{"url":"a:1","protocolBinding":"GRPC"}`) + "}",
		"schemes":          head + faces + `,"skills":[],"securitySchemes":` + names(`{"mtlsSecurityScheme":{}}`) + "}",
		"empty schemes":    head + faces + `,"skills":[],"securitySchemes":` + names(`{}`) + "}",
		"scopes":           head + faces + `,"skills":[],"securitySchemes":{"o":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"https://a.example","scopes":` + names(`""`) + `}}}}}}`,
		"requirements":     head + faces + `,"skills":[],"securityRequirements":` + list(`{"schemes":{"a":{}}}`) + "}",
		"one requirement":  head + faces + `,"skills":[],"security":[` + names(`[]`) + "]}",
		"skills in need": head + faces + `,"securitySchemes":{"o":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"https://a.example","scopes":` + names(`""`) +
			`}}}}},"skills":` + list(`{"id":"a","securityRequirements":[{"schemes":{"o":{}}}]}`) + "}",
		"members":    head + faces + `,"skills":[],` + names(`1`)[1:],
		"extensions": head[:len(head)-1] + `"extensions":` + list(`{"uri":"a:b","required":true}`) + "}" + faces + `,"skills":[]}`,
		"signatures": head + faces + `,"skills":[],"signatures":` + list(`{"protected":"e30","signature":"AA"}`) + "}",
		"former names": `{"name":"A","url":"https://a.example","version":"1","capabilities":{},"skills":[],"authentication":{"schemes":` +
			list(`"a"`) + "}}",
	}
}

// The cost of the result is proportional to the size of the card.
func TestGrowth(t *testing.T) {
	const small, large = 6 << 10, 60 << 10
	for name, body := range costly(small) {
		if _, err := (&parse.Input{Body: []byte(body)}).JSON(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	formattest.Growth(t, a2a.Format(), costly, "", small, large)
}
