package cache

import (
	"crypto/sha256"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unique"
)

// Entry is one complete and immutable response. All callers that ask for it share it. Stores
// serialise entries with [Variants.MarshalBinary]. Or they keep the exported fields except Note and
// restore an entry with [Restore]; it then lacks the other facts of net/http (protocol, TLS,
// trailer).
type Entry struct {
	// Key is the primary cache key: view, partition, method and URL.
	Key string
	// URL is the requested URL, without fragment.
	URL string
	// Status is the status code of the response.
	Status int
	// Header is the header of the response without connection fields and Set-Cookie.
	Header http.Header
	// Vary contains the fields that the response's Vary names, with the values of the request.
	Vary []VaryField
	// RequestTime and ResponseTime are wall times of this process; a 304
	// renews them.
	RequestTime, ResponseTime time.Time
	// Body is the whole content. It must not be written to.
	Body []byte
	// Digest is the SHA-256 of Body.
	Digest [sha256.Size]byte
	// RemoteAddr is the address that answered. It is zero if it is not known.
	RemoteAddr netip.AddrPort
	// Lifetime is the freshness lifetime of the entry, with its source.
	Lifetime Lifetime
	// memoryOnly means that the entry must not leave this process, because it answers a request
	// with credentials, because [Rules] confine it, or because it has no body that another process
	// could read. Only a LocalStore gets such entries.
	memoryOnly bool
	// Shared means that the entry came from a SharedStore. The rules of a shared cache apply until
	// this cache validates it.
	Shared bool
	// Credentialed means that the request had credentials. A SharedStore gets nothing of the entry,
	// but see [Options.Strict].
	Credentialed bool
	// SetsCookie means that the response, or an earlier one with the same content, set a cookie. A
	// SharedStore does not get the content.
	SetsCookie bool
	// Note is the value that [Rules] made of the entry. It is never serialised.
	Note Note

	outer      *outer        // the facts of net/http about the response; nil if they are not known
	read       bool          // Rules were asked for a Note
	folded     *Folded       // set before the entry is published; copies have none
	codings    []string      // the codings of the body, if Vary does not name Accept-Encoding
	control    control       // Cache-Control of the response, parsed
	initialAge time.Duration // RFC 9111 §4.2.3, at ResponseTime
	mono       time.Duration // monotonic time of ResponseTime
	hasMono    bool          // false for entries of another process
	asked      uint64        // the request's place in the order of its Engine, with hasMono
	came       uint64        // the answer's place in that order, with hasMono
	varyAny    bool          // "Vary: *", or too many names
	below      bool          // it answers a request to which credentials were added below this cache
	streams    bool          // the body has not been read, and may have no end

	hit *atomic.Pointer[servedHeader] // the header of the last hit; nil if it is not remembered
}

// Lifetime is the freshness lifetime of a response. It is compared with its age (RFC 9111 §4.2).
type Lifetime struct {
	// For is the freshness lifetime. Zero means that the response is stale at once.
	For time.Duration
	// Source is the source of the lifetime: "max-age", "expires", "heuristic", "no-cache",
	// "no-store" or "none". Rules add their own, such as "format" and "negative".
	Source string
	// Explicit means that the response stated the lifetime, even if it is zero or invalid.
	Explicit bool
	// Remembered means that the meaning of the answer is valid for the lifetime, even against the
	// response's directives. A "no" is a fact about the origin, not a representation. If the
	// response must not be stored, only the status, the digest and the Note without the body are
	// kept.
	Remembered bool
	// Obligation has the meaning of Remembered, even against the caller's directives.
	Obligation bool
}

func (l Lifetime) remembered() bool { return l.Remembered || l.Obligation }

// VaryField is one request field that a response varies on (RFC 9111 §4.1).
type VaryField struct {
	// Name is the name in canonical form.
	Name string
	// Value is the normalised value, or a hash if the field contains a credential. Absent is true
	// for a missing field, and false for an empty one.
	Value  string
	Absent bool
}

// Restore returns the entry whose exported fields a store has kept. Its age is computed from wall
// time only, and it has no Note.
func Restore(e Entry) *Entry {
	e.Note, e.read, e.folded, e.outer, e.hit = nil, false, nil, nil, new(atomic.Pointer[servedHeader])
	e.mono, e.hasMono, e.asked, e.came = 0, false, 0, 0
	if e.Header == nil {
		e.Header = http.Header{}
	}
	e.derive()
	return &e
}

// newEntry returns the entry of a response. Its body may still have to be read.
func newEntry(c *call, resp *http.Response, body []byte, x *exchange, shared bool) *Entry {
	e := &Entry{
		Key:          c.key,
		URL:          part(c.key, c.url),
		Status:       resp.StatusCode,
		Header:       storedHeader(resp.Header),
		RequestTime:  x.sent,
		ResponseTime: x.received,
		Body:         body,
		RemoteAddr:   x.remote,
		memoryOnly:   c.confined(shared),
		outer:        x.outer.orDecoded(resp.Uncompressed),
		mono:         x.mono,
		hasMono:      true,
		asked:        x.asked,
		came:         x.came,
		Shared:       shared,
		Credentialed: c.ask.Partition != "" || c.header.identifies,
		SetsCookie:   setsCookie(resp.Header),
		below:        x.below,
		streams:      c.ask.Rules == nil && streams(resp.Header),
	}
	if c.ask.Rules == nil { // an entry that Rules read is seldom made into a response
		e.hit = new(atomic.Pointer[servedHeader])
	}
	e.Digest = e.digestOf()
	e.Vary, e.varyAny = varyOf(e.Header, &c.header)
	e.derive()
	return e
}

