package cache

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"maps"
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

// identity knows what request fields say.
type identity struct {
	own   map[string]class // by canonical name: the classes that Options give
	open  bool             // callers share the answers whose header makes them public: see Options.Strict
	one   bool             // there is one caller: see Options.OneUser and Options.Partition
	key   []byte           // of the digests of values
	other remembered
}

// identityOf reads the Options about fields. A field that both Harmless and IdentityFields name
// identifies the caller.
func identityOf(o *Options, open bool, key []byte) *identity {
	i := &identity{own: map[string]class{}, open: open, one: o.OneUser || o.Partition != "", key: key}
	set := func(names []string, c class) {
		for _, name := range names {
			i.own[http.CanonicalHeaderKey(name)] = c
		}
	}
	if o.IdentityFields != nil { // the caller has replaced the default
		set(IdentityFields(), harmless)
	}
	set(o.Harmless, harmless)
	set(o.IdentityFields, who)
	return i
}

// class returns the class of a field by its canonical name.
func (i *identity) class(name string) class {
	if c, ok := i.own[name]; ok {
		return c
	}
	listed, _ := listedFields()
	if c, ok := listed[name]; ok {
		return c
	}
	return i.other.class(name)
}

// digest returns a digest of a value, with the key of the store. A value that few values can be is
// not found by trying them without the key.
func (i *identity) digest(value string) string {
	digest := i.digestBytes(value)
	return string(digest[:])
}

// isDigest reports whether a text is the digest of a value.
func (i *identity) isDigest(text, value string) bool {
	digest := i.digestBytes(value)
	return string(digest[:]) == text
}

func (i *identity) digestBytes(value string) (digest [2 * sha256.Size]byte) {
	var scratch [512]byte
	sum := sha256.Sum256(append(append(append(scratch[:0], i.key...), 0), value...))
	hex.Encode(digest[:], sum[:])
	return digest
}

// hides reports whether values of a field are kept as digests. A field with the shape of a
// credential hides its values even if an option says that it is harmless.
func (i *identity) hides(name string) bool {
	is := i.class(name)
	if is == harmless && i.own[name] == harmless {
		is = classOf(name)
	}
	return is == who || is == unknown
}

// requestHeader is the header of a request in the form that this package uses. Names are in their
// canonical form, because they are case-insensitive (RFC 9110 §5.1). It is known whether fields
// identify the caller. All code reads a request through it.
type requestHeader struct {
	fields     http.Header
	identity   *identity
	identifies bool // a field identifies the caller
	selects    bool // a field selects a representation, or is not known
	unknown    bool // a field is not known
	veiled     bool // the request carries a credential, in whatever field
	many       bool // there are so many fields that separate that no answer is kept
	respelled  bool // fields is a copy: the request has other spellings
}

// read returns the view of a request's header. It uses the header itself unless a name is not in
// canonical form.
func (i *identity) read(h http.Header) requestHeader {
	view := requestHeader{fields: h, identity: i}
	separate := 0
	for name := range h {
		if http.CanonicalHeaderKey(name) != name {
			view = i.read(canonicalOf(h))
			view.respelled = true
			return view
		}
		switch c := i.class(name); {
		case c == selects:
			view.selects = true
			separate++
		case i.one: // then no field says who asks
		case c == who:
			view.identifies = true
		case c == unknown:
			view.selects, view.unknown = true, true
			separate++
		}
	}
	view.many = separate > maxVaryNames
	return view
}

// implies reports whether the answers to the request vary on a field of it whatever their Vary says.
func (h *requestHeader) implies(name string) bool {
	c := h.identity.class(name)
	return c == selects || c == unknown && !h.identity.one
}

// implied returns the values of the fields for which implies is true, for the name of a queue.
func (h *requestHeader) implied() string {
	if !h.selects {
		return ""
	}
	if h.many {
		return "\n" + rand.Text() // it waits for no other
	}
	var said strings.Builder
	for _, name := range slices.Sorted(maps.Keys(h.fields)) {
		if h.implies(name) {
			said.WriteString("\n" + name + "=" + varyField(name, h).Value)
		}
	}
	return said.String()
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

// partition returns the name of a partition for the caller: a hash of the fields that identify it.
// It is empty if no field identifies the caller.
func (h *requestHeader) partition() string {
	if !h.identifies {
		return ""
	}
	return h.said(who)
}

// differs reports whether a request says something else about its caller than another one, in fields
// that identify a caller or that are not known.
func (h *requestHeader) differs(from *requestHeader) bool {
	return h.identifies && h.partition() != from.partition() || h.unknown && h.said(unknown) != from.said(unknown)
}

// said returns a hash of all fields of a class.
func (h *requestHeader) said(c class) string {
	var room [8]string
	names := room[:0]
	for name := range h.fields {
		if h.identity.class(name) == c {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var scratch [512]byte
	said := scratch[:0]
	for _, name := range names {
		for _, line := range h.fields[name] {
			said = append(append(append(append(said, name...), 0), line...), 0)
		}
	}
	if len(said) == 0 {
		return ""
	}
	sum := sha256.Sum256(said)
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
