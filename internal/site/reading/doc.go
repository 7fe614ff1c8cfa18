// Package reading turns the bytes and header of an answer into readings. It matches, parses, cleans
// and locates them, in this order. It is pure: it does no I/O and reads no clock, and the caller
// chooses only the [Reader].
//
// [Contents] contains the content of an answer, independent of its place. It is made once for each
// stored answer, and all callers share it. [Contents.At] sets the source and trust of the readings
// for the place where they were found. The types enforce the order: only a [Located] reading can be
// opened, and merge.Site takes no other.
package reading
