package reading

import (
	"net/http"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/parse"
)

// besides contains the readings beside the documents of one answer: of its header fields, and of
// the head of a page. They do not affect the verdict on the answer.
type besides struct {
	// fields applies wherever the answer was requested. The head of a page does not: if a site
	// shows the same page for any path, its head is not about that path.
	fields []beside
	// page applies if a page was requested.
	page []beside
	// asked is true if formats were asked. body is true if they got the content, and not only the
	// header fields.
	asked, body bool
}

// beside is one reading with its diagnostics.
type beside struct {
	Clean
	diags []wayfind.Diagnostic
}

// readBeside calls the formats that read beside documents, unless the answer is a "no" or a
// failure. If its status is neither 200 nor 203, they get only the header fields.
func (r *Reader) readBeside(w *fuel.Counter, d *Contents, res *Response) {
	v, _ := verdict.OfStatus(res.Status, res.Header, d.input.HTML())
	if !verdict.About(v) || res.Status >= 300 && res.Status <= 399 {
		return
	}
	d.besides = r.besidesOf(w, d, d.input, v == wayfind.VerdictFound)
}

// besidesOf reads beside the documents of an input. If body is false, it reads only the header.
func (r *Reader) besidesOf(w *fuel.Counter, d *Contents, in *parse.Input, body bool) besides {
	bare := &parse.Input{URL: in.URL, FinalURL: in.FinalURL, MediaType: in.MediaType, Header: in.Header}
	b := besides{asked: true, body: body}
	if body {
		in = d.unclaimed(in)
	}
	for _, f := range r.Formats {
		if len(f.Fields) == 0 && !f.Aside() {
			continue
		}
		switch has := hasField(in.Header, f.Fields); {
		case body && in.HTML():
			if has {
				b.fields = append(b.fields, r.beside(w, d, f, bare)...)
			}
			b.page = append(b.page, r.beside(w, d, f, in)...)
		case body:
			b.fields = append(b.fields, r.beside(w, d, f, in)...)
		case has:
			b.fields = append(b.fields, r.beside(w, d, f, bare)...)
		}
	}
	if !body || !in.HTML() {
		b.page = b.fields
	}
	return b
}

// unclaimed returns the input with Unclaimed set, if it is a JSON object that no format claims.
func (d *Contents) unclaimed(in *parse.Input) *parse.Input {
	root, err := in.JSON()
	if err != nil || root.Kind() != parse.Object || slices.ContainsFunc(d.claims, func(c claimed) bool { return !c.Other }) {
		return in
	}
	own := in.Within(root)
	own.MediaType, own.Header, own.Unclaimed = in.MediaType, in.Header, true
	return own
}

// beside returns the reading of one format beside the documents of an input, if there is one.
func (r *Reader) beside(w *fuel.Counter, d *Contents, f *parse.Format, in *parse.Input) []beside {
	claim, err := guard(r, "match", f, func() (parse.Claim, error) { return f.Match(in), nil })
	if err != nil || !claim.Aside {
		return nil
	}
	made, err := r.call(d, f, "parse", func() (*parse.Reading, error) { return f.Parse(in) })
	if err != nil {
		_, code := verdict.OfError(err)
		return []beside{{diags: []wayfind.Diagnostic{DocumentRule(code).Diagnostic(in.URL.String(), "format %s cannot use it: %v", f.Name, err)}}}
	}
	links := parse.Reading{Dialect: made.Dialect, Version: made.Version, Authority: made.Authority,
		Policies: made.Policies, Documents: made.Documents, Links: made.Links, Diagnostics: made.Diagnostics}
	clean, diags := r.finish(w, d, claimed{f, claim}, &links)
	if len(links.Policies)+len(links.Documents)+len(links.Links)+len(diags) == 0 {
		return nil
	}
	return []beside{{clean, diags}}
}

// hasField reports whether a header has one of the fields.
func hasField(h http.Header, fields []string) bool {
	return slices.ContainsFunc(fields, func(name string) bool { return len(h[name]) > 0 })
}

// Beside returns the readings beside the documents of an answer at a place, and their diagnostics.
// header is the answer's present header: a 304 may have changed its fields since the answer was
// read (RFC 9111 §3.2).
func (r *Reader) Beside(d *Contents, at At, header http.Header) ([]Located, []wayfind.Diagnostic) {
	if r.BesideChanged(d, header) {
		own := *d
		own.besides = r.besidesUnder(at.Work, d, header)
		d = &own
	}
	return d.Beside(at)
}

// Beside returns the readings beside the documents of an answer at a place, and their diagnostics.
func (d *Contents) Beside(at At) (list []Located, diags []wayfind.Diagnostic) {
	chosen := at.Page && !at.Foreign && at.From == nil && *at.Final == *at.Requested // a file may have no site
	if at.CrossSite || !chosen && !at.Near(at.Final) {
		return nil, nil // the answer is of another site, and about that site
	}
	besides := d.besides.fields
	if at.Page {
		besides = d.besides.page
	}
	for _, one := range besides {
		diags = append(diags, at.Diagnostics(one.diags)...)
		if one.part.Reading == nil || len(one.part.Policies)+len(one.part.Documents)+len(one.part.Links) == 0 {
			continue
		}
		l := one.At(at)
		if d.verdict == wayfind.VerdictSoft404 && !at.Page {
			l = l.withoutPolicies()
		}
		list = append(list, l)
	}
	return list, diags
}

// BesideChanged reports whether a header field that a format reads beside
// documents has changed since the answer was read.
func (r *Reader) BesideChanged(d *Contents, now http.Header) bool {
	if d.input == nil || !d.besides.asked {
		return false
	}
	for _, f := range r.Formats {
		for _, name := range f.Fields {
			if !slices.Equal(d.input.Header[name], now[name]) {
				return true
			}
		}
	}
	return false
}

// HasBeside reports whether there are readings beside the document.
func (d *Contents) HasBeside() bool { return len(d.besides.fields)+len(d.besides.page) > 0 }

// besidesUnder reads the things beside the documents of an answer again, with other header fields.
func (r *Reader) besidesUnder(w *fuel.Counter, d *Contents, header http.Header) besides {
	in := &parse.Input{URL: d.input.URL, FinalURL: d.input.FinalURL, MediaType: d.input.MediaType, Header: header, Body: d.input.Body}
	return r.besidesOf(w, d, in, d.besides.body)
}

// withoutPolicies returns the reading without policies. A site's policy in a page that it shows for
// any path is no policy about a document.
func (l Located) withoutPolicies() Located {
	own := *l.part.Reading
	own.Policies = nil
	l.Reading = &own
	return l
}

// size estimates the bytes that the readings occupy.
func (b besides) size() (n int64) {
	const perEntry = 256
	for _, list := range [][]beside{b.fields, b.page} {
		for _, one := range list {
			n += perEntry * int64(1+len(one.diags))
			if one.part.Reading != nil {
				n += perEntry * int64(len(one.part.Policies)+len(one.part.Documents)+len(one.part.Links))
			}
		}
	}
	return n
}
