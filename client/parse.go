package client

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/clock"
	"github.com/wayfindhq/wayfind/internal/verdict"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/cards"
)

// ParseOptions say what is known about a document.
type ParseOptions struct {
	// URL the document is from; default "https://document.invalid/". URLs in
	// it are resolved and trusted against it.
	URL string
	// ContentType as it would be sent; may be empty.
	ContentType string
	// Format reads the document whatever it looks like; default: content
	// decides.
	Format string
	// Formats to choose from; default formats.All().
	Formats []*parse.Format
	// Strict refuses a document that breaks a MUST.
	Strict bool
	// MaxBytes as in Options.
	MaxBytes int64
	// Keys as in Options.
	Keys *cards.Keys
	// SuffixList as in Options.Policy.
	SuffixList *security.SuffixList
	// Clock as in Options.
	Clock *clock.Clock
}

// ParseResult is what one document says.
type ParseResult struct {
	// Format that read it, "" when nothing claims it: Verdict says why.
	Format  string          `json:"format"`
	Dialect string          `json:"dialect,omitempty"`
	Verdict wayfind.Verdict `json:"verdict"`
	// Reason is the finer cause when the verdict is not found.
	Reason string `json:"reason,omitempty"`
	// Usable: there is something in it that an agent can use.
	Usable      bool                 `json:"usable"`
	Site        *wayfind.Site        `json:"site"`
	Diagnostics []wayfind.Diagnostic `json:"diagnostics"`
}

// Parse reads one document offline: it is recognised, read, cleaned and merged
// as Resolve does it. A document that nobody can read is a result, not an
// error; the error is of kind wayfind.ErrInvalid for options that make no
// sense, or ctx.Err(). opts may be nil.
func Parse(ctx context.Context, body []byte, opts *ParseOptions) (*ParseResult, error) {
	if err := ctx.Err(); err != nil {
		return nil, wayfind.NewError("parse", "", wayfind.CodeCanceled, err)
	}
	p, err := newParser(opts)
	if err != nil {
		return nil, err
	}
	return p.parse(body), nil
}

// parser is a Client without a network.
type parser struct {
	client Client
	opts   ParseOptions
	at     place
	target resolve.Target
}

const unknownURL = "https://document.invalid/"

func newParser(opts *ParseOptions) (*parser, error) {
	p := &parser{}
	if opts != nil {
		p.opts = *opts
	}
	setDefault(&p.opts.MaxBytes, parse.DefaultBytes)
	if p.opts.Formats == nil {
		p.opts.Formats = formats.All()
	}
	if err := (&Options{Formats: p.opts.Formats, MaxBytes: p.opts.MaxBytes, Policy: security.Policy{SuffixList: p.opts.SuffixList}}).check(); err != nil {
		return nil, err
	}
	list := p.opts.Formats
	if name := p.opts.Format; name != "" {
		list = slices.DeleteFunc(slices.Clone(list), func(f *parse.Format) bool { return f.Name != name })
		if len(list) == 0 {
			return nil, invalidOption("there is no format %q", name)
		}
	}
	p.client.opts = Options{Formats: list, MaxBytes: p.opts.MaxBytes, Strict: p.opts.Strict, Clock: p.opts.Clock,
		Policy: security.Policy{SuffixList: p.opts.SuffixList}}
	u, err := url.Parse(unknownURL)
	if p.opts.URL != "" {
		u, err = security.ParseURL(p.opts.URL, nil)
	}
	if err != nil {
		return nil, invalidOption("the URL of the document: %w", err)
	}
	p.at = p.client.place(u, u)
	p.target = resolve.Target{Origin: "https://" + u.Host}
	return p, nil
}

func (p *parser) parse(body []byte) *ParseResult {
	sum := sha256.Sum256(body)
	var header http.Header // nil: nobody knows how it was served
	if p.opts.ContentType != "" {
		header = http.Header{"Content-Type": {p.opts.ContentType}}
	}
	u := p.at.requested
	var d *document
	if int64(len(body)) > p.most() {
		d = &document{input: newInput(u, header, nil), verdict: wayfind.VerdictMalformed, reason: string(wayfind.CodeTooLarge)}
		d.err = wayfind.NewError("parse", "", wayfind.CodeTooLarge, fmt.Errorf("%d bytes, at most %d are read", len(body), p.most()))
	} else {
		d = p.client.read(u, http.StatusOK, header, body, sum)
	}
	p.forced(d)
	p.client.details(d)
	return resultOf(p.target, d.outcome(p.at, p.opts.Keys), d.claims, p.client.opts.Clock.Now())
}

