package reading_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/parse"
)

// menus is a format that lists dishes inside its document.
func menus(index bool) *parse.Format {
	return &parse.Format{
		Name: "menus", Index: index,
		Match: func(in *parse.Input) parse.Claim {
			root, err := in.JSONObject()
			if err != nil || !root.Get("menus").Exists() {
				return parse.Claim{}
			}
			return parse.Claim{Level: parse.Exact}
		},
		Parse: func(in *parse.Input) (*parse.Reading, error) {
			root, _ := in.JSONObject()
			r := &parse.Reading{}
			for _, item := range root.Get("menus").Items() {
				sum, _ := item.Get("digest").Str()
				r.Inline = append(r.Inline, parse.Inline{Value: item.Get("data"), SHA256: sum})
			}
			return r, nil
		},
	}
}

// dish reads an object with the member dish.
func dish() *parse.Format {
	return &parse.Format{
		Name: "dish",
		Match: func(in *parse.Input) parse.Claim {
			if root, err := in.JSONObject(); err != nil || !root.Get("dish").Exists() {
				return parse.Claim{}
			}
			return parse.Claim{Level: parse.Exact}
		},
		Parse: func(in *parse.Input) (*parse.Reading, error) {
			root, _ := in.JSONObject()
			r := parse.NewReader(&parse.Format{Name: "dish"})
			name := r.String(root, "dish", parse.Must, "")
			if name == "" {
				return nil, parse.Invalid("a dish without a name")
			}
			return &parse.Reading{Services: []wayfind.Service{{Name: name, Sources: parse.SourcesAt(root)}}, Diagnostics: r.Diagnostics()}, nil
		},
	}
}

// read reads a document of the formats of these tests.
func readMenu(t *testing.T, body string, index bool) ([]reading.Located, []wayfind.Diagnostic) {
	t.Helper()
	r := &reading.Reader{Formats: []*parse.Format{dish(), menus(index)}, MaxBytes: 1 << 20}
	d := r.Read(nil, answer(t, body))
	if v, _, err := d.Verdict(); v != wayfind.VerdictFound || len(d.Formats()) != 1 || d.Formats()[0].Name != "menus" {
		t.Fatalf("%s, %v, claimed by %v", v, err, d.Formats())
	}
	u := link(t, "https://shop.example.com/dishes.json")
	return d.At(reading.At{Requested: u, Final: u})
}

// A document inside a document is read by the format that claims it, with the rank of an entry and
// the pointers of the whole.
func TestInlineDocumentsAreReadByTheirFormat(t *testing.T) {
	list, diags := readMenu(t, `{"menus": [{"data": {"dish": "Soup"}}, {"data": {"what": 1}}, {"data": {"dish": 7}}, {"data": {"menus": [{"data": {"dish": "Cake\u202e"}}]}}]}`, true)
	var got []string
	for _, l := range list {
		for _, s := range l.Services {
			got = append(got, fmt.Sprintf("%s %s %s %d", s.Name, s.Sources[0].Pointer, l.Source.Authority, l.Around()))
		}
	}
	if want := "Soup /menus/0/data catalog 1, Cake /menus/3/data/menus/0/data catalog 2"; strings.Join(got, ", ") != want {
		t.Errorf("read %v, want %s", got, want)
	}
	if list[0].Source.Authority != wayfind.AuthorityNative || list[0].Source.SHA256 == list[1].Source.SHA256 {
		t.Errorf("sources %+v", list)
	}
	for _, d := range diags {
		if d.Code == "document.schema" && d.Pointer == "/menus/2/data" {
			return
		}
	}
	t.Errorf("what is wrong inside has no pointer: %+v", diags)
}

// A digest is computed over the canonical form.
func TestAnInlineDigestIsOfTheCanonicalForm(t *testing.T) {
	const sum = "f3d4d8ee3ac7a9e8d2bd18a5be7ae6eb3be8bd7bc0cc6dbb1b4b8a4b7e5e7e3a"
	list, diags := readMenu(t, `{"menus": [{"digest": "`+sum+`", "data": {"dish": "Soup"}}]}`, true)
	if len(list) != 1 || len(diags) != 1 || diags[0].Code != "inline.digest" || diags[0].Pointer != "/menus/0/data" {
		t.Errorf("%d readings, %+v", len(list), diags)
	}
}

// At most three indexes are nested. Documents that list nothing are not counted.
func TestAtMostThreeIndexesAreNested(t *testing.T) {
	body := `{"dish": "Soup"}`
	for range 5 {
		body = `{"menus": [{"data": ` + body + `}]}`
	}
	for index, want := range map[bool]int{true: 3, false: 6} {
		list, diags := readMenu(t, body, index)
		if len(list) != want || (len(diags) > 0) != index {
			t.Errorf("index %v: %d readings, %+v", index, len(list), diags)
		}
	}
}
