package cache

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Record contains the answers of one origin that a store keeps in one piece. The answers of a
// domain are needed together, and most mean "no" with the same content. Each entry has its own
// times and lifetime. A Record and its parts are immutable.
type Record struct {
	// Parts are the parts by key, all of one origin and of anonymous callers.
	Parts map[string]Part
	// Generation and From have the meaning of those in Variants, for all parts.
	Generation, From string
	// Version identifies the version of the record. Only the store reads it.
	Version string
}

// Part is one key of a Record.
type Part struct {
	// Variants is nil if the variants are so large that they are stored under the key itself.
	Variants *Variants
	// Until is the time when the store may forget the part.
	Until time.Time

	sum [8]byte // the sum of the variants under the key itself; others do not belong to the record
}

// RecordStore is a Store that keeps records. A Layered reads and writes the
// answers to calls with [Visits] by records, if its far store is one.
type RecordStore interface {
	Store
	// Records reports whether it keeps records for the store of, which is the store that its caller
	// uses. It is false if that store only embeds this one, because it may have its own Load.
	Records(of Store) bool
	// LoadRecord returns the record that was saved last under a key. If there is none, it returns a
	// record without parts, with the generation in which parts may be saved.
	LoadRecord(ctx context.Context, key string) (*Record, error)
	// UpdateRecord replaces the record under a key by the result of change, atomically: change may
	// be called again with another record. Its first argument may be seen, a record that LoadRecord
	// has returned; seen may be nil. A record without parts is deleted. If the Generation of the
	// result is empty, a new generation begins.
	UpdateRecord(ctx context.Context, key string, seen *Record, change func(*Record) *Record) error
}

const (
	// recordInKey ends the key of a record, which begins with the origin.
	recordInKey = "\nrecord"
	// maxParts is the largest number of parts of a record. A domain has about thirty places.
	maxParts = 256
	// maxPart is the largest size of variants in a record, in bytes. Larger ones are read and
	// written under their own key.
	maxPart = 16 << 10
)

// RecordKey returns the key of the record that a key belongs to. It is a key of the same origin, so
// that a Purge of the origin ends the record, too.
func RecordKey(key string) string { return originOf(key) + recordInKey }

// IsRecordKey reports whether a key is the key of a record.
func IsRecordKey(key string) bool {
	return strings.HasSuffix(key, recordInKey) && RecordKey(key) == key
}

// Without returns the record without a part, for a new generation.
func (r *Record) Without(key string) *Record {
	out := &Record{Parts: maps.Clone(r.Parts), From: r.From, Version: r.Version}
	delete(out.Parts, key)
	return out
}

// sumOf returns the sum of variants.
func sumOf(v *Variants) (sum [8]byte) {
	h := sha256.New()
	for _, e := range v.Entries {
		h.Write(e.Digest[:])
		h.Write(appendTime(nil, e.ResponseTime))
	}
	copy(sum[:], h.Sum(nil))
	return sum
}

// The serialised form of a record:
//
//	magic, Schema
//	origin, as all keys begin; number of parts
//	of each part: rest of the key, end, number of entries (0: under the key itself, sum)
//	of each entry: flags, then those of its fields that differ from the entry before
//
// Most answers of an origin differ only in their times.
const recordMagic = "wfo"

// Bits of the byte that marks the fields that are equal to those of the entry before.
const (
	sameHead  = 1 << iota // status, header, Vary
	sameTimes             // times of request and response
	sameKept              // address, lifetime, flags
	sameOuter
	sameBody
	ownURL // its URL is not that of the key
	recordUnused
)

// MarshalBinary returns the serialised form of a record. The same record gives the same bytes. It
// returns an error if they could not be read back.
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

// shrink removes the parts that end first, if there are more than maxParts.
func (r *Record) shrink() {
	if len(r.Parts) <= maxParts {
		return
	}
	keys := slices.SortedFunc(maps.Keys(r.Parts), func(a, b string) int { return r.Parts[a].Until.Compare(r.Parts[b].Until) })
	for _, key := range keys[:len(keys)-maxParts] {
		delete(r.Parts, key)
	}
}

// urlInKey returns the URL in a key of an anonymous caller.
func urlInKey(key string) string {
	_, to, ok := partitionIn(key)
	if !ok {
		return ""
	}
	url, _, _ := strings.Cut(key[to+len(methodInKey):], "\n")
	return url
}

// UnmarshalRecord reads the bytes that MarshalBinary returned for the record under a key, and
// nothing else: see UnmarshalVariants.
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
