package uritemplate

// Value is the value of a variable. The zero Value is undefined: it adds nothing to the result
// (RFC 6570 §2.3).
type Value struct {
	kind  kind
	text  string
	list  []string
	pairs []Pair
}

// Pair is a member of an associative array.
type Pair struct{ Name, Value string }

type kind uint8

const (
	undefined kind = iota
	text
	list
	pairs
)

// Text returns a string. An empty string is defined.
func Text(s string) Value { return Value{kind: text, text: s} }

// List returns a list of strings. An empty list is undefined.
func List(items []string) Value {
	if len(items) == 0 {
		return Value{}
	}
	return Value{kind: list, list: items}
}

// Pairs returns an associative array in its order. An empty one is undefined.
func Pairs(members []Pair) Value {
	if len(members) == 0 {
		return Value{}
	}
	return Value{kind: pairs, pairs: members}
}

// Defined reports whether the value adds anything to the result.
func (v Value) Defined() bool { return v.kind != undefined }

// Style is a row of the table in RFC 6570, appendix A. It defines how values are written.
type Style struct {
	// First is written before the first value.
	First string
	// Sep is written between values, and between the items of an exploded value.
	Sep string
	// Comma is written between the items of a value that is not exploded.
	Comma string
	// Named is true if the name is written before the value.
	Named bool
	// IfEmpty is written between a name and an empty value.
	IfEmpty string
	// Encode appends a text with the characters that the style allows.
	Encode func(dst []byte, s string) []byte
}

// Append appends a value without First (RFC 6570 §3.2.1). The name is appended unchanged.
func (s *Style) Append(dst []byte, name string, v Value, explode bool) []byte {
	switch {
	case v.kind == text:
		return s.item(dst, name, v.text)
	case v.kind == undefined:
		return dst
	case explode:
		return s.exploded(dst, name, v)
	}
	if s.Named {
		dst = append(append(dst, name...), '=')
	}
	for i, item := range v.list {
		if i > 0 {
			dst = append(dst, s.Comma...)
		}
		dst = s.Encode(dst, item)
	}
	for i, p := range v.pairs {
		if i > 0 {
			dst = append(dst, s.Comma...)
		}
		dst = s.Encode(append(s.Encode(dst, p.Name), s.Comma...), p.Value)
	}
	return dst
}

// item appends one text, with a name if the style has names.
func (s *Style) item(dst []byte, name, value string) []byte {
	if s.Named {
		dst = append(dst, name...)
		if value == "" {
			return append(dst, s.IfEmpty...)
		}
		dst = append(dst, '=')
	}
	return s.Encode(dst, value)
}

func (s *Style) exploded(dst []byte, name string, v Value) []byte {
	for i, item := range v.list {
		if i > 0 {
			dst = append(dst, s.Sep...)
		}
		dst = s.item(dst, name, item)
	}
	for i, p := range v.pairs {
		if i > 0 {
			dst = append(dst, s.Sep...)
		}
		dst = s.Encode(dst, p.Name)
		if p.Value == "" && s.Named {
			dst = append(dst, s.IfEmpty...)
			continue
		}
		dst = s.Encode(append(dst, '='), p.Value)
	}
	return dst
}

// styleOf returns the row for an operator, or for no operator if it is 0.
func styleOf(operator byte) Style {
	s := Style{Sep: ",", Comma: ",", Encode: AppendUnreserved}
	switch operator {
	case '+':
		s.Encode = AppendReserved
	case '#':
		s.First, s.Encode = "#", AppendReserved
	case '.', '/':
		s.First, s.Sep = string(operator), string(operator)
	case ';':
		s.First, s.Sep, s.Named = ";", ";", true
	case '?', '&':
		s.First, s.Sep, s.Named, s.IfEmpty = string(operator), "&", true, "="
	}
	return s
}

// AppendUnreserved appends a text and percent-encodes all but letters, digits, "-", ".", "_"
// and "~" (RFC 3986 §2.3).
func AppendUnreserved(dst []byte, s string) []byte {
	for i := range len(s) {
		if unreserved(s[i]) {
			dst = append(dst, s[i])
			continue
		}
		dst = AppendPercent(dst, s[i])
	}
	return dst
}

// AppendReserved appends a text, and keeps reserved characters (RFC 3986 §2.2) and
// percent-encoded bytes.
func AppendReserved(dst []byte, s string) []byte {
	for i := range len(s) {
		if unreserved(s[i]) || Reserved(s[i]) || Escaped(s[i:]) {
			dst = append(dst, s[i])
			continue
		}
		dst = AppendPercent(dst, s[i])
	}
	return dst
}

// AppendPercent appends a byte percent-encoded.
func AppendPercent(dst []byte, c byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(dst, '%', digits[c>>4], digits[c&15])
}

// Escaped reports whether a text begins with a percent-encoded byte.
func Escaped(s string) bool { return len(s) >= 3 && s[0] == '%' && hex(s[1]) && hex(s[2]) }

func hex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

func unreserved(c byte) bool {
	switch c {
	case '-', '.', '_', '~':
		return true
	}
	return alphanumeric(c)
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// Reserved reports whether c delimits parts of a URL.
func Reserved(c byte) bool {
	switch c {
	case ':', '/', '?', '#', '[', ']', '@', '!', '$', '&', '\'', '(', ')', '*', '+', ',', ';', '=':
		return true
	}
	return false
}
