package cache

import (
	"math"
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
// Entry has, including its Note, but not its Key.
//
// The places of one site have similar answers, so the larger part is one text for all equal ones. It
// is for this process only:
//
//	status, header, Vary, address and lifetime as in wire.go, body (the rest)
type Folded struct {
	common     unique.Handle[string]
	note       Note
	outer      *outer
	asked      uint64
	came       uint64
	requested  int64 // Unix time in nanoseconds, as is responded
	responded  int64
	mono       time.Duration
	initialAge time.Duration
	at, length uint16 // place of the URL in the key

	memoryOnly, read, hasMono bool
}

// Folded returns the entry in its small form. It is nil if the entry does not mean "no", is large,
// or was never kept by an Engine.
func (e *Entry) Folded() *Folded { return e.folded }

// Size returns the estimated number of bytes that it occupies. The text that it shares with the
// Folded before it in a list is not counted. before may be nil.
func (f *Folded) Size(before *Folded) int64 {
	n := 112 + f.outer.size()
	if before == nil || before.common != f.common {
		n += int64(len(f.common.Value()))
	}
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
	if !says || len(e.Body) > maxFolded || at < 0 || len(e.Key) > math.MaxUint16 || e.varyAny ||
		e.writable() != nil || e.digestOf() != e.Digest || !inNanoseconds(e.RequestTime) || !inNanoseconds(e.ResponseTime) {
		return nil
	}
	var room [1024]byte
	common := append(e.appendKept(e.appendHead(room[:0])), e.Body...)
	return &Folded{
		common: unique.Make(string(common)), note: e.Note, outer: e.outer, asked: e.asked, came: e.came,
		requested: e.RequestTime.UnixNano(), responded: e.ResponseTime.UnixNano(), mono: e.mono, initialAge: e.initialAge,
		at: uint16(at), length: uint16(len(e.URL)), memoryOnly: e.memoryOnly, read: e.read, hasMono: e.hasMono,
	}
}

// inNanoseconds reports whether a time is one that UnixNano can express.
func inNanoseconds(t time.Time) bool { return time.Unix(0, t.UnixNano()).Equal(t) }

// Entry returns the entry, whose Key is key. Each call makes another one.
func (f *Folded) Entry(key string) *Entry {
	e := &Entry{
		Key: key, URL: f.URL(key), Note: f.note, outer: f.outer, folded: f, asked: f.asked, came: f.came,
		RequestTime: time.Unix(0, f.requested).UTC(), ResponseTime: time.Unix(0, f.responded).UTC(), mono: f.mono,
		memoryOnly: f.memoryOnly, read: f.read, hasMono: f.hasMono,
	}
	common := &cursor[string]{rest: f.common.Value(), size: len(f.common.Value())}
	common.head(e)
	common.kept(e)
	e.Body = []byte(common.rest)
	e.Digest = e.digestOf()
	e.derive()
	e.initialAge = f.initialAge
	return e
}

// URL returns the URL of the entry, which is a part of its key.
func (f *Folded) URL(key string) string { return key[f.at : int(f.at)+int(f.length)] }
