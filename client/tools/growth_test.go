package tools_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// described is a description of n operations, each with a schema of its own.
func described(from, n int) string {
	var b strings.Builder
	b.WriteString(`{"openapi":"3.1.0","info":{"title":"Many","version":"1"},"tags":[{"name":"a"},{"name":"b"}],"servers":[{"url":"https://shop.example"}],"paths":{"x-first":0`)
	for i := from; i < from+n; i++ {
		fmt.Fprintf(&b, `,"/p%d/{id}":{"get":{"operationId":"p%d","description":"Words.","security":[{"key":[]}],"parameters":[{"$ref":"#/components/parameters/id"},{"name":"q","in":"query","schema":{"$ref":"#/components/schemas/S%d"}}],"responses":{"200":{"description":"ok"}}}}`, i, i, i)
	}
	b.WriteString(`},"components":{"parameters":{"id":{"name":"id","in":"path","required":true,"schema":{"type":"string"}}},"securitySchemes":{"key":{"type":"apiKey","in":"header","name":"X-Key"}},"schemas":{"A":{"type":"string"}`)
	for i := from; i < from+n; i++ {
		fmt.Fprintf(&b, `,"S%d":{"type":"string"}`, i)
	}
	b.WriteString("}}}")
	return b.String()
}

// loadOf returns the steps and the bytes for loading a site with n operations, in documents of
// 1,000 at most.
func loadOf(t *testing.T, n int) (steps, bytes float64) {
	t.Helper()
	pages := clienttest.Pages{}
	var index strings.Builder
	index.WriteString("# Shop\n\n> x\n\n## API\n\n")
	for from := 0; from < n; from += 1000 {
		place := fmt.Sprintf("/%d/openapi.json", from)
		pages[place] = described(from, min(1000, n-from))
		index.WriteString("- [A](https://shop.example" + place + "): OpenAPI\n")
	}
	pages["/llms.txt"] = index.String()
	internet := clienttest.New(t)
	internet.Host("shop.example", pages)
	c := internet.Client()
	if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
		t.Fatal(err)
	}
	before := c.Stats().Steps
	bytes = testkit.Allocated(func() {
		if box := load(t, c, []string{"shop.example"}, nil); box.Len() != n {
			t.Fatalf("%d tools of %d: %.300v", box.Len(), n, box.Skipped())
		}
	})
	return float64(c.Stats().Steps - before), bytes
}

// Load takes steps and memory in proportion to the operations, in one document
// and in several.
func TestLoadIsLinearInOperations(t *testing.T) {
	testkit.Large(t)
	rows := [][2]int{{125, 1000}, {1000, 8000}}
	for _, sizes := range rows[:testkit.Size(1, len(rows))] {
		steps, bytes := [2]float64{}, [2]float64{}
		for i, n := range sizes {
			steps[i], bytes[i] = loadOf(t, n)
		}
		ratio := math.Log(float64(sizes[1]) / float64(sizes[0]))
		counted, allocated := math.Log(steps[1]/steps[0])/ratio, math.Log(bytes[1]/bytes[0])/ratio
		t.Logf("%v operations: %.0f steps, exponent %.2f; %.0f bytes, exponent %.2f", sizes, steps, counted, bytes, allocated)
		if !(counted <= testkit.MaxGrowth) || !(allocated <= testkit.MaxGrowth) {
			t.Errorf("%v operations: %.0f steps, exponent %.2f; %.0f bytes, exponent %.2f", sizes, steps, counted, bytes, allocated)
		}
	}
}
