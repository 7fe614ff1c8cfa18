package reading_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/parse"
)

// signs is a format that reads a field and the content of any document, and returns more than it
// may.
func signs() *parse.Format {
	return &parse.Format{
		Name: "signs", Fields: []string{"X-Sign"}, Locations: []parse.Location{{Path: "/", Aside: true}},
		Match: func(*parse.Input) parse.Claim { return parse.Claim{Aside: true} },
		Parse: func(in *parse.Input) (*parse.Reading, error) {
			r := &parse.Reading{Services: []wayfind.Service{{Name: "no"}}, Unusable: "no", Domain: "evil.example",
				Policies:    []wayfind.Policy{{Kind: "sign"}},
				Diagnostics: []wayfind.Diagnostic{{Severity: wayfind.SeverityError, Code: "signs.bad", Message: "bad"}}}
			for _, said := range append(slices.Clone(in.Header["X-Sign"]), string(in.Body)) {
				if said != "" {
					r.Documents = append(r.Documents, wayfind.Document{Rel: "said", URL: "https://shop.example.com/", Title: said})
				}
			}
			return r, nil
		},
	}
}

// Links outside a document have no effect on its verdict. Of an answer without a document, only the
// header fields are used.
func TestBeside(t *testing.T) {
	const page = "<!doctype html><p>Hello"
	field := http.Header{"X-Sign": {"field"}}
	for name, row := range map[string]struct {
		status  int
		header  http.Header
		body    string
		page    bool
		verdict wayfind.Verdict
		want    []string
	}{
		"a document":              {200, field, `{}`, false, wayfind.VerdictFound, []string{"field", "{}"}},
		"and without fields":      {200, nil, `{}`, false, wayfind.VerdictFound, []string{"{}"}},
		"a page":                  {200, field, page, true, wayfind.VerdictSoft404, []string{"field", page}},
		"a page for anything":     {200, field, page, false, wayfind.VerdictSoft404, []string{"field"}},
		"and without fields too":  {200, nil, page, false, wayfind.VerdictSoft404, nil},
		"it wants us to log in":   {401, field, page, true, wayfind.VerdictProtected, []string{"field"}},
		"another method":          {405, field, `{}`, false, wayfind.VerdictEndpointLike, []string{"field"}},
		"nothing":                 {404, field, page, true, wayfind.VerdictAbsent, nil},
		"nothing, in short":       {404, field, "", false, wayfind.VerdictAbsent, nil},
		"gone":                    {410, field, `{"a": "\n"}`, false, wayfind.VerdictAbsent, nil},
		"a failure":               {500, field, page, true, wayfind.VerdictUnreachable, nil},
		"too many requests":       {429, field, `{}`, true, wayfind.VerdictThrottled, nil},
		"a redirect":              {302, field, page, true, wayfind.VerdictUnrecognised, nil},
		"a firewall":              {403, http.Header{"X-Sign": {"field"}, "Cf-Mitigated": {"challenge"}}, page, true, wayfind.VerdictBlocked, nil},
		"a failure without words": {401, nil, `{}`, true, wayfind.VerdictProtected, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := &reading.Reader{Formats: []*parse.Format{dishes(), signs()}, MaxBytes: 1 << 10, Strict: true}
			res := answer(t, row.body)
			res.Status, res.Header = row.status, row.header
			d := r.Read(nil, res)
			v, _, _ := d.Verdict()
			if v != row.verdict || d.Read() != (v == wayfind.VerdictFound) {
				t.Errorf("verdict %s, read %v", v, d.Read())
			}
			list, diags := d.Beside(reading.At{Requested: res.URL, Final: res.URL, Page: row.page})
			var got []string
			for _, l := range list {
				if len(l.Services) > 0 || l.Unusable != "" || l.Domain != "" || l.Format.Name != "signs" {
					t.Errorf("read beside it: %+v", l)
				}
				if wishes := len(l.Policies); (wishes > 0) != (row.page || v != wayfind.VerdictSoft404) {
					t.Errorf("%d policies", wishes)
				}
				for _, doc := range l.Documents {
					got = append(got, doc.Title)
				}
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("read beside it (-want +got):\n%s", diff)
			}
			if (len(diags) > 0) != (len(got) > 0) {
				t.Errorf("diagnostics %v", diags)
			}
			if found, own := d.At(reading.At{Requested: res.URL, Final: res.URL}); slices.ContainsFunc(own, func(n wayfind.Diagnostic) bool { return n.Code == "signs.bad" }) || len(found) > 1 {
				t.Errorf("the document itself: %v, %v", found, own)
			}
			if again, _ := d.WithoutBody().Beside(reading.At{Requested: res.URL, Final: res.URL, Page: row.page}); len(again) != len(list) {
				t.Errorf("without the body %d readings, with it %d", len(again), len(list))
			}
		})
	}
}

