package reading

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
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/web/wall"
	"github.com/wayfindhq/wayfind/parse"
)

// Reader reads answers. It is immutable and safe for concurrent use.
type Reader struct {
	// Formats are the formats that read each answer, in order of authority.
	Formats []*parse.Format
	// MaxBytes is the largest body for formats without a limit of their own.
	MaxBytes int64
	// Strict refuses documents that break a MUST.
	Strict bool
	// Digests adds the digest of their definition to capabilities.
	Digests bool
	// Panicked gets each panic in a format, with its stack. It may be nil.
	Panicked func(err error, stack []byte)
}

// Response is an answer to be read.
type Response struct {
	URL    *url.URL
	Status int
	Header http.Header
	Body   []byte
	// Digest is the SHA-256 of Body.
	Digest [sha256.Size]byte
}

// Read determines the verdict on an answer and lets every format read it. w counts the work, and
// can end it: see [fuel.Counter.Do].
func (r *Reader) Read(w *fuel.Counter, res *Response) *Contents {
	if none := PlainNo(res); none != nil {
		return none
	}
	d := &Contents{input: newInput(res)}
	if res.Status < 300 {
		d.digest = hex.EncodeToString(res.Digest[:]) // the digest of an error page has no use
	}
	w.Text(len(res.Body))
	html := d.input.HTML()
	page := html || len(res.Body) == 0
	d.verdict, d.reason = verdict.OfStatus(res.Status, res.Header, page)
	document := d.verdict == wayfind.VerdictFound && !html && !saysNotFound(d.input)
	if document {
		r.match(d) // secrets of YAML are searched in the values that a format has read
	}
	d.secrets = findSecrets(d.input)
	d.secret = d.secrets != nil
	r.readBeside(w, d, res)
	if d.verdict != wayfind.VerdictFound {
		d.findWall(res, page)
		d.diags = problem(d, res.Status)
		d.demand(w, res.Status)
		if d.verdict == wayfind.VerdictAbsent {
			d.input, d.secrets = nil, nil // most places of most sites: it has no reader
		}
		if d.saysAbsent() {
			return plainlyAbsent
		}
		return d
	}
	if html {
		d.verdict, d.reason = wayfind.VerdictSoft404, string(wayfind.CodeHTML)
		d.findWall(res, page)
		return d
	}
	if !document {
		d.verdict, d.reason = wayfind.VerdictSoft404, string(wayfind.CodeAbsent)
		return d
	}
	source := res.URL.String()
	d.diags = slices.Concat(sourced(d.input.Diagnostics(), source), d.secrets.diagnostics(source), d.diags)
	r.parse(w, d)
	if d.verdict != wayfind.VerdictFound {
		d.findWall(res, page)
	}
	d.divide()
	return d
}

// findWall makes the verdict that of a wall before the site, if the answer is one. A body that a
// format reads is never a wall, whatever its header says.
func (d *Contents) findWall(res *Response, page bool) {
	found := wall.ByHeader(res.Status, res.Header, page)
	if !found.Is() && d.verdict != wayfind.VerdictAbsent {
		found = wall.ByBody(res.Body)
	}
	if !found.Is() {
		return
	}
	d.verdict, d.reason = wayfind.VerdictBlocked, string(wayfind.CodeFirewall)
	d.err = wayfind.NewError("match", res.URL.String(), wayfind.CodeFirewall, errors.New(found.String()))
}

// PlainNo returns the document of an answer that only means "no document", as at most places of
// most sites: its body is no problem document (RFC 9457) and contains no secret, so it need not be
// read. PlainNo returns nil for any other answer.
func PlainNo(res *Response) *Contents {
	if res.Status != http.StatusNotFound && res.Status != http.StatusGone {
		return nil
	}
	v, reason := verdict.OfStatus(res.Status, res.Header, false)
	if v == wayfind.VerdictAbsent && reason == "" &&
		!strings.Contains(strings.ToLower(res.Header.Get("Content-Type")), "json") && plainlyWithout(res.Body) {
		return plainlyAbsent
	}
	return nil
}

// Abandoned returns the document of an answer whose reading was ended early. It is empty and must
// not leave this process: another process reads the answer.
func Abandoned(res *Response, err error) *Contents {
	d := Unread(res, wayfind.NewError("parse", "", wayfind.CodeCanceled, err))
	d.secret = true
	return d
}

// Unread returns the document of an answer that cannot be read, with the reason.
func Unread(res *Response, err *wayfind.Error) *Contents {
	bodiless := *res
	bodiless.Body = nil
	return &Contents{input: newInput(&bodiless), verdict: verdict.OfUnread(err), reason: string(err.Code), err: err}
}