// copied returns a copy that may be changed.
func (e *Entry) copied() *Entry {
	n := *e
	n.folded, n.hit = nil, new(atomic.Pointer[servedHeader])
	return &n
}

func (e *Entry) digestOf() [sha256.Size]byte { return sha256.Sum256(e.Body) }

// derive computes the values that decisions need from the exported fields.
func (e *Entry) derive() {
	e.control, e.codings = parseResponse(e.Header["Cache-Control"]), codingsOf(e.Header)
	if e.Shared {
		e.control = e.control.forShared()
	}
	e.initialAge = e.derivedAge()
}

func (e *Entry) derivedAge() time.Duration {
	if e.Lifetime.fromArrival() {
		return 0
	}
	return initialAge(e.Header, e.RequestTime, e.ResponseTime)
}

// Size returns the estimated number of bytes that the entry occupies with its Note.
func (e *Entry) Size() int64 {
	const served = 40 // a field of a remembered hit
	n := int64(512+len(e.Key)+len(e.URL)+len(e.Body)) + e.outer.size() + headerSize(e.Header) + int64(served*(len(e.Header)+3))
	for _, f := range e.Vary {
		n += int64(len(f.Name)+len(f.Value)) + 48
	}
	if e.Note != nil {
		n += e.Note.Size()
	}
	return n
}

// headerSize returns the estimated number of bytes that a header occupies.
func headerSize(h http.Header) int64 {
	n := int64(0)
	for name, values := range h {
		n += int64(len(name)) + 48
		for _, v := range values {
			n += int64(len(v)) + 16
		}
	}
	return n
}

// freshUntil returns the wall time at which the entry stops being fresh.
func (e *Entry) freshUntil() time.Time {
	return e.ResponseTime.Add(e.Lifetime.For - e.initialAge)
}

// ETag returns the entity tag as received, with quotes and W/, or "".
func (e *Entry) ETag() string { return e.Header.Get("Etag") }

// LastModified returns the Last-Modified field as received, or "".
func (e *Entry) LastModified() string { return e.Header.Get("Last-Modified") }

// hasValidator reports whether the entry can be revalidated.
func (e *Entry) hasValidator() bool { return e.ETag() != "" || e.LastModified() != "" }

// withoutBody returns the part of the entry that may be kept if the response must not be stored but
// its meaning is remembered.
func (e *Entry) withoutBody() *Entry {
	h := e.copied()
	h.Header, h.Vary, h.varyAny, h.outer = http.Header{}, nil, false, nil
	if date := e.Header.Get("Date"); date != "" {
		h.Header.Set("Date", date)
	}
	// The meaning was read from the body, so other processes could not know it.
	h.memoryOnly = e.memoryOnly || e.Status < 300 && len(e.Body) > 0
	if to := e.Header["Location"]; to != nil && e.Status >= 300 && e.Status <= 399 {
		h.Header["Location"], h.memoryOnly = to, true // a redirect has no other meaning
	}
	h.Body = nil
	h.Digest = h.digestOf()
	h.Note, h.read = nil, false
	if e.Note != nil {
		h.Note, h.read = e.Note.WithoutBody(), true
	}
	h.derive()
	return h
}

// connectionFields returns the fields that are about one connection or one recipient and are not
// stored (RFC 9111 §3.1, RFC 9110 §7.6.1). Set-Cookie may be stored (§7.3), but it is not, because
// it is meant for one caller.
func connectionFields() []string {
	return []string{
		"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate",
		"Proxy-Authentication-Info", "Proxy-Authorization", "Te", "Trailer",
		"Transfer-Encoding", "Upgrade", "Set-Cookie", "Set-Cookie2",
	}
}

// storedHeader copies the fields that may be stored into one string and one slice, and shares their
// names with other headers. In a response from the network, each value is an allocation, and so is
// each name that net/http does not know.
func storedHeader(h http.Header) http.Header {
	if named := h["Connection"]; named != nil {
		h = maps.Clone(h)
		for _, line := range named {
			for name := range strings.SplitSeq(line, ",") {
				h.Del(strings.TrimSpace(name))
			}
		}
	}
	dropped := connectionFields()
	lines, size := 0, 0
	for name, values := range h {
		if slices.Contains(dropped, name) {
			continue
		}
		lines += len(values)
		for _, v := range values {
			size += len(v)
		}
	}
	var text strings.Builder
	text.Grow(size) // so that it does not move
	out, all := make(http.Header, len(h)), make([]string, 0, lines)
	for name, values := range h {
		if slices.Contains(dropped, name) {
			continue
		}
		from := len(all)
		for _, v := range values {
			start := text.Len()
			text.WriteString(v)
			all = append(all, text.String()[start:])
		}
		out[unique.Make(name).Value()] = all[from:len(all):len(all)]
	}
	return out
}

// part returns the text of s. If it occurs in whole, the result is a part of whole and takes no
// memory of its own.
func part(whole, s string) string {
	if i := strings.Index(whole, s); i >= 0 {
		return whole[i : i+len(s)]
	}
	return s
}
