package cache

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
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

// fromArrival reports whether the lifetime begins at the arrival of the response. This is so if the
// lifetime is not from the response, because it then overrules the headers Age and Date, too.
func (l Lifetime) fromArrival() bool {
	switch l.Source {
	case sourceMaxAge, sourceExpires, sourceHeuristic:
		return l.Obligation
	}
	return l.remembered()
}

// VaryField is one request field that a response varies on (RFC 9111 §4.1).
type VaryField struct {
	// Name is the name in canonical form.
	Name string
	// Value is the normalised value, or a hash if the field may contain a credential. Absent is true
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
	e.derive()
	e.setVary(&c.header)
	// A Client does not rely on a site's Vary to separate callers.
	e.memoryOnly = e.memoryOnly || c.ask.Rules != nil && c.header.unknown
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

// freshUntil returns the wall time at which the entry stops being fresh. An entry that matches no
// later request is not fresh for any (RFC 9111 §4.1), unless its meaning is remembered.
func (e *Entry) freshUntil() time.Time {
	if e.varyAny && !e.Lifetime.remembered() {
		return e.ResponseTime
	}
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

// age returns current_age of RFC 9111 §4.2.3. Resident time is the longer of wall time and
// monotonic time, so that neither a clock that was set back nor a machine that slept makes entries
// younger. A lifetime that the response did not give begins at its arrival: see fromArrival.
func (e *Entry) age(wall time.Time, mono time.Duration) time.Duration {
	resident := wall.Sub(e.ResponseTime)
	if e.hasMono {
		resident = max(resident, mono-e.mono)
	} else if resident < -futureSlack {
		return maxAge
	}
	initial := e.initialAge
	if e.Lifetime.fromArrival() {
		initial = 0
	}
	return min(initial+min(max(resident, 0), maxAge), maxAge)
}

// askedAfter reports whether the request of an entry was sent after a moment.
func (e *Entry) askedAfter(m moment) bool {
	if e.hasMono {
		return before(cmp.Compare(m.mono, e.sent()), m.place, e.asked)
	}
	return e.RequestTime.After(m.wall)
}

// unchanged reports whether the conditions of a request are answered by 304 (RFC
// 9110 §13.2.2, RFC 9111 §4.3.2).
func (e *Entry) unchanged(h *requestHeader) bool {
	if e.Status != http.StatusOK {
		return false
	}
	if tags := h.lines("If-None-Match"); tags != nil {
		return hasTag(tags, e.ETag())
	}
	dates := h.lines("If-Modified-Since")
	if len(dates) != 1 {
		return false
	}
	since, ok := parseDate(dates[0], e.ResponseTime)
	return ok && !e.changed().After(since)
}

// changed returns the time of the last change of the content of an entry, or its Date if that time
// is not known.
func (e *Entry) changed() time.Time {
	if at, ok := parseDate(e.LastModified(), e.ResponseTime); ok {
		return at
	}
	return dateOf(e.Header, e.ResponseTime)
}

// decide returns the use that a request may make of the entry at the given age (RFC 9111 §4 and
// §5.2.1).
func (e *Entry) decide(d *demands, age time.Duration, strict bool) use {
	fresh := e.Lifetime.For > age
	switch {
	case fresh && e.Lifetime.Obligation:
		return useFresh
	case d.noCache && !(d.refresh && e.skipsReload(fresh, strict)):
		return useNot // §5.2.1.4
	case d.maxAge == 0 && e.skipsReload(fresh, strict) && !d.noCache && e.Lifetime.For-age >= d.minFresh:
		return useFresh
	case d.maxAge >= 0 && (age > d.maxAge || d.maxAge == 0):
		return useNot // §5.2.1.1
	case fresh && e.Lifetime.For-age >= d.minFresh:
		return useFresh // §5.2.1.3
	case fresh || e.mustValidate():
		return useNot
	case d.minFresh > 0:
		return useNot // a stale entry is not fresh for longer
	case d.maxStale >= 0:
		if age-e.Lifetime.For <= d.maxStale {
			return useStale // §5.2.1.2
		}
	case d.maxAge < 0 && !d.noStore && !d.foreground && e.revalidatesLate(age, strict):
		return useRevalidating
	}
	return useNot
}

// revalidatesLate reports whether the response allows its use for a while after its freshness,
// while the origin is asked (RFC 5861 §3).
func (e *Entry) revalidatesLate(age time.Duration, strict bool) bool {
	window := lateUse(e.control.whileRevalidate, strict)
	return window > 0 && age-e.Lifetime.For <= window
}

// skipsReload reports whether the entry answers a reload because it is fresh and immutable (RFC 8246 §2).
// A reload is max-age=0, or no-cache of a caller with Rules; other callers force a request by no-cache.
func (e *Entry) skipsReload(fresh, strict bool) bool {
	return fresh && e.control.immutable && !strict
}

// mustValidate reports whether the response forbids its stale use (RFC 9111
// §4.2.4).
func (e *Entry) mustValidate() bool { return e.control.mustRevalidate || e.control.noCache }

// mayStandIn reports whether the entry may answer for an origin that cannot be asked. The window
// begins at expiry (RFC 5861 §4). The window of the request has precedence over the window of the
// response. fallback is used if neither gives one. A request with no-cache accepts no stored answer
// (RFC 9111 §5.2.1.4).
func (e *Entry) mayStandIn(d *demands, age, fallback time.Duration, strict bool) bool {
	window := lateUse(fallback, strict)
	switch {
	case d.staleIfError >= 0:
		window = d.staleIfError
	case e.control.hasStaleIfError:
		window = lateUse(e.control.staleIfError, strict)
	}
	return !e.mustValidate() && !d.noCache && window > 0 && age-e.Lifetime.For <= window
}

// Folded returns the entry in its small form. It is nil if the entry does not mean "no", is large,
// or was never kept by an Engine.
func (e *Entry) Folded() *Folded { return e.folded }

// validates reports whether a 304 is about this entry. A 304 with the validator of another
// representation must not update it (RFC 9111 §4.3.4). Tags are compared without W/, because
// servers that compress responses send the weak form with the content and the strong form with the
// 304.
func (e *Entry) validates(h http.Header) bool {
	tag, changed := h.Get("Etag"), h.Get("Last-Modified")
	switch {
	case tag != "" && (e.ETag() != "" || !strings.HasPrefix(tag, "W/")):
		return strings.TrimPrefix(e.ETag(), "W/") == strings.TrimPrefix(tag, "W/")
	case tag == "" && changed != "" && e.LastModified() != "":
		return changed == e.LastModified()
	}
	return true // nothing to compare: it answers the condition that was sent
}

// freshen returns a new entry with the content of this one and the fields of a 304 (RFC 9111 §3.2).
// The fields that describe the stored content are kept, as §3.2 allows if a cache has processed it.
// With strict, Content-Type is updated unless Rules have read the content. The stored Age and Date
// are dropped, because they were about the old response. shared is the value of Shared in the new
// entry.
func (e *Entry) freshen(asked *requestHeader, resp *http.Response, x *exchange, strict, shared bool) *Entry {
	n := e.copied()
	n.Header = e.Header.Clone()
	n.Header.Del("Age")
	n.Header.Del("Date")
	for name, values := range storedHeader(resp.Header) {
		switch {
		case name == "Content-Length", name == "Content-Encoding", name == "Content-Range":
		case name == "Content-Type" && (!strict || e.read):
		default:
			n.Header[name] = values
		}
	}
	n.RequestTime, n.ResponseTime = x.sent, x.received
	n.mono, n.hasMono, n.asked, n.came = x.mono, true, x.asked, x.came
	n.outer, n.below = e.outer.validated(x.outer), x.below
	n.Shared, n.SetsCookie = shared, e.SetsCookie || setsCookie(resp.Header)
	n.Credentialed = e.Credentialed || asked.identifies
	if x.remote.IsValid() {
		n.RemoteAddr = x.remote
	}
	n.derive()
	n.setVary(asked)
	return n
}

// condition adds both validators as they were received (RFC 9110 §13.1.2, §13.1.3). Servers prefer
// the entity tag.
func (e *Entry) condition(h http.Header) {
	if tag := e.ETag(); tag != "" {
		h.Set("If-None-Match", tag)
	}
	if date := e.LastModified(); date != "" {
		h.Set("If-Modified-Since", date)
	}
}

// olderThan reports whether an answer is older than a stored one although it came later. This is
// possible only if it was asked for before the stored one arrived. The origin's Date decides (RFC
// 9111 §4), or the order of the requests if the Dates do not. For two events at the same instant of
// the clock, the Engine's own order decides which was first.
func (e *Entry) olderThan(stored *Entry) bool {
	if !before(e.RequestTime.Compare(stored.ResponseTime), e.asked, stored.came) {
		return false
	}
	own, err := http.ParseTime(e.Header.Get("Date"))
	theirs, failed := http.ParseTime(stored.Header.Get("Date"))
	if err == nil && failed == nil && !own.Equal(theirs) {
		return own.Before(theirs)
	}
	return e.hasMono && stored.hasMono && before(cmp.Compare(e.sent(), stored.sent()), e.asked, stored.asked)
}

// sent returns the monotonic time at which the request of an entry with hasMono was sent.
func (e *Entry) sent() time.Duration { return e.mono - e.ResponseTime.Sub(e.RequestTime) }

// Storable reports whether the entry may be stored (RFC 9111 §3). If it may not, it is only for the
// caller that asked.
func (e *Entry) Storable() bool {
	switch {
	case e.Status < 200, e.Status == http.StatusPartialContent, e.Status == http.StatusNotModified, e.streams, e.below:
		return false
	case e.Shared && (e.control.private || e.SetsCookie || e.forOne()):
		return false // §5.2.2.7, §3.5, and stricter than §7.3
	case e.control.forbidsStoring(e.Status), e.varyAny:
		return false
	case e.Status == http.StatusTooManyRequests:
		return false // RFC 6585 §4
	case refuses(e.Status) && e.Lifetime.For == 0:
		return false // it is of no use later, and must not replace another entry
	}
	return e.Lifetime.For > 0 || e.control.hasMaxAge || e.Header["Expires"] != nil ||
		e.control.public || e.control.private || heuristicallyCacheable(e.Status)
}

// retain returns the time for which a store should keep the entry. It is longer than the freshness
// lifetime, for the validator and the windows for stale use.
func (e *Entry) retain(age time.Duration) time.Duration {
	return max(e.Lifetime.For-age, 0) + max(Retention, e.control.staleIfError, e.control.whileRevalidate)
}

// Decoded reports whether the content came in a coding, such as gzip, and Body is the decoded
// content.
func (e *Entry) Decoded() bool { return e.outer != nil && e.outer.uncompressed }

// PeerDigests returns the SHA-256 of each certificate in the chain of the origin, beginning with
// its own. It returns nil without TLS, or if the store does not keep the digests. If an entry was
// serialised and read again, only these digests of the certificates remain. The TLS state of its
// responses then has the version and the cipher suite, but no certificates and no secrets to export
// keys from.
func (e *Entry) PeerDigests() [][sha256.Size]byte { return e.outer.digests() }

// appendChanges appends the fields of an entry that differ from those of the last one.
func (e *Entry) appendChanges(out []byte, key string, last *[5][]byte) []byte {
	fields := [5][]byte{
		e.appendHead(nil), appendTime(appendTime(nil, e.RequestTime), e.ResponseTime), e.appendKept(nil), e.outer.appendTo(nil), e.Body,
	}
	flags := byte(0)
	for i, field := range fields {
		if last[i] != nil && bytes.Equal(field, last[i]) {
			flags |= 1 << i
		}
	}
	flags |= flag(e.URL != urlInKey(key), ownURL)
	out = append(out, flags)
	if flags&ownURL != 0 {
		out = appendText(out, e.URL)
	}
	for i, field := range fields {
		if flags&(1<<i) == 0 {
			out = appendText(out, field)
		}
		if last[i] = field; field == nil {
			last[i] = []byte{}
		}
	}
	return out
}

// forOne reports whether a shared cache must not answer others with an entry, because it answers
// credentials and its header does not make it public (RFC 9111 §3.5).
func (e *Entry) forOne() bool {
	return e.Credentialed && (e.memoryOnly || !e.control.forEveryone)
}

// forShared returns the part of a private store's entry that a shared store may have, or nil if it
// may have nothing. It is fresh there as long as the rules of both allow. If the response may not
// be stored but its meaning is remembered, the part is that meaning.
func (e *Entry) forShared() *Entry {
	s := e.copied()
	s.Shared = true
	s.derive()
	switch {
	case e.memoryOnly || e.Credentialed:
		return nil
	case s.Storable():
		if !s.Lifetime.remembered() && s.control.hasSharedMaxAge {
			s.Lifetime.For = min(s.Lifetime.For, s.control.sharedMaxAge)
		}
		return s
	case s.Lifetime.remembered() && s.Lifetime.For > 0:
		if h := s.withoutBody(); !h.memoryOnly {
			return h
		}
	}
	return nil
}

// storable reports whether an entry, or its meaning, may be kept.
func (e *Entry) storable() bool { return e.Storable() || e.Lifetime.remembered() }

// shareable reports whether an entry may answer more than the request that
// brought it.
func (e *Entry) shareable() bool { return e.storable() && e.Lifetime.For > 0 }

// matches reports whether the entry answers a request with these fields.
func (e *Entry) matches(request *requestHeader) bool {
	if e.varyAny || request.getsPublic() && !e.control.forEveryone || !e.covers(request) {
		return false
	}
	for i := range e.Vary {
		if f := &e.Vary[i]; !f.matches(request) && !(f.Name == acceptEncoding && request.accepts(e.codings)) {
			return false
		}
	}
	return true
}

// writable returns an error for an entry that UnmarshalVariants would refuse.
func (e *Entry) writable() error {
	if e.Status < 0 || e.Status > wireStatus {
		return fmt.Errorf("cache: status %d cannot be written down", e.Status)
	}
	if n := headerLines(e.Header); n > wireLines || len(e.Header) > wireLines || len(e.Vary) > wireLines {
		return fmt.Errorf("cache: %d header lines, more than %d", n, wireLines)
	}
	if !e.outer.writable() {
		return errors.New("cache: the protocol, the trailer or the certificates cannot be written down")
	}
	for _, t := range [...]time.Time{e.RequestTime, e.ResponseTime} {
		if s := t.Unix(); s < wireFirst || s > wireLast {
			return fmt.Errorf("cache: year %d cannot be written down", t.Year())
		}
	}
	return nil
}

// appendFields appends everything except the body.
func (e *Entry) appendFields(b []byte) []byte {
	b = appendText(b, e.Key)
	b = appendText(b, e.URL)
	b = e.appendAnswer(b)
	b = append(b, e.Digest[:]...)
	return e.outer.appendTo(b)
}

// appendAnswer appends the fields that are neither key nor content.
func (e *Entry) appendAnswer(b []byte) []byte {
	b = appendTime(appendTime(e.appendHead(b), e.RequestTime), e.ResponseTime)
	return e.appendKept(b)
}

// appendHead appends the status, the header and the Vary of the response.
func (e *Entry) appendHead(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(e.Status))
	b = appendHeader(b, e.Header)
	b = binary.AppendUvarint(b, uint64(len(e.Vary)))
	for _, f := range e.Vary {
		b = appendText(b, f.Name)
		b = appendText(b, f.Value)
		b = append(b, flag(f.Absent, 1))
	}
	return b
}

// appendKept appends the peer, the lifetime and the flags.
func (e *Entry) appendKept(b []byte) []byte {
	var scratch [64]byte
	// AppendBinary returns an error only because its interface requires one.
	addr, _ := e.RemoteAddr.AppendBinary(scratch[:0])
	b = appendText(b, addr)
	b = binary.AppendVarint(b, int64(e.Lifetime.For))
	b = appendText(b, e.Lifetime.Source)
	return append(b, flag(e.Lifetime.Explicit, wireExplicit)|flag(e.Lifetime.Remembered, wireRemembered)|flag(e.Lifetime.Obligation, wireObligation)|
		flag(e.Shared, wireShared)|flag(e.Credentialed, wireCredentialed)|flag(e.SetsCookie, wireSetsCookie))
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
