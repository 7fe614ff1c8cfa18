// Package bench compares this module's cache with other caching RoundTrippers
// in one run. It is a module of its own, so that nobody who imports wayfind
// inherits the peers.
//
//	go -C internal/bench test -bench . ./...
//
// What a hit allocates is a test, because counts are stable; times are
// reported, never asserted.
package bench
