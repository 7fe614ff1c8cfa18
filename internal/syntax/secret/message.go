package secret

import (
	"cmp"
	"mime"
	"net/url"
	"slices"
	"strings"
)

// VisitorFields are the header fields of an answer whose presence matters, and whose values
// identify a request or a visitor.
func VisitorFields() []string {
	return []string{"Mcp-Session-Id", "Set-Cookie", "X-Amzn-Waf-Action", "X-Datadome", "X-Iinfo", "X-Sucuri-Block", "X-Sucuri-Id"}
}

// Message shows the parts of a message as it was sent, in a recording, a HAR file or the inspector's page.
type Message struct {
	// Veil has the credentials of the message.
	Veil Veil
	// Private means that whatever stands under the name of a secret is one (see [Private]): the message has
	// the data of a caller, and is no document that others may read.
	Private bool
}

// URL returns a URL of the message, or another text with URLs.
func (m Message) URL(u string) string { return m.Veil.Show(u, Wire, 0) }

// Text returns a text in the message.
func (m Message) Text(said string) string {
	said = m.Veil.Show(said, Wire, 0)
	if m.Private {
		return Private(said)
	}
	return said
}

// Field returns the value of a header field.
func (m Message) Field(name, value string) string {
	return field(name, m.Veil.Show(value, WireBytes, 0))
}

// Body returns the body, or its beginning. kind is its Content-Type.
func (m Message) Body(kind, body string) string {
	return bodyOf(kind, m.Veil.Show(body, WireBytes, 0), m.Private)
}

func field(name, value string) string {
	for _, own := range VisitorFields() {
		if strings.EqualFold(name, own) {
			return RecordedMark
		}
	}
	if Names(name) {
		return RecordedMark
	}
	value, _ = Redact(name, Recorded(value))
	return value
}

func bodyOf(kind, body string, byName bool) string {
	media, _, _ := mime.ParseMediaType(kind)
	switch begins := strings.TrimLeft(body, "\ufeff \t\r\n"); {
	case media == "application/x-www-form-urlencoded":
		body = formOf(body)
	case byName:
		body = Private(body)
	case strings.HasPrefix(begins, "{"), strings.HasPrefix(begins, "["), media == "text/event-stream":
		body = Members(body, false)
	}
	body, _ = Redact("", body)
	return body
}

// form returns the body of a form without the values whose names say that they are secrets.
func formOf(body string) string {
	pairs := strings.Split(body, "&")
	for i, pair := range pairs {
		name, _, found := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); found && (secretName(name) || Keeps(name) || err == nil && Keeps(plain)) {
			pairs[i] = name + "=" + RecordedMark
		}
	}
	return strings.Join(pairs, "&")
}

// Members returns JSON without its secrets. The text may be cut off at any place. With byName,
// whatever stands under the name of a secret is one, also in strings that hold JSON or a text with names
// in it, and beside a name in an object such as {"name":"password","value":"x"}; see [Private].
func Members(text string, byName bool) string { return membersOf(text, byName, 0) }

