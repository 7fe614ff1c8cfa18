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

// The form in which entries are written down outside the process:
//
//	magic, version
//	number of entries
//	of each entry: length of its fields, fields, length of the body, body
//
// Numbers are varints in their shortest form, texts and values of header
// fields are byte for byte behind their length, names of header fields are
// sorted: the same variants are always the same bytes. There is no checksum
// over the fields: a store adds its own, or a MAC.

// ErrCorrupt is wrapped by the errors of [UnmarshalVariants], and by those of
// stores about what they found written down: it is not what was saved.
var ErrCorrupt = errors.New("cache: corrupt entry")

// CorruptError says where bytes are not what [Variants.MarshalBinary] writes.
// It wraps ErrCorrupt.
type CorruptError struct {
	// Offset in bytes, close to what is wrong.
	Offset int
	// Reason in a few words of our own: nothing of the bytes is in it.
	Reason string
}

// Error names place and reason.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("%v: at byte %d: %s", ErrCorrupt, e.Offset, e.Reason)
}

// Unwrap returns ErrCorrupt.
func (e *CorruptError) Unwrap() error { return ErrCorrupt }

const (
	wireMagic   = "wfv"
	wireVersion = 1
	// wireLines bounds names and lines of one header, and the request fields
	// that an entry varies on. No server sends a hundred; memory for them is
	// set aside before they are read.
	wireLines = 4096
	// wireStatus is the largest status code that three digits can say.
	wireStatus = 999
)

// Times of the years 1 to 9999, in seconds as time.Unix counts them: the zero
// time is the first.
const (
	wireFirst = -62135596800
	wireLast  = 253402300799
)

// Bits of the byte that holds what is true of a Lifetime, and of its entry.
const (
	wireExplicit = 1 << iota
	wireRemembered
	wireObligation
	wireShared
	wireCredentialed
	wireSetsCookie
	wireUnused
)

// MarshalBinary returns what a store outside the process writes down: of each
// entry all exported fields but Note. The same variants give the same
// bytes. It is an error if they could not be read back: more than MaxVariants,
// a status of more than three digits, thousands of header lines, times outside
// the years 1 to 9999.
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
	out = append(out, wireVersion)
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

