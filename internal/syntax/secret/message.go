package secret

import (
	"mime"
	"strings"
)

// VisitorFields are the header fields of an answer whose presence matters, and whose values
// identify a request or a visitor.
func VisitorFields() []string {
	return []string{"Mcp-Session-Id", "Set-Cookie", "X-Amzn-Waf-Action", "X-Datadome", "X-Iinfo", "X-Sucuri-Block", "X-Sucuri-Id"}
}

// Field returns the value of a header field without secrets.
func Field(name, value string) string {
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

// Body returns the body of a message, or its beginning, without likely secrets. kind is its
// Content-Type. With byName, whatever stands under the name of a secret in JSON is one: the body is
// the data of a caller, and not a document that others may read.
func Body(kind, body string, byName bool) string {
	media, _, _ := mime.ParseMediaType(kind)
	switch begins := strings.TrimLeft(body, "\ufeff \t\r\n"); {
	case media == "application/x-www-form-urlencoded":
		body = Form(body)
	case strings.HasPrefix(begins, "{"), strings.HasPrefix(begins, "["), media == "text/event-stream":
		body = Members(body, byName)
	}
	body, _ = Redact("", body)
	return body
}

// Form returns the body of a form without the values whose names say that they are secrets.
func Form(body string) string {
	pairs := strings.Split(body, "&")
	for i, pair := range pairs {
		name, _, found := strings.Cut(pair, "=")
		if found && (secretName(name) || Names(name)) {
			pairs[i] = name + "=" + RecordedMark
		}
	}
	return strings.Join(pairs, "&")
}

// Members returns JSON without its secrets. The text may be cut off at any place. With byName,
// whatever stands under the name of a secret is one; see [Names].
func Members(text string, byName bool) string {
	m := members{text: text, byName: byName}
	m.run()
	if m.last == 0 {
		return text
	}
	m.out.WriteString(text[m.last:])
	return m.out.String()
}

// members reads JSON that may be cut off, and copies it without secrets.
type members struct {
	text   string
	byName bool

	out  strings.Builder
	last int // the text before it is copied

	depth  int
	hidden int    // the depth of the value that is hidden as a whole; 0 if there is none
	name   string // of the next value
}

func (m *members) run() {
	for i := 0; i < len(m.text); {
		switch c := m.text[i]; {
		case c == '"':
			i = m.quoted(i)
			continue
		case c == '{', c == '[':
			m.depth++
			if m.hidden == 0 && m.secret() {
				m.hidden = m.depth
			}
			m.name = ""
		case c == '}', c == ']':
			if m.depth == m.hidden {
				m.hidden = 0
			}
			m.depth = max(m.depth-1, 0)
		case c == ',':
			m.name = ""
		case '0' <= c && c <= '9', c == '-':
			end := i + 1
			for end < len(m.text) && strings.IndexByte("0123456789.eE+-", m.text[end]) >= 0 {
				end++
			}
			if m.hidden > 0 || m.secret() {
				m.mark(i, end, `"`+Mark(ruleNamed)+`"`)
			}
			i = end
			continue
		}
		i++
	}
}

// secret reports whether the next value stands under the name of a secret.
func (m *members) secret() bool { return m.byName && m.name != "" && Names(m.name) }

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
	switch {
	case m.hidden > 0, m.secret():
		m.mark(start+1, end, Mark(ruleNamed))
	default:
		if found := Find(m.name, string(plain.text)); len(found) > 0 {
			m.mark(start+1, end, Mark(found[0].Rule))
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

// mark replaces a part of the text.
func (m *members) mark(start, end int, by string) {
	m.out.WriteString(m.text[m.last:start])
	m.out.WriteString(by)
	m.last = end
}
