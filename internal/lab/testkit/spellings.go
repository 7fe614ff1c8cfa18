package testkit

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// each writes each byte of a text in a format.
func each(text, format string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		_, _ = fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

// between writes something between all characters of a text.
func between(text, with string) string { return strings.Join(strings.Split(text, ""), with) }

// lookAlike returns a Cyrillic letter for some of Latin.
func lookAlike(r rune) rune {
	if i := strings.IndexRune("eoax", r); i >= 0 {
		return []rune("еоах")[i]
	}
	return r
}

// Spellings returns the ways in which a site can repeat a credential.
func Spellings(own string) map[string]string {
	standard := base64.StdEncoding.EncodeToString
	once := standard([]byte(own))
	full := strings.Map(func(r rune) rune { return r + 0xFEE0 }, own)
	quoted := own
	list := map[string]string{
		"plain": own, "upper case": strings.ToUpper(own), "JSON": each(own, `\u%04x`), "JSON in JSON": each(own, `\\u%04x`), "JSON to depth 4": each(own, `\\\\\\\\u%04x`),
		"percent": each(own, "%%%02x"), "percent twice": each(own, "%%25%02X"), "percent three times": each(own, "%%2525%02X"), "query": url.QueryEscape(own),
		"references": each(own, "&#%d;"), "hexadecimal references": each(own, "&#x%x;"), "references with zeros": each(own, "&#%010d;"), "references in JSON": each(own, `\u0026#%d;`),
		"octal": each(own, `\%03o`), "hexadecimal escapes": each(own, `\x%02x`), "braces": each(own, `\u{%x}`), "Python": each(own, `\U%08x`),
		"base64": once, "base64 without padding": base64.RawURLEncoding.EncodeToString([]byte(own)), "base64 of Bearer": standard([]byte("Bearer " + own)),
		"base64 at 1": standard([]byte("x" + own)), "base64 at 2": standard([]byte("xy" + own)), "base64 within": standard([]byte("user:" + own + ":more")), "base64 twice": standard([]byte(once)),
		"base64 of UTF-16": standard([]byte(between(own, "\x00") + "\x00")), "base64 of big UTF-16": standard([]byte("\x00" + between(own, "\x00"))), "base32": base32.StdEncoding.EncodeToString([]byte(own)),
		"base64 in lines": once[:10] + "\n" + once[10:], "hexadecimal": hex.EncodeToString([]byte(own)), "hexadecimal with colons": strings.TrimSuffix(each(own, "%02x:"), ":"),
		"bytes of C": each(own, "0x%02x, "), "UTF-16": between(own, "\x00"), "full width": full, "blanks": between(own, " "), "lines": own[:7] + "\n" + own[7:],
		"comment": own[:7] + "<!-- a comment -->" + own[7:], "tags": own[:7] + `<b class="x"></b>` + own[7:], "hyphens": between(own, "-"), "Cyrillic": strings.Map(lookAlike, own),
	}
	for range 4 {
		raw, _ := json.Marshal(map[string]string{"key": quoted})
		quoted = string(raw)
	}
	list["strings of JSON"] = quoted
	return list
}

// Splits returns a text with each of the characters in it that a reader does not see, or sees as a
// blank.
func Splits(said string) map[string]string {
	list := make(map[string]string)
	runes := []rune(said)
	for _, c := range []string{"\u200b", "\u00ad", "\u202e", "\U000e0041", "\x00", "\ufe0f", "\ufeff", "\u2060", "\u034f", "\x1b", "\x07", "\r", "\t", "\x7f", "\u0085", "\u3164", "\u0301\u0301\u0301\u0301\u0301\u0301", "\xff", "\u200d"} {
		list[fmt.Sprintf("%+q", c)] = string(runes[:len(runes)/2]) + c + string(runes[len(runes)/2:])
	}
	return list
}
