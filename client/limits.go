package client

import (
	"fmt"
	"runtime"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Defaults of Options.
const (
	// DefaultTimeout bounds one Resolve as a whole, DNS to last byte.
	DefaultTimeout = 20 * time.Second
	// DefaultBudget is the number of URLs asked in one Resolve.
	DefaultBudget = 64
	// DefaultForeign is the number of requests to other sites in one call: as many
	// as a domain has places, all of which may redirect to its new name, and the
	// links of some documents.
	DefaultForeign = 32
	// DefaultFollow is the number of links that a document may be away from a
	// well-known place, not counting those from one index to another.
	DefaultFollow = 2
	// defaultKeepAlive is how long an idle connection stays open.
	defaultKeepAlive = 30 * time.Second
	// DefaultUserAgent names the product and where to read about it.
	DefaultUserAgent = "wayfind/0 (+https://github.com/wayfindhq/wayfind)"
	// DefaultMemory is the memory of a Client, in bytes: of documents,
	// and once more of Sites.
	DefaultMemory = 32 << 20
)

// Limits of what package client/call does at a time.
const (
	CallsAtOnce    = 64 // of one Client
	CallsPerOrigin = 4
	callsPerDomain = CallsAtOnce / 4
)

// Limits bound the requests, the memory and the cost of a Client's calls, for
// [Options]. Parsers and Bytes are for all calls together. Domains share them: a
// newcomer finds room at once, however many slow or large sites are asked beside it.
// The time that a call waits for them counts against the caller's own context only,
// and no other time-out.
type Limits struct {
	// Memory bounds the answers kept in memory after a call, in bytes:
	// documents, and once more Sites; default DefaultMemory.
	Memory int64
	// MaxBytes lowers or raises the cap on the decoded body of documents
	// whose format does not set one; default parse.DefaultBytes (256 KiB).
	MaxBytes int64
	// Budget is the number of URLs asked in one Resolve; default DefaultBudget. The
	// places of formats come first. Links share the rest, in the order of their
	// documents, those to a document's own origin before others.
	Budget int
	// Follow is the number of links that a document may be away and still be
	// read during discovery; default DefaultFollow, -1 none. Documents that
	// list others (catalogues, linksets) do not count: three of them may lead
	// to each other.
	Follow int
	// Parsers is the number of documents that are read, and of Sites that are
	// merged, at a time; default as many as processors ([runtime.GOMAXPROCS]). None
	// is kept while a site is waited for.
	Parsers int
	// Bytes is the memory that documents may occupy from the request until the end
	// of the call, with the garbage that Go's collector lets stand; default
	// 96 MiB. For each request that is sent 16 KiB are counted, so it bounds
	// the connections as well; for a document that comes twice its size, while it is
	// read 24 times its size, and then three times that, with its results. One call at
	// a time may exceed it by its needs: if it is smaller than that, calls go one by
	// one. If others wait and a site takes long, the call for it that holds most may
	// end early: its other places are [wayfind.CodeCrowded], and the next call asks
	// for them. Memory bounds the answers kept afterwards.
	Bytes int64
	// Concurrency narrows the number of requests to one domain at a time;
	// default 0: one HTTP/2 connection with all at once, or six HTTP/1.1
	// connections.
	Concurrency int
	// Foreign is the number of requests to hosts of other sites in one call,
	// redirects included; default DefaultForeign, -1 none. A place that needs
	// more is skipped, with the reason "foreign". A site can lead requests to
	// others, and must not become a way to flood them.
	Foreign int
}

func (l *Limits) setDefaults() {
	setDefault(&l.MaxBytes, parse.DefaultBytes)
	setDefault(&l.Memory, DefaultMemory)
	setDefault(&l.Budget, DefaultBudget)
	setDefault(&l.Follow, DefaultFollow)
	setDefault(&l.Parsers, runtime.GOMAXPROCS(0))
	setDefault(&l.Bytes, 96<<20)
	setDefault(&l.Foreign, DefaultForeign)
}

// check refuses limits that make no sense.
func (l *Limits) check() error {
	if l.Follow < -1 {
		return invalidOption("Limits.Follow %d: -1 is none", l.Follow)
	}
	if l.Foreign < -1 {
		return invalidOption("Limits.Foreign %d: -1 is none", l.Foreign)
	}
	if l.Memory < 0 || l.MaxBytes < 0 || l.Budget < 0 || l.Parsers < 0 || l.Bytes < 0 || l.Concurrency < 0 {
		return invalidOption("Limits: none but Follow and Foreign may be negative")
	}
	return nil
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func invalidOption(format string, args ...any) error {
	return wayfind.NewError("options", "", wayfind.CodeSchema, fmt.Errorf(format, args...))
}
