package parsetest_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// menu returns a format that obeys all laws.
func menu() *parse.Format {
	f := &parse.Format{
		Name:      "menu",
		Spec:      wayfind.SpecRef{Title: "Menu 1.0"},
		Locations: []parse.Location{{Path: "/menu.json"}, {Path: "/menu", After: "/menu.json"}},
	}
	f.Match = func(in *parse.Input) parse.Claim {
		if doc, err := in.JSONObject(); err == nil && doc.Get("dishes").Kind() == parse.Array {
			return parse.Claim{Level: parse.Exact}
		}
		return parse.Claim{}
	}
	f.Parse = func(in *parse.Input) (*parse.Reading, error) { return read(f, in) }
	return f
}

func read(f *parse.Format, in *parse.Input) (*parse.Reading, error) {
	doc, err := in.JSONObject()
	if err != nil {
		return nil, err
	}
	r := parse.NewReader(f)
	service := wayfind.Service{Name: r.String(doc, "kitchen", parse.Must, "§2"), Extensions: r.Extensions(doc, "kitchen", "dishes")}
	service.Capabilities = make([]wayfind.Capability, 0, doc.Get("dishes").Len())
	for _, dish := range r.Objects(doc, "dishes", parse.Must, "§3") {
		if id := r.String(dish, "id", parse.Must, "§3.1"); id != "" {
			service.Capabilities = append(service.Capabilities, wayfind.Capability{
				ID: id, Input: rawjson.Obj(), Sources: []wayfind.Ref{{Pointer: dish.Pointer()}},
			})
		}
	}
	return &parse.Reading{Services: []wayfind.Service{service}, Diagnostics: r.Diagnostics()}, nil
}

const small = `{"kitchen":"K","dishes":[{"id":"soup","x/y~":1},{"id":""},null],"z":{"a":[1]}}`

func large() string {
	return `{"dishes":[` + strings.Repeat(`{"id":"soup","note":"warm"},`, 300) + `{}]}`
}

func TestRun(t *testing.T) {
	parsetest.Run(t, menu(),
		parsetest.Doc{Name: "small", Body: []byte(small)},
		parsetest.Doc{Name: "large", URL: "https://e.example/menu", MediaType: "application/json", Body: []byte(large())},
		parsetest.Doc{Name: "other", Body: []byte("# no menu")},
	)
}

func FuzzMenu(f *testing.F) { parsetest.Fuzz(f, menu(), parsetest.Doc{Body: []byte(small)}) }

// with returns a copy of menu whose Parse passes its reading through change.
func with(change func(in *parse.Input, r *parse.Reading)) *parse.Format {
	f := menu()
	f.Parse = func(in *parse.Input) (*parse.Reading, error) {
		r, err := read(f, in)
		if r != nil {
			change(in, r)
		}
		return r, err
	}
	return f
}

// diagnosed returns a format that also reports d.
func diagnosed(d wayfind.Diagnostic) *parse.Format {
	return with(func(_ *parse.Input, r *parse.Reading) { r.Diagnostics = append(r.Diagnostics, d) })
}

func matching(claim parse.Claim) *parse.Format {
	f := menu()
	f.Match = func(*parse.Input) parse.Claim { return claim }
	return f
}

func parsing(result func(*parse.Input) (*parse.Reading, error)) *parse.Format {
	f := menu()
	f.Parse = result
	return f
}

// aside returns a format that claims documents as Aside. If change is nil, its Parse returns an
// error.
func aside(change func(*parse.Reading)) *parse.Format {
	f := matching(parse.Claim{Aside: true})
	f.Fields = []string{"Link"}
	f.Parse = func(*parse.Input) (*parse.Reading, error) {
		if change == nil {
			return nil, parse.Invalid("x")
		}
		r := &parse.Reading{}
		change(r)
		return r, nil
	}
	return f
}

// A document that is claimed as Aside is claimed by the format.
func TestRunTakesAsideForAClaim(t *testing.T) {
	parsetest.Run(t, aside(func(*parse.Reading) {}), parsetest.Doc{Name: "fields", Header: http.Header{"Link": {"</a>; rel=b"}}})
}

