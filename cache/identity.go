package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
)

// IdentityFields returns the request fields that identify a caller unless
// [Options.IdentityFields] says otherwise: those that HTTP defines (RFC 9110 §11,
// RFC 6265), and those in which APIs take their keys and sessions.
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
	open  bool // callers share the answers that say they are for everyone: see Options.Strict
}

// identityOf reads Options.IdentityFields; nil is the default.
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

// requestHeader is the header of a request as this package reads it: names in their
// canonical form (names have no case: RFC 9110 §5.1), and the fields that
// identify the caller known. All code reads a request through it.
type requestHeader struct {
	fields     http.Header
	identity   *identity
	identifies bool // the caller
	respelled  bool // fields is a copy: the request has other spellings
}

// read makes the view of a request's header. It is the header itself unless a
// name is spelled in another way.
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

// canonicalOf copies a header under canonical names. The lines of one name that
// has several spellings are in the order of the spellings.
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

// sessionField names a session of MCP, which holds the state of one user.
const sessionField = "Mcp-Session-Id"

// getsPublic reports whether a request that identifies its caller gets the answers
// that say they are for everyone, and no others (RFC 9111 §3.5).
func (h *requestHeader) getsPublic() bool { return h.identifies && h.identity.open }

// partition keeps the responses to different callers apart, by a hash of the
// fields that identify one, without those that are named.
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
