package reading

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/syntax/contract"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security/cards"
)

// Detail is the reading of a detail document by one format.
type Detail struct {
	Clean
	// Diagnostics are about the document.
	Diagnostics []wayfind.Diagnostic
	// Unusable is the format's reason why the document cannot be used; empty if it can.
	Unusable string
	// Broken is true if the document breaks a MUST and the Reader is strict.
	Broken bool
}

// Detail reads a document about a subject with one format, even if another format has claimed the
// document.
func (r *Reader) Detail(w *fuel.Counter, d *Contents, f *parse.Format, subject parse.Subject) (*Detail, error) {
	made, err := r.call(d, f, "detail", func() (*parse.Reading, error) { return f.Detail(d.about(subject), subject) })
	if err != nil {
		return nil, err
	}
	return r.detail(w, d, f, made), nil
}

// detail cleans a format's reading of a detail document.
func (r *Reader) detail(w *fuel.Counter, d *Contents, f *parse.Format, made *parse.Reading) *Detail {
	clean, diags := r.finish(w, d, claimed{f, parse.Claim{Dialect: parse.DialectDetail}}, made)
	return &Detail{Clean: clean, Diagnostics: diags, Unusable: clean.part.Unusable, Broken: r.Strict && broken(diags)}
}

// Request is Detail for a caller that only needs the schema of the arguments. If the format can
// share the schema between the capabilities of the document, it is in the request, and the reading
// has neither schemas nor examples. Otherwise the request is nil.
func (r *Reader) Request(w *fuel.Counter, d *Contents, f *parse.Format, subject parse.Subject) (*Detail, *contract.Request, error) {
	if r.Strict { // the whole definition is checked
		whole, err := r.Detail(w, d, f, subject)
		return whole, nil, err
	}
	in := d.about(subject)
	var made *parse.Reading
	read := func() (err error) {
		made, err = r.call(d, f, "detail", func() (*parse.Reading, error) { return f.Detail(in, subject) })
		return err
	}
	request, err := contract.Of(in).Ask(subject.Capability, read, func(schema parse.Raw) (clean parse.Raw, altered bool) {
		one := &walker{secrets: d.secrets, work: w}
		clean = one.json(schema, "input", modeSchema)
		return clean, one.altered != ""
	})
	if err != nil {
		return nil, nil, err
	}
	return r.detail(w, d, f, made), request, nil
}

// Alone reads a detail document by itself. Discovery has no use for that, but its publisher
// does. The result is another document, or d itself if it is no detail document.
func (r *Reader) Alone(w *fuel.Counter, d *Contents) *Contents {
	if d.input == nil || len(d.readings) > 0 || d.err != nil {
		return d
	}
	i := slices.IndexFunc(d.claims, func(cl claimed) bool { return cl.Dialect == parse.DialectDetail && cl.format.Detail != nil })
	if i < 0 {
		return d
	}
	own, cl := *d, d.claims[i]
	own.diags = slices.Clip(own.diags)
	made, err := r.call(&own, cl.format, "detail", func() (*parse.Reading, error) { return cl.format.Detail(own.input, parse.Subject{}) })
	if err == nil {
		err = r.take(w, &own, cl, made)
	}
	if err != nil {
		own.err = err
		own.verdict, own.reason = verdict.OfError(err)
		return &own
	}
	own.verdict, own.reason = wayfind.VerdictFound, ""
	return &own
}

// As reads a document that no format claims with the Reader's first format. A format that only
// reads beside documents has already done so.
func (r *Reader) As(w *fuel.Counter, d *Contents) *Contents {
	if d.err != nil || r.Formats[0].Aside() || slices.ContainsFunc(d.claims, func(c claimed) bool { return c.Level != parse.None }) {
		return d
	}
	own := *d
	own.diags = slices.Clip(own.diags)
	own.claims = []claimed{{r.Formats[0], parse.Claim{Level: parse.Exact}}}
	own.verdict, own.reason = wayfind.VerdictFound, ""
	r.parse(w, &own)
	return &own
}

// Live reads the answer of a live endpoint, which is no document. digest is the digest of that
// answer.
func (r *Reader) Live(w *fuel.Counter, f *parse.Format, u *url.URL, digest string, said *parse.Reading) *Detail {
	live := *said
	live.Authority = wayfind.AuthorityLive
	d := &Contents{digest: digest, input: newInput(&Response{URL: u, Header: http.Header{}})}
	clean, diags := r.finish(w, d, claimed{f, parse.Claim{Dialect: said.Dialect}}, &live)
	return &Detail{Clean: clean, Diagnostics: diags}
}

// Policies cleans policies for one reader of a document: the groups of a robots.txt for one token.
// source is the URL that was requested.
func (r *Reader) Policies(w *fuel.Counter, d *Contents, policies []wayfind.Policy, source string) []wayfind.Policy {
	for i := range policies {
		for j := range policies[i].Sources {
			policies[i].Sources[j].Source = source
		}
	}
	clean, _ := raw{part{Reading: &parse.Reading{Policies: policies}}}.clean(d.secrets, w) // removals were reported with the document
	return clean.part.Policies
}

// Keys parses a document as a JWK Set (RFC 7517).
func (d *Contents) Keys() (*cards.Keys, error) {
	if d.input == nil {
		return nil, errors.New("the document is gone")
	}
	return cards.ParseKeySet(d.input.Body)
}
