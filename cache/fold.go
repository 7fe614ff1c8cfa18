package cache

import (
	"math"
	"net/http"
	"strings"
	"sync"
	"time"
	"unique"
)

// maxFolded is the largest body of a folded entry, in bytes. In an entry with a larger body, the
// body takes most of the memory.
const maxFolded = 512

// Folded contains an [Entry] that means "no" (404, 410) in few bytes. Most places of most sites
// answer so, and an Entry takes five times the memory. It is immutable. It has everything that the
// Entry has, including its Note, and the part of its Key after the origin: most sites are asked at
// the same places.
//
// The places of one site have similar answers, so the larger part is one text for all equal ones. It
// is for this process only:
//
//	status, header, Vary, address and lifetime as in wire.go, body (the rest)
type Folded struct {
	common     unique.Handle[string]
	place      unique.Handle[string] // the key after the origin: see CutOrigin
	note       Note
	outer      *outer
	asked      uint64
	came       uint64
	requested  int64 // Unix time in nanoseconds, as is responded
	responded  int64
	mono       time.Duration
	at, length uint16 // place of the URL in the key

	memoryOnly, read, hasMono bool
}

// Size returns the estimated number of bytes that it occupies. The text that it shares with the
// Folded before it in a list is not counted. before may be nil.
func (f *Folded) Size(before *Folded) int64 {
	n := 96 + f.outer.size()
	if before == nil || before.common != f.common {
		n += int64(len(f.common.Value()))
	}
	if f.note != nil {
		n += f.note.Size()
	}
	return n
}

// Place returns the key after the origin: see [CutOrigin].
func (f *Folded) Place() string { return f.place.Value() }

// SamePlace reports whether two keys are the same after the origin.
func (f *Folded) SamePlace(other *Folded) bool { return f.place == other.place }

// A FoldedArena has the small forms of the answers to one call side by side in memory. The zero
// value is ready for use. A nil arena allocates each form separately.
type FoldedArena struct {
	mu   sync.Mutex
	free []Folded
}

// foldedTogether is the number of small forms that are side by side: a site of thirty places fills
// two rows. The memory of a row is in use as long as one of its forms is.
const foldedTogether = 16

func (r *FoldedArena) take() *Folded {
	if r == nil {
		return new(Folded)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.free) == 0 {
		r.free = make([]Folded, foldedTogether)
	}
	f := &r.free[0]
	r.free = r.free[1:]
	return f
}

// fold returns the small form of an entry that is finished and not published, or nil if it has
// none.
func (r *FoldedArena) fold(e *Entry) *Folded {
	at := strings.Index(e.Key, e.URL)
	says := e.Status == http.StatusNotFound || e.Status == http.StatusGone
	if !says || len(e.Body) > maxFolded || at < 0 || len(e.Key) > math.MaxUint16 || e.varyAny ||
		e.writable() != nil || e.digestOf() != e.Digest || !inNanoseconds(e.RequestTime) || !inNanoseconds(e.ResponseTime) ||
		e.initialAge != e.derivedAge() {
		return nil
	}
	var scratch [1024]byte
	common := append(e.appendKept(e.appendHead(scratch[:0])), e.Body...)
	_, place := CutOrigin(e.Key)
	f := r.take()
	*f = Folded{
		common: unique.Make(string(common)), place: unique.Make(place), note: e.Note, outer: e.outer, asked: e.asked, came: e.came,
		requested: e.RequestTime.UnixNano(), responded: e.ResponseTime.UnixNano(), mono: e.mono,
		at: uint16(at), length: uint16(len(e.URL)), memoryOnly: e.memoryOnly, read: e.read, hasMono: e.hasMono,
	}
	return f
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
	return e
}

// URL returns the URL of the entry, which is a part of its key.
func (f *Folded) URL(key string) string { return key[f.at : int(f.at)+int(f.length)] }
