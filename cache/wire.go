package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// The serialised form of entries outside the process:
//
//	magic, Schema
//	number of entries
//	of each entry: length of its fields, fields, length of the body, body
//
// Numbers are varints in their shortest form. Texts and values of header fields are unchanged bytes
// after their length. Names of header fields are sorted. So the same variants are always the same
// bytes. There is no checksum over the fields. A store adds its own checksum or a MAC.

// ErrCorrupt is wrapped by the errors of [UnmarshalVariants], and by errors of
// stores about entries that differ from those that were saved.
var ErrCorrupt = errors.New("cache: corrupt entry")

// ErrSchema is wrapped, in addition to ErrCorrupt, by the error of [UnmarshalVariants] for bytes of
// another [Schema]. A store whose names do not contain the number may return it from Load. Its
// callers treat it as a miss.
var ErrSchema = errors.New("cache: entry of another schema")

// CorruptError is the error for bytes that are not in the format of [Variants.MarshalBinary]. It
// wraps ErrCorrupt.
type CorruptError struct {
	// Offset is the offset in bytes, close to the fault.
	Offset int
	// Reason is a short description of the fault. It quotes no bytes of the entry.
	Reason string

	schema bool // the fault is another schema
}

// Error returns a text with the offset and the reason.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("%v: at byte %d: %s", ErrCorrupt, e.Offset, e.Reason)
}

// Unwrap returns ErrCorrupt.
func (e *CorruptError) Unwrap() error { return ErrCorrupt }

// Is implements errors.Is for ErrSchema.
func (e *CorruptError) Is(target error) bool { return e.schema && target == ErrSchema }

// Schema is the number of the serialised form of entries. Stores include it in the names under
// which they keep entries. So entries of another version of this package are misses, and several
// versions can share a directory or a server. The number rises with each change of the form.
const Schema = 4

const (
	wireMagic = "wfv"
	// wireLines is the largest number of names or lines of one header, and of request fields that
	// an entry varies on. No server sends a hundred. The limit matters because memory for them is
	// allocated before they are read.
	wireLines = 4096
	// wireStatus is the largest status code with three digits.
	wireStatus = 999
)

// Times of the years 1 to 9999, in seconds since 1970 as in time.Unix. The zero time is the first.
const (
	wireFirst = -62135596800
	wireLast  = 253402300799
)

// Bits of the byte with the flags of a Lifetime and of its entry.
const (
	wireExplicit = 1 << iota
	wireRemembered
	wireObligation
	wireShared
	wireCredentialed
	wireSetsCookie
	wireUnused
)

