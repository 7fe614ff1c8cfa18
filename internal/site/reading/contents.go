package reading

import (
	"slices"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/parse"
)

// Contents contains the content of an answer, independent of its place. It is made once for each
// stored answer, shared by all callers, and never changes.
type Contents struct {
	input    *parse.Input
	digest   string
	verdict  wayfind.Verdict
	reason   string
	err      error
	claims   []claimed
	failed   []*parse.Format // that could not use the document they claimed
	readings []Clean
	diags    []wayfind.Diagnostic
	// secrets are the secrets of the body. secret reports whether there are any, even if the body
	// is gone.
	secrets      *secrets
	secret       bool
	capabilities *pointers // of all readings; nil before the first one
	// sure is true if a format is certain. Otherwise a canary determines whether this server shows
	// the page for any path.
	sure bool
	// around is the number of indexes around the document, if it is a part of another document.
	// whole is that other document, or nil.
	around int
	whole  *parse.Input
	// listed is the number of entries of the indexes in the whole document; nil before the first
	// index inside another.
	listed *int
	// inline contains the pointers of the documents inside this one.
	inline []string
	// besides contains the readings beside the document.
	besides besides
	// demands is the description of a demanded payment in an answer with status 402.
	demands map[string]parse.Raw
	// divided is true if a reference may lead to another document that belongs to this one.
	divided bool
	// derived is the number of bytes that Rest has released.
	derived int64
}

// claimed is the claim of one format on a document.
type claimed struct {
	format *parse.Format
	parse.Claim
}

// plainlyAbsent is shared by all answers that only mean "no document". It has no digest.
var plainlyAbsent = &Contents{verdict: wayfind.VerdictAbsent}

func (d *Contents) saysAbsent() bool {
	return d.verdict == wayfind.VerdictAbsent && d.input == nil && d.reason == "" && d.err == nil && len(d.diags) == 0 && !d.secret
}

// Verdict returns the meaning of the answer, the finer cause, and the error if it could not be
// read.
func (d *Contents) Verdict() (v wayfind.Verdict, reason string, err error) {
	return d.verdict, d.reason, d.err
}

// Read reports whether a format has read the document.
func (d *Contents) Read() bool { return len(d.readings) > 0 }

// Demands returns a copy of the site's description of the payment that it demands (402); nil for
// any other answer.
func (d *Contents) Demands() map[string]parse.Raw {
	if d.demands == nil {
		return nil
	}
	own := make(map[string]parse.Raw, len(d.demands))
	for name, raw := range d.demands {
		own[name] = slices.Clone(raw)
	}
	return own
}

// Input returns the input of the formats; nil if the body is gone.
func (d *Contents) Input() *parse.Input { return d.input }

// Digest returns the SHA-256 of the body in hexadecimal; "" if it has no use.
func (d *Contents) Digest() string { return d.digest }

// Sure reports whether a format is certain of the document. Otherwise a canary determines whether
// this server shows the page for any path.
func (d *Contents) Sure() bool { return d.sure }

// Secret reports whether there is a secret in the document, so that it must not leave this process.
func (d *Contents) Secret() bool { return d.secret }

// Formats returns the formats that claim the document.
func (d *Contents) Formats() []*parse.Format {
	list := make([]*parse.Format, len(d.claims))
	for i := range d.claims {
		list[i] = d.claims[i].format
	}
	return list
}

// Claimed returns the format that claims the document, and the dialect; nil if there is none. A
// format that could not read the document takes precedence, and among several the one with the
// surest claim.
func (d *Contents) Claimed() (f *parse.Format, dialect string) {
	best := -1
	for i, c := range d.claims {
		if c.Other {
			continue
		}
		if best < 0 || d.rank(c) > d.rank(d.claims[best]) {
			best = i
		}
	}
	if best < 0 {
		return nil, ""
	}
	return d.claims[best].format, d.claims[best].Dialect
}

// rank returns the rank of a claim on a document that could not be read.
func (d *Contents) rank(c claimed) int {
	if slices.Contains(d.failed, c.format) {
		return 10 + int(c.Level)
	}
	return int(c.Level)
}

