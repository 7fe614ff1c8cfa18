package secret

import (
	"bytes"
	"encoding/hex"
	"html"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// maxReference is the maximum length of a character reference or of an escape in braces, with zeros
// before its digits.
const maxReference = 32

// unescaped is a text without escapes. at maps each byte, and the end, to its position in the
// original text; nil if text is the original.
type unescaped struct {
	text []byte
	at   []uint32
}

// withoutInnerQuotes returns the text of a layer in which a quotation mark that was escaped is another
// character: it ends no string of the original.
func (u unescaped) withoutInnerQuotes() []byte {
	if u.at == nil || !bytes.Contains(u.text, []byte{'"'}) {
		return u.text
	}
	own := bytes.Clone(u.text)
	for i, c := range own {
		if c == '"' && u.at[i+1]-u.at[i] > 1 {
			own[i] = '\''
		}
	}
	return own
}

// from returns the position of a byte in the original text.
func (u unescaped) from(i int) uint32 {
	if u.at == nil {
		return uint32(i)
	}
	return u.at[i]
}

// compact returns a text with escapes without its blanks, combining marks and characters that do not
// show. some is true if there were any.
func (u unescaped) compact() (next unescaped, some bool) {
	if !bytes.ContainsAny(u.text, `%\&`) && !bytes.Contains(u.text, []byte("0x")) {
		return u, false
	}
	next.text, next.at = make([]byte, 0, len(u.text)), make([]uint32, 0, len(u.text)+1)
	for i, n := 0, 0; i < len(u.text); i += n {
		r := rune(u.text[i])
		if n = 1; r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(u.text[i:])
		}
		if r <= ' ' || r == 0x7F || r >= utf8.RuneSelf && !shows(r) {
			some = true
			continue
		}
		for j := range n {
			next.at = append(next.at, u.from(i+j))
		}
		next.text = append(next.text, u.text[i:i+n]...)
	}
	next.at = append(next.at, u.from(len(u.text)))
	return next, some
}

// unescape decodes one layer of escapes. some is true if there were any.
func (u unescaped) unescape() (next unescaped, some bool) {
	said := string(u.text)
	clean, _ := text.Clean(said, true, 0)
	visible := clean == said && text.IsCompatible(said)
	if visible && !bytes.ContainsAny(u.text, `%\&`) {
		return u, false
	}
	next.text, next.at = make([]byte, 0, len(u.text)), make([]uint32, 0, len(u.text)+1)
	for i := 0; i < len(u.text); {
		plain, n := escape(u.text[i:])
		if n == 0 && !visible {
			plain, n = unseen(u.text[i:])
		}
		if n == 0 {
			plain, n = u.text[i:i+1], 1
		} else {
			some = true
		}
		for range plain {
			next.at = append(next.at, u.from(i))
		}
		next.text = append(next.text, plain...)
		i += n
	}
	next.at = append(next.at, u.from(len(u.text)))
	return next, some
}

// unseen reads a character that cleaning removes, or replaces by another one. It is read as what a
// reader gets, because the text is cleaned after the secrets are removed, which would put a secret
// together again.
func unseen(said []byte) (plain []byte, n int) {
	if said[0] >= ' ' && said[0] < 0x7F {
		return nil, 0
	}
	_, n = utf8.DecodeRune(said)
	if meant := text.Decomposed(said[:n]); len(meant) > 0 && !bytes.ContainsFunc(meant, isForeign) {
		return meant, n // full-width letters, and others that are read as ASCII
	}
	own := string(said[:n])
	if clean, _ := text.Clean(own, true, 0); clean != own {
		return []byte(clean), n
	}
	return nil, 0
}

// shows reports whether a character is more than a blank or a mark on another one.
func shows(r rune) bool {
	return r != utf8.RuneError && !unicode.In(r, unicode.M, unicode.Z, unicode.C, unicode.Other_Default_Ignorable_Code_Point)
}

func isForeign(r rune) bool { return r >= utf8.RuneSelf }

// escape reads the escape at the beginning of a text. It returns the meaning and the length of
// the escape; 0 if there is none.
func escape(text []byte) (plain []byte, n int) {
	if len(text) < 2 {
		return nil, 0
	}
	switch text[0] {
	case '%':
		return octet(text[1:], 1)
	case '&':
		end := bytes.IndexByte(text[:min(len(text), maxReference)], ';') + 1
		if meaning := html.UnescapeString(string(text[:end])); meaning != string(text[:end]) {
			return []byte(meaning), end
		}
	case '\\':
		return backslash(text)
	}
	return nil, 0
}

// octet reads two hexadecimal digits. before is the length of the escape before them.
func octet(digits []byte, before int) (plain []byte, n int) {
	if len(digits) < 2 {
		return nil, 0
	}
	plain, err := hex.DecodeString(string(digits[:2]))
	if err != nil {
		return nil, 0
	}
	return plain, before + 2
}

// backslash reads an escape of JSON or JavaScript.
func backslash(text []byte) (plain []byte, n int) {
	switch text[1] {
	case '"', '\\', '/', '\'':
		return text[1:2], 2
	case 'n':
		return []byte{'\n'}, 2
	case 't':
		return []byte{'\t'}, 2
	case 'r', 'f', 'b', 'v', 'a', 'e': // any of them: they are dropped between letters
		return []byte{'\r'}, 2
	case 'x', 'X':
		return octet(text[2:], 2)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return octal(text)
	case 'u', 'U':
		if r, n := braced(text); n > 0 {
			return utf8.AppendRune(nil, r), n
		}
		r, ok := codeUnit(text)
		if !ok {
			return nil, 0
		}
		if second, ok := codeUnit(text[6:]); ok && utf16.IsSurrogate(r) {
			return utf8.AppendRune(nil, utf16.DecodeRune(r, second)), 12
		}
		return utf8.AppendRune(nil, r), 6
	}
	return nil, 0
}

// octal reads an escape of C, of shells or of CSS: a backslash and up to three octal digits.
func octal(text []byte) (plain []byte, n int) {
	value := 0
	for n = 1; n < min(len(text), 4) && '0' <= text[n] && text[n] <= '7'; n++ {
		value = value<<3 | int(text[n]-'0')
	}
	if value > 0xFF {
		value, n = value>>3, n-1
	}
	return []byte{byte(value)}, n
}

// braced reads an escape of ECMAScript or Rust, "\u{…}", or one of Python, "\U" with eight digits. n
// is 0 if there is none.
func braced(text []byte) (r rune, n int) {
	digits := ""
	switch {
	case len(text) > 2 && text[2] == '{':
		end := bytes.IndexByte(text[:min(len(text), maxReference)], '}')
		if end < 0 {
			return 0, 0
		}
		digits, n = string(text[3:end]), end+1
	case len(text) >= 10 && text[1] == 'U':
		digits, n = string(text[2:10]), 10
	}
	value, err := strconv.ParseUint(digits, 16, 31)
	if err != nil {
		return 0, 0
	}
	return rune(value), n
}

// codeUnit reads "\u" with four digits.
func codeUnit(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' && text[1] != 'U' {
		return 0, false
	}
	raw, err := hex.DecodeString(string(text[2:6]))
	if err != nil {
		return 0, false
	}
	return rune(raw[0])<<8 | rune(raw[1]), true
}
