package client

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/verdict"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// document is what an answer says by itself, whoever asked: it is computed
// once per stored response and shared.
type document struct {
	input    *parse.Input
	digest   string
	verdict  wayfind.Verdict
	reason   string
	err      error
	claims   []claimed
	readings []resolve.Reading
	diags    []wayfind.Diagnostic
	// secrets of the body. secret says that there are some, also when the body
	// is gone.
	secrets *secrets
	secret  bool
	// sure: a format is certain; otherwise a canary tells whether this
	// server shows the page to anything.
	sure bool
}

// claimed is the claim of one format on a document.
type claimed struct {
	format *parse.Format
	parse.Claim
}

// attach reads a response.
func (c *Client) attach(e *cache.Entry) *document {
	u, err := url.Parse(e.URL)
	if err != nil {
		return nil
	}
	d := c.read(u, e.Status, e.Header, e.Body, e.Digest)
	if d.saysAbsent() {
		return c.absent
	}
	return d
}

// saysAbsent reports whether a document says nothing but that there is none.
// All that do share one, which has no digest.
func (d *document) saysAbsent() bool {
	return d.verdict == wayfind.VerdictAbsent && d.input == nil && d.reason == "" && d.err == nil && len(d.diags) == 0 && !d.secret
}

// read judges an answer and lets every format look at it. sum is the SHA-256 of
// its body.
func (c *Client) read(u *url.URL, status int, header http.Header, body []byte, sum [sha256.Size]byte) *document {
	d := &document{input: newInput(u, header, body)}
	if status < 300 {
		d.digest = hex.EncodeToString(sum[:]) // nobody asks for that of an error page
	}
	d.secrets = findSecrets(d.input)
	d.secret = d.secrets != nil
	html := d.input.HTML()
	d.verdict, d.reason = verdict.OfStatus(status, header, html)
	if d.verdict != wayfind.VerdictFound {
		d.diags = problem(d, status)
		if d.verdict == wayfind.VerdictAbsent {
			d.input, d.secrets = nil, nil // most places of most sites: nobody reads it any more
		}
		return d
	}
	if html {
		d.verdict, d.reason = wayfind.VerdictSoft404, string(wayfind.CodeHTML)
		return d
	}
	d.diags = append(sourced(d.input.Diagnostics(), u.String()), d.secrets.diagnostics(u.String())...)
	c.match(d)
	c.parse(d)
	return d
}

func newInput(u *url.URL, header http.Header, body []byte) *parse.Input {
	mediaType, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil && mediaType == "" {
		mediaType, _, _ = strings.Cut(header.Get("Content-Type"), ";")
		mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	}
	return &parse.Input{URL: u, FinalURL: u, MediaType: mediaType, Header: header, Body: body}
}

// match collects the claims of all formats.
func (c *Client) match(d *document) {
	for _, f := range c.opts.Formats {
		claim, err := guard(c.opts.Logger, "match", "format "+f.Name, func() (parse.Claim, error) { return f.Match(d.input), nil })
		if err != nil {
			d.fail(f, err)
			continue
		}
		if claim.Level != parse.None || claim.Other {
			d.claims = append(d.claims, claimed{f, claim})
		}
	}
	d.sure = slices.ContainsFunc(d.claims, func(c claimed) bool { return c.Level == parse.Exact || c.Other })
}

// parse lets those read who claim the document: all that are exact, else the
// first that is likely. It sets the verdict.
func (c *Client) parse(d *document) {
	var other string
	negative := false
	for _, cl := range d.claims {
		negative = negative || cl.Negative
		switch {
		case cl.Other:
			other = cl.Dialect
		case cl.Negative || cl.Level == parse.None || cl.Dialect == parse.DialectDetail:
		case cl.Level == parse.Exact || (!d.sure && len(d.readings) == 0):
			c.parseAs(d, cl)
		}
	}
	switch {
	case len(d.readings) > 0:
		d.verdict, d.err = wayfind.VerdictFound, nil
	case negative:
		d.verdict, d.reason = wayfind.VerdictAbsent, "negative"
	case d.err != nil:
		d.verdict, d.reason = verdict.OfError(d.err)
	case other != "" || len(d.claims) > 0:
		d.verdict, d.reason = wayfind.VerdictOtherFormat, other
		if other == "" {
			d.reason = d.claims[0].Dialect
		}
	default:
		d.verdict, d.err = unclaimed(d.input)
		if d.err != nil {
			_, d.reason = verdict.OfError(d.err)
		}
	}
}

