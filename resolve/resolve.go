// Package resolve decides where to look and what the answers add up to.
//
// [ParseTarget] reads what a caller typed, [Plan] lists the places to ask, and
// [Merge] makes one wayfind.Site of everything that was read. All of it is
// pure: no I/O, no clock, and the result depends on the order of the plan,
// never on the order of arrival.
package resolve
