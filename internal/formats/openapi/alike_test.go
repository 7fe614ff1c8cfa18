package openapi_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/parse"
)

// Paths that differ only in the names of variables are the same path (Paths Object).
func TestPathsThatDifferInTheNamesOfVariablesOnlyAreReported(t *testing.T) {
	const get = `{"get": {"responses": {"200": {"description": "ok"}}}, "post": {"responses": {"200": {"description": "ok"}}}}`
	for paths, want := range map[string]int{
		`"/orders/{id}", "/orders/{nr}"`:                        1,
		`"/orders/{id}", "/orders/{nr}", "/orders/{x}"`:         2,
		`"/a/{b}/c/{d}", "/a/{c}/c/{b}"`:                        1,
		`"/orders/{id}", "/orders/{id}/lines", "/orders/open"`:  0,
		`"/a.{b}", "/a.{c}x"`:                                   0,
		`"/a/{b", "/a/{c"`:                                      0,
		`"/a/{b}-{c}", "/a/{c}-{b}", "/a/{b}", "/a/b", "/a/{}"`: 2,
	} {
		body := `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "paths": {` + strings.ReplaceAll(paths, `",`, `": `+get+`,`) + `: ` + get + `}}`
		r, err := openapi.Format().Parse(&parse.Input{Body: []byte(body)})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, d := range r.Diagnostics {
			if d.Code == "openapi.path_alike" {
				n++
			}
		}
		if n != want {
			t.Errorf("%s: %d reports, want %d: %+v", paths, n, want, r.Diagnostics)
		}
	}
}