func TestCheckFindsBrokenLaws(t *testing.T) {
	spec := &wayfind.SpecRef{Title: "Menu 1.0"}
	half, two := 0.5, 2.0
	for want, f := range map[string]*parse.Format{
		"Match panicked":      {Name: "menu", Match: func(*parse.Input) parse.Claim { panic("x") }, Parse: menu().Parse},
		"Parse panicked":      parsing(func(*parse.Input) (*parse.Reading, error) { panic("x") }),
		"are required":        {Name: "menu"},
		"Level 7":             matching(parse.Claim{Level: 7}),
		"Aside requires":      matching(parse.Claim{Level: parse.Exact, Aside: true}),
		"Aside requires L":    matching(parse.Claim{Aside: true}), // without Fields
		"may only have Links": aside(func(r *parse.Reading) { r.Services = []wayfind.Service{{Name: "x"}} }),
		"Aside is an error":   aside(nil),
		"not in Documents": aside(func(r *parse.Reading) {
			r.Links = []parse.Link{{URLs: []string{"https://e.example/"}, Role: "x"}}
		}),
		"Other requires":              matching(parse.Claim{Level: parse.Exact, Other: true}),
		"never Exact":                 matching(parse.Claim{Level: parse.Exact, Dialect: parse.DialectDetail}),
		"neither":                     parsing(func(*parse.Input) (*parse.Reading, error) { return nil, nil }),
		"both a Reading and an error": parsing(func(*parse.Input) (*parse.Reading, error) { return &parse.Reading{}, parse.Invalid("x") }),
		"want *wayfind.Error": parsing(func(*parse.Input) (*parse.Reading, error) {
			return nil, errors.New("x")
		}),
		"without Op, Kind or Code": parsing(func(*parse.Input) (*parse.Reading, error) {
			return nil, &wayfind.Error{Op: "parse", Kind: wayfind.ErrInvalid}
		}),
		"Body was modified":   with(func(in *parse.Input, _ *parse.Reading) { in.Body = nil }),
		"URL of the Input":    with(func(in *parse.Input, _ *parse.Reading) { in.FinalURL = &url.URL{} }),
		"MediaType or Header": with(func(in *parse.Input, _ *parse.Reading) { in.MediaType = "x" }),
		"code \"other.x\"":    diagnosed(wayfind.Diagnostic{Severity: "info", Code: "other.x", Message: "x", Spec: spec}),
		"code \"menu\"":       diagnosed(wayfind.Diagnostic{Severity: "info", Code: "menu", Message: "x", Spec: spec}),
		"menu.x: no rule explains it": func() *parse.Format {
			f := diagnosed(wayfind.Diagnostic{Severity: "info", Code: "menu.x", Message: "x", Spec: spec})
			f.Rules = []parse.Rule{{Code: "y", Means: "X.", Mend: "X."}}
			return f
		}(),
		"graver than the severity of its rule": func() *parse.Format {
			f := diagnosed(wayfind.Diagnostic{Severity: "error", Code: "menu.x", Message: "x", Spec: spec})
			f.Rules = []parse.Rule{{Code: "x", Severity: "warning", Means: "X.", Mend: "X."}}
			return f
		}(),
		"severity \"bad\"": diagnosed(wayfind.Diagnostic{Severity: "bad", Code: "menu.x", Message: "x", Spec: spec}),
		"a message of one line": diagnosed(wayfind.Diagnostic{
			Severity: "info", Code: "menu.x", Message: strings.Repeat("x", 513), Spec: spec}),
		"no Spec":         diagnosed(wayfind.Diagnostic{Severity: "info", Code: "menu.x", Message: "x"}),
		"leads nowhere":   diagnosed(wayfind.Diagnostic{Severity: "info", Code: "menu.x", Message: "x", Spec: spec, Pointer: "/dishes/01"}),
		"line 9":          diagnosed(wayfind.Diagnostic{Severity: "info", Code: "menu.x", Message: "x", Spec: spec, Line: 9}),
		"has no ID":       with(func(_ *parse.Input, r *parse.Reading) { r.Services[0].Capabilities[0].ID = "" }),
		"URLs and a Role": with(func(_ *parse.Input, r *parse.Reading) { r.Links = []parse.Link{{URLs: []string{""}}} }),
		"Services[0].Capabilities[0].Sources[0]: pointer \"/q\" leads nowhere": with(func(_ *parse.Input, r *parse.Reading) {
			r.Services[0].Capabilities[0].Sources[0].Pointer = "/q"
		}),
		"Reading.Services[0].Name: text is not UTF-8": with(func(_ *parse.Input, r *parse.Reading) { r.Services[0].Name = "\xff" }),
		"Extensions[z] is not JSON": with(func(_ *parse.Input, r *parse.Reading) {
			r.Services[0].Extensions["z"] = parse.Raw(`{"a":1,"a":2}`)
		}),
		"Confidence is 2": with(func(_ *parse.Input, r *parse.Reading) { r.Confidence = &two }),
		"":                with(func(_ *parse.Input, r *parse.Reading) { r.Confidence = &half }),
	} {
		t.Run(want, func(t *testing.T) {
			got := strings.Join(parsetest.Check(f, parsetest.Doc{Body: []byte(small)}), "\n")
			if !strings.Contains(got, want) || want == "" && got != "" {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestCheckFindsState checks that a format with state, and a format that writes to a body, are
// detected.
func TestCheckFindsState(t *testing.T) {
	var calls atomic.Int64
	counting := with(func(_ *parse.Input, r *parse.Reading) { r.Version = fmt.Sprint(calls.Add(1)) })
	scribbling := with(func(in *parse.Input, _ *parse.Reading) {
		if len(in.Body) > 0 && in.Body[0] != 'X' {
			in.Body[0] = 'X'
		}
	})
	for want, f := range map[string]*parse.Format{"not deterministic": counting, "Body was modified": scribbling} {
		if got := strings.Join(parsetest.Check(f, parsetest.Doc{Body: []byte(small)}), "\n"); !strings.Contains(got, want) {
			t.Errorf("want %q, got %q", want, got)
		}
	}
}

// TestDetailIsChecked checks that the laws of Parse apply to Detail.
func TestDetailIsChecked(t *testing.T) {
	f := menu()
	f.Detail = func(_ *parse.Input, s parse.Subject) (*parse.Reading, error) {
		return &parse.Reading{Version: s.Capability.Name}, nil
	}
	if got := strings.Join(parsetest.Check(f, parsetest.Doc{Body: []byte(small)}), "\n"); !strings.Contains(got, "Detail panicked") {
		t.Errorf("an empty Subject is not tried: %q", got)
	}
}

// In a test, use Run. Check returns the same as text.
func ExampleCheck() {
	bad := &parse.Format{
		Name:  "bad",
		Match: func(*parse.Input) parse.Claim { return parse.Claim{Level: parse.Likely} },
		Parse: func(in *parse.Input) (*parse.Reading, error) {
			return &parse.Reading{Version: string(in.Body[:1]) + "\xff"}, nil
		},
	}
	for _, problem := range parsetest.Check(bad, parsetest.Doc{Body: []byte("1.0")}) {
		fmt.Println(problem)
	}
	// Output:
	// Reading.Version: text is not UTF-8: "1\xff"
}
