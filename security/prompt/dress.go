package prompt

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// undressed returns a text with its percent escapes, entities, base64 and fullwidth characters
// decoded, or "" if there are none. Each is decoded once.
func undressed(s string) string {
	plain := s
	if strings.Contains(plain, "%") {
		plain = unescaped(plain)
	}
	if strings.Contains(plain, "&") {
		plain = html.UnescapeString(plain)
	}
	if strings.ContainsFunc(plain, fullwidth) {
		plain = strings.Map(func(r rune) rune {
			if fullwidth(r) {
				return r - 0xFF01 + '!'
			}
			return r
		}, plain)
	}
	if plain = decoded(plain); plain == s {
		return ""
	}
	plain, _ = text.Clean(plain, true, 0)
	return plain
}

func fullwidth(r rune) bool { return 0xFF01 <= r && r <= 0xFF5E }

// unescaped replaces percent escapes.
func unescaped(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		var octet [1]byte
		if s[i] == '%' && i+2 < len(s) {
			if _, err := hex.Decode(octet[:], []byte(s[i+1:i+3])); err == nil {
				b.WriteByte(octet[0])
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// minBase64 is the minimum length of a run that is decoded, in bytes: a sentence, and not a
// word.
const minBase64 = 24

// decoded replaces runs of base64 that encode text.
func decoded(s string) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); {
		end := i
		for end < len(s) && (isAlphanumeric(s[end]) || strings.IndexByte("+/-_", s[end]) >= 0) {
			end++
		}
		if plain := ofBase64(s[i:end]); plain != "" {
			b.WriteString(s[done:i])
			b.WriteString(plain)
			done = end
		}
		i = end + 1
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

func isAlphanumeric(b byte) bool { return text.IsLDH(b) && b != '-' }

// ofBase64 returns the text that a run encodes, or "" if it encodes none.
func ofBase64(run string) string {
	if len(run) < minBase64 || !readable(fromBase64(run[:minBase64])) {
		return ""
	}
	plain := fromBase64(run[:len(run)-len(run)%4])
	if len(run)%4 > 1 {
		plain = fromBase64(run)
	}
	if !readable(plain) {
		return ""
	}
	return string(plain)
}

// fromBase64 decodes either alphabet. It returns nil if the run is not base64.
func fromBase64(run string) []byte {
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(run, "-_") {
		encoding = base64.RawURLEncoding
	}
	plain, err := encoding.DecodeString(run)
	if err != nil {
		return nil
	}
	return plain
}

// readable reports whether bytes are text. The last character may be incomplete.
func readable(plain []byte) bool {
	for i := 0; i < len(plain); {
		r, size := utf8.DecodeRune(plain[i:])
		if r == utf8.RuneError && size == 1 && utf8.FullRune(plain[i:]) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return false
		}
		i += size
	}
	return len(plain) > 0
}
