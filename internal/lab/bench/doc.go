// Package bench compares the cache of this module with other caching RoundTrippers. It is a
// separate module, so importers of wayfind do not depend on the other caches.
//
//	go -C internal/lab/bench test -bench . ./...
//	go run -C internal/lab/bench ./cmd/sidebyside
//
// The second command compares the whole module with other software and with its goals: see
// docs/PERFORMANCE.md and TABLES.md.
//
// A test checks the allocations of a hit, because numbers of allocations are stable. Times are
// reported and never checked.
package bench
