// Package resolve reads the targets of calls: [ParseTarget] makes a [Target] of
// a domain or a URL, without I/O. It also has the words with which a probe says
// why a place was not asked.
package resolve
