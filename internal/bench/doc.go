// Package bench compares this module's cache with other caching RoundTrippers
// in one run. It is a module of its own, so that importers of wayfind do not
// inherit the peers.
//
//	go -C internal/bench test -bench . ./...
//	go run -C internal/bench ./cmd/sidebyside
//
// The second compares all of the module with its peers and with its goals: see
// docs/PERFORMANCE.md and TABLES.md.
//
// What a hit allocates is a test, because counts are stable; times are
// reported, never asserted.
package bench
