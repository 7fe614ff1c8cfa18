// Package resolve reads the targets of calls: [ParseTarget] parses a domain or a URL into a
// [Target], without I/O. It also defines the reasons that a probe gives for a place that was
// not requested.
package resolve