// MarshalBinary returns the serialised form for a store outside the process. It contains all
// exported fields of each entry except Note, and the facts of net/http about the response:
// protocol, trailer, whether the content was decoded, and the version of TLS, the cipher suite and
// the digests of the certificates. The same variants give the same bytes. MarshalBinary returns an
// error if they could not be read back: more than MaxVariants, a status of more than three digits,
// thousands of header lines, or times outside the years 1 to 9999.
func (v *Variants) MarshalBinary() ([]byte, error) {
	if len(v.Entries) > MaxVariants {
		return nil, fmt.Errorf("cache: %d variants, more than %d", len(v.Entries), MaxVariants)
	}
	size := 0
	for _, e := range v.Entries {
		bare := Entry{Key: e.Key, URL: e.URL, Header: e.Header, Vary: e.Vary, Body: e.Body}
		size += int(bare.Size())
	}
	out := append(make([]byte, 0, size+16), wireMagic...)
	out = append(out, Schema)
	out = binary.AppendUvarint(out, uint64(len(v.Entries)))
	var fields []byte
	for _, e := range v.Entries {
		if err := e.writable(); err != nil {
			return nil, err
		}
		fields = e.appendFields(fields[:0])
		out = appendText(out, fields)
		out = appendText(out, e.Body)
	}
	return out, nil
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

func headerLines(h http.Header) int {
	n := 0
	for _, lines := range h {
		n += len(lines)
	}
	return n
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

func appendHeader(b []byte, h http.Header) []byte {
	b = binary.AppendUvarint(b, uint64(len(h)))
	b = binary.AppendUvarint(b, uint64(headerLines(h)))
	var scratch [24]string
	names := scratch[:0]
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b = appendText(b, name)
		b = binary.AppendUvarint(b, uint64(len(h[name])))
		for _, line := range h[name] {
			b = appendText(b, line)
		}
	}
	return b
}

func appendText[S string | []byte](b []byte, s S) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendTime(b []byte, t time.Time) []byte {
	b = binary.AppendVarint(b, t.Unix())
	return binary.AppendUvarint(b, uint64(t.Nanosecond()))
}

func flag(set bool, bit byte) byte {
	if set {
		return bit
	}
	return 0
}

// UnmarshalVariants reads the bytes of [Variants.MarshalBinary], and nothing else. It returns a
// *CorruptError for another schema, a length past the end, left-over bytes, or a body that does not
// match its digest. It allocates no memory for missing bytes. The bodies alias data. Entries are
// restored by [Restore].
func UnmarshalVariants(data []byte) (*Variants, error) {
	c := &cursor[[]byte]{rest: data, size: len(data)}
	if string(c.take(uint64(len(wireMagic)))) != wireMagic {
		c.fail("no magic")
	}
	if schema := c.byte(); schema != Schema && c.err == nil {
		c.fail("another schema")
		c.err.schema = true
	}
	v := &Variants{}
	if n := c.count(MaxVariants); n > 0 {
		v.Entries = make([]*Entry, 0, n)
		for range n {
			v.Entries = append(v.Entries, c.entry())
		}
	}
	c.end()
	if c.err != nil {
		return nil, c.err
	}
	return v, nil
}

// entry reads one entry. Its texts share one copy of the fields' bytes.
func (c *cursor[S]) entry() *Entry {
	fields := string(c.text())
	f := &cursor[string]{rest: fields, size: len(fields), base: c.base + c.size - len(c.rest) - len(fields)}
	e := Entry{Key: f.text(), URL: f.text()}
	f.answer(&e)
	copy(e.Digest[:], f.take(sha256.Size))
	outer := f.outer()
	f.end()
	if c.err == nil && f.err != nil {
		c.err, c.rest = f.err, c.rest[:0]
	}
	body := []byte(c.text())
	e.Body = body[:len(body):len(body)]
	if c.err == nil && sha256.Sum256(e.Body) != e.Digest {
		c.fail("a body that is not the one of the digest")
	}
	if c.err != nil {
		return nil
	}
	r := Restore(e)
	r.outer = outer
	return r
}

// answer reads the form that appendAnswer writes.
func (c *cursor[S]) answer(e *Entry) {
	c.head(e)
	e.RequestTime, e.ResponseTime = c.time(), c.time()
	c.kept(e)
}

// head reads the form that appendHead writes.
func (c *cursor[S]) head(e *Entry) {
	e.Status = int(min(c.uvarint(), wireStatus+1))
	if e.Status > wireStatus {
		c.fail("no status")
	}
	e.Header = c.header()
	e.Vary = c.vary()
}

// kept reads the form that appendKept writes.
func (c *cursor[S]) kept(e *Entry) {
	if addr := c.text(); c.err == nil && e.RemoteAddr.UnmarshalBinary([]byte(addr)) != nil {
		c.fail("no address")
	}
	e.Lifetime = Lifetime{For: time.Duration(c.varint()), Source: string(c.text())}
	bits := c.bits(wireUnused)
	e.Lifetime.Explicit, e.Lifetime.Remembered, e.Lifetime.Obligation = bits&wireExplicit != 0, bits&wireRemembered != 0, bits&wireObligation != 0
	e.Shared, e.Credentialed, e.SetsCookie = bits&wireShared != 0, bits&wireCredentialed != 0, bits&wireSetsCookie != 0
}
