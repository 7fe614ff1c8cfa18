// Package a2a compares our reading of Agent Cards with that of the protocol's
// own Go library, in its versions for 0.3 and 1.0. It is a module of its own,
// so that importers of wayfind do not inherit that library:
//
//	WAYFIND_CORPUS=../shared/corpus go -C internal/lab/oracle/a2a test ./...
//
// The form in which cards are signed is held against the published descriptors.
//
// Every disagreement stands in testdata/reasons.txt with its reason. The test
// fails for one that does not, and for a reason that is not needed any more.
package a2a
