// Package reading turns the bytes and header of an answer into readings: it
// matches, parses, cleans and locates them, in this order. It is pure: it does
// no I/O, reads no clock, and the [Reader] is the only choice of a caller.
//
// [Contents] hold the content of an answer, independent of its place. They are
// made once for each stored answer, and all callers share them. [Contents.At]
// gives the readings the source and trust of the place where they were found.
// The types hold the order: only a [Located] reading can be opened, and
// merge.Site takes no other.
package reading
