package cache

import (
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/urlkey"
)

// Scope identifies the answers that a Purge ends: those of a URL, of an origin, or all, in every
// partition. It is comparable. The zero value covers nothing.
type Scope struct {
	kind scopeKind
	name string // a resource, or the prefix of the resources of an origin
}

type scopeKind byte

const (
	scopeResource scopeKind = iota + 1
	scopeOrigin
	scopeAll
)

// scopeOfKey returns the Scope of a key's resource.
func scopeOfKey(key string) Scope { return Scope{scopeResource, ResourceOf(key)} }

// OfURL returns the Scope of a URL. It contains no view. An Engine adds its view when it passes the
// Scope to a store: see [Engine.Purge].
func OfURL(u *url.URL) Scope { return Scope{scopeResource, noView + urlkey.Of(u)} }

// OfOrigin returns the Scope of all URLs with the origin of u: scheme, host and port.
func OfOrigin(u *url.URL) Scope { return Scope{scopeOrigin, noView + urlkey.Origin(u)} }

// noView begins the keys of anonymous callers, without their view.
const noView = "\n" + methodInKey

// in returns the scope within a view.
func (s Scope) in(view string) Scope {
	if s.kind == scopeResource || s.kind == scopeOrigin {
		s.name = view + s.name
	}
	return s
}

// Everything returns the Scope of all answers.
func Everything() Scope { return Scope{kind: scopeAll} }

// Covers reports whether the scope includes a key.
func (s Scope) Covers(key string) bool {
	switch s.kind {
	case scopeAll:
		return true
	case scopeResource:
		return ResourceOf(key) == s.name
	case scopeOrigin:
		return originOf(key) == s.name
	}
	return false
}

// Resource returns the resource of the scope of one URL. It returns false for other scopes.
func (s Scope) Resource() (string, bool) { return s.name, s.kind == scopeResource }

// ResourceOf returns the key that anonymous callers have for the URL of a key, which is the key
// without its partition. A key that no Engine has made is its own resource.
func ResourceOf(key string) string {
	from, to, ok := partitionIn(key)
	if !ok || from == to {
		return key
	}
	return key[:from] + key[to:]
}

// isPartitioned reports whether a key has a partition.
func isPartitioned(key string) bool {
	from, to, ok := partitionIn(key)
	return ok && from < to
}

// originOf returns the prefix that the resources of an origin have in common.
func originOf(key string) string {
	resource := ResourceOf(key)
	prefix, _ := CutOrigin(resource)
	return prefix
}

// CutOrigin cuts a key after the origin of its URL. prefix also contains the view and the
// partition. rest is empty if the key contains no URL.
func CutOrigin(key string) (prefix, rest string) {
	_, to, ok := partitionIn(key)
	if !ok {
		return key, ""
	}
	from := to + len(methodInKey)
	host := strings.Index(key[from:], "://")
	if host < 0 {
		return key, ""
	}
	from += host + len("://")
	if end := strings.IndexAny(key[from:], "/?#\n"); end >= 0 {
		return key[:from+end], key[from+end:]
	}
	return key, ""
}

// ScopesOf returns the scopes that cover a key: that of its URL, that of its origin, and
// Everything.
func ScopesOf(key string) [3]Scope {
	return [3]Scope{scopeOfKey(key), {scopeOrigin, originOf(key)}, Everything()}
}

// methodInKey follows the partition in a key.
const methodInKey = "\nGET\n"

// partitionIn returns the place of the partition in a key. A partition has no line break.
func partitionIn(key string) (from, to int, ok bool) {
	to = strings.Index(key, methodInKey)
	if to < 0 {
		return 0, 0, false
	}
	from = strings.LastIndexByte(key[:to], '\n') + 1
	return from, to, from > 0
}

// String returns a unique name of the scope. A store that counts generations keeps them under it.
func (s Scope) String() string { return string(rune('0'+s.kind)) + s.name }
