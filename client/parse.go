package client

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/internal/run/clock"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/describe"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/provenance"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/cards"
)

// ParseOptions contains known facts about a document, and the way to read it.
type ParseOptions struct {
	// URL is the URL of the document; default "https://document.invalid/". URLs in the document are
	// resolved and trusted relative to it.
	URL string
	// Path is the path of the document on an unknown host, for example "/llms.txt": some formats
	// are recognised by their place. It has no effect if URL is set.
	Path string
	// ContentType is the Content-Type of the document; it may be empty.
	ContentType string
	// Format reads the document regardless of its content. If it is empty, the content decides. It
	// may be a format of formats.OnRequest.
	Format string
	// Formats are the formats to choose from; default formats.All().
	Formats []*parse.Format
	// Strict refuses a document that breaks a MUST.
	Strict bool
	// MaxBytes is as in Limits.
	MaxBytes int64
	// Keys are as in Options.Trust.
	Keys *cards.Keys
	// SuffixList is as in Options.Policy.
	SuffixList *security.SuffixList
	// Now is as in Options.Lab.
	Now func() time.Time
	// Full completes the capabilities as Describe does, if the document itself has the details:
	// parameters, bodies, schemas. The result may be larger by 4 MiB and four times the size of the
	// document. The capabilities beyond that stay lazy, and "document.limit" has their number.
	Full bool
}

// ParseResult is the content of one document.
type ParseResult struct {
	// Format is the format that read the document. It is "" if no format claims the document;
	// Verdict then contains the reason.
	Format  string          `json:"format"`
	Dialect string          `json:"dialect,omitempty"`
	Verdict wayfind.Verdict `json:"verdict"`
	// Reason is the finer cause if the verdict is not found.
	Reason string `json:"reason,omitempty"`
	// Usable is true if the document has content that an agent can use.
	Usable      bool                 `json:"usable"`
	Site        *wayfind.Site        `json:"site"`
	Diagnostics []wayfind.Diagnostic `json:"diagnostics"`
	// Caching says what a client does with the answer that brought the document, for a
	// person: "kept for 1 h, then asked again with If-None-Match". Only ParseURL sets it.
	Caching string `json:"caching,omitempty"`
}

// Parse reads one document offline: it recognises, reads, cleans and merges the document as Resolve
// does. A document that no format can read is a result, not an error. The error is of kind
// wayfind.ErrInvalid for invalid options, or wraps ctx.Err(). opts may be nil.
//
// Parse sends no request. If Resolve would read another document next, the DetailURLs of the
// service or Site.Documents contain its URL.
func Parse(ctx context.Context, body []byte, opts *ParseOptions) (*ParseResult, error) {
	if err := ctx.Err(); err != nil {
		return nil, wayfind.NewError("parse", "", wayfind.CodeCanceled, err)
	}
	p, err := newParser(opts)
	if err != nil {
		return nil, err
	}
	w := fuel.Under(ctx)
	var result *ParseResult
	if err := w.Do(func() { result = p.parse(w, body) }); err != nil {
		return nil, wayfind.NewError("parse", "", wayfind.CodeCanceled, err)
	}
	return result, nil
}

// parser reads one document.
type parser struct {
	reader *reading.Reader
	opts   ParseOptions
	at     reading.At
	target resolve.Target
}

func newParser(opts *ParseOptions) (*parser, error) {
	p := &parser{}
	if opts != nil {
		p.opts = *opts
	}
	setDefault(&p.opts.MaxBytes, parse.DefaultBytes)
	if p.opts.Formats == nil {
		p.opts.Formats = formats.All()
		if p.opts.Format != "" {
			p.opts.Formats = append(p.opts.Formats, formats.OnRequest()...)
		}
	}
	if err := (&Options{Formats: p.opts.Formats, Limits: Limits{MaxBytes: p.opts.MaxBytes}, Policy: security.Guard{SuffixList: p.opts.SuffixList}}).check(); err != nil {
		return nil, err
	}
	list := p.opts.Formats
	if name := p.opts.Format; name != "" {
		list = slices.DeleteFunc(slices.Clone(list), func(f *parse.Format) bool { return f.Name != name })
		if len(list) == 0 {
			return nil, invalidOption("there is no format %q", name)
		}
	}
	p.reader = &reading.Reader{Formats: list, MaxBytes: p.opts.MaxBytes, Strict: p.opts.Strict}
	u, err := url.Parse(provenance.UnknownURL)
	if err == nil && p.opts.Path != "" {
		u, err = u.Parse("/" + strings.TrimLeft((&url.URL{Path: p.opts.Path}).EscapedPath(), "/"))
	}
	if p.opts.URL != "" {
		u, err = security.ParseURL(p.opts.URL, nil)
	}
	if err != nil {
		return nil, invalidOption("the URL of the document: %w", err)
	}
	p.at = reading.At{Sites: p.opts.SuffixList, Requested: u, Final: u}
	p.target = resolve.Target{Origin: "https://" + u.Host}
	return p, nil
}

