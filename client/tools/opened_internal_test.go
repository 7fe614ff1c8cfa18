package tools

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// A Box that was saved and is opened holds little more than the one that a Load made: the
// tools of a service share their schemas again.
func TestAnOpenedBoxHoldsWhatALoadedOneDoes(t *testing.T) {
	testkit.Large(t)
	site := resolved(t, document{"application/json", fanOut(testkit.Size(40, 300), 500, false)})
	var again *Box
	testkit.Measurement(t, func() error {
		box, first, _ := measured(t, site)
		file, err := box.Save()
		if err != nil {
			t.Fatal(err)
		}
		box.forget()
		again = nil
		second := testkit.Live(func() { again, err = Open(file) })
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d KiB are live for the Box that was loaded, %d for the one that was opened", first>>10, second>>10)
		if second > first+first/2 {
			return fmt.Errorf("%d bytes are live for the Box that was loaded, %d for the one that was opened", first, second)
		}
		return nil
	})
	for i := range again.tools {
		if again.tools[i].Schema == nil {
			t.Fatalf("%s has no schema", again.tools[i].Name)
		}
	}
}

// The tools of an opened Box share schemas that are equal to their whole definitions.
func TestTheSchemasOfAnOpenedBoxAreThoseOfItsDefinitions(t *testing.T) {
	list := map[string]document{"fan-out": {"application/json", fanOut(20, 50, false)}}
	if testkit.Long() {
		for name, d := range published(t) {
			if len(d.body) < testkit.Sizes(0, 1<<20, 4<<20) {
				list[name] = d
			}
		}
	}
	for name, d := range list {
		t.Run(name, func(t *testing.T) {
			again, _ := opened(t, loaded(t, resolved(t, d)))
			step := 1 + len(again.tools)/50
			for i := 0; i < len(again.tools); i += step {
				held := again.tools[i].Schema
				tool, err := again.Tool(again.tools[i].Name)
				if err != nil || held == nil {
					t.Fatal(err, held)
				}
				whole, err := (&loader{budget: newBudget()}).input(tool.Capability, operationOf(tool.Capability, tool.Service))
				if err != nil {
					t.Fatal(err)
				}
				sameSchema(t, tool.Name, held, whole)
			}
		})
	}
}

// A name that means another definition in another tool is not shared.
func TestANameOfTwoDefinitionsIsNotShared(t *testing.T) {
	x := newShelf()
	object := func(kind string) json.RawMessage {
		return json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"` + kind + `"}}}`)
	}
	first, _ := x.input(object("string"), nil)
	if again, _ := x.input(object("string"), nil); first == nil || again == nil || len(x.numbers) != 2 {
		t.Fatalf("%v, %v, %d definitions", first, again, len(x.numbers))
	}
	if other, _ := x.input(object("integer"), nil); other != nil {
		t.Error("it is shared")
	}
	for _, raw := range []string{
		`[]`, `{"properties":{}}`, `{"type":"array"}`, `{"type":"object","additionalProperties":false}`, `{"type":"object","properties":{"a":{},"b":{}},"required":["b","a"]}`,
		`{"type":"object","properties":{},"required":["a"]}`, `{"type":"object","properties":{"a":{"$ref":"#"}}}`,
	} {
		if other, _ := x.input(json.RawMessage(raw), nil); other != nil {
			t.Errorf("%s is shared", raw)
		}
	}
}