// A page of another site describes that site.
func TestBesideElsewhere(t *testing.T) {
	r := &reading.Reader{Formats: []*parse.Format{signs()}, MaxBytes: 1 << 10}
	res := answer(t, "<!doctype html>")
	d := r.Read(nil, res)
	for name, at := range map[string]reading.At{
		"the document is elsewhere": {Requested: link(t, "https://other.example/"), Final: res.URL, Page: true},
		"the way led elsewhere":     {Requested: res.URL, Final: res.URL, CrossSite: true, Page: true},
	} {
		if list, diags := d.Beside(at); list != nil || diags != nil {
			t.Errorf("%s: %v, %v", name, list, diags)
		}
	}
}

// A 304 may have other header fields, which apply from then on (RFC 9111 §3.2). A field that it
// does not have stays unchanged.
func TestBesideOfA304(t *testing.T) {
	r := &reading.Reader{Formats: []*parse.Format{dishes(), signs()}, MaxBytes: 1 << 10}
	res := answer(t, `{}`)
	res.Header.Set("X-Sign", "old")
	d := r.Read(nil, res)
	now := res.Header.Clone()
	now.Set("Date", "now")
	if r.BesideChanged(d, now) {
		t.Error("another field changes what is read")
	}
	now["X-Sign"] = []string{"new", "newer"}
	list, _ := r.Beside(d, reading.At{Requested: res.URL, Final: res.URL}, now)
	if len(list) != 1 || len(list[0].Documents) != 3 || list[0].Documents[0].Title != "new" {
		t.Errorf("read under the new fields: %+v", list)
	}
	if list, _ := d.Beside(reading.At{Requested: res.URL, Final: res.URL}); len(list) != 1 || list[0].Documents[0].Title != "old" {
		t.Errorf("the shared reading has changed: %+v", list)
	}
}

// A format that fails on the links outside a document does not make the document malformed.
func TestBesidePanics(t *testing.T) {
	for name, f := range map[string]*parse.Format{
		"match": {Name: "x", Fields: []string{"X-Sign"}, Match: func(in *parse.Input) parse.Claim {
			if in.HTML() {
				panic("x")
			}
			return parse.Claim{}
		}},
		"parse": {Name: "x", Fields: []string{"X-Sign"}, Match: signs().Match, Parse: func(*parse.Input) (*parse.Reading, error) { panic("x") }},
		"error": {Name: "x", Fields: []string{"X-Sign"}, Match: signs().Match, Parse: func(*parse.Input) (*parse.Reading, error) { return nil, parse.Invalid("x") }},
	} {
		r := &reading.Reader{Formats: []*parse.Format{f, dishes()}, MaxBytes: 1 << 10}
		for _, body := range []string{"{}", "<!doctype html>"} {
			d := r.Read(nil, answer(t, body))
			if v, _, err := d.Verdict(); err != nil || v != map[string]wayfind.Verdict{"{}": wayfind.VerdictFound}[body] && v != wayfind.VerdictSoft404 {
				t.Errorf("%s, %s: %s, %v", name, body, v, err)
			}
		}
	}
}
