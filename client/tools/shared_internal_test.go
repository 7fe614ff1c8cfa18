package tools

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/security/pins"
	"github.com/wayfindhq/wayfind/security/schema"
)

// document serves a description.
type document struct {
	kind string
	body []byte
}

func (d document) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", d.kind)
	w.Header().Set("Cache-Control", "max-age=3600")
	_, _ = w.Write(d.body)
}

// resolved is a Client that has resolved shop.example, a site with one description.
func resolved(t *testing.T, d document, options ...func(*client.Options)) *client.Client {
	t.Helper()
	internet := clienttest.New(t)
	host := internet.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": `{"schema_version":"v1","name_for_human":"Shop","name_for_model":"shop","description_for_human":"Sells.","description_for_model":"Sells.",
		"auth":{"type":"none"},"api":{"type":"openapi","url":"https://shop.example/api"},"contact_email":"a@shop.example","legal_info_url":"https://shop.example/legal"}`})
	host.Handle("/api", d)
	c := internet.Client(options...)
	if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
		t.Fatal(err)
	}
	return c
}

// loaded is the Box of that site.
func loaded(t *testing.T, c *client.Client) *Box {
	t.Helper()
	box, err := Load(t.Context(), c, []string{"shop.example"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return box
}

// published are the descriptions of APIs as they are published, or the samples of them, by name.
func published(t *testing.T) map[string]document {
	t.Helper()
	list := make(map[string]document)
	for _, file := range golden.Files(t, golden.APIs(t), "*.[jy]*") {
		kind := "application/" + strings.TrimPrefix(filepath.Ext(file), ".")
		list[filepath.Base(file)] = document{kind, golden.Read(t, file)}
	}
	return list
}

// A schema made of shared definitions has the same text and losses for each target as the schema of
// the whole definition. That is compared for one tool in seven, or for all if
// WAYFIND_LONG is "all".
func TestASharedSchemaIsThatOfTheWholeDefinition(t *testing.T) {
	testkit.Large(t)
	step := 7
	if testkit.All() {
		step = 1
	}
	for name, d := range published(t) {
		box := loaded(t, resolved(t, d))
		l, apart := &loader{budget: newBudget()}, 0
		for i, tool := range box.tools {
			if tool.partial == nil {
				if !operationOf(tool.Capability, tool.Service).MayTakeBase64() {
					t.Logf("%s: %s shares nothing", name, tool.Name)
					apart++
				}
				continue
			}
			if i%step != 0 {
				continue
			}
			if err := tool.complete(); err != nil {
				t.Fatal(err)
			}
			cut := func(d wayfind.Diagnostic) bool { return d.Code == "openapi.schema_limit" }
			if whole, _, _ := tool.partial.full(); slices.ContainsFunc(whole.Diagnostics, cut) {
				continue // each definition has the limit, and no definition exceeds it
			}
			l.budget.steps.Store(maxSteps)
			whole, err := l.input(tool.Capability, operationOf(tool.Capability, tool.Service))
			if err != nil {
				t.Errorf("%s: %s: %v", name, tool.Name, err)
				continue
			}
			sameSchema(t, name+" "+tool.Name, tool.Schema, whole)
		}
		if apart > len(box.tools)/100 {
			t.Errorf("%s: %d of %d tools share nothing", name, apart, len(box.tools))
		}
		if t.Logf("%s: %d tools", name, len(box.tools)); len(box.tools) == 0 && len(box.skipped) == 0 {
			t.Errorf("%s: neither tools nor a reason", name)
		}
	}
}

func sameSchema(t *testing.T, name string, a, b *schema.Schema) {
	t.Helper()
	for _, v := range []Vendor{OpenAIResponses, GeminiJSON} {
		for _, target := range []schema.Target{v.row.plain, v.row.strict} {
			p, errP := a.For(target)
			q, errQ := b.For(target)
			if fmt.Sprint(errP) != fmt.Sprint(errQ) {
				t.Errorf("%s: %v: %v, want %v", name, v, errP, errQ)
			}
			if p == nil || q == nil {
				continue
			}
			if string(p.JSON) != string(q.JSON) || p.Why != q.Why || !reflect.DeepEqual(p.Names, q.Names) || !reflect.DeepEqual(p.Loss, q.Loss) {
				t.Errorf("%s: %v: %.3000s %v %.1000v\nwant %.3000s %v %.1000v", name, v, p.JSON, p.Why, p.Loss, q.JSON, q.Why, q.Loss)
				return
			}
		}
	}
	if a, b := strings.Join(words(a), " "), strings.Join(words(b), " "); a != b {
		t.Errorf("%s: texts %.500q, want %.500q", name, a, b)
	}
}

func words(s *schema.Schema) (list []string) {
	for text := range s.Texts() {
		list = append(list, text)
	}
	return list
}

// fanOut is a description of operations that all have the same body, of many properties,
// and a parameter of their own, unless it is alone.
func fanOut(operations, properties int, alone bool) []byte {
	var b bytes.Buffer
	b.WriteString(`{"openapi":"3.1.0","info":{"title":"Fan","version":"1"},"servers":[{"url":"https://shop.example"}],"paths":{"x-first":0`)
	for i := range operations {
		own := ""
		if !alone {
			own = fmt.Sprintf(`"parameters":[{"name":"own_%d","in":"query","schema":{"type":"integer"}}],`, i)
		}
		fmt.Fprintf(&b, `,"/p%d":{"post":{"operationId":"p%d",%s"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Large"}}}},
			"responses":{"200":{"description":"ok","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Large"}}}}}}}`, i, i, own)
	}
	b.WriteString(`},"components":{"schemas":{"Large":{"type":"object","properties":{"first":{"type":"string"}`)
	for i := range properties {
		if i > 0 && i%900 == 0 { // a definition has a limit
			fmt.Fprintf(&b, `,"more":{"$ref":"#/components/schemas/Large_%d"}}},"Large_%d":{"type":"object","properties":{"first":{"type":"string"}`, i, i)
		}
		fmt.Fprintf(&b, `,"property_%d":{"type":"string","description":"It is %d."}`, i, i)
	}
	b.WriteString(`}}}}}`)
	return b.Bytes()
}

// One definition that a thousand operations use takes a Load no more memory than its
// document has, within a small factor, and all of them become tools with all arguments.
func TestAFanOutIsHeldOnce(t *testing.T) {
	testkit.Large(t)
	for _, c := range []struct {
		properties int
		alone      bool
	}{{500, true}, {500, false}, {4000, false}} {
		t.Run(fmt.Sprint(c.properties, c.alone), func(t *testing.T) { heldOnce(t, c.properties, c.alone) })
	}
}

func heldOnce(t *testing.T, properties int, alone bool) {
	operations := testkit.Size(100, 1000)
	most, mostAllocated := int64(9<<20+operations*11<<10), float64(90<<20+operations*320<<10)
	body := fanOut(operations, properties, alone)
	site := resolved(t, document{"application/json", body})
	box, live, allocated := measured(t, site)
	t.Logf("%d KiB: %d KiB are live, %.0f were allocated", len(body)>>10, live>>10, allocated/1024)
	if live > most || allocated > mostAllocated {
		t.Errorf("%d bytes are live, %.0f were allocated", live, allocated)
	}
	if box.Len() != operations {
		t.Fatalf("%d tools: %.300v", box.Len(), box.Skipped())
	}
	tool, err := box.Tool(box.tools[operations/2].Name)
	if err != nil {
		t.Fatal(err)
	}
	if properties > 1000 {
		return // the whole definition is cut
	}
	whole, err := (&loader{budget: newBudget()}).input(tool.Capability, operationOf(tool.Capability, tool.Service))
	if err != nil {
		t.Fatal(err)
	}
	sameSchema(t, tool.Name, tool.Schema, whole)
}

// measured is a Box with the bytes that its Load holds, and those that it allocates.
func measured(t *testing.T, site *client.Client) (box *Box, live int64, allocated float64) {
	t.Helper()
	live = testkit.Live(func() { allocated = testkit.Allocated(func() { box = loaded(t, site) }) })
	return box, live, allocated
}

// Render hands out a bounded number of bytes, and names the other tools. Neither it nor
// Fit writes all definitions to choose some.
func TestAFanOutIsHandedOutInPart(t *testing.T) {
	testkit.Large(t)
	operations := testkit.Size(200, 1000)
	box := loaded(t, resolved(t, document{"application/json", fanOut(operations, 500, false)}))
	var d *Definitions
	var s *Selection
	for _, c := range []struct {
		name string
		work func()
	}{
		{"Render", func() { d = box.Render(AnthropicMessages, nil) }},
		{"Render for tokens", func() { box.Render(AnthropicMessages, &RenderOptions{Query: "property", Tokens: 4000}) }},
		{"Fit", func() { s = box.Fit("property", 100_000, nil) }},
	} {
		if allocated := testkit.Allocated(c.work); allocated > 400<<20 {
			t.Errorf("%s allocates %.0f bytes", c.name, allocated)
		}
	}
	if len(d.Tools) > maxRendered+1<<10 || len(d.Names) == 0 || len(d.Names)+len(d.Left) != operations {
		t.Errorf("%d bytes, %d names, %d left", len(d.Tools), len(d.Names), len(d.Left))
	}
	if more := box.Render(AnthropicMessages, &RenderOptions{Bytes: 2 * maxRendered}); len(more.Names) <= len(d.Names) {
		t.Errorf("%d names for twice the bytes, %d before", len(more.Names), len(d.Names))
	}
	if len(s.Full) == 0 || s.Tokens > 100_000 {
		t.Errorf("%d in full, %d tokens", len(s.Full), s.Tokens)
	}
}

// hostile are fan-outs whose schemas cannot be shared, or not used.
func hostile(operations int) map[string][]byte {
	plain := string(fanOut(operations, 500, false))
	long := strings.Repeat("long ", 120)
	circle := `"Large":{"allOf":[{"$ref":"#/components/schemas/B"}]},"B":{"allOf":[{"$ref":"#/components/schemas/Large"}]},"Other":{"type":"object","properties":{`
	nested := strings.Repeat(`{"type":"object","properties":{"a":`, 20) + `{"type":"string","description":"` + strings.Repeat("x", 100_000) + `"}` + strings.Repeat("}}", 20)
	var levels strings.Builder
	for i := range 20 {
		fmt.Fprintf(&levels, `"level_%d":{"$ref":"#/components/schemas/Nested%s"},`, i, strings.Repeat("/properties/a", i))
	}
	return map[string][]byte{
		"places within each other":     []byte(strings.Replace(plain, `"Large":{"type":"object","properties":{`, `"Nested":`+nested+`,"Large":{"type":"object","properties":{`+levels.String(), 1)),
		"names with hidden characters": []byte(strings.ReplaceAll(plain, `"property_`, "\"\u200bproperty_")),
		"names that become the same":   []byte(strings.Replace(plain, `"first":`, `"first":{},"\u200bfirst":`, 1)),
		"too many bytes":               []byte(strings.ReplaceAll(plain, `"It is `, `"`+long)),
		"a circle":                     []byte(strings.Replace(plain, `"Large":{"type":"object","properties":{`, circle, 1)),
		"a number too large":           []byte(strings.Replace(plain, `"first":{"type":"string"}`, `"first":{"maximum":1e999}`, 1)),
	}
}

// Schemas that cannot be shared cost a Load little more: each operation is a tool or has
// a reason.
func TestAFanOutThatIsNotSharedIsBounded(t *testing.T) {
	testkit.Large(t)
	operations := testkit.Size(60, 1000)
	mostLive, mostAllocated := int64(10<<20+operations*56<<10), float64(350<<20+operations*700<<10)
	for name, body := range hostile(operations) {
		t.Run(name, func(t *testing.T) {
			box, live, allocated := measured(t, resolved(t, document{"application/json", body}))
			codes := make(map[string]int)
			for _, s := range box.Skipped() {
				if codes[s.Code]++; s.Err == nil || s.Reason == "" {
					t.Errorf("%+v", s)
				}
			}
			t.Logf("%d tools, %v; %d KiB are live, %.0f were allocated", box.Len(), codes, live>>10, allocated/1024)
			if box.Len()+len(box.Skipped()) != operations {
				t.Errorf("%d tools and %d without", box.Len(), len(box.Skipped()))
			}
			if live > mostLive || allocated > mostAllocated {
				t.Errorf("%d bytes are live, %.0f were allocated", live, allocated)
			}
		})
	}
}

// With pins, definitions are read in full: a Load ends when they have too much text.
func TestAFanOutThatIsReadInFullIsBounded(t *testing.T) {
	testkit.LongOnly(t)
	site := resolved(t, document{"application/json", fanOut(1000, 500, false)}, func(o *client.Options) { o.Trust.Pins = &pins.Set{} })
	box, live, _ := measured(t, site)
	t.Logf("%d tools; %d KiB are live", box.Len(), live>>10)
	if live > 2*maxReady || box.Len() == 0 || box.Len()+len(box.skipped) != 1000 {
		t.Errorf("%d tools, %d without; %d bytes are live", box.Len(), len(box.skipped), live)
	}
	for _, s := range box.skipped {
		if s.Code != CodeLimit || s.Limit != maxReady || s.Err == nil {
			t.Fatalf("%+v", s)
		}
	}
}

// A Load shares the schemas of a Box that is in use, while other goroutines use it, and
// nothing holds them after it.
func TestALoadSharesTheSchemasOfALivingBox(t *testing.T) {
	site := resolved(t, document{"application/json", fanOut(20, 900, true)})
	testkit.Measurement(t, func() error {
		var first, second *Box
		alone := testkit.Live(func() { first = loaded(t, site) })
		var work sync.WaitGroup
		shared := testkit.Live(func() {
			for i := range 8 {
				work.Go(func() {
					if tool, err := first.Tool(first.tools[i].Name); err != nil || len(tool.Capability.Params) != 901 {
						t.Errorf("%v", err)
					}
				})
			}
			second = loaded(t, site)
			work.Wait()
			first.forget()
		})
		if len(second.tools) != len(first.tools) {
			t.Errorf("%d tools, then %d", len(first.tools), len(second.tools))
		}
		freed := -testkit.Live(func() { first, second = nil, nil })
		t.Logf("%d KiB are live, then %d more; %d are free without the Boxes", alone>>10, shared>>10, freed>>10)
		if shared > alone/2 || freed < alone/2 {
			return fmt.Errorf("%d bytes are live, then %d more; %d of them are free without the Boxes", alone, shared, freed)
		}
		return nil
	})
}

// forget releases the definitions that were read in full.
func (b *Box) forget() {
	for i := range b.tools {
		b.tools[i].partial.whole = nil
	}
}
