package cache

import (
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
