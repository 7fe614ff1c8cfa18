package parse_test

import (
	"fmt"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// A format of one's own: a name, a Match and a Parse.
func Example() {
	menu := &parse.Format{
		Name:      "menu",
		Spec:      wayfind.SpecRef{Title: "Menu 1.0"},
		Title:     "what a kitchen cooks",
		Locations: []parse.Location{{Path: "/.well-known/menu.json", Section: "§1"}},
	}
	menu.Match = func(in *parse.Input) parse.Claim {
		if doc, err := in.JSONObject(); err == nil && doc.Get("dishes").Kind() == parse.Array {
			return parse.Claim{Level: parse.Exact}
		}
		return parse.Claim{}
	}
	menu.Parse = func(in *parse.Input) (*parse.Reading, error) {
		doc, err := in.JSONObject()
		if err != nil {
			return nil, err
		}
		r := parse.NewReader(menu)
		service := wayfind.Service{Name: r.String(doc, "kitchen", parse.Must, "§2")}
		for _, dish := range r.Objects(doc, "dishes", parse.Must, "§3") {
			if id := r.String(dish, "id", parse.Must, "§3.1"); id != "" {
				service.Capabilities = append(service.Capabilities, wayfind.Capability{ID: id, Kind: wayfind.KindOperation})
			}
		}
		return &parse.Reading{Services: []wayfind.Service{service}, Diagnostics: r.Diagnostics()}, nil
	}

	in := &parse.Input{Body: []byte(`{"dishes": [{"id": "soup"}, {"id": 7}, "bread"]}`)}
	fmt.Println(menu.Match(in).Level == parse.Exact)
	reading, err := menu.Parse(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range reading.Services[0].Capabilities {
		fmt.Println("dish", c.ID)
	}
	for _, d := range reading.Diagnostics {
		fmt.Printf("%s %s at %q (%s): %s\n", d.Severity, d.Code, d.Pointer, d.Spec, d.Message)
	}
	// Output:
	// true
	// dish soup
	// error menu.missing at "" (Menu 1.0 §2): required member "kitchen" is missing
	// warning menu.wrong_type at "/dishes/2" (Menu 1.0 §3): element of "dishes" is string where object belongs; it is ignored
	// error menu.wrong_type at "/dishes/1/id" (Menu 1.0 §3.1): member "id" is number where string belongs; it is ignored
}

// A finding of a format's own is a rule, which the format lists.
func ExampleReader_Report() {
	cold := parse.Rule{Code: "cold", Severity: wayfind.SeverityWarning, Section: "§4",
		Means: "A dish is served cold.",
		Mend:  "Warm it."}
	menu := &parse.Format{Name: "menu", Spec: wayfind.SpecRef{Title: "Menu 1.0"}, Rules: []parse.Rule{cold}}
	doc, err := (&parse.Input{Body: []byte(`{"soup": {"celsius": 12}}`)}).JSONObject()
	if err != nil {
		fmt.Println(err)
		return
	}
	r := parse.NewReader(menu)
	soup := doc.Get("soup")
	if c := r.Int(soup, "celsius", parse.Must, "§4"); c != nil && *c < 40 {
		r.Report(cold, soup, "the dish has %d degrees", *c)
	}
	for _, d := range r.Diagnostics() {
		fmt.Printf("%s %s at %q (%s): %s\n", d.Severity, d.Code, d.Pointer, d.Spec, d.Message)
	}
	// Output: warning menu.cold at "/soup" (Menu 1.0 §4): the dish has 12 degrees
}
