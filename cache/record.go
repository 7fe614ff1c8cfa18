package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Record holds the answers of one origin that a store keeps, in one piece: the answers of a
// domain are wanted together, and most say "no" in the same words. It is a packing of
// entries: each counts by its own times and rules. It is immutable, as its parts are.
type Record struct {
	// Parts by key, all of one origin and of anonymous callers.
	Parts map[string]Part
	// Generation and From are those of Variants, for all parts.
	Generation, From string
	// Version tells the store which of its records this is. Only the store reads it.
	Version string
}

// Part is one key of a Record.
type Part struct {
	// Variants are nil where they are so large that they stand under the key itself.
	Variants *Variants
	// Until is when the store may forget the part.
	Until time.Time

	sum [8]byte // of the variants under the key itself: others are not those of the record
}

// RecordStore is a Store that keeps records. A Layered reads and writes the
// answers to calls with [Visits] by records, if its far store is one.
type RecordStore interface {
	Store
	// Records reports whether it keeps records for a store, which is this one as its
	// caller has it: one that embeds this one may have a Load of its own.
	Records(of Store) bool
	// LoadRecord returns the record that was saved last under a key. Without one it has
	// no parts, and the generation in which they may be saved.
	LoadRecord(ctx context.Context, key string) (*Record, error)
	// UpdateRecord replaces the record under a key by the result of change. No other change
	// comes between: change may be called again, with another record. The first may be
	// seen, one that LoadRecord has returned; nil is none. A record without parts is
	// deleted. An empty Generation of the result begins another one.
	UpdateRecord(ctx context.Context, key string, seen *Record, change func(*Record) *Record) error
}

const (
	// recordInKey ends the key of a record, which begins with the origin.
	recordInKey = "\nrecord"
	// maxParts bounds the parts of a record. The places of a domain are some thirty.
	maxParts = 256
	// maxPart is the size of variants that have a place in a record, in bytes. Others are
	// read and written alone.
	maxPart = 16 << 10
)

// RecordKey returns the key of the record that a key belongs to. It is a key of the same
// origin, so that a Purge of the origin ends the record.
func RecordKey(key string) string { return originOf(key) + recordInKey }

// IsRecordKey reports whether a key is one of a record.
func IsRecordKey(key string) bool {
	return strings.HasSuffix(key, recordInKey) && RecordKey(key) == key
}

// Without returns the record without a part, in another generation.
func (r *Record) Without(key string) *Record {
	out := &Record{Parts: maps.Clone(r.Parts), From: r.From, Version: r.Version}
	delete(out.Parts, key)
	return out
}

// sumOf is the sum of variants.
func sumOf(v *Variants) (sum [8]byte) {
	h := sha256.New()
	for _, e := range v.Entries {
		h.Write(e.Digest[:])
		h.Write(appendTime(nil, e.ResponseTime))
	}
	copy(sum[:], h.Sum(nil))
	return sum
}

// The form in which a record is written down:
//
//	magic, Schema
//	origin, as all keys begin; number of parts
//	of each part: rest of the key, end, number of entries (0: under the key itself, sum)
//	of each entry: flags, then those of its fields that differ from the entry before
//
// Most answers of an origin have all but their times in common.
const recordMagic = "wfo"

// Bits of the byte that says which fields are as in the entry before.
const (
	sameHead  = 1 << iota // status, header, Vary
	sameTimes             // of request and response
	sameKept              // address, lifetime, flags
	sameOuter
	sameBody
	ownURL // its URL is not the one of the key
	recordUnused
)

// MarshalBinary returns the bytes that a store writes down of the record under a key.
// The same record gives the same bytes. It is an error if they could not be read back.
func (r *Record) MarshalBinary() ([]byte, error) {
	keys := slices.Sorted(maps.Keys(r.Parts))
	if len(keys) > maxParts {
		return nil, fmt.Errorf("cache: %d parts, more than %d", len(keys), maxParts)
	}
	origin := ""
	if len(keys) > 0 {
		origin = originOf(keys[0])
	}
	out := appendText(append([]byte(recordMagic), Schema), origin)
	out = binary.AppendUvarint(out, uint64(len(keys)))
	var last [5][]byte
	for _, key := range keys {
		if originOf(key) != origin || ResourceOf(key) != key || IsRecordKey(key) {
			return nil, fmt.Errorf("cache: a part of another origin")
		}
		p := r.Parts[key]
		out = appendTime(appendText(out, key[len(origin):]), p.Until)
		if p.Variants == nil {
			out = append(append(out, 0), p.sum[:]...)
			continue
		}
		n := len(p.Variants.Entries)
		if n == 0 || n > MaxVariants {
			return nil, fmt.Errorf("cache: %d variants of a part", n)
		}
		out = append(out, byte(n))
		for _, e := range p.Variants.Entries {
			if err := e.writable(); err != nil {
				return nil, err
			}
			out = e.appendChanges(out, key, &last)
		}
	}
	return out, nil
}

// appendChanges writes the fields of an entry that differ from those of the last one.
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

// urlInKey is the URL of a key of an anonymous caller.
func urlInKey(key string) string {
	_, to, ok := partitionIn(key)
	if !ok {
		return ""
	}
	url, _, _ := strings.Cut(key[to+len(methodInKey):], "\n")
	return url
}

// UnmarshalRecord reads the bytes of MarshalBinary of the record under a key, and nothing
// else: see UnmarshalVariants.
func UnmarshalRecord(key string, data []byte) (*Record, error) {
	c := &cursor[string]{rest: string(data), size: len(data)}
	if c.take(uint64(len(recordMagic))) != recordMagic {
		c.fail("no magic")
	}
	if schema := c.byte(); schema != Schema && c.err == nil {
		c.fail("another schema")
		c.err.schema = true
	}
	origin := c.text()
	n := c.count(maxParts)
	r := &Record{Parts: make(map[string]Part, n)}
	var last Entry
	first := true
	for range n {
		own := origin + c.text()
		p := Part{Until: c.time()}
		if _, twice := r.Parts[own]; c.err == nil && (twice || RecordKey(own) != key || ResourceOf(own) != own || IsRecordKey(own)) {
			c.fail("a part of another origin")
		}
		entries := c.byte()
		if entries > MaxVariants {
			c.fail("too many")
		}
		if entries == 0 {
			copy(p.sum[:], c.take(uint64(len(p.sum))))
		} else {
			p.Variants = &Variants{}
		}
		for range entries {
			c.changes(own, &last, first)
			if first = false; c.err != nil {
				break
			}
			outer := last.outer
			e := Restore(last)
			e.outer = outer
			p.Variants.Entries = append(p.Variants.Entries, e)
		}
		if c.err != nil {
			return nil, c.err
		}
		r.Parts[own] = p
	}
	c.end()
	if c.err != nil {
		return nil, c.err
	}
	return r, nil
}

// changes makes of an entry the next one.
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