// parseAs lets one format read.
func (c *Client) parseAs(d *document, cl claimed) {
	f := cl.format
	if limit := c.limitBytes(f); int64(len(d.input.Body)) > limit && !f.Limits.Truncate {
		d.fail(f, wayfind.NewError("parse", d.input.URL.String(), wayfind.CodeTooLarge, fmt.Errorf("%d bytes, format %s reads at most %d", len(d.input.Body), f.Name, limit)))
		return
	}
	r, err := c.readingOf(d, f, "parse", func() (*parse.Reading, error) { return f.Parse(d.input) })
	if err != nil {
		d.fail(f, err)
		return
	}
	if err := c.take(d, c.finish(cl, r, d)); err != nil {
		d.fail(f, err)
	}
}

// take adds a reading to its document, unless it is of no use: the error says
// why. What it reports is kept in any case.
func (c *Client) take(d *document, reading resolve.Reading) error {
	d.diags = append(d.diags, reading.Diagnostics...)
	// A spelling that the search of the body did not see: YAML has escapes.
	d.secret = d.secret || slices.ContainsFunc(reading.Diagnostics, func(n wayfind.Diagnostic) bool { return n.Code == codeSecret })
	u := d.input.URL.String()
	switch {
	case reading.Unusable != "":
		return refusal(wayfind.CodeUnusable, u, reading.Unusable)
	case c.opts.Strict && broken(reading.Diagnostics):
		return refusal(wayfind.CodeStrict, u, "it breaks a MUST of its specification")
	}
	reading.Diagnostics = nil // they stand in d.diags
	d.readings = append(d.readings, reading)
	return nil
}

// finish cleans a reading and gives it its source. The dialect is that of the
// claim where the reading does not say.
func (c *Client) finish(cl claimed, r *parse.Reading, d *document) resolve.Reading {
	f, own := cl.format, *r
	own.Dialect = cmp.Or(r.Dialect, cl.Dialect)
	own.Diagnostics = slices.Clone(r.Diagnostics)
	source := wayfind.Source{
		Format: f.Name, Dialect: own.Dialect, Version: r.Version, URL: d.input.URL.String(),
		MediaType: d.input.MediaType, SHA256: d.digest,
		ETag: d.input.Header.Get("ETag"), LastModified: d.input.Header.Get("Last-Modified"),
		Authority: cmp.Or(r.Authority, wayfind.AuthorityNative), Confidence: r.Confidence,
		Signatures: slices.Clone(r.Signatures),
	}
	out := resolve.Reading{Format: f, Source: source, Reading: &own}
	if c.opts.Pins != nil && len(d.input.Body) > 0 {
		addDigests(&own, d.input)
	}
	removed := cleanReading(&out, d.secrets)
	out.Diagnostics = sourced(append(out.Diagnostics, removed...), source.URL)
	return out
}

// fail records that a format could not read what it claimed. Another one may
// still read it, so it is a diagnostic as well.
func (d *document) fail(f *parse.Format, err error) {
	d.err = err
	_, code := verdict.OfError(err)
	d.diags = append(d.diags, wayfind.Diagnostic{Severity: wayfind.SeverityError, Code: "document." + code,
		Source: d.input.URL.String(), Message: fmt.Sprintf("format %s cannot use it: %v", f.Name, err)})
}

// refusal is the error of a document that could be read and is of no use.
func refusal(code wayfind.Code, u, why string) error {
	return wayfind.NewError("parse", u, code, errors.New(why))
}

