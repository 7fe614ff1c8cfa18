// Package cache keeps HTTP responses for as long as RFC 9111 allows, in the
// role of a private client cache.
//
// Start with [NewClient] and a [Store], for example that of package cache/memory:
//
//	store, err := memory.New(64 << 20)
//	if err != nil { ... }
//	defer store.Close()
//	client := cache.NewClient(store, nil)
//	defer cache.Close(client)
//
// [Of] returns where a response was served from. [NewTransport] returns the same cache as a
// [net/http.RoundTripper] with [Options], in front of any other RoundTripper.
//
// The Transport is an [Engine] for users of net/http. An Engine takes an [Ask], which contains the
// URL, the sender of the request ([Origin]) and the rules beyond HTTP ([Rules], [Pins], [Turns]).
// An Origin that does not ask because of an obligation (a pause between two requests, a "not
// before") returns a [HeldError].
//
// # Promises
//
//   - This package decides about freshness, and never the store, which may forget
//     anything at any time.
//   - An [Entry] is immutable once published; a 304 publishes a new one.
//   - Only GET is cached. Only complete bodies are stored. A 206 is never stored, nor is
//     Set-Cookie (only the caller that sent the request sees it), nor anything that
//     no-store or "Vary: *" forbids.
//   - Requests with credentials have their own partition. A Transport chooses it, and
//     an Ask has the field Partition.
//   - Identical requests share one request to the origin while it runs, if a
//     cache may serve its answer to each of them. Each caller obeys its own
//     context, and the shared request ends when the last caller has left.
//   - An error of the store never fails a request. Answers to credentials stay
//     in the memory of the process.
//
// This is a private cache: s-maxage, proxy-revalidate and the rules of
// RFC 9111 §3.5 do not apply to it, except to entries of a SharedStore.
package cache

import (
	"errors"
	"time"
)

// Limits and defaults.
const (
	// maxLifetime is the longest freshness lifetime without Options.Strict. One hour of domain
	// hijack with max-age=31536000 must not last a year.
	maxLifetime = 7 * 24 * time.Hour
	// maxStale is the longest time past its freshness for which an entry is used without
	// Options.Strict, because its origin (RFC 5861) or Options.StaleIfError allows it. It does not
	// limit the max-stale and stale-if-error of a request.
	maxStale = 24 * time.Hour
	// Retention is the shortest time for which an entry is kept after it is no longer fresh. Its
	// validator makes the next request cheap.
	Retention = 24 * time.Hour
	// DefaultMaxBody is the size of the largest body that is kept, in bytes. Larger bodies are
	// passed on.
	DefaultMaxBody = 8 << 20
	// MaxVariants is the largest number of variants of one URL that are kept (RFC 9111 §4.1).
	MaxVariants = 8
	// StoreBudget is the longest time for one call of a store that is neither a LocalStore nor a
	// PatientStore. The stores of cache/disk and cache/redis count it from the beginning of their
	// work. For any other store, and for a type that embeds one of them, it includes the time for
	// which the caller waits for a processor: 100 ms are common in a process that is busy itself.
	StoreBudget = 500 * time.Millisecond
	// renewTimeout is the longest time for one request in the background.
	renewTimeout = 30 * time.Second
)

// ErrClosed is returned by an Engine, a Transport or a Store after Close.
var ErrClosed = errors.New("cache: closed")
