package effect_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/effect"
)

func read(method string, c wayfind.Capability) *wayfind.Capability {
	c.Invocation = &wayfind.Invocation{Protocol: "http", Method: method, URL: "https://shop.example/api/x" + c.ID}
	return &c
}

// Each fact that a document can state counts, whatever member states it.
func TestEachFactCounts(t *testing.T) {
	no, yes := new(false), new(true)
	for name, row := range map[string]struct {
		c    *wayfind.Capability
		want []effect.Caution
	}{
		"nothing":                    {read("GET", wayfind.Capability{}), nil},
		"free":                       {read("GET", wayfind.Capability{Price: "Free", Offers: []wayfind.Offer{{Mode: "free"}}}), nil},
		"a price":                    {read("GET", wayfind.Capability{Price: "5 USD"}), []effect.Caution{effect.Price}},
		"a range":                    {read("GET", wayfind.Capability{Offers: []wayfind.Offer{{Mode: "dynamic", Min: "1", Max: "9"}}}), []effect.Caution{effect.Price}},
		"a quote":                    {read("GET", wayfind.Capability{Offers: []wayfind.Offer{{Mode: "quote"}}}), []effect.Caution{effect.Price}},
		"free and an offer":          {read("GET", wayfind.Capability{Price: "free", Offers: []wayfind.Offer{{Amount: "5"}}}), []effect.Caution{effect.Price}},
		"a word":                     {read("GET", wayfind.Capability{Effects: &wayfind.Effects{NeedsConfirmation: yes}}), []effect.Caution{effect.Confirmation}},
		"sensitive":                  {read("GET", wayfind.Capability{Effects: &wayfind.Effects{Sensitivity: "pii"}}), []effect.Caution{effect.Sensitive}},
		"irreversible":               {read("POST", wayfind.Capability{Effects: &wayfind.Effects{Reversible: no}}), []effect.Caution{effect.Irreversible}},
		"irreversible, by word":      {read("POST", wayfind.Capability{Effects: &wayfind.Effects{Sensitivity: "irreversible"}}), []effect.Caution{effect.Irreversible, effect.Sensitive}},
		"destructive, by word":       {read("POST", wayfind.Capability{Effects: &wayfind.Effects{Sensitivity: "destructive"}}), []effect.Caution{effect.Destroys, effect.Sensitive}},
		"a price of another reading": {read("GET", wayfind.Capability{Price: "free", Alternatives: []wayfind.Capability{{Price: "500 USD"}}}), []effect.Caution{effect.Price}},
		"a word of another reading":  {read("POST", wayfind.Capability{Alternatives: []wayfind.Capability{{Effects: &wayfind.Effects{NeedsConfirmation: yes}}}}), []effect.Caution{effect.Confirmation}},
		"a default of another reading": {read("POST", wayfind.Capability{Effects: &wayfind.Effects{Destructive: no},
			Alternatives: []wayfind.Capability{{Effects: &wayfind.Effects{Destructive: yes, Defaulted: []string{"destructive"}}}}}), nil},
		"not twice":  {read("POST", wayfind.Capability{Effects: &wayfind.Effects{Idempotent: no}}), []effect.Caution{effect.Repeats}},
		"DELETE":     {read("DELETE", wayfind.Capability{}), []effect.Caution{effect.Deletes}},
		"by default": {read("POST", wayfind.Capability{Effects: &wayfind.Effects{Destructive: yes, Defaulted: []string{"destructive"}}}), []effect.Caution{effect.MayDestroy}},
	} {
		does := effect.Of(row.c)
		if !slices.Equal(does.Cautions, row.want) {
			t.Errorf("%s: %v, want %v", name, does.Cautions, row.want)
		}
		if reads := row.c.Invocation.Method == "GET" && !slices.ContainsFunc(row.want, effect.Caution.Once); does.OnlyReads(false) != reads {
			t.Errorf("%s: reads only is %t", name, !reads)
		}
		if does.OnlyReads(false) && does.Destructive(false) || does.Once() && does.Idempotent(false) {
			t.Errorf("%s: the hints contradict the effect: %+v", name, does)
		}
	}
}

// An argument that frameworks take for another method makes a GET one that may delete, wherever the
// argument stands.
func TestAnArgumentCanBeAnotherMethod(t *testing.T) {
	reads := &wayfind.Effects{ReadOnly: new(true), Defaulted: []string{"readOnly"}}
	for name, c := range map[string]wayfind.Capability{
		"query":      {Params: []wayfind.Param{{Name: "_method", In: "query"}}},
		"upper case": {Params: []wayfind.Param{{Name: "X-HTTP-Method-Override", In: "query"}}},
		"body":       {Params: []wayfind.Param{{Name: "_METHOD", In: "body"}}},
		"in a body":  {Params: []wayfind.Param{{Name: "body", In: "body", Whole: true, Schema: []byte(`{"properties":{"_method":{"type":"string"}}}`)}}},
		"in input":   {Input: []byte(`{"properties":{"$httpMethod":{}}}`)},
		"fixed":      {ID: "?a=b&_method=DELETE"},
		"template":   {ID: "{?_method}"},
		"escaped":    {ID: "?a=b&%5Fmethod=DELETE"},
	} {
		c.Effects = reads
		does := effect.Of(read("GET", c))
		if does.OnlyReads(true) || does.Idempotent(true) || !does.Has(effect.Deletes) {
			t.Errorf("%s: %+v", name, does)
		}
	}
	for name, c := range map[string]wayfind.Capability{
		"another name":    {Params: []wayfind.Param{{Name: "method", In: "query"}, {Name: "payment_method", In: "query"}}},
		"a value":         {Params: []wayfind.Param{{Name: "q", In: "query", Schema: []byte(`{"description":"never \"_method\" here"}`)}}},
		"a header":        {Params: []wayfind.Param{{Name: "X-HTTP-Method-Override", In: "header"}}}, // it is never sent
		"part of a value": {ID: "?a=my_method"},
	} {
		if does := effect.Of(read("GET", c)); !does.OnlyReads(false) {
			t.Errorf("%s: %+v", name, does)
		}
	}
}

// Two documents about one call: each caution counts, and what only one of them guarantees does not.
func TestTwoDocumentsAddCaution(t *testing.T) {
	plain := effect.Of(read("GET", wayfind.Capability{Price: "1 USD"}))
	careful := effect.Of(read("GET", wayfind.Capability{Price: "100 USD", Effects: &wayfind.Effects{NeedsConfirmation: new(true)}}))
	for _, both := range []effect.Effect{plain.And(careful), careful.And(plain)} {
		if !slices.Equal(both.Cautions, []effect.Caution{effect.Confirmation, effect.Price}) || both.Price() != "100 USD (the site also states 1 USD)" {
			t.Errorf("%+v, price %q", both, both.Price())
		}
		raw, err := json.Marshal(both)
		var again effect.Effect
		if err != nil || json.Unmarshal(raw, &again) != nil || !slices.Equal(again.Cautions, both.Cautions) || again.Price() != both.Price() {
			t.Errorf("saved as %s: %+v, %v", raw, again, err)
		}
	}
	if both := effect.Of(read("GET", wayfind.Capability{})).And(effect.Of(nil)); both.OnlyReads(true) {
		t.Errorf("an unknown one takes caution away: %+v", both)
	}
}

func TestCautionsAreListed(t *testing.T) {
	if list := effect.Cautions(); len(list) != 8 || slices.Contains(list, "") {
		t.Errorf("%v", list)
	}
}
