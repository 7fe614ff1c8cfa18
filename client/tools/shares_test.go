package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// sized is an OpenAPI description with a number of operations.
func sized(name string, n int) string {
	var paths []string
	for i := range n {
		paths = append(paths, fmt.Sprintf(`"/%s/%d": {"get": {"operationId": "%s%d", "description": "Lists the %s of kind %d.", "responses": {"200": {"description": "ok"}}}}`, name, i, name, i, name, i))
	}
	return `{"openapi": "3.1.0", "info": {"title": "` + name + `", "version": "1"}, "paths": {` + strings.Join(paths, ",") + `}}`
}

// Each site has its part of a request that has no room for all, whatever the limit, the vendor and the
// order of the list. The room that a site does not need goes to the others.
func TestEachSiteHasItsPartOfARequest(t *testing.T) {
	internet := clienttest.New(t)
	sizes := map[string]int{"a.example": 300, "b.example": 5, "c.example": 40}
	for domain, n := range sizes {
		internet.Host(domain, clienttest.Pages{"/openapi.json": sized(domain[:1], n)})
	}
	c := internet.Client()
	for _, order := range [][]string{{"a.example", "b.example", "c.example"}, {"c.example", "b.example", "a.example"}, {"b.example", "a.example", "c.example"}} {
		box, err := tools.Load(t.Context(), c, order, nil)
		if err != nil || box.Len() != 345 {
			t.Fatalf("%d tools, %v", box.Len(), err)
		}
		raw, err := box.Save()
		if err != nil {
			t.Fatal(err)
		}
		opened, err := tools.Open(raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range tools.Vendors() {
			for name, opts := range map[string]*tools.RenderOptions{"number": {}, "tokens": {Tokens: 3000}, "bytes": {Bytes: 12_000}, "query": {Tokens: 3000, Query: "lists the a of kind"}, "few tokens": {Tokens: 250}} {
				d := box.Render(v, opts)
				if again := opened.Render(v, opts); !slices.Equal(d.Names, again.Names) {
					t.Errorf("%v, %s, %s: a saved Box renders other tools", order, v, name)
				}
				if len(d.Left) == 0 {
					continue // all have room
				}
				of := map[string]int{}
				for _, n := range d.Names {
					tool, _ := box.Tool(n)
					of[tool.Domain]++
				}
				total := len(d.Names)
				for domain, size := range sizes {
					if want := min(size, total/len(sizes)); of[domain] < want-1 {
						t.Errorf("%v, %s, %s: %d of the %d tools are of %s, want %d: %v", order, v, name, of[domain], total, domain, want, of)
					}
				}
				if total < 3 && of[order[0]] == 0 {
					t.Errorf("%v, %s, %s: the first site has no tool: %v", order, v, name, of)
				}
			}
		}
	}
}

// Fit gives each site its part too: of the tools in full, of the sentences and of the names.
func TestFitGivesEachSiteItsPart(t *testing.T) {
	internet := clienttest.New(t)
	domains := []string{"a.example", "b.example", "c.example"}
	for i, n := range []int{300, 5, 40} {
		internet.Host(domains[i], clienttest.Pages{"/openapi.json": sized(domains[i][:1], n)})
	}
	for _, order := range [][]string{domains, {"c.example", "b.example", "a.example"}} {
		box, err := tools.Load(t.Context(), internet.Client(), order, nil)
		if err != nil {
			t.Fatal(err)
		}
		of := func(names []string) map[string]int {
			count := map[string]int{}
			for _, n := range names {
				tool, _ := box.Tool(n)
				count[tool.Domain]++
			}
			return count
		}
		for _, row := range []struct {
			query  string
			tokens int
			want   int // of each site, full or with a sentence
		}{{"", 300, 3}, {"", 900, 5}, {"lists of kind", 1500, 4}} {
			s := box.Fit(row.query, row.tokens, nil)
			var names []string
			for _, b := range s.Brief {
				names = append(names, b.Name)
			}
			listed := of(append(names, s.Names...))
			var full []string
			for _, tool := range s.Full {
				full = append(full, tool.Name)
			}
			for _, domain := range domains {
				if got := listed[domain] + of(full)[domain]; got < row.want {
					t.Errorf("%v, %q, %d: %d tools of %s, want %d: %v in full, %v listed", order, row.query, row.tokens, got, domain, row.want, of(full), listed)
				}
			}
			if row.query != "" && (of(full)["b.example"] == 0 || of(full)["c.example"] == 0) {
				t.Errorf("%v: in full are %v", order, of(full))
			}
		}
	}
}
