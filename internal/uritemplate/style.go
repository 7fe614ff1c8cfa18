package uritemplate

// Value is what a variable stands for. The zero Value is undefined: nothing is
// written for it (RFC 6570 §2.3).
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

// Text is a string. An empty one is defined.
func Text(s string) Value { return Value{kind: text, text: s} }

// List is a list of strings; one without items is undefined.
func List(items []string) Value {
	if len(items) == 0 {
		return Value{}
	}
	return Value{kind: list, list: items}
}

// Pairs is an associative array in its order; one without members is undefined.
func Pairs(members []Pair) Value {
	if len(members) == 0 {
		return Value{}
	}
	return Value{kind: pairs, pairs: members}
}

// Defined reports whether anything is written for the value.
func (v Value) Defined() bool { return v.kind != undefined }

// Style says how values are written: a row of the table in RFC 6570, appendix A.
type Style struct {
	// First stands before the first value.
	First string
	// Sep stands between values, and between the items of one that is exploded.
	Sep string
	// Comma stands between the items of a value that is not exploded.
	Comma string
	// Named: the name stands before the value.
	Named bool
	// IfEmpty stands between a name and a value that is empty.
	IfEmpty string
	// Encode appends a text as it may stand there.
	Encode func(dst []byte, s string) []byte
}

// Append appends a value without First (RFC 6570 §3.2.1). The name is appended as it
// is.
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

// item writes one text, with a name where the style has names.
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

// styleOf is the row of an operator, 0 for none.
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

// AppendUnreserved appends a text with all percent-encoded but letters, digits, "-",
// ".", "_" and "~" (RFC 3986 §2.3).
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

// AppendReserved appends a text in which reserved characters (RFC 3986 §2.2) and
// percent-encoded bytes stay as they are.
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

// Escaped reports whether a text begins with a byte that is percent-encoded.
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

// Reserved reports the characters that delimit the parts of a URL.
func Reserved(c byte) bool {
	switch c {
	case ':', '/', '?', '#', '[', ']', '@', '!', '$', '&', '\'', '(', ')', '*', '+', ',', ';', '=':
		return true
	}
	return false
}
