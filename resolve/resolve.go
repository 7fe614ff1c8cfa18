// Package resolve reads what a caller asks about: [ParseTarget] makes a [Target] of
// a domain or a URL, without I/O. It also has the words with which a probe says why
// a place was not asked.
package resolve
