// Package mcpera has the facts in which the revisions of the Model Context Protocol differ. It is
// the only production code that names a revision for a decision: a new revision is a row here.
package mcpera

// These revisions are the newest of their kind: Modern of those without a handshake, Legacy of those
// with a handshake over streamable HTTP, and Stream of those with an event stream.
const (
	Modern = "2026-07-28"
	Legacy = "2025-11-25"
	Stream = "2024-11-05"
)

// Era is a revision of the protocol with its facts.
type Era struct {
	// Version is the revision as it is written in messages: a date.
	Version string
	// Handshake is true if the request "initialize" and a notification precede all other
	// requests. Otherwise each request names its version, and the server has no session.
	Handshake bool
	// HTTP is true for streamable HTTP (Transports). Otherwise the client opens an event
	// stream, which contains the address for its requests.
	HTTP bool
	// AsksInAnswer is true if a server asks a question in its answer to a call. Otherwise it asks
	// by a request of its own during the call.
	AsksInAnswer bool
}

// eras returns the known revisions, the newest first.
func eras() [5]Era {
	return [...]Era{
		{Version: Modern, HTTP: true, AsksInAnswer: true},
		{Version: Legacy, HTTP: true, Handshake: true},
		{Version: "2025-06-18", HTTP: true, Handshake: true},
		{Version: firstHTTP, HTTP: true, Handshake: true},
		{Version: Stream, Handshake: true},
	}
}

// firstHTTP is the first revision with streamable HTTP.
const firstHTTP = "2025-03-26"

// Of returns the era of a version. known is false if the version has no row. Such a version gets
// the facts of the newest revision before it, or none if it is older than all of them.
func Of(version string) (e Era, known bool) {
	for _, e := range eras() {
		if version >= e.Version {
			known = version == e.Version
			e.Version = version
			return e, known
		}
	}
	return Era{Version: version}, false
}

// HasHandshake reports whether a version is known and begins with a handshake over streamable HTTP.
func HasHandshake(version string) bool {
	e, known := Of(version)
	return known && e.Handshake && e.HTTP
}

// IsLegacy reports whether a version is known and begins with a handshake, over any transport.
func IsLegacy(version string) bool {
	e, known := Of(version)
	return known && e.Handshake
}

// OverHTTP returns the oldest version with the messages of a known version and with streamable HTTP.
// The messages of the last version without it and of the next one are the same, except for batches.
// Any other version is returned as it is.
func OverHTTP(version string) string {
	if e, known := Of(version); known && !e.HTTP {
		return firstHTTP
	}
	return version
}
