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
	// DefaultTimeout bounds one Resolve as a whole, from DNS to the last byte.
	DefaultTimeout = 20 * time.Second
	// DefaultBudget is the number of URLs asked in one Resolve.
	DefaultBudget = 64
	// defaultForeign is the number of requests to other sites in one call. It is enough for all
	// places of a domain, if each redirects to the new name of the domain, and for the links of
	// some documents.
	defaultForeign = 32
	// defaultFollow is the number of links that a document may be away from a well-known place,
	// without the links from one index to another.
	defaultFollow = 2
	// defaultKeepAlive is the time that an idle connection stays open.
	defaultKeepAlive = 30 * time.Second
	// DefaultUserAgent contains the product and a URL with information about it.
	DefaultUserAgent = "wayfind/0 (+https://github.com/wayfindhq/wayfind)"
	// DefaultMemory is the memory of a Client in bytes: once for documents and once more for Sites.
	DefaultMemory = 32 << 20
)

// Limits of the simultaneous calls of package client/call, for all Callers of a Client together.
const (
	callsAtOnce    = 64
	callsPerDomain = 16
	callsPerOrigin = 4
)

// Limits bound the requests, the memory and the cost of a Client's calls, for [Options]. Parsers
// and Bytes apply to all calls together. Domains share them: a new domain gets room at once,
// however many slow or large sites are being asked. Only the caller's own context bounds the time
// that a call waits for room; no other time-out includes it.
type Limits struct {
	// Memory bounds the answers kept in memory after a call, in bytes: once for documents and once
	// more for Sites; default DefaultMemory.
	Memory int64
	// MaxBytes lowers or raises the limit on the decoded body of documents whose format does not
	// set one; default parse.DefaultBytes (256 KiB).
	MaxBytes int64
	// Budget is the number of URLs asked in one Resolve; default DefaultBudget. The places of
	// formats come first. Links share the rest in the order of their documents. Links to a
	// document's own origin come before others.
	Budget int
	// Follow is the number of links that a document may be away and still be read during discovery;
	// default 2, -1 for no links. Documents that list others (catalogues, linksets) are
	// not counted: up to three of them may lead to each other.
	Follow int
	// Parsers is the number of documents that are read, and of Sites that are merged, at a time;
	// default the number of processors ([runtime.GOMAXPROCS]). A call that waits for a site holds
	// no parser.
	Parsers int
	// Bytes is the memory that documents may occupy from the request until the end of the call,
	// including the garbage that Go's collector leaves; default 96 MiB. Each request that is sent
	// takes 16 KiB, so Bytes bounds the connections as well. A document takes twice its size when
	// it arrives, 24 times its size while it is read, and three times its size, with its results,
	// afterwards. One call at a time may exceed Bytes by its needs: if Bytes is smaller than them,
	// calls run one by one. If others wait and a site takes long, the call for it that holds most
	// may end early: its other places get [wayfind.CodeCrowded], and the next call asks for them.
	// Memory bounds the answers kept afterwards.
	Bytes int64
	// Concurrency narrows the number of requests to one domain at a time; default 0: one HTTP/2
	// connection with all requests at once, or six HTTP/1.1 connections.
	Concurrency int
	// Foreign is the number of requests to hosts of other sites in one call, redirects included;
	// default 32, -1 for no requests. A place that needs more is skipped with the
	// reason "foreign". The limit keeps a site from leading a flood of requests to others.
	Foreign int
}

func (l *Limits) setDefaults() {
	setDefault(&l.MaxBytes, parse.DefaultBytes)
	setDefault(&l.Memory, DefaultMemory)
	setDefault(&l.Budget, DefaultBudget)
	setDefault(&l.Follow, defaultFollow)
	setDefault(&l.Parsers, runtime.GOMAXPROCS(0))
	setDefault(&l.Bytes, 96<<20)
	setDefault(&l.Foreign, defaultForeign)
}

// check returns an error if a limit is invalid.
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
