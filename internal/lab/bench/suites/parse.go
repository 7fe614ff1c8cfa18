package suites

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/yuin/goldmark"
	"gopkg.in/yaml.v3"

	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/internal/lab/bench/measure"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/mdscan"
	"github.com/wayfindhq/wayfind/internal/syntax/yamlscan"
	"github.com/wayfindhq/wayfind/parse"
)

// documents compares readers on valid documents, and measures how the cost of hostile documents
// grows.
func documents(c measure.Config) ([]*measure.Table, error) {
	var tables []*measure.Table
	for _, kib := range []int{2, 16, 256} {
		t, err := strictJSON(c, kib)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	for _, f := range []func(measure.Config) (*measure.Table, error){largeOpenAPI, markdownAndYAML, growth} {
		t, err := f(c)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// must returns a case that cannot fail.
func must(name string, f func() error) measure.Case {
	return measure.Case{Name: name, MaxAllocs: -1, Run: func(n int) {
		for range n {
			if err := f(); err != nil {
				panic(fmt.Sprintf("%s: %v", name, err))
			}
		}
	}}
}

// with returns a case with a reference and goals.
func with(k measure.Case, reference string, goal, allocsOf float64) measure.Case {
	k.Reference, k.Goal, k.AllocsOf = reference, goal, allocsOf
	return k
}

// shop is the type into which a program decodes that knows the format.
type shop struct {
	Name         string `json:"name"`
	Capabilities []struct {
		ID          string         `json:"id"`
		Description string         `json:"description"`
		Method      string         `json:"method"`
		Endpoint    string         `json:"endpoint"`
		Parameters  map[string]any `json:"parameters"`
		Auth        struct {
			Type   string   `json:"type"`
			Scopes []string `json:"scopes"`
		} `json:"auth"`
		Deprecated bool `json:"deprecated"`
	} `json:"capabilities"`
}

// catalogue returns a document of about n bytes.
func catalogue(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"name": "Example Shop", "version": "1.0", "capabilities": [`)
	for i := 0; b.Len() < n-300; i++ {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `    {"id": "list_orders_%d", "description": "Lists the orders of a customer, newest first. Page with \"cursor\".",
      "method": "GET", "endpoint": "/api/v1/orders/%d", "parameters": {"limit": {"type": "integer", "maximum": 100}, "cursor": {"type": "string"}},
      "auth": {"type": "oauth2", "scopes": ["orders:read", "profile"]}, "deprecated": false}`, i, i)
	}
	b.WriteString("]}\n")
	return []byte(b.String())
}

func strictJSON(c measure.Config, kib int) (*measure.Table, error) {
	body := catalogue(kib << 10)
	const v1 = "encoding/json into any"
	return measure.Compare(fmt.Sprintf("JSON of %d KiB; ours is strict, the others are not", kib), c,
		must(v1, func() error { var v any; return json.Unmarshal(body, &v) }),
		with(must("encoding/json into a struct", func() error { var v shop; return json.Unmarshal(body, &v) }), v1, 0, 0),
		with(must("json.Valid", func() error {
			if !json.Valid(body) {
				return fmt.Errorf("invalid")
			}
			return nil
		}), v1, 0, 0),
		with(must("jsonscan", func() error { _, err := jsonscan.Scan(body); return err }), v1, 0.5, 0.5),
	)
}

// largeOpenAPI measures a document of about 1 MiB with 1,000 operations.
func largeOpenAPI(c measure.Config) (*measure.Table, error) {
	body := operations(500)
	u, err := url.Parse("https://shop.example/openapi.json")
	if err != nil {
		return nil, err
	}
	c.Rounds = min(c.Rounds, 9)
	const plain = "encoding/json into any"
	return measure.Compare(fmt.Sprintf("OpenAPI of %d KiB", len(body)>>10), c,
		must(plain, func() error { var v any; return json.Unmarshal(body, &v) }),
		with(must("openapi", func() error {
			_, err := openapi.Format().Parse(&parse.Input{URL: u, FinalURL: u, MediaType: "application/json", Body: body})
			return err
		}), plain, 1.5, 0),
		with(must("kin-openapi", func() error { _, err := openapi3.NewLoader().LoadFromData(body); return err }), plain, 0, 0),
	)
}

func operations(n int) []byte {
	var paths, schemas []string
	text := strings.Repeat("It is returned as it was when the last change was confirmed. ", 8)
	for i := range n {
		paths = append(paths, fmt.Sprintf(`"/v1/resources%d/{id}": {
      "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string", "format": "uuid"}}],
      "get": {"operationId": "get%d", "summary": "Get a resource", "description": %q,
        "responses": {"200": {"description": "The resource.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/R%d"}}}}}},
      "put": {"operationId": "put%d", "summary": "Replace it",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/R%d"}}}},
        "responses": {"200": {"description": "The resource."}}}}`, i, i, text, i, i, i))
		schemas = append(schemas, fmt.Sprintf(`"R%d": {"type": "object", "required": ["id"], "properties": {
        "id": {"type": "string", "format": "uuid", "description": %q}, "state": {"type": "string", "enum": ["open", "closed"]}}}`, i, text))
	}
	return fmt.Appendf(nil, `{"openapi": "3.0.3", "info": {"title": "Resources", "version": "1.0"}, "servers": [{"url": "https://api.shop.example"}],
  "paths": {%s}, "components": {"schemas": {%s}}}`, strings.Join(paths, ",\n"), strings.Join(schemas, ",\n"))
}

// markdownAndYAML measures valid documents of the other kinds.
func markdownAndYAML(c measure.Config) (*measure.Table, error) {
	markdown := []byte(strings.Repeat("## Can\n\n- Find products, by `name`\n- Order *one* of them\n\nSee [the docs](https://shop.example/docs).\n\n", 160))
	front := "version: \"1.0\"\nmcp:\n  endpoint: https://shop.example/mcp\nauth:\n  type: oauth2\n  scopes: [read, write]\n"
	return measure.Compare("Markdown of 16 KiB and YAML front matter", c,
		must("goldmark", func() error { return goldmark.Convert(markdown, new(bytes.Buffer)) }),
		with(must("mdscan", func() error { _, err := mdscan.Scan(markdown); return err }), "goldmark", 0, 0),
		must("yaml.v3 into a node", func() error { var n yaml.Node; return yaml.Unmarshal([]byte(front), &n) }),
		with(must("yamlscan", func() error { _, err := yamlscan.Scan(front, 1, yamlscan.FrontMatter()); return err }), "yaml.v3 into a node", 0, 0),
	)
}

// maxExponent is the maximum exponent with which the cost grows with the size of a hostile
// document.
const maxExponent = 1.2

// growth measures how the time for hostile documents grows. A refusal is a valid result.
func growth(c measure.Config) (*measure.Table, error) {
	sizes, peerSizes := []int{16, 64, 256}, []int{4, 8, 16}
	if c.Quick {
		sizes, peerSizes = []int{16, 64}, []int{2, 4}
	}
	t := &measure.Table{Title: "Growth with the size of hostile documents", Head: []string{"document", "exponent", "ours at most", "the peer's exponent", "the peer"}}
	jsonPeer := func(b []byte) { var v any; _ = json.Unmarshal(b, &v) }
	markdownPeer := func(b []byte) { _ = goldmark.Convert(b, new(bytes.Buffer)) }
	yamlPeer := func(b []byte) { var v map[string]any; _ = yaml.Unmarshal(b, &v) }
	scanJSON := func(b []byte) { _, _ = jsonscan.Scan(b) }
	scanMarkdown := func(b []byte) { _, _ = mdscan.Scan(b) }
	scanYAML := func(b []byte) {
		_, _ = yamlscan.Scan(string(b), 1, yamlscan.Limits{Bytes: 1 << 20, Depth: 64, Nodes: 1 << 20, Marks: 1 << 20})
	}
	for _, k := range []struct {
		name string
		make func(n int) []byte
		ours func([]byte)
		peer func([]byte)
		what string
	}{
		{"JSON, members of one object", numbered(`{"a": 0`, `, "k%d": 1`, `}`), scanJSON, jsonPeer, "encoding/json"},
		{"JSON, unclosed lists", repeated("[", ""), scanJSON, jsonPeer, "encoding/json"},
		{"JSON, escapes", func(n int) []byte { return []byte(`"` + strings.Repeat(`\u00e4`, n/6) + `"`) }, scanJSON, jsonPeer, "encoding/json"},
		{"Markdown, [a](", repeated("[a](", ""), scanMarkdown, markdownPeer, "goldmark"},
		{"Markdown, quotes", repeated("> ", "a"), scanMarkdown, markdownPeer, "goldmark"},
		{"Markdown, emphasis", repeated("*a_ ", ""), scanMarkdown, markdownPeer, "goldmark"},
		{"YAML, keys of one map", numbered("a: 0\n", "k%d: 1\n", ""), scanYAML, yamlPeer, "yaml.v3"},
	} {
		ours, worst := exponent(k.make, k.ours, sizes)
		peer, _ := exponent(k.make, k.peer, peerSizes)
		row := measure.Count{Name: k.name, Cells: []string{measure.Seconds(worst), fmt.Sprintf("%.2f", peer), k.what}, Value: ours, Limit: maxExponent}
		if c.Quick {
			row.Limit = 0 // there are only two sizes, of tens of microseconds each
		}
		t.Rows = append(t.Rows, row.Row())
	}
	return t, nil
}

func repeated(pattern, end string) func(int) []byte {
	return func(n int) []byte { return []byte(strings.Repeat(pattern, n/len(pattern)) + end) }
}

func numbered(begin, pattern, end string) func(int) []byte {
	return func(n int) []byte {
		var b strings.Builder
		b.WriteString(begin)
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, pattern, i)
		}
		b.WriteString(end)
		return []byte(b.String())
	}
}

// exponent returns the power with which the time of f grows over sizes in KiB, from the best of
// some tries for each size, and the time for the largest.
func exponent(document func(int) []byte, f func([]byte), sizes []int) (power, largest float64) {
	const tries = 5
	var x, y []float64
	for _, kib := range sizes {
		body, best := document(kib<<10), time.Duration(1<<63-1)
		for range tries {
			start := time.Now()
			f(body)
			best = min(best, time.Since(start))
		}
		x, y = append(x, float64(kib)), append(y, best.Seconds())
	}
	return measure.Exponent(x, y), y[len(y)-1]
}
