package tools

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/effect"
	"github.com/wayfindhq/wayfind/resolve/diff"
)

// twice is a Box with a call that two documents describe. The Box has the second description in part.
func twice(t *testing.T, whole *wayfind.Capability, err error) *Box {
	t.Helper()
	l, site := loaderOf(t)
	c := withContract(0, `{"type":"object"}`)
	c.Sources = []wayfind.Ref{{Source: "https://shop.example/a.json"}}
	l.take(site, c)
	other := withContract(1, `{"type":"object"}`)
	other.Sources = []wayfind.Ref{{Source: "https://shop.example/b.json"}}
	read := func() (*wayfind.Detail, error) { return &wayfind.Detail{Capability: whole}, err }
	part := Tool{Key: other.Key, Capability: other, Service: &site.Services[0], Sources: other.Sources, partial: &partial{read: read, ready: new(atomic.Int64)}}
	l.of(site, &part)
	l.put(part)
	if err := l.name(nil); err != nil || len(l.box.tools) != 1 {
		t.Fatalf("%v: %+v", err, l.box.tools)
	}
	l.box.order(nil)
	return l.box
}

// The call of a tool has the cautions of each document that describes it, also of one that is read when
// the tool is chosen. One that cannot be read then adds caution.
func TestTheCautionOfAPartOfASecondDocumentCounts(t *testing.T) {
	plain := withContract(1, `{"type":"object"}`)
	priced := *plain
	priced.Price = "5 USD"
	for name, row := range map[string]struct {
		whole   *wayfind.Capability
		err     error
		caution effect.Caution
	}{
		"a price": {&priced, nil, effect.Price}, "nothing": {plain, nil, ""}, "no definition": {nil, errors.New("it is gone"), effect.Confirmation},
	} {
		box := twice(t, row.whole, row.err)
		for range 2 {
			tool, err := box.Tool(box.tools[0].Name)
			if err != nil {
				t.Fatal(err)
			}
			does := effect.In(tool)
			if row.caution == "" && len(does.Cautions) > 0 || row.caution != "" && (len(does.Cautions) != 1 || !does.Has(row.caution)) {
				t.Errorf("%s: %v", name, does.Cautions)
			}
		}
	}
}

// A watch tells that another document of a call warns of it now, though the definition of the tool is as
// it was.
func TestAWatchTellsOfTheCautionOfAnotherDocument(t *testing.T) {
	of := func(price string, effects *wayfind.Effects) *Box {
		l, site := loaderOf(t)
		for i := range 2 {
			c := withContract(i, `{"type":"object"}`)
			c.Sources = []wayfind.Ref{{Source: "https://shop.example/" + string(rune('a'+i)) + ".json"}}
			if i == 1 {
				c.Price, c.Effects = price, effects
			}
			l.take(site, c)
		}
		if len(l.box.tools) != 1 {
			t.Fatalf("%+v", l.box.tools)
		}
		return l.box
	}
	plain := of("", nil)
	destroys := &wayfind.Effects{Destructive: new(true)}
	for name, row := range map[string]struct {
		now   *Box
		field string
		risk  diff.Risk
	}{
		"a price": {of("5 USD", nil), "price", diff.Incomparable}, "a loss": {of("", destroys), "effects", diff.Riskier}, "nothing": {of("", nil), "", diff.Equal},
	} {
		row.now.digests = append(row.now.digests, name)
		changed := row.now.changedSince(t.Context(), plain)
		got, ok := changed[row.now.tools[0].subject()]
		switch {
		case row.field == "":
			if ok {
				t.Errorf("%s: %+v", name, got)
			}
		case !ok || len(got.Changes) == 0 || got.Changes[0].Field != row.field || got.Grade.Risk != row.risk || got.Grade.Passes():
			t.Errorf("%s: %+v", name, got)
		}
	}
}
