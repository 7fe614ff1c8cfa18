package secret

import (
	"encoding/base64"
	"strings"

	words "github.com/wayfindhq/wayfind/internal/syntax/text"
)

// A secret can be written with other characters and still be used: a model reads compatibility
// characters, percent escapes and base64 like plain text.

// undressed is a text with compatibility characters and percent escapes
// replaced by their meaning.
type undressed struct {
	text string
	// at contains the offset of each byte in the original text, and finally the length of that
	// text.
	at []int
}

// undress returns nil if the text has no such characters.
func undress(text string) *undressed {
	if words.IsCompatible(text) && !hasEscape(text) {
		return nil
	}
	u := &undressed{}
	u.text, u.at = words.Compatible(text)
	u.unescape()
	if u.text == text {
		return nil
	}
	return u
}

// hasEscape reports whether a text has a percent escape that unescape replaces.
func hasEscape(text string) bool {
	for {
		_, after, found := strings.Cut(text, "%")
		if !found {
			return false
		}
		if _, ok := escaped(after); ok {
			return true
		}
		text = after
	}
}

// escaped returns the visible ASCII character that the two digits after a "%" encode.
func escaped(digits string) (c byte, ok bool) {
	if len(digits) < 2 {
		return 0, false
	}
	high, low := unhex(digits[0]), unhex(digits[1])
	c = high<<4 | low
	return c, high < 16 && low < 16 && ' ' < c && c < 0x7f
}

// urlMark is the beginning of a mark in a URL; see RedactURL.
const urlMark = "%5Bredacted%3A"

// unescape replaces percent escapes of visible ASCII.
func (u *undressed) unescape() {
	if !strings.Contains(u.text, "%") {
		return
	}
	var b strings.Builder
	at := make([]int, 0, len(u.at))
	marked := 0 // the end of one of our marks in a URL, which is kept
	for i := 0; i < len(u.text); i++ {
		c := u.text[i]
		if i >= marked && strings.HasPrefix(u.text[i:], urlMark) {
			if length := strings.Index(u.text[i:], "%5D"); length > 0 {
				marked = i + length + 3
			}
		}
		at = append(at, u.at[i])
		if c == '%' && i >= marked {
			if plain, ok := escaped(u.text[i+1:]); ok {
				c, i = plain, i+2
			}
		}
		b.WriteByte(c)
	}
	u.text, u.at = b.String(), append(at, u.at[len(u.at)-1])
}

// unhex returns the value of a hexadecimal digit, or 16 for any other character.
func unhex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 16
}

// Only base64 of these lengths is decoded: from a short key to a private key with its
// certificates. A longer text is a file.
const (
	minBase64 = 24
	maxBase64 = 16 << 10
)

// rankDressed is the rank of encoded secrets, after all rules for plain text.
const rankDressed = rankNamed + 1

// dressed looks for encoded secrets.
func (s *scanner) dressed(name string) {
	if u := undress(s.text); u != nil {
		for _, m := range find(name, u.text) {
			s.add(rankDressed, m.Rule, u.at[m.Start], u.at[m.End])
		}
	}
	for start := 0; start < len(s.text); start++ {
		end := start
		for end < len(s.text) && isBase64(s.text[end]) {
			end++
		}
		if end-start >= minBase64 {
			s.decoded(start, end)
		}
		start = end
	}
}

func isBase64(b byte) bool { return isTokenByte(b) || b == '_' || b == '+' || b == '/' }

// decoded looks into a run of base64 and into its parts between slashes, because the slashes of
// a path are not part of the base64.
func (s *scanner) decoded(start, end int) {
	if s.decode(start, end) {
		return
	}
	for part := start; part < end; {
		length := strings.IndexByte(s.text[part:end], '/')
		if length < 0 {
			length = end - part
		}
		if length >= minBase64 && length < end-start {
			s.decode(part, part+length)
		}
		part += length + 1
	}
}

// decode reports whether there is the base64 of a secret from start to end.
func (s *scanner) decode(start, end int) bool {
	if end-start > maxBase64 || !beginsText(s.text[start:end]) {
		return false
	}
	standard := strings.ReplaceAll(strings.ReplaceAll(s.text[start:end], "-", "+"), "_", "/")
	plain, err := base64.RawStdEncoding.DecodeString(standard)
	if err != nil || !isText(plain) {
		return false
	}
	found := find("", string(plain))
	for range 2 { // padding
		if end < len(s.text) && s.text[end] == '=' {
			end++
		}
	}
	for _, m := range found[:min(1, len(found))] {
		s.add(rankDressed, m.Rule, start, end)
	}
	return len(found) > 0
}

// beginsText reports whether the first letters of a run of base64 decode to text. Words and
// paths decode to other data.
func beginsText(run string) bool {
	var head [16]byte
	var plain [12]byte
	for i := range head {
		switch head[i] = run[i]; head[i] {
		case '-':
			head[i] = '+'
		case '_':
			head[i] = '/'
		}
	}
	n, err := base64.RawStdEncoding.Decode(plain[:], head[:])
	return err == nil && isText(plain[:n])
}

// isText reports whether b is text.
func isText(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c >= 0x7f {
			return false
		}
	}
	return true
}