func newInput(res *Response) *parse.Input {
	contentType := res.Header.Get("Content-Type")
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err != nil && mediaType == "" {
		mediaType, _, _ = strings.Cut(contentType, ";")
		mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	}
	return &parse.Input{URL: res.URL, FinalURL: res.URL, MediaType: mediaType, Header: res.Header, Body: res.Body}
}

// match collects the claims of all formats.
func (r *Reader) match(d *Contents) {
	for _, f := range r.Formats {
		claim, err := guard(r, "match", f, func() (parse.Claim, error) { return f.Match(d.input), nil })
		if err != nil {
			d.fail(f, err)
			continue
		}
		if claim.Level != parse.None || claim.Other && !r.reads(claim.Dialect) {
			d.claims = append(d.claims, claimed{f, claim})
		}
	}
	d.sure = slices.ContainsFunc(d.claims, func(c claimed) bool { return c.Level == parse.Exact || c.Other })
}

// parse calls the formats that claim the document: all with exact claims, or else the first likely
// one. It sets the verdict.
func (r *Reader) parse(w *fuel.Counter, d *Contents) {
	var other string
	negative := false
	for _, cl := range d.claims {
		negative = negative || cl.Negative
		switch {
		case cl.Other:
			other = cl.Dialect
		case cl.Negative || cl.Level == parse.None || cl.Dialect == parse.DialectDetail:
		case cl.Level == parse.Exact || (!d.sure && len(d.readings) == 0):
			r.parseAs(w, d, cl)
		}
	}
	known := ""
	if !slices.ContainsFunc(d.claims, func(c claimed) bool { return !c.Other || c.Why == "" }) {
		if known = parse.Known(d.input); r.reads(known) {
			known = ""
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
		d.verdict, d.reason = wayfind.VerdictOtherFormat, cmp.Or(known, other)
		d.reportForeign()
		if d.reason == "" {
			d.reason = d.claims[0].Dialect
		}
	case known != "":
		d.verdict, d.reason = wayfind.VerdictOtherFormat, known
	default:
		r.unread(w, d)
	}
}

// unread sets the verdict on a document that no format claims, with the first reason.
func (r *Reader) unread(w *fuel.Counter, d *Contents) {
	d.verdict = wayfind.VerdictUnrecognised
	if d.err = r.outside(w, d); d.err == nil && !r.resembles(d) {
		d.verdict, d.err = unclaimed(d.input)
	}
	if d.err != nil {
		d.verdict, d.reason = verdict.OfError(d.err)
	}
}

// reads reports whether one of the formats has a name. Another format may recognise a document as a
// document of the named format. If the named format itself does not claim it, it is not. A format
// that is only read beside documents claims no document.
func (r *Reader) reads(name string) bool {
	return slices.ContainsFunc(r.Formats, func(f *parse.Format) bool { return f.Name == name && !f.Aside() })
}

// reportForeign adds the reason why a document is none of the formats whose names it uses.
func (d *Contents) reportForeign() {
	for _, cl := range d.claims {
		if cl.Other && cl.Why != "" {
			said := ruleForeign.Diagnostic(d.input.URL.String(), "%s", cl.Why)
			said.Spec = &wayfind.SpecRef{Title: cl.format.Spec.Title, URL: cl.format.Spec.URL}
			d.diags = append(d.diags, said)
		}
	}
}

// parseAs reads a document with one format.
func (r *Reader) parseAs(w *fuel.Counter, d *Contents, cl claimed) {
	f := cl.format
	beyond := r.Limit(f)
	if beyond.Size = int64(len(d.input.Body)); beyond.Size > beyond.Limit && !f.Limits.Truncate {
		d.fail(f, wayfind.NewError("parse", d.input.URL.String(), wayfind.CodeTooLarge, &beyond))
		return
	}
	made, err := r.call(d, f, "parse", func() (*parse.Reading, error) { return f.Parse(d.input) })
	if err == nil {
		err = r.take(w, d, cl, made)
	}
	if err != nil {
		d.fail(f, err)
	}
}

// take adds a reading to its document. If the reading has no use, it returns an error with the
// reason. The diagnostics are kept in any case.
func (r *Reader) take(w *fuel.Counter, d *Contents, cl claimed, made *parse.Reading) error {
	clean, diags := r.finish(w, d, cl, made)
	d.diags = append(d.diags, diags...)
	// The search of the body does not find every spelling, because YAML has escapes.
	d.secret = d.secret || slices.ContainsFunc(diags, func(n wayfind.Diagnostic) bool { return n.Code == ruleTextSecret.Code })
	u := d.input.URL.String()
	switch {
	case clean.part.Unusable != "":
		return wayfind.NewError("parse", u, wayfind.CodeUnusable, errors.New(clean.part.Unusable))
	case r.Strict && broken(diags):
		return wayfind.NewError("parse", u, wayfind.CodeStrict, errors.New("it breaks a MUST of its specification"))
	}
	d.readings = append(d.readings, clean)
	r.inline(w, d, cl.format, made.Inline)
	d.capabilities = new(pointers)
	return nil
}

// finish cleans the reading of a format and sets its source. The diagnostics are returned
// separately. If the reading has no dialect, the dialect of the claim is used.
func (r *Reader) finish(w *fuel.Counter, d *Contents, cl claimed, made *parse.Reading) (Clean, []wayfind.Diagnostic) {
	own := *made
	if own.Dialect == "" {
		own.Dialect = cl.Dialect
	}
	own.Diagnostics = slices.Clone(made.Diagnostics)
	if r.Digests && len(d.input.Body) > 0 {
		addDigests(w, &own, cmp.Or(d.whole, d.input))
	}
	takePrices(w, &own)
	own.Inline = nil // they are documents of their own
	clean, removed := raw{part{Format: cl.format, Source: d.source(cl.format, &own), Reading: &own, around: d.around}}.clean(d.secrets, w)
	clean.etag, clean.lastModified = d.input.Header.Get("ETag"), d.input.Header.Get("Last-Modified")
	diags := sourced(append(own.Diagnostics, removed...), clean.part.Source.URL)
	own.Diagnostics = nil // they are returned separately
	return clean, diags
}

// call reads a document with a format. The result is always a Reading or an error about the
// document, without its secrets, because a format has no access to the network.
func (r *Reader) call(d *Contents, f *parse.Format, op string, read func() (*parse.Reading, error)) (*parse.Reading, error) {
	made, err := guard(r, op, f, read)
	err = d.secrets.error(err)
	e, mine := errors.AsType[*wayfind.Error](err)
	switch {
	case err == nil && made == nil:
		return nil, wayfind.NewError(op, "", wayfind.CodePanic, fmt.Errorf("format %s returned neither a reading nor an error", f.Name))
	case err != nil && (!mine || !errors.Is(e.Kind, wayfind.ErrInvalid) && !errors.Is(e.Kind, wayfind.ErrInternal)):
		return nil, wayfind.NewError(op, "", wayfind.CodeSchema, errors.New(err.Error()))
	}
	return made, err
}

// Limit returns the limit on a body that a format reads, with the option that raises it.
func (r *Reader) Limit(f *parse.Format) wayfind.TooLarge {
	if f.Limits.Bytes != 0 {
		return wayfind.TooLarge{Of: "bytes", Limit: f.Limits.Bytes, Option: "parse.Format.Limits.Bytes"}
	}
	return r.Most()
}

// Most returns the limit on a body of any other document.
func (r *Reader) Most() wayfind.TooLarge {
	return wayfind.TooLarge{Of: "bytes", Limit: r.MaxBytes, Option: "client.Limits.MaxBytes"}
}

// unclaimed returns the reason why no format claims a document: it is JSON of another kind, it
// looks like JSON and is broken, or it is another text.
func unclaimed(in *parse.Input) (wayfind.Verdict, error) {
	body := beginning(in)
	if body == "" {
		return wayfind.VerdictMalformed, wayfind.NewError("parse", in.URL.String(), wayfind.CodeSchema, errors.New("the document is empty"))
	}
	if !isJSONType(in.MediaType) && (!isJSONStart(body) || in.BeginsYAML()) {
		return wayfind.VerdictUnrecognised, nil
	}
	read := in.JSON
	if isJSONStart(body) {
		read = in.Tree // also YAML by its name
	}
	if _, err := read(); err != nil {
		return verdict.OfUnread(err), err
	}
	return wayfind.VerdictUnrecognised, nil
}

// beginning returns the first text of a document, without a byte order mark and blanks before it.
func beginning(in *parse.Input) string {
	return strings.TrimLeft(string(in.Body[:min(len(in.Body), 512)]), "\ufeff \t\r\n")
}

// broken reports whether a MUST is broken.
func broken(diags []wayfind.Diagnostic) bool {
	return slices.ContainsFunc(diags, func(d wayfind.Diagnostic) bool { return d.Severity == wayfind.SeverityError })
}

// sourced sets the source of diagnostics that have none.
func sourced(diags []wayfind.Diagnostic, source string) []wayfind.Diagnostic {
	out := slices.Clone(diags)
	for i := range out {
		if out[i].Source == "" {
			out[i].Source = source
		}
	}
	return out
}
