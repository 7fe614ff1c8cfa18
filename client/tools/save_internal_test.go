package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// opened is the Box that Open reads from the output of Save, and that output.
func opened(t *testing.T, box *Box) (again *Box, file []byte) {
	t.Helper()
	file, err := box.Save()
	if err != nil {
		t.Fatal(err)
	}
	if again, err = Open(file); err != nil {
		t.Fatal(err)
	}
	return again, file
}

// sameTools compares the tools of two Boxes in full, and counts schemas of answers.
func sameTools(t *testing.T, a, b *Box) (outputs int) {
	t.Helper()
	for i := range a.tools {
		one, err := a.Tool(a.tools[i].Name)
		if err != nil {
			t.Fatal(err)
		}
		other, err := b.Tool(a.tools[i].Name)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := encode(one.Capability), encode(other.Capability); string(a) != string(b) || other.Schema == nil {
			t.Fatalf("%s: %.2000s", one.Name, cmp.Diff(string(a), string(b)))
		}
		if len(other.Capability.Output) > 0 {
			outputs++
		}
	}
	return outputs
}

// A saved Box has each definition once, and gives back the whole of it.
func TestASavedBoxHasEachDefinitionOnce(t *testing.T) {
	testkit.Large(t)
	const operations = 20
	body := fanOut(operations, 500, false)
	box := loaded(t, resolved(t, document{"application/json", body}))
	again, file := opened(t, box)
	t.Logf("%d KiB of %d", len(file)>>10, len(body)>>10)
	if len(file) > 8*len(body) {
		t.Errorf("%d bytes, %d of them published", len(file), len(body))
	}
	if n := sameTools(t, box, again); n != operations {
		t.Errorf("%d of 20 tools have the schema of their answers", n)
	}
	if twice, err := again.Save(); err != nil || string(twice) != string(file) {
		t.Errorf("%v: other %d bytes", err, len(twice))
	}
}

// The definitions of a published description are the same when they were saved.
func TestAPublishedDescriptionIsSavedAsItIs(t *testing.T) {
	testkit.Large(t)
	names := []string{"spotify.yaml", "discord.json"}
	if !golden.Published(t, golden.EnvAPIs) {
		names = []string{"orders.yaml", "orders.json"}
	}
	for _, name := range names {
		d := published(t)[name]
		box := loaded(t, resolved(t, d))
		again, file := opened(t, box)
		t.Logf("%s: %d KiB of %d", name, len(file)>>10, len(d.body)>>10)
		if n := sameTools(t, box, again); n == 0 || len(file) > 2*len(d.body) {
			t.Errorf("%s: %d schemas of answers in %d bytes, %d are published", name, n, len(file), len(d.body))
		}
	}
}

// A saved Box whose tools have their texts themselves, as before, is read.
func TestASavedBoxWithoutSharedTextsIsRead(t *testing.T) {
	box := loaded(t, resolved(t, document{"application/json", fanOut(5, 20, false)}))
	_, file := opened(t, box)
	var s saved
	if err := json.Unmarshal(file, &s); err != nil {
		t.Fatal(err)
	}
	texts := &savedTexts{list: s.Texts}
	for i := range s.Tools {
		own := &s.Tools[i]
		whole, err := texts.unpack(own.Capability, own.Params)
		if err != nil {
			t.Fatal(err)
		}
		own.Capability, own.Params = whole, nil
	}
	s.Texts = nil
	again, err := Open(encode(s))
	if err != nil {
		t.Fatal(err)
	}
	sameTools(t, box, again)
	if a, b := box.Render(MCP, nil), again.Render(MCP, nil); string(a.Tools) != string(b.Tools) {
		t.Errorf("%s, then %s", a.Tools, b.Tools)
	}
}

// Texts that are within each other, that are not there or that become too long are refused.
func TestSavedTextsThatAreNoneAreRefused(t *testing.T) {
	_, file := opened(t, loaded(t, resolved(t, document{"application/json", fanOut(1, 20, false)})))
	var bomb strings.Builder
	bomb.WriteString(`{"json":"` + strings.Repeat("a", 1000) + `"}`)
	for i := range 30 {
		bomb.WriteString(`,{"parts":["","",""],"holes":[` + strings.Repeat(string(encode(i))+",", 2)[:2*len(encode(i))+1] + `]}`)
	}
	for name, list := range map[string]string{
		"itself":     `[{"parts":["",""],"holes":[0]}]`,
		"a later":    `[{"parts":["",""],"holes":[1]},{"json":{}}]`,
		"negative":   `[{"parts":["",""],"holes":[-1]}]`,
		"no parts":   `[{"json":{}},{"holes":[0]}]`,
		"a bomb":     "[" + bomb.String() + "]",
		"too few":    `[{"json":{}}]`,
		"no numbers": `[{"json":"a"}]`,
	} {
		var s map[string]json.RawMessage
		if err := json.Unmarshal(file, &s); err != nil {
			t.Fatal(err)
		}
		s["texts"] = json.RawMessage(list)
		if _, err := Open(encode(s)); !errors.Is(err, ErrTable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// apart returns a description of operations with many properties, of which they share none.
func apart(operations, properties int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"openapi":"3.1.0","info":{"title":"Apart","version":"1"},"servers":[{"url":"https://shop.example"}],"paths":{"x-first":0`)
	for i := range operations {
		fmt.Fprintf(&b, `,"/p%d":{"post":{"operationId":"p%d","requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","properties":{"first":{"type":"string"}`, i, i)
		for j := range properties {
			fmt.Fprintf(&b, `,"property_%d":{"type":"string","description":"It is %d of %d."}`, j, j, i)
		}
		b.WriteString(`}}}}},"responses":{"200":{"description":"ok"}}}}`)
	}
	b.WriteString(`}}`)
	return b.Bytes()
}

// A Box that is opened holds no more schemas than it has room for, and makes the others
// when they are used.
func TestASavedBoxIsOpenedWithinItsRoom(t *testing.T) {
	testkit.Large(t)
	box := loaded(t, resolved(t, document{"application/json", apart(20, 500)}))
	file, err := box.Save()
	if err != nil {
		t.Fatal(err)
	}
	room := newBudget()
	room.ready.Store(maxReady / 20)
	again, err := openWithin(room, file)
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for i := range again.tools {
		if again.tools[i].Schema != nil {
			held++
		}
	}
	if held == 0 || held == 20 {
		t.Fatalf("%d schemas are held", held)
	}
	last := again.tools[19].Name
	if tool, err := again.Tool(last); err != nil || tool.Schema == nil || again.tools[19].Schema != nil {
		t.Errorf("%s: %v", last, err)
	}
}
