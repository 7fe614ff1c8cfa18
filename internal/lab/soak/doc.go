// Package soak holds the long test: Clients with memory and a directory ask
// hostile servers on real sockets, round after round, and nothing may grow.
//
//	go test ./internal/lab/soak -run Soak -soak 10m -timeout 20m
//
// Without the flag it runs for two seconds, and with -short not at all. The seed is printed; -seed repeats
// it: the behaviour of each name, path and connection depends on nothing else.
// The package has no code besides its tests.
package soak
