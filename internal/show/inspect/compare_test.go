package inspect

import (
	"errors"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security/pins"
)

// withPrice is the Site of the tests with another price, and one capability more.
func withPrice(price string, more ...wayfind.Capability) *wayfind.Site {
	site := disputed()
	site.Services[0].Capabilities[0].Price = price
	site.Services[0].Capabilities = append(site.Services[0].Capabilities, more...)
	return site
}

func TestCompare(t *testing.T) {
	now := withPrice("2 €", wayfind.Capability{Key: "adp:sell", Kind: wayfind.KindOperation})
	set, err := (&pins.Set{}).With(disputed())
	if err != nil {
		t.Fatal(err)
	}
	i := &Inspector{}
	if _, err := i.compare(t.Context(), ""); !errors.Is(err, errNoAnswer) {
		t.Errorf("before an answer: %v", err)
	}
	i.site, i.state.Answer = now, 1
	if c, err := i.compare(t.Context(), ""); err != nil || c.With != "" || !strings.Contains(c.Verdict, "--against") {
		t.Errorf("with nothing to compare: %+v %v", c, err)
	}
	i.Others = []Other{{Name: "same", Title: "the same", Site: now}, {Name: "before", Title: "before", Site: disputed()}, {Name: "pins", Title: "pins", Pins: set}}
	if c, err := i.compare(t.Context(), ""); err != nil || c.With != "same" || c.Verdict != "Nothing changed." || len(c.States) != 3 {
		t.Errorf("with the same: %+v %v", c, err)
	}
	c, err := i.compare(t.Context(), "before")
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]changedThing{}
	for _, thing := range c.Things {
		said[thing.Change+" "+thing.Key] = thing
	}
	if f := said["changed adp:buy"].Fields; len(f) != 1 || f[0] != (changedField{"terms", "price", "1 €", "2 €"}) {
		t.Errorf("the price: %+v", c.Things)
	}
	if said["added adp:sell"].Risk == "" || c.Risk == "" {
		t.Errorf("an addition: %+v", c)
	}
	c, err = i.compare(t.Context(), "pins")
	if err != nil || len(c.Things) != 1 || c.Things[0].Key != "adp:buy" || c.Lists[0].Items[0] != "capability adp:sell" {
		t.Errorf("with pins: %+v %v", c, err)
	}
	if _, err := i.compare(t.Context(), "other"); !errors.Is(err, errInput) {
		t.Errorf("with no such state: %v", err)
	}
}

// The earlier answers of a session are states of their own, the newest first.
func TestComparePast(t *testing.T) {
	i := &Inspector{}
	for n := range mostPast + 3 {
		i.remember()
		i.site, i.state.Answer = withPrice(strings.Repeat("€", n)), n+1
	}
	others := i.others()
	if len(others) != mostPast || others[0].Name != "answer-12" || others[mostPast-1].Name != "answer-3" {
		t.Errorf("%d states, from %q to %q", len(others), others[0].Name, others[len(others)-1].Name)
	}
	if c, err := i.compare(t.Context(), ""); err != nil || c.Things[0].Fields[0].Old != strings.Repeat("€", 11) {
		t.Errorf("%+v %v", c, err)
	}
}