func membersOf(text string, byName bool, nested int) string {
	m := members{text: text, byName: byName, nested: nested}
	m.run()
	if len(m.edits) == 0 {
		return text
	}
	slices.SortStableFunc(m.edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var out strings.Builder
	last := 0
	for i, e := range m.edits {
		if e.start >= last && (i+1 == len(m.edits) || m.edits[i+1].start > e.start) { // a later one hides more
			out.WriteString(text[last:e.start] + e.by)
			last = e.end
		}
	}
	return out.String() + text[last:]
}

// edit replaces a part of a text.
type edit struct {
	span
	by string
}

// members reads JSON that may be cut off, and finds its secrets.
type members struct {
	text   string
	byName bool
	nested int // how many strings of JSON are around it

	edits  []edit
	depth  int
	hidden int    // the depth of the value that is hidden as a whole; 0 if there is none
	name   string // of the next value
	levels []level
	values []edit // of the levels that are open, as they are hidden if a name is found
}

// level is an object or an array that is open.
type level struct {
	first int  // the first of its values
	named bool // it has a member with the name of a secret as its value
}

func (m *members) run() {
	for i := 0; i < len(m.text); {
		switch c := m.text[i]; {
		case c == '"':
			i = m.quoted(i)
			continue
		case c == '{', c == '[':
			m.depth++
			if m.hidden == 0 && (m.secret() || m.paired()) {
				m.hidden = m.depth
			}
			m.name = ""
			if m.byName {
				m.levels = append(m.levels, level{first: len(m.values)})
			}
		case c == '}', c == ']':
			if m.depth == m.hidden {
				m.hidden = 0
			}
			m.depth = max(m.depth-1, 0)
			if n := len(m.levels); n > 0 {
				m.levels = m.levels[:n-1]
				if n == 1 {
					m.values = nil
				}
			}
		case c == ',':
			m.name = ""
		case '0' <= c && c <= '9', c == '-':
			end := i + 1
			for end < len(m.text) && strings.IndexByte("0123456789.eE+-", m.text[end]) >= 0 {
				end++
			}
			m.value(edit{span{i, end}, `"` + Mark(ruleNamed) + `"`})
			i = end
			continue
		}
		i++
	}
}

// value reads a number or a string. It reports whether it is hidden.
func (m *members) value(e edit) bool {
	if m.hidden > 0 || m.secret() || m.paired() {
		m.edits = append(m.edits, e)
		return true
	}
	if m.byName && len(m.levels) > 0 && !isAbout(m.name) {
		m.values = append(m.values, e)
	}
	return false
}

// secret reports whether the next value stands under the name of a secret.
func (m *members) secret() bool { return m.byName && m.name != "" && Keeps(m.name) }

// paired reports whether the next value stands beside the name of a secret.
func (m *members) paired() bool {
	n := len(m.levels)
	return n > 0 && m.levels[n-1].named && !isAbout(m.name)
}

// isAbout reports whether a member beside a name and a value describes them, as in lists of fields.
func isAbout(name string) bool {
	switch strings.ToLower(name) {
	case "name", "key", "field", "id", "label", "header", "in", "type", "kind", "format", "description", "required", "title":
		return true
	}
	return false
}

// names notes that a value is the name of another one in its object, if it is.
func (m *members) names(value string) {
	n := len(m.levels)
	if n == 0 || m.name == "" {
		return
	}
	switch strings.ToLower(m.name) {
	case "name", "key", "field", "id", "label", "header":
	default:
		return
	}
	if last := &m.levels[n-1]; len(value) <= maxNameLen && Keeps(value) {
		last.named = true
		first := min(last.first, len(m.values)) // an object within may have been hidden
		m.edits = append(m.edits, m.values[first:]...)
		m.values = m.values[:first]
	}
}

// quoted reads the string that begins at an offset: a name or a value.
func (m *members) quoted(start int) (next int) {
	end := start + 1
	for end < len(m.text) && m.text[end] != '"' {
		if m.text[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(m.text))
	written := m.text[start+1 : end]
	plain := unescaped{text: []byte(written)}
	if strings.Contains(written, `\`) {
		plain, _ = plain.unescape()
	}
	if next = end + 1; m.isName(next) {
		m.name = string(plain.text)
		return next
	}
	at := span{start + 1, end}
	if m.value(edit{at, Mark(ruleNamed)}) {
		return next
	}
	said := string(plain.text)
	m.names(said)
	if found := Find(m.name, said); len(found) > 0 {
		m.edits = append(m.edits, edit{at, Mark(found[0].Rule)})
	} else if m.byName && m.nested < maxNested {
		if clean := private(said, m.nested+1); clean != said {
			m.edits = append(m.edits, edit{at, quotedJSON(clean)})
		}
	}
	return next
}

// isName reports whether the string that ends at an offset is the name of a member.
func (m *members) isName(at int) bool {
	if at >= len(m.text) {
		return false
	}
	return strings.HasPrefix(strings.TrimLeft(m.text[at:], " \t\r\n"), ":")
}