// writable reports what UnmarshalVariants would refuse.
func (e *Entry) writable() error {
	if e.Status < 0 || e.Status > wireStatus {
		return fmt.Errorf("cache: status %d cannot be written down", e.Status)
	}
	if n := headerLines(e.Header); n > wireLines || len(e.Header) > wireLines || len(e.Vary) > wireLines {
		return fmt.Errorf("cache: %d header lines, more than %d", n, wireLines)
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

// appendFields writes everything but the body.
func (e *Entry) appendFields(b []byte) []byte {
	b = appendText(b, e.Key)
	b = appendText(b, e.URL)
	b = e.appendAnswer(b)
	return append(b, e.Digest[:]...)
}

// appendAnswer writes what is neither key nor content.
func (e *Entry) appendAnswer(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(e.Status))
	b = appendHeader(b, e.Header)
	b = binary.AppendUvarint(b, uint64(len(e.Vary)))
	for _, f := range e.Vary {
		b = appendText(b, f.Name)
		b = appendText(b, f.Value)
		b = append(b, flag(f.Absent, 1))
	}
	b = appendTime(b, e.RequestTime)
	b = appendTime(b, e.ResponseTime)
	var room [64]byte
	// The only error of AppendBinary is of its interface.
	addr, _ := e.RemoteAddr.AppendBinary(room[:0])
	b = appendText(b, addr)
	b = binary.AppendVarint(b, int64(e.Lifetime.For))
	b = appendText(b, e.Lifetime.Source)
	return append(b, flag(e.Lifetime.Explicit, wireExplicit)|flag(e.Lifetime.Remembered, wireRemembered)|flag(e.Lifetime.Obligation, wireObligation)|
		flag(e.Shared, wireShared)|flag(e.Credentialed, wireCredentialed)|flag(e.SetsCookie, wireSetsCookie))
}

func appendHeader(b []byte, h http.Header) []byte {
	b = binary.AppendUvarint(b, uint64(len(h)))
	b = binary.AppendUvarint(b, uint64(headerLines(h)))
	var room [24]string
	names := room[:0]
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

// UnmarshalVariants reads what [Variants.MarshalBinary] wrote, and nothing
// else: another version, a length that leads past the end, a byte too many, a
// body that is not the one of the digest are a *CorruptError. No memory is set
// aside for what is not there. The bodies alias data. Entries come back through
// [Restore].
func UnmarshalVariants(data []byte) (*Variants, error) {
	c := &cursor[[]byte]{rest: data, size: len(data)}
	if string(c.take(uint64(len(wireMagic)))) != wireMagic {
		c.fail("no magic")
	}
	if c.byte() != wireVersion {
		c.fail("another version")
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

// cursor reads from the front of what is left. The first error stays, and
// everything that is read after it is zero.
type cursor[S string | []byte] struct {
	rest S
	base int // offset of the whole in what is reported
	size int
	err  *CorruptError
}

func (c *cursor[S]) fail(reason string) {
	if c.err == nil {
		c.err = &CorruptError{Offset: c.base + c.size - len(c.rest), Reason: reason}
	}
	c.rest = c.rest[:0]
}

// end reports what is left over.
func (c *cursor[S]) end() {
	if c.err == nil && len(c.rest) > 0 {
		c.fail("bytes left over")
	}
}

// take returns the next n bytes, not copied.
func (c *cursor[S]) take(n uint64) (s S) {
	if n > uint64(len(c.rest)) {
		c.fail("cut off")
		return s
	}
	s, c.rest = c.rest[:n], c.rest[n:]
	return s
}

func (c *cursor[S]) byte() byte {
	if s := c.take(1); len(s) == 1 {
		return s[0]
	}
	return 0
}

// uvarint reads a number in its shortest form.
func (c *cursor[S]) uvarint() uint64 {
	var v uint64
	for shift := 0; ; shift += 7 {
		b := c.byte()
		switch {
		case shift == 63 && b > 1:
			c.fail("a number of more than 64 bits")
			return 0
		case b == 0 && shift > 0:
			c.fail("a number with a needless byte")
			return 0
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
}

// varint reads a number with a sign, as binary.AppendVarint writes it.
func (c *cursor[S]) varint() int64 {
	u := c.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

func (c *cursor[S]) text() S { return c.take(c.uvarint()) }

// count reads how many things follow. Each has at least one byte.
func (c *cursor[S]) count(limit uint64) int {
	n := c.uvarint()
	if n > limit || n > uint64(len(c.rest)) {
		c.fail("too many")
		return 0
	}
	return int(n)
}

// bits reads a byte of flags.
func (c *cursor[S]) bits(unused byte) byte {
	b := c.byte()
	if b >= unused {
		c.fail("an unknown flag")
		return 0
	}
	return b
}

func (c *cursor[S]) time() time.Time {
	seconds, nanos := c.varint(), c.uvarint()
	if seconds < wireFirst || seconds > wireLast || nanos >= uint64(time.Second) {
		c.fail("no time")
		return time.Time{}
	}
	return time.Unix(seconds, int64(nanos)).UTC()
}

// entry reads one entry. Its texts share one copy of the fields' bytes.
func (c *cursor[S]) entry() *Entry {
	fields := string(c.text())
	f := &cursor[string]{rest: fields, size: len(fields), base: c.base + c.size - len(c.rest) - len(fields)}
	e := Entry{Key: f.text(), URL: f.text()}
	f.answer(&e)
	copy(e.Digest[:], f.take(sha256.Size))
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
	return Restore(e)
}

// answer reads what appendAnswer wrote.
func (c *cursor[S]) answer(e *Entry) {
	e.Status = int(min(c.uvarint(), wireStatus+1))
	if e.Status > wireStatus {
		c.fail("no status")
	}
	e.Header = c.header()
	e.Vary = c.vary()
	e.RequestTime, e.ResponseTime = c.time(), c.time()
	if addr := c.text(); c.err == nil && e.RemoteAddr.UnmarshalBinary([]byte(addr)) != nil {
		c.fail("no address")
	}
	e.Lifetime = Lifetime{For: time.Duration(c.varint()), Source: string(c.text())}
	bits := c.bits(wireUnused)
	e.Lifetime.Explicit, e.Lifetime.Remembered, e.Lifetime.Obligation = bits&wireExplicit != 0, bits&wireRemembered != 0, bits&wireObligation != 0
	e.Shared, e.Credentialed, e.SetsCookie = bits&wireShared != 0, bits&wireCredentialed != 0, bits&wireSetsCookie != 0
}

// header reads fields whose names are in order. All lines share one slice.
func (c *cursor[S]) header() http.Header {
	names, total := c.count(wireLines), c.count(wireLines)
	h := make(http.Header, names)
	lines := make([]string, 0, total)
	last := ""
	for i := range names {
		name := string(c.text())
		if i > 0 && name <= last {
			c.fail("header names out of order")
		}
		last = name
		first := len(lines)
		for range c.count(uint64(total - first)) {
			lines = append(lines, string(c.text()))
		}
		h[name] = lines[first:len(lines):len(lines)]
	}
	if len(lines) != total {
		c.fail("another number of header lines")
	}
	return h
}

func (c *cursor[S]) vary() []VaryField {
	n := c.count(wireLines)
	if n == 0 {
		return nil
	}
	fields := make([]VaryField, 0, n)
	for range n {
		fields = append(fields, VaryField{Name: string(c.text()), Value: string(c.text()), Absent: c.bits(2) == 1})
	}
	return fields
}
