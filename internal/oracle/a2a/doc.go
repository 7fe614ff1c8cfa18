// Package a2a holds what the formats package reads of Agent Cards against what
// the protocol's own Go library reads, in its versions for 0.3 and 1.0. It is
// a module of its own, so that nobody who imports the library inherits that
// one:
//
//	WAYFIND_CORPUS=../shared/corpus go -C internal/oracle/a2a test ./...
//
// The form in which cards are signed is held against the published descriptors.
//
// Every disagreement stands in testdata/reasons.txt with its reason. The test
// fails for one that does not, and for a reason that is not needed any more.
package a2a
