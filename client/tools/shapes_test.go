package tools_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// shapes are descriptions of n operations whose cost could grow with all the others.
func shapes() map[string]func(n int) string {
	document := func(n int, components string, path func(i int) string) string {
		var b strings.Builder
		b.WriteString(`{"openapi":"3.1.0","info":{"title":"Many","version":"1"},"servers":[{"url":"https://shop.example"}],"paths":{"x-first":0`)
		for i := range n {
			b.WriteString("," + path(i))
		}
		return b.String() + `},"components":{` + components + `}}`
	}
	const key = `"securitySchemes":{"key":{"type":"apiKey","in":"header","name":"X-Key"}}`
	scopes := func(n int) string {
		var schemes []string
		for s := range 3 {
			var list []string
			for i := range n {
				list = append(list, fmt.Sprintf(`"s%d:%d":""`, s, i))
			}
			schemes = append(schemes, fmt.Sprintf(`"oauth%d":{"type":"oauth2","flows":{"clientCredentials":{"tokenUrl":"https://shop.example/token","scopes":{%s}}}}`, s, strings.Join(list, ",")))
		}
		return `"securitySchemes":{` + strings.Join(schemes, ",") + "}"
	}
	return map[string]func(n int) string{
		"one call": func(n int) string {
			return document(n, key, func(i int) string {
				return fmt.Sprintf(`"/p{v%d}":{"post":{"operationId":"p%d","security":[{"key":[]}],"responses":{}}}`, i, i)
			})
		},
		"one call, by queries": func(n int) string {
			return document(n, key, func(i int) string {
				return fmt.Sprintf(`"/p?a=%d":{"post":{"operationId":"p%d","security":[{"key":[]}],"responses":{}}}`, i, i)
			})
		},
		"one operationId": func(n int) string {
			return document(n, key, func(i int) string {
				return fmt.Sprintf(`"/p%d":{"get":{"operationId":"same","responses":{}}}`, i)
			})
		},
		"three schemes": func(n int) string {
			return document(n, scopes(min(n, 1000)), func(i int) string {
				return fmt.Sprintf(`"/p%d":{"get":{"operationId":"p%d","security":[{"oauth0":["s0:%d"]},{"oauth1":[]},{"oauth2":[]}],"responses":{}}}`, i, i, i)
			})
		},
		"three schemes of the document": func(n int) string {
			return strings.Replace(document(n, scopes(min(n, 1000)), func(i int) string {
				return fmt.Sprintf(`"/p%d":{"get":{"operationId":"p%d","responses":{}}}`, i, i)
			}), `"paths"`, `"security":[{"oauth0":["s0:1"]},{"oauth1":[]},{"oauth2":[]}],"paths"`, 1)
		},
	}
}

// A document whose operations have much in common takes steps and memory in proportion to
// them.
func TestLoadIsLinearInWhatOperationsShare(t *testing.T) {
	testkit.Large(t)
	sizes := [2]int{250, 1000}
	for name, shape := range shapes() {
		t.Run(name, func(t *testing.T) {
			var steps, bytes [2]float64
			for i, n := range sizes {
				internet := clienttest.New(t)
				internet.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": shape(n)})
				c := internet.Client()
				if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
					t.Fatal(err)
				}
				before := c.Stats().Steps
				bytes[i] = testkit.Allocated(func() {
					box := load(t, c, []string{"shop.example"}, nil)
					if box.Len()+len(box.Skipped()) < n {
						t.Fatalf("%d tools of %d, %.300v", box.Len(), n, box.Skipped())
					}
				})
				steps[i] = float64(c.Stats().Steps - before)
			}
			ratio := math.Log(float64(sizes[1]) / float64(sizes[0]))
			counted, allocated := math.Log(steps[1]/steps[0])/ratio, math.Log(bytes[1]/bytes[0])/ratio
			t.Logf("%.0f steps, exponent %.2f; %.0f bytes, exponent %.2f", steps[1], counted, bytes[1], allocated)
			if counted > testkit.MaxGrowth || allocated > testkit.MaxGrowth {
				t.Error("it grows faster")
			}
		})
	}
}
