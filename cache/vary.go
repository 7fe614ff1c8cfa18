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

// only returns variants with one entry, in one allocation. Nearly all variants have one entry.
func only(e *Entry) *Variants {
	v := &struct {
		Variants
		entries [1]*Entry
	}{entries: [1]*Entry{e}}
	v.Entries = v.entries[:]
	return &v.Variants
}