// limitBytes is the cap on a body that a format reads.
func (c *Client) limitBytes(f *parse.Format) int64 {
	if f.Limits.Bytes != 0 {
		return f.Limits.Bytes
	}
	return c.opts.MaxBytes
}

// unclaimed says why nobody wants a document: it is JSON of another kind, or
// it looks like JSON and is broken, or it is any text.
func unclaimed(in *parse.Input) (wayfind.Verdict, error) {
	body := strings.TrimLeft(string(in.Body[:min(len(in.Body), 512)]), "\ufeff \t\r\n")
	if body == "" {
		return wayfind.VerdictMalformed, wayfind.NewError("parse", in.URL.String(), wayfind.CodeSchema, errors.New("the document is empty"))
	}
	jsonType := in.MediaType == "application/json" || strings.HasSuffix(in.MediaType, "+json")
	if body[0] != '{' && body[0] != '[' && !jsonType {
		return wayfind.VerdictUnrecognised, nil
	}
	if _, err := in.JSON(); err != nil {
		return wayfind.VerdictMalformed, err
	}
	return wayfind.VerdictUnrecognised, nil
}

// broken reports whether a MUST is broken.
func broken(diags []wayfind.Diagnostic) bool {
	return slices.ContainsFunc(diags, func(d wayfind.Diagnostic) bool { return d.Severity == wayfind.SeverityError })
}

// sourced says in each diagnostic which document it is about.
func sourced(diags []wayfind.Diagnostic, source string) []wayfind.Diagnostic {
	out := slices.Clone(diags)
	for i := range out {
		if out[i].Source == "" {
			out[i].Source = source
		}
	}
	return out
}

// readingOf calls Parse or Detail of a format for a document. Whatever it
// returns, the result is a Reading or an error about the document, without its
// secrets: a format knows nothing of the network.
func (c *Client) readingOf(d *document, f *parse.Format, op string, call func() (*parse.Reading, error)) (*parse.Reading, error) {
	r, err := guard(c.opts.Logger, op, "format "+f.Name, call)
	err = d.secrets.error(err)
	e, mine := errors.AsType[*wayfind.Error](err)
	switch {
	case err == nil && r == nil:
		return nil, wayfind.NewError(op, "", wayfind.CodePanic, fmt.Errorf("format %s returned neither a reading nor an error", f.Name))
	case err != nil && (!mine || !errors.Is(e.Kind, wayfind.ErrInvalid) && !errors.Is(e.Kind, wayfind.ErrInternal)):
		return nil, wayfind.NewError(op, "", wayfind.CodeSchema, errors.New(err.Error()))
	}
	return r, err
}

// claimedWhole reports whether the format is sure that the document is one of
// its own that is no drill-down document.
func (d *document) claimedWhole(f *parse.Format) bool {
	return slices.ContainsFunc(d.claims, func(c claimed) bool {
		return c.format == f && c.Level == parse.Exact && c.Dialect != parse.DialectDetail
	})
}

// WithoutBody is what may be kept of an answer whose body must not be stored:
// the verdict. It implements cache.Note.
func (d *document) WithoutBody() cache.Note {
	if d.saysAbsent() {
		return d
	}
	return &document{verdict: d.verdict, reason: d.reason, err: d.err, digest: d.digest, sure: d.sure, secret: d.secret}
}

// Size implements cache.Note: the bytes that the reading occupies beside the
// body, estimated.
func (d *document) Size() int64 {
	const perDocument, perCapability, perSecret = 512, 1024, 512
	if d.saysAbsent() {
		return 0
	}
	size := int64(perDocument)
	if d.input != nil {
		size += d.input.Size()
	}
	if d.secrets != nil {
		for v := range d.secrets.values {
			size += perSecret + int64(len(v))
		}
	}
	for _, r := range d.readings {
		for i := range r.Services {
			size += perCapability * int64(len(r.Services[i].Capabilities))
		}
	}
	return size
}
