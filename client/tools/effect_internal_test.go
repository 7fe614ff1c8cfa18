package tools

import (
	"bytes"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/effect"
)

// The effect of a tool is that of all documents that describe its call, also after the Box was saved. A
// Box without effects has those of its definitions, and a saved effect takes no caution away.
func TestTheEffectIsKeptWithTheTool(t *testing.T) {
	l, site := loaderOf(t)
	for i, price := range []string{"", "5 USD"} {
		c := withContract(i, `{"type":"object"}`)
		c.Invocation = &wayfind.Invocation{Protocol: "http", Method: "GET", URL: "https://shop.example/orders"}
		c.Sources = []wayfind.Ref{{Source: "https://shop.example/" + string(rune('a'+i)) + ".json"}}
		c.Price = price
		l.take(site, c)
	}
	if err := l.name(nil); err != nil || len(l.box.tools) != 1 {
		t.Fatalf("%v: %+v", err, l.box.tools)
	}
	l.box.order(nil)
	before, err := l.box.tools[0].Digest()
	if err != nil {
		t.Fatal(err)
	}
	file, err := l.box.Save()
	if err != nil {
		t.Fatal(err)
	}
	kept := []byte(`"effect":{`)
	at := bytes.Index(file, kept)
	if at < 0 {
		t.Fatalf("no effect is saved: %s", file)
	}
	end := at + bytes.IndexByte(file[at:], '}') + 1
	own := string(file[at:end])
	for name, row := range map[string]struct {
		saved string
		once  bool
	}{
		"saved":                 {own, true},
		"of an earlier version": {`"rank":0`, false}, // the other document is not saved
		"edited":                {`"effect":{"safe":true,"reads":true,"saysReads":true,"repeatable":true}`, false},
		"more caution":          {`"effect":{"cautions":["confirmation"]}`, true},
	} {
		box, err := Open([]byte(strings.Replace(string(file), own, row.saved, 1)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		tool, err := box.Tool(l.box.tools[0].Name)
		if err != nil {
			t.Fatal(err)
		}
		does, listed := effect.In(tool), effect.In(&box.Tools()[0])
		if does.Once() != row.once || listed.Once() != row.once || tool.ReadOnly() == row.once {
			t.Errorf("%s: %+v, listed as %+v", name, does, listed)
		}
		if now, err := tool.Digest(); err != nil || name == "saved" && now != before || name == "more caution" && now == before {
			t.Errorf("%s: digest %s, then %s, %v", name, before, now, err)
		}
	}
	priced := withContract(9, `{"type":"object"}`)
	priced.Invocation, priced.Price = &wayfind.Invocation{Protocol: "http", Method: "GET", URL: "https://shop.example/x"}, "1 USD"
	if own := (&Tool{Capability: priced}); own.ReadOnly() {
		t.Error("a tool of a program's own with a price is read-only")
	}
	opened := &Tool{Capability: priced, does: &effect.Effect{Safe: true, Reads: true}}
	if opened.derive(); opened.ReadOnly() {
		t.Error("a saved effect takes the price of the definition away")
	}
}
