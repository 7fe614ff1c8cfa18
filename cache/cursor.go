package cache

import (
	"crypto/sha256"
	"crypto/tls"
	"net/http"
	"time"
)

// cursor reads from the front of the remaining bytes. It keeps the first error, and every value
// read after that is zero.
type cursor[S string | []byte] struct {
	rest S
	base int // offset of the first byte, for reported errors
	size int
	err  *CorruptError
}

// outer reads the form that appendTo writes.
func (c *cursor[S]) outer() *outer {
	bits := c.bits(outerUnused)
	if bits&outerKnown == 0 {
		if bits != 0 {
			c.fail("an unknown flag")
		}
		return nil
	}
	o := &outer{uncompressed: bits&outerUncompressed != 0, proto: string(c.text()), major: int(c.byte()), minor: int(c.byte())}
	if h := c.header(); len(h) > 0 {
		o.trailer = h
	}
	if bits&outerTLS == 0 {
		return o
	}
	version, suite := c.uvarint(), c.uvarint()
	if max(version, suite) > 0xffff {
		c.fail("no version of TLS")
	}
	o.tls = &tls.ConnectionState{Version: uint16(version), CipherSuite: uint16(suite), HandshakeComplete: true}
	n := c.count(wireLines)
	all := c.take(uint64(n) * sha256.Size)
	for ; len(all) > 0; all = all[sha256.Size:] {
		var sum digest
		copy(sum[:], all)
		o.peers = append(o.peers, sum)
	}
	return o
}

// changes reads the changes from an entry to the next one, and applies them to e.
func (c *cursor[S]) changes(key string, e *Entry, first bool) {
	flags := c.bits(recordUnused)
	if first && flags&(ownURL-1) != 0 {
		c.fail("nothing before")
	}
	if e.Key, e.URL = key, urlInKey(key); flags&ownURL != 0 {
		e.URL = string(c.text())
	}
	field := func(bit byte, read func(*cursor[string])) {
		if flags&bit != 0 || c.err != nil {
			return
		}
		text := string(c.text())
		f := &cursor[string]{rest: text, size: len(text), base: c.base + c.size - len(c.rest) - len(text)}
		read(f)
		f.end()
		if c.err == nil && f.err != nil {
			c.err = f.err
		}
	}
	field(sameHead, func(f *cursor[string]) { f.head(e) })
	field(sameTimes, func(f *cursor[string]) { e.RequestTime, e.ResponseTime = f.time(), f.time() })
	field(sameKept, func(f *cursor[string]) { f.kept(e) })
	field(sameOuter, func(f *cursor[string]) { e.outer = f.outer() })
	field(sameBody, func(f *cursor[string]) {
		e.Body = []byte(f.take(uint64(len(f.rest))))
		e.Digest = e.digestOf()
	})
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

func (c *cursor[S]) fail(reason string) {
	if c.err == nil {
		c.err = &CorruptError{Offset: c.base + c.size - len(c.rest), Reason: reason}
	}
	c.rest = c.rest[:0]
}

// end reports an error if bytes are left over.
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

// count reads the number of items that follow. Each has at least one byte.
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

// header reads fields whose names are sorted. All lines share one slice.
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