func (p *parser) parse(w *fuel.Counter, body []byte) *ParseResult {
	res := &reading.Response{URL: p.at.Requested, Status: http.StatusOK, Body: body, Digest: sha256.Sum256(body)}
	if p.opts.ContentType != "" { // else the served type is not known
		res.Header = http.Header{"Content-Type": {p.opts.ContentType}}
	}
	d := p.read(w, res)
	if p.opts.Format != "" {
		d = p.reader.As(w, d)
	}
	d = p.reader.Alone(w, d)
	at := p.at
	at.Work = w
	o := outcomeAlone(d, at, p.opts.Keys)
	at.Page = true // the caller has chosen it
	beside, diags := d.Beside(at)
	o.Beside, o.Diagnostics = beside, append(o.Diagnostics, diags...)
	if provenance.IsUnknown(p.at.Requested.String()) && !bytes.Contains(body, []byte(provenance.UnknownHost)) {
		o.Diagnostics = slices.DeleteFunc(o.Diagnostics, aboutUnknownHost)
	}
	result := resultOf(w, p.target, o, d, clock.Of(p.opts.Now).Now())
	if p.opts.Full {
		result.complete(w, p.reader, p.at, d)
	}
	return result
}

// complete adds the details of all capabilities that the document has.
func (res *ParseResult) complete(w *fuel.Counter, reader *reading.Reader, at reading.At, d *reading.Contents) {
	diags := describe.OneDocument(w, reader, at, d, res.Site)
	diags = append(diags, reader.Misnamed(w, d, at)...)
	diags = append(diags, httpcall.Faults(w, res.Site, diags)...)
	if len(diags) > 0 || len(res.Diagnostics) > 0 {
		res.Diagnostics, res.Site.Diagnostics = diags, diags
	}
}

// withoutUnknown returns an error without the placeholder URL for an unknown one.
func withoutUnknown(err error) error {
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok || !provenance.IsUnknown(e.URL) {
		return err
	}
	own := *e
	own.URL = ""
	return &own
}

// aboutUnknownHost reports whether a diagnostic compares something with the placeholder for an
// unknown host, which makes the comparison meaningless.
func aboutUnknownHost(d wayfind.Diagnostic) bool {
	return strings.Contains(d.Message, provenance.UnknownHost)
}

// read reads a document. If the document is too large for all formats, the formats that truncate
// read its beginning.
func (p *parser) read(w *fuel.Counter, res *reading.Response) *reading.Contents {
	most, size := p.most(), len(res.Body)
	if int64(size) <= most {
		return p.reader.Read(w, res)
	}
	beginning, truncating := *res, *p.reader
	beginning.Body = res.Body[:most]
	truncating.Formats = slices.DeleteFunc(slices.Clone(p.reader.Formats), func(f *parse.Format) bool { return !f.Limits.Truncate })
	named := p.opts.Format != "" && len(truncating.Formats) > 0
	if d := truncating.Read(w, &beginning); named || len(d.Formats()) > 0 {
		return d
	}
	return reading.Unread(res, wayfind.NewError("parse", "", wayfind.CodeTooLarge,
		&wayfind.TooLarge{Of: "bytes", Size: int64(size), Limit: most, Option: "MaxBytes"}))
}

// most returns the size of the largest document that any format of p reads.
func (p *parser) most() int64 {
	most := p.opts.MaxBytes
	for _, f := range p.reader.Formats {
		most = max(most, f.Limits.Bytes)
	}
	return most
}

// outcomeAlone returns the outcome of a document at a place. Its signatures are checked with keys.
func outcomeAlone(d *reading.Contents, at reading.At, keys *cards.Keys) *merge.Outcome {
	u := at.Requested.String()
	v, reason, err := d.Verdict()
	err = withoutUnknown(err)
	readings, diags := d.At(at)
	o := &merge.Outcome{Candidate: &places.Candidate{URL: u}, Err: err, Readings: readings, Diagnostics: diags}
	o.Probe = wayfind.Probe{URL: u, Verdict: v, Reason: reason}
	verdict.Explain(&o.Probe, err)
	o.Diagnostics = append(o.Diagnostics, provenance.Remarks(readings, at.Sites)...)
	for i := range readings {
		o.Diagnostics = append(o.Diagnostics, provenance.Keyring{Pinned: keys}.Verify(d, at, &readings[i])...)
	}
	return o
}

// resultOf returns an outcome as a Site with one probe. d is its document, or nil.
func resultOf(w *fuel.Counter, target resolve.Target, o *merge.Outcome, d *reading.Contents, now time.Time) *ParseResult {
	res := &ParseResult{Verdict: o.Probe.Verdict, Reason: o.Probe.Reason, Usable: len(o.Readings) > 0}
	if len(o.Readings) > 0 {
		res.Format, res.Dialect = o.Readings[0].Format.Name, o.Readings[0].Source.Dialect
	} else if o.Probe.Verdict.Unreadable() && d != nil {
		if f, dialect := d.Claimed(); f != nil {
			res.Format, res.Dialect = f.Name, dialect
		}
	}
	o.Probe.Format = res.Format
	if o.Err != nil {
		tell(o)
	}
	for i := range o.Readings {
		o.Readings[i] = o.Readings[i].Unfollowed()
	}
	res.Site, _ = merge.SiteWithin(w, merge.Input{Target: target, Outcomes: []*merge.Outcome{o}, Now: now}) // the callers end with w
	res.Diagnostics = res.Site.Diagnostics
	if res.Diagnostics == nil {
		res.Diagnostics = []wayfind.Diagnostic{}
	}
	return res
}

// tell adds a diagnostic with the reason why the document could not be read, unless there is one
// already.
func tell(o *merge.Outcome) {
	rule := reading.DocumentRule(o.Probe.Reason)
	if slices.ContainsFunc(o.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == rule.Code }) {
		return
	}
	o.Diagnostics = append(o.Diagnostics, rule.Diagnostic(o.Candidate.URL, "%v", o.Err))
}
