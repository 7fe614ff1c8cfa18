package tools

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/security/pins"
	"github.com/wayfindhq/wayfind/security/schema"
)

// beyondRoom returns a Box of 1,000 tools whose schemas do not all fit, and one of the tools
// without a schema.
func beyondRoom(t *testing.T, d document, skipped int, options ...func(*client.Options)) (box *Box, late *Tool) {
	t.Helper()
	box = loaded(t, resolved(t, d, options...))
	if len(box.tools) != 1000 || len(box.skipped) != skipped {
		t.Fatalf("%d tools, skipped %.500v", len(box.tools), box.skipped)
	}
	i := slices.IndexFunc(box.tools, func(t Tool) bool { return t.Schema == nil })
	if i < 0 || !slices.ContainsFunc(box.tools, func(t Tool) bool { return t.Schema != nil }) {
		t.Fatalf("the first tool without a schema is that of %d", i)
	}
	return box, &box.tools[i]
}

// A tool for whose schema a Box has no room is found by its name and its parameters, and
// gets its schema when it is chosen.
func TestAToolBeyondTheRoomOfABoxGetsItsSchemaWhenItIsChosen(t *testing.T) {
	testkit.LongOnly(t)
	odd := strings.Replace(string(fanOut(1000, 500, false)), `"x-first":0`, `"/a":{"post":{"operationId":"a","responses":{},"requestBody":{"content":{"application/json":{"schema":{
		"type":"object","properties":{"list":{"type":"array","items":{"$ref":"#/components/schemas/Odd"}}}}}}}}}`, 1)
	odd = strings.Replace(odd, `"Large":`, `"Odd":{"properties":{"\u200bodd":{}}},"Large":`, 1)
	pinned := func(o *client.Options) { o.Trust.Pins = &pins.Set{} }
	for name, load := range map[string]func() (*Box, *Tool){
		"no shared schemas": func() (*Box, *Tool) { return beyondRoom(t, document{"application/json", []byte(odd)}, 1) },
		"read in full": func() (*Box, *Tool) {
			return beyondRoom(t, document{"application/json", fanOut(1000, 500, false)}, 0, pinned)
		},
	} {
		t.Run(name, func(t *testing.T) {
			box, late := load()
			if hits := box.Search(late.Name, 1); len(hits) != 1 || hits[0].Tool.Name != late.Name {
				t.Errorf("%s is not found: %+v", late.Name, hits)
			}
			own := "own_" + strings.TrimPrefix(late.Name, "p")
			if hits := box.Search(own, 1); name == "no shared schemas" && (len(hits) != 1 || hits[0].Tool.Name != late.Name) {
				t.Errorf("%s is not found by %s: %+v", late.Name, own, hits)
			}
			tool, err := box.Tool(late.Name)
			if err != nil {
				t.Fatal(err)
			}
			if len(tool.Capability.Params) < 502 || tool.Schema.Validate([]byte(`{"`+own+`":1}`), 0) != nil || tool.Schema.Validate([]byte(`{"`+own+`":"a"}`), 0) == nil {
				t.Errorf("%d parameters", len(tool.Capability.Params))
			}
			if late.Schema != nil {
				t.Error("the Box was changed")
			}
			d := box.Render(AnthropicMessages, &RenderOptions{Query: late.Name, Bytes: 200_000})
			if !slices.Contains(d.Names, late.Name) || !strings.Contains(string(d.Tools), own) {
				t.Errorf("%q, skipped %.300v", d.Names, d.Skipped)
			}
			if p, err := late.Projection(Form{Vendor: OpenAIChat}); err != nil || !strings.Contains(string(p.JSON), own) {
				t.Error(err)
			}
		})
	}
}

// A tool whose schema exceeds the limit has none, and its size is named.
func TestAToolThatIsTooLargeIsNamedWithItsSize(t *testing.T) {
	long := strings.Repeat("long ", 250)
	large := strings.ReplaceAll(string(fanOut(20, 500, false)), `"It is `, `"`+long)
	box := loaded(t, resolved(t, document{"application/json", []byte(large)}))
	if len(box.tools) != 0 || len(box.skipped) != 20 {
		t.Fatalf("%d tools, %d skipped", len(box.tools), len(box.skipped))
	}
	for _, s := range box.skipped {
		e, ok := errors.AsType[*schema.Error](s.Err)
		if !ok || s.Code != "size" || s.Size <= 512<<10 || s.Limit != 512<<10 || int64(e.Size) != s.Size {
			t.Fatalf("%+v", s)
		}
	}
}

// A request that is strict reads no definition again.
func TestStrictRenderingReadsNoDefinitions(t *testing.T) {
	box := loaded(t, resolved(t, document{"application/json", fanOut(50, 20, false)}))
	for _, v := range Vendors() {
		if d := box.Render(v, &RenderOptions{Strict: true}); len(d.Names) == 0 {
			t.Errorf("%s: %+v", v, d.Skipped)
		}
	}
	for i := range box.tools {
		if p := box.tools[i].partial; p == nil || p.whole != nil {
			t.Fatalf("%s was read in full", box.tools[i].Name)
		}
	}
}
