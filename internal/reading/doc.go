// Package reading turns the bytes and header of an answer into what the formats
// say of it: matched, parsed, cleaned, and located, in this order, which stands
// here once. It is pure: no I/O, no clock, and nothing that a caller has chosen
// but the [Reader].
//
// [Contents] are what an answer says by itself: they are made once for each
// stored answer, and shared by all who ask. [Contents.At] is the way out: it says what
// the readings are worth at the place where they were found. The types hold the
// order: only a [Located] reading can be opened, and merge.Site takes no
// other.
package reading
