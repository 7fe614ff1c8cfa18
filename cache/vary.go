package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
)

// maxVaryNames is the largest number of names in a Vary. A Vary with more is treated as "*". No
// honest response needs more.
const maxVaryNames = 32

// varyOf returns the fields in all Vary lines of a response with the values of the request (RFC
// 9111 §4.1). any means that the response matches no later request. Content in a coding varies on
// Accept-Encoding even if its Vary does not name that field.
func varyOf(response http.Header, request *requestHeader) (fields []VaryField, any bool) {
	for _, line := range response["Vary"] {
		for name := range strings.SplitSeq(line, ",") {
			name = http.CanonicalHeaderKey(strings.Trim(name, " \t"))
			switch {
			case name == "*":
				return nil, true
			case name == "" || slices.ContainsFunc(fields, func(f VaryField) bool { return f.Name == name }):
			case len(fields) == maxVaryNames:
				return nil, true
			default:
				fields = append(fields, varyField(name, request))
			}
		}
	}
	if codingsOf(response) != nil {
		fields = append(fields, varyField(acceptEncoding, request))
	}
	slices.SortFunc(fields, func(a, b VaryField) int { return strings.Compare(a.Name, b.Name) })
	return fields, false
}

// varyField returns the value that a request has for a name. A missing field differs from an empty
// one.
func varyField(name string, request *requestHeader) VaryField {
	if !request.has(name) {
		return VaryField{Name: name, Absent: true}
	}
	value := normalise(name, request.lines(name))
	if request.identity.is[name] {
		sum := sha256.Sum256([]byte(value))
		value = "sha256:" + hex.EncodeToString(sum[:])
	}
	return VaryField{Name: name, Value: value}
}

// normalise returns a value that is equal for lines with the same meaning. It joins all lines and
// removes whitespace around commas; blanks elsewhere are text. It converts case-insensitive fields
// to lower case, and sorts languages, because only their weights rank them (RFC 9111 §4.1, RFC 9110
// §12.5.4).
func normalise(name string, lines []string) string {
	value := strings.Join(lines, ",")
	list := isNegotiated(name)
	if list {
		value = strings.ToLower(value)
	}
	if !strings.ContainsAny(value, " \t,") || strings.Contains(value, `"`) {
		return value
	}
	parts := strings.Split(value, ",")
	for i, p := range parts {
		if parts[i] = strings.Trim(p, " \t"); list {
			parts[i] = strings.Join(strings.Fields(p), " ")
		}
	}
	if name == "Accept-Language" {
		slices.Sort(parts)
	}
	return strings.Join(parts, ",")
}

// isNegotiated reports whether a field is used for content negotiation. In such a field, blanks
// only separate, and letters are case-insensitive (RFC 9110 §12.5).
func isNegotiated(name string) bool {
	switch name {
	case "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language":
		return true
	}
	return false
}

// matches reports whether the entry answers a request with these fields.
func (e *Entry) matches(request *requestHeader) bool {
	if e.varyAny || request.getsPublic() && !e.control.forEveryone {
		return false
	}
	for _, f := range e.Vary {
		if varyField(f.Name, request) != f && !(f.Name == acceptEncoding && request.accepts(e.codings)) {
			return false
		}
	}
	return true
}

// choose returns the newest entry that matches, or nil. An entry with Vary has precedence over one
// without (RFC 9111 §4.1).
func (v *Variants) choose(request *requestHeader) *Entry {
	var plain *Entry
	for _, e := range v.Entries {
		switch {
		case !e.matches(request):
		case len(e.Vary) > 0:
			return e
		case plain == nil:
			plain = e
		}
	}
	return plain
}

// with returns new variants that begin with e. They lack the entries that e replaces, which are
// those that match the request.
func (v *Variants) with(e *Entry, request *requestHeader) *Variants {
	if v == nil {
		return only(e)
	}
	others := v.without(request).Entries
	if len(others) == 0 {
		return only(e)
	}
	out := &Variants{Entries: append([]*Entry{e}, others...)}
	out.Entries = out.Entries[:min(len(out.Entries), MaxVariants)]
	return out
}

// only returns variants with one entry, in one allocation. Nearly all variants have one entry.
func only(e *Entry) *Variants {
	v := &struct {
		Variants
		entries [1]*Entry
	}{entries: [1]*Entry{e}}
	v.Entries = v.entries[:]
	return &v.Variants
}

// without returns the variants that do not match a request.
func (v *Variants) without(request *requestHeader) *Variants {
	out := &Variants{}
	if v == nil {
		return out
	}
	for _, e := range v.Entries {
		if !e.matches(request) {
			out.Entries = append(out.Entries, e)
		}
	}
	return out
}

// swap returns variants with one entry in place of another.
func (v *Variants) swap(old, replacement *Entry) *Variants {
	out := &Variants{Entries: slices.Clone(v.Entries), From: v.From, Generation: v.Generation}
	for i, e := range out.Entries {
		if e == old {
			out.Entries[i] = replacement
		}
	}
	return out
}

// detached returns the variants without their Notes, which the Rules of one
// caller made.
func (v *Variants) detached() *Variants {
	out := &Variants{Entries: make([]*Entry, len(v.Entries)), From: v.From, Generation: v.Generation}
	for i, e := range v.Entries {
		own := e.copied()
		own.Note, own.read = nil, false
		out.Entries[i] = own
	}
	return out
}

// shareable returns the entries that may leave the process.
func (v *Variants) shareable() *Variants {
	confined := func(e *Entry) bool { return e.memoryOnly }
	if !slices.ContainsFunc(v.Entries, confined) {
		return v
	}
	return &Variants{Entries: slices.DeleteFunc(slices.Clone(v.Entries), confined), From: v.From, Generation: v.Generation}
}
