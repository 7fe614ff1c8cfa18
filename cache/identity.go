package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
)

// IdentityFields returns the default of [Options.IdentityFields], the request fields that identify
// a caller: the fields that HTTP defines (RFC 9110 §11, RFC 6265), and fields in which APIs take
// their keys and sessions.
func IdentityFields() []string {
	return []string{
		"Authorization", "Proxy-Authorization", "Cookie",
		"X-Api-Key", "Api-Key", "Apikey", "X-Auth-Key", "X-Auth-Token", "X-Access-Token", "X-Session-Token", "Mcp-Session-Id",
		"X-Goog-Api-Key", "Ocp-Apim-Subscription-Key", "X-Functions-Key", "X-Amz-Security-Token", "X-Rapidapi-Key",
		"Private-Token", "X-Vault-Token", "X-Shopify-Access-Token", "X-Subscription-Token", "Dd-Api-Key",
	}
}

// identity knows the fields that identify a caller.
type identity struct {
	names []string // canonical, in the order of a partition's digest
	is    map[string]bool
	open  bool // callers share the answers whose header makes them public: see Options.Strict
}

// identityOf reads Options.IdentityFields. Nil means the default.
func identityOf(fields []string, open bool) *identity {
	if fields == nil {
		fields = IdentityFields()
	}
	i := &identity{is: make(map[string]bool, len(fields)), open: open}
	for _, name := range fields {
		if name = http.CanonicalHeaderKey(name); !i.is[name] {
			i.is[name] = true
			i.names = append(i.names, name)
		}
	}
	return i
}

// requestHeader is the header of a request in the form that this package uses. Names are in their
// canonical form, because they are case-insensitive (RFC 9110 §5.1). It is known whether fields
// identify the caller. All code reads a request through it.
type requestHeader struct {
	fields     http.Header
	identity   *identity
	identifies bool // a field identifies the caller
	respelled  bool // fields is a copy: the request has other spellings
}

// read returns the view of a request's header. It uses the header itself unless a name is not in
// canonical form.
func (i *identity) read(h http.Header) requestHeader {
	view := requestHeader{fields: h, identity: i}
	for name := range h {
		if http.CanonicalHeaderKey(name) != name {
			view = i.read(canonicalOf(h))
			view.respelled = true
			return view
		}
		view.identifies = view.identifies || i.is[name]
	}
	return view
}

// canonicalOf returns a copy of a header with canonical names. If a name has several spellings, its
// lines are in the order of the spellings.
func canonicalOf(h http.Header) http.Header {
	spellings := make([]string, 0, len(h))
	for name := range h {
		spellings = append(spellings, name)
	}
	slices.Sort(spellings)
	out := make(http.Header, len(h))
	for _, name := range spellings {
		canonical := http.CanonicalHeaderKey(name)
		out[canonical] = append(out[canonical], h[name]...)
	}
	return out
}

// lines returns the values of a field by its canonical name.
func (h *requestHeader) lines(name string) []string { return h.fields[name] }

// has reports whether there is a field.
func (h *requestHeader) has(name string) bool { return h.fields[name] != nil }

// sessionField is the field with the session of MCP, which has the state of one user.
const sessionField = "Mcp-Session-Id"

// getsPublic reports whether a request that identifies its caller gets only answers whose header
// makes them public (RFC 9111 §3.5).
func (h *requestHeader) getsPublic() bool { return h.identifies && h.identity.open }

// partition returns the name of a partition for the caller: a hash of the fields that identify it,
// except the fields in without. It is empty if no field identifies the caller.
func (h *requestHeader) partition(without ...string) string {
	if !h.identifies {
		return ""
	}
	var said strings.Builder
	for _, name := range h.identity.names {
		if slices.Contains(without, name) {
			continue
		}
		for _, line := range h.fields[name] {
			said.WriteString(name + "\x00" + line + "\x00")
		}
	}
	if said.Len() == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(said.String()))
	return hex.EncodeToString(sum[:16])
}

// accepts reports whether the Accept-Encoding of a request lists all codings. It is false if there
// are no codings.
func (h *requestHeader) accepts(codings []string) bool {
	for _, coding := range codings {
		if !acceptsCoding(h.lines(acceptEncoding), coding) {
			return false
		}
	}
	return len(codings) > 0
}

// asksForStream reports whether a request asks for server-sent events. The answer may never end.
func (h *requestHeader) asksForStream() bool {
	for _, line := range h.lines("Accept") {
		for member := range strings.SplitSeq(line, ",") {
			kind, _, _ := strings.Cut(member, ";")
			if strings.EqualFold(strings.TrimSpace(kind), eventStream) {
				return true
			}
		}
	}
	return false
}
