package client

import (
	"net/url"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/reading"
	"github.com/wayfindhq/wayfind/internal/secret"
)

// newReader is how a Client with these options reads.
func newReader(o *Options) *reading.Reader {
	return &reading.Reader{
		Formats: o.Formats, MaxBytes: o.MaxBytes, Strict: o.Strict, Digests: o.Pins != nil,
		Panicked: func(err error, stack []byte) { logPanic(o.Logger, err, stack) },
	}
}

// note is a document as it hangs on a stored answer.
type note struct{ *reading.Document }

// WithoutBody implements cache.BodyFree.
func (n note) WithoutBody() any { return note{n.Document.WithoutBody()} }

// attach reads a stored response (cache.Options.Attach).
func (c *Client) attach(e *cache.Entry) any {
	u, err := url.Parse(e.URL)
	if err != nil {
		return nil
	}
	return note{c.reader.Read(&reading.Response{URL: u, Status: e.Status, Header: e.Header, Body: e.Body, Digest: e.Digest})}
}

// entryDocument is what was read of a stored answer.
func entryDocument(e *cache.Entry) (*reading.Document, bool) {
	if e == nil {
		return nil, false
	}
	n, ok := e.Attached.(note)
	return n.Document, ok
}

// confined says whether an answer must not leave this process
// (cache.Options.Confine): secrets stand in its body, its header or its URL.
func confined(e *cache.Entry) bool {
	if d, ok := entryDocument(e); ok && d.Secret() {
		return true
	}
	if len(secret.Find("", e.URL)) > 0 {
		return true
	}
	for name, values := range e.Header {
		for _, v := range values {
			if len(secret.Find(name, v)) > 0 {
				return true
			}
		}
	}
	return false
}

// SameSite reports whether two hosts are one site to this Client: by
// Policy.SuffixList, else by the list that this module brings along. See
// security.SuffixList.SameSite.
func (c *Client) SameSite(hostA, hostB string) bool {
	return c.opts.Policy.SuffixList.SameSite(hostA, hostB)
}

// place is where a document was asked for and where it was in the end, with
// this Client's word on what a site is.
func (c *Client) place(requested, final *url.URL) reading.At {
	return reading.At{Sites: c.opts.Policy.SuffixList, Requested: requested, Final: final}
}

// placeOf is where an outcome's document was asked for and found.
func (c *Client) placeOf(o *outcome) reading.At {
	requested, err := url.Parse(o.Candidate.URL)
	if err != nil {
		requested = &url.URL{}
	}
	final := requested
	if n := len(o.Probe.Redirects); n > 0 {
		if u, err := url.Parse(o.Probe.Redirects[n-1]); err == nil {
			final = u
		}
	}
	return o.asOf(c.place(requested, final), o.FreshUntil)
}

// asOf adds to a place when the answer came, until when it counts, and the
// validators that it has now.
func (o *outcome) asOf(at reading.At, until time.Time) reading.At {
	at.FetchedAt, at.FreshUntil = o.fetchedAt, until
	if n := len(o.entries); n > 0 {
		at.ETag, at.LastModified = o.entries[n-1].ETag(), o.entries[n-1].LastModified()
	}
	return at
}
