package cache

import (
	"encoding/binary"
	"net/http"
	"strings"
	"time"
	"unique"
)

// maxFolded is the largest body of a folded entry, in bytes. In an entry with a larger body, the
// body takes most of the memory.
const maxFolded = 512

// Folded contains an [Entry] that means "no" (404, 410) in few bytes. Most places of most sites
// answer so, and an Entry takes five times the memory. It is immutable. It has everything that the
// Entry has, including its Note.
//
// The bytes are for this process only. Places of one site have similar answers, so the larger part
// is one text for all equal answers:
//
//	status, header, Vary, address and lifetime as in wire.go, body (the rest)
//
// and each entry has its own:
//
//	place of the URL in the key, times, monotonic time, age at arrival, flags
type Folded struct {
	key    string
	common unique.Handle[string]
	fields string
	note   Note
	outer  *outer
}

// Bits of the byte that holds the flags of a folded entry.
const (
	foldMemoryOnly = 1 << iota
	foldRead
	foldMono
	foldUnused
)

// Folded returns the entry in its small form. It is nil if the entry does not mean "no", is large,
// or was never kept by an Engine.
func (e *Entry) Folded() *Folded { return e.folded }

// Size returns the estimated number of bytes that it occupies.
func (f *Folded) Size() int64 {
	n := int64(80+len(f.key)+len(f.fields)+len(f.common.Value())) + f.outer.size()
	if f.note != nil {
		n += f.note.Size()
	}
	return n
}

// fold returns the small form of an entry that is finished and not published, or nil if it has
// none.
func fold(e *Entry) *Folded {
	at := strings.Index(e.Key, e.URL)
	says := e.Status == http.StatusNotFound || e.Status == http.StatusGone
	if !says || len(e.Body) > maxFolded || at < 0 || e.varyAny || e.writable() != nil || e.digestOf() != e.Digest {
		return nil
	}
	var room [1024]byte
	common := unique.Make(string(append(e.appendKept(e.appendHead(room[:0])), e.Body...)))
	b := binary.AppendUvarint(room[:0], uint64(at))
	b = binary.AppendUvarint(b, uint64(len(e.URL)))
	b = appendTime(appendTime(b, e.RequestTime), e.ResponseTime)
	b = binary.AppendVarint(b, int64(e.mono))
	b = binary.AppendUvarint(b, e.asked)
	b = binary.AppendUvarint(b, e.came)
	b = binary.AppendVarint(b, int64(e.initialAge))
	b = append(b, flag(e.memoryOnly, foldMemoryOnly)|flag(e.read, foldRead)|flag(e.hasMono, foldMono))
	return &Folded{key: e.Key, common: common, fields: string(b), note: e.Note, outer: e.outer}
}

// Entry returns the entry. Each call makes another one.
func (f *Folded) Entry() *Entry {
	c := &cursor[string]{rest: f.fields, size: len(f.fields)}
	at, length := c.uvarint(), c.uvarint()
	e := &Entry{Key: f.key, URL: f.key[at : at+length], Note: f.note, outer: f.outer, folded: f}
	e.RequestTime, e.ResponseTime = c.time(), c.time()
	e.mono = time.Duration(c.varint())
	e.asked, e.came = c.uvarint(), c.uvarint()
	initialAge := time.Duration(c.varint())
	bits := c.bits(foldUnused)
	e.memoryOnly, e.read, e.hasMono = bits&foldMemoryOnly != 0, bits&foldRead != 0, bits&foldMono != 0
	common := &cursor[string]{rest: f.common.Value(), size: len(f.common.Value())}
	common.head(e)
	common.kept(e)
	e.Body = []byte(common.rest)
	e.Digest = e.digestOf()
	e.derive()
	e.initialAge = initialAge
	return e
}
