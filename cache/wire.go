package cache

import (
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
const Schema = 5

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

func headerLines(h http.Header) int {
	n := 0
	for _, lines := range h {
		n += len(lines)
	}
	return n
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