// most is the largest document anybody here reads.
func (p *parser) most() int64 {
	most := p.opts.MaxBytes
	for _, f := range p.client.opts.Formats {
		most = max(most, f.Limits.Bytes)
	}
	return most
}

// forced lets the named format read a document it would not claim.
func (p *parser) forced(d *document) {
	if p.opts.Format == "" || d.err != nil || slices.ContainsFunc(d.claims, func(c claimed) bool { return c.Level != parse.None }) {
		return
	}
	d.claims = []claimed{{p.client.opts.Formats[0], parse.Claim{Level: parse.Exact}}}
	d.verdict, d.reason = wayfind.VerdictFound, ""
	p.client.parse(d)
}

// details reads a drill-down document by itself, and reports whether it tried.
func (c *Client) details(d *document) bool {
	if len(d.readings) > 0 || d.err != nil {
		return false
	}
	i := slices.IndexFunc(d.claims, func(cl claimed) bool { return cl.Dialect == parse.DialectDetail && cl.format.Detail != nil })
	if i < 0 {
		return false
	}
	cl := d.claims[i]
	r, err := c.readingOf(d, cl.format, "detail", func() (*parse.Reading, error) { return cl.format.Detail(d.input, parse.Subject{}) })
	if err == nil {
		err = c.take(d, c.finish(cl, r, d))
	}
	if err != nil {
		d.err = err
		d.verdict, d.reason = verdict.OfError(err)
		return true
	}
	d.verdict, d.reason = wayfind.VerdictFound, ""
	return true
}

// outcome says what a document at a place comes to. keys are those that its
// signatures are checked with.
func (d *document) outcome(at place, keys *cards.Keys) *resolve.Outcome {
	u := at.requested.String()
	o := &resolve.Outcome{Candidate: resolve.Candidate{URL: u}, Err: d.err, Diagnostics: at.diagnostics(d.diags)}
	o.Probe = wayfind.Probe{URL: u, Verdict: d.verdict, Reason: d.reason}
	if d.err != nil {
		o.Probe.Error = d.err.Error()
	}
	for _, r := range d.readings {
		located := at.located(r)
		o.Diagnostics = append(o.Diagnostics, keyring{pinned: keys}.verify(d, at, &located)...)
		o.Readings = append(o.Readings, located)
	}
	return o
}

// resultOf shows an outcome as a Site with one probe. claims are those on its
// document.
func resultOf(target resolve.Target, o *resolve.Outcome, claims []claimed, now time.Time) *ParseResult {
	res := &ParseResult{Verdict: o.Probe.Verdict, Reason: o.Probe.Reason, Usable: len(o.Readings) > 0}
	switch {
	case len(o.Readings) > 0:
		res.Format, res.Dialect = o.Readings[0].Format.Name, o.Readings[0].Source.Dialect
	case o.Probe.Verdict == wayfind.VerdictMalformed && len(claims) > 0 && !claims[0].Other:
		res.Format, res.Dialect = claims[0].format.Name, claims[0].Dialect
	}
	o.Probe.Format = res.Format
	if o.Err != nil {
		tell(o)
	}
	res.Site = resolve.Merge(target, nil, nil, []*resolve.Outcome{o}, now)
	res.Diagnostics = res.Site.Diagnostics
	if res.Diagnostics == nil {
		res.Diagnostics = []wayfind.Diagnostic{}
	}
	return res
}

// tell says in the list of diagnostics why nothing could be read, unless it is
// said there already.
func tell(o *resolve.Outcome) {
	code := "document." + o.Probe.Reason
	if slices.ContainsFunc(o.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == code }) {
		return
	}
	o.Diagnostics = append(o.Diagnostics, wayfind.Diagnostic{Severity: wayfind.SeverityError, Code: code,
		Source: o.Candidate.URL, Message: o.Err.Error()})
}
