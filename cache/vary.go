package cache

import (
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
			case name == "*", name == baggage && numbersTrace(request.lines(name)):
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
	if request.digests(name, value) {
		value = digestMark + request.identity.digest(value)
	}
	return VaryField{Name: name, Value: value}
}

// digests reports whether a normalised value of a field is kept as a digest.
func (h *requestHeader) digests(name, value string) bool {
	long := (len(value) > maxSelects || strings.HasPrefix(value, digestMark)) && h.implies(name)
	return long || h.veiled || h.identity.hides(name)
}

// matches reports whether f is the varyField of a request. It allocates nothing for a simple value.
func (f *VaryField) matches(request *requestHeader) bool {
	if has := request.has(f.Name); f.Absent || !has {
		return f.Absent && !has && f.Value == ""
	}
	value := normalise(f.Name, request.lines(f.Name))
	if !request.digests(f.Name, value) {
		return f.Value == value
	}
	digest, is := strings.CutPrefix(f.Value, digestMark)
	return is && request.identity.isDigest(digest, value)
}

// digestMark begins a value that is kept as a digest.
const digestMark = "digest:"

// maxSelects is the length of the longest value of a field that selects a representation that is
// kept as it is. Strangers may choose it. A key has at most MaxVariants values.
const maxSelects = 128

// setVary sets the fields that an entry varies on. A field of the request that selects a
// representation is one of them whatever the Vary of the response is, and so is a field that is not
// known. An answer to such a field stays in the process unless Vary names the field.
func (e *Entry) setVary(request *requestHeader) {
	e.Vary, e.varyAny = varyOf(e.Header, request)
	if e.varyAny || !request.selects {
		return
	}
	for name := range request.fields {
		isUnknown := request.identity.class(name) == unknown
		switch {
		case !request.implies(name), e.variesOn(name), isUnknown && e.ignoresUnknown(request):
		case len(e.Vary) >= maxVaryNames:
			e.varyAny = true
			return
		default:
			e.Vary = append(e.Vary, varyField(name, request))
			e.memoryOnly = e.memoryOnly || isUnknown
		}
	}
	slices.SortFunc(e.Vary, func(a, b VaryField) int { return strings.Compare(a.Name, b.Name) })
}

func (e *Entry) variesOn(name string) bool {
	return slices.ContainsFunc(e.Vary, func(f VaryField) bool { return f.Name == name })
}

// ignoresUnknown reports whether a shared cache gives an entry to everyone, whatever unknown fields
// a request has: see Options.Strict.
func (e *Entry) ignoresUnknown(request *requestHeader) bool {
	return request.identity.open && e.control.public
}

// covers reports whether an entry varies on each field that the answer to a request varies on
// whatever its Vary says.
func (e *Entry) covers(request *requestHeader) bool {
	if !request.selects {
		return true
	}
	for name := range request.fields {
		if request.implies(name) && !e.variesOn(name) && !(e.ignoresUnknown(request) && request.identity.class(name) == unknown) {
			return false
		}
	}
	return true
}

// baggage is the field of W3C Baggage. Its members may say who asks.
const baggage = "Baggage"

// isTraceNumber reports whether a member of Baggage numbers a trace and says whether it is recorded,
// as the harmless Sentry-Trace does (Sentry, Dynamic Sampling Context).
func isTraceNumber(member string) bool {
	name, _, _ := strings.Cut(member, "=")
	switch strings.Trim(name, " \t") {
	case "sentry-trace_id", "sentry-sample_rand", "sentry-sampled":
		return true
	}
	return false
}

// numbersTrace reports whether a Baggage has a member for which isTraceNumber is true. An answer
// that varies on it matches no other request.
func numbersTrace(lines []string) bool {
	return slices.ContainsFunc(strings.Split(strings.Join(lines, ","), ","), isTraceNumber)
}

// normalise returns a value that is equal for lines with the same meaning. It joins all lines and
// removes whitespace around commas; blanks elsewhere are text. It converts case-insensitive fields
// to lower case, and sorts languages, because only their weights rank them (RFC 9111 §4.1, RFC 9110
// §12.5.4). It removes the members of Baggage that number a trace.
func normalise(name string, lines []string) string {
	value := strings.Join(lines, ",")
	if name == baggage && numbersTrace(lines) {
		value = strings.Join(slices.DeleteFunc(strings.Split(value, ","), isTraceNumber), ",")
	}
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
