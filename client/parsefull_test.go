package client_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// The details of all capabilities together are as large as a small multiple of the document, however many
// operations share a schema. The others stay lazy, their number is told, and their requests are checked.
func TestParseInFullIsBoundedForOneDocument(t *testing.T) {
	testkit.Large(t)
	const operations, properties = 400, 1500
	var paths, members strings.Builder
	for i := range operations {
		more := ""
		if i == operations-1 {
			more = `,"parameters":[{"name":"q","in":"query","schema":{"type":"strnig"}}]`
		}
		fmt.Fprintf(&paths, `,"/p%03d":{"post":{"operationId":"o%03d"%s,"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/S"}}}},"responses":{"200":{"description":"d"}}}}`, i, i, more)
	}
	for i := range properties {
		fmt.Fprintf(&members, `,"p%d":{"type":"string","description":"some words"}`, i)
	}
	body := fmt.Appendf(nil, `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{%s},"components":{"schemas":{"S":{"type":"object","properties":{%s}}}}}`,
		paths.String()[1:], members.String()[1:])
	result, err := client.Parse(t.Context(), body, &client.ParseOptions{URL: "https://shop.example/openapi.json", Full: true})
	if err != nil {
		t.Fatal(err)
	}
	size, lazy := 0, 0
	for _, c := range result.Site.Capabilities() {
		size += len(c.Input)
		for i := range c.Params {
			size += len(c.Params[i].Schema)
		}
		if c.Lazy {
			lazy++
		}
	}
	if most := 5<<20 + 4*len(body); size == 0 || size > most || lazy == 0 {
		t.Errorf("%d bytes of schemas, most %d; %d lazy", size, most, lazy)
	}
	told := func(code string) int {
		return slices.IndexFunc(result.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == code })
	}
	if i := told("document.limit"); i < 0 || result.Diagnostics[i].TooLarge == nil || result.Diagnostics[i].TooLarge.Size != operations || int(result.Diagnostics[i].TooLarge.Limit) != operations-lazy {
		t.Errorf("the others are not told: %+v", result.Diagnostics)
	}
	if told("openapi.schema_word") < 0 {
		t.Errorf("a fault of the last request is not told: %+v", result.Diagnostics)
	}
}