// Whole reports whether the format is sure that the document is one of its own documents, and no
// detail document.
func (d *Contents) Whole(f *parse.Format) bool {
	return slices.ContainsFunc(d.claims, func(c claimed) bool {
		return c.format == f && c.Level == parse.Exact && c.Dialect != parse.DialectDetail
	})
}

// Common returns the diagnostics about the document as a whole. The reading of a detail document has
// diagnostics of its own about its capability.
func (d *Contents) Common(diags []wayfind.Diagnostic) []wayfind.Diagnostic {
	if d.capabilities == nil || !slices.ContainsFunc(diags, func(n wayfind.Diagnostic) bool { return n.Pointer != "" }) {
		return diags
	}
	capabilities := d.capabilities.of(d.readings)
	return slices.DeleteFunc(slices.Clone(diags), func(n wayfind.Diagnostic) bool {
		for at := n.Pointer; at != ""; at = at[:max(0, strings.LastIndexByte(at, '/'))] {
			if capabilities[at] {
				return true
			}
		}
		return false
	})
}

// pointers are the pointers of all capabilities of readings, which the first use determines.
type pointers struct {
	once sync.Once
	set  map[string]bool
}

func (p *pointers) of(readings []Clean) map[string]bool {
	p.once.Do(func() { p.set = pointersOf(readings) })
	return p.set
}

func pointersOf(readings []Clean) map[string]bool {
	pointers := map[string]bool{}
	for _, r := range readings {
		for i := range r.part.Services {
			for _, c := range r.part.Services[i].Capabilities {
				if len(c.Sources) > 0 && c.Sources[0].Pointer != "" {
					pointers[c.Sources[0].Pointer] = true
				}
			}
		}
	}
	return pointers
}

// Redacted returns the body without the document's secrets. If there are no secrets, it returns the
// body itself. If a secret has a spelling that cannot be removed, it returns nil.
func (d *Contents) Redacted(body []byte) []byte {
	if d.secret && d.secrets == nil {
		return nil
	}
	return d.secrets.redactBody(body)
}

// fail records that a format could not read a document that it claimed. Another format may still
// read it, so the failure is a diagnostic as well.
func (d *Contents) fail(f *parse.Format, err error) {
	d.err = err
	d.failed = append(d.failed, f)
	_, code := verdict.OfError(err)
	d.diags = append(d.diags, DocumentRule(code).Diagnostic(d.input.URL.String(), "format %s cannot use it: %v", f.Name, err))
}

// WithoutBody returns the verdict, the part of a document that may be kept if its body must not be
// stored.
func (d *Contents) WithoutBody() *Contents {
	if d.saysAbsent() {
		return d
	}
	return &Contents{verdict: d.verdict, reason: d.reason, err: d.err, digest: d.digest, sure: d.sure, secret: d.secret, besides: d.besides, demands: d.demands}
}

// Rest releases the data derived from the body. The table over its JSON, for example, is several
// times as large as the body. A later use derives it again, so it is still included in Size. Rest
// returns the bytes that the document occupies without that data and without the body. The reader
// of the document calls it before others see the document.
func (d *Contents) Rest() int64 {
	if d.input == nil {
		return d.Size()
	}
	d.derived = d.input.Size()
	rest, kept := d.input.Rest()
	d.input = rest
	return d.Size() - d.derived + int64(kept)
}

// Size estimates the bytes that the document occupies in addition to the body.
func (d *Contents) Size() int64 {
	const perDocument, perCapability, perSecret, perEntry = 512, 1024, 512, 512
	if d.saysAbsent() {
		return 0
	}
	size := int64(perDocument)
	switch {
	case d.derived > 0:
		size += d.derived
	case d.input != nil:
		size += d.input.Size()
	}
	if d.secrets != nil {
		for v := range d.secrets.values {
			size += perSecret + int64(len(v))
		}
	}
	for _, raw := range d.demands {
		size += int64(len(raw))
	}
	for _, r := range d.readings {
		size += perCapability*int64(r.Capabilities()) + perEntry*int64(len(r.part.Documents))
	}
	return size + d.besides.size()
}
