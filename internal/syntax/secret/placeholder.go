package secret

import (
	"encoding/base64"
	"math"
	"regexp"
	"slices"
	"strings"
)

// random reports whether a value looks like the output of a machine: letters and digits without
// order, and not a placeholder that people write.
func random(value string) bool {
	return drawn(value) && !wordy(value) && mixed(value) && !spelled(value)
}

// spelled reports whether a value is the base64 of a text without random parts. Random bytes do
// not decode to a text.
func spelled(value string) bool {
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	if err != nil || strings.ContainsFunc(string(plain), func(r rune) bool { return r < ' ' || r >= 0x7f }) {
		return false
	}
	text := string(plain)
	return !drawn(text) || wordy(text) || !mixed(text) || strings.Contains(text, " ")
}

// drawn is random for values with a prefix that shows their kind. Such a value may have no
// digit by chance.
func drawn(value string) bool { return !placeholder(value) && entropy(value) >= minEntropy }

// minEntropy is in bits per byte. One of ten thousand random texts of sixteen hexadecimal
// digits has less than 2.5. Words have about 3 and are recognised by other properties.
const minEntropy = 2.5

// entropy returns the entropy of the bytes of a value, by their frequency (Shannon).
func entropy(value string) float64 {
	var count [256]int
	for i := range len(value) {
		count[value[i]]++
	}
	bits, n := 0.0, float64(len(value))
	for _, c := range count {
		if c > 0 {
			p := float64(c) / n
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// mixed reports whether a value has letters, and digits or both cases.
func mixed(value string) bool {
	var lower, upper, digit bool
	for i := range len(value) {
		switch b := value[i]; {
		case 'a' <= b && b <= 'z':
			lower = true
		case 'A' <= b && b <= 'Z':
			upper = true
		case '0' <= b && b <= '9':
			digit = true
		}
	}
	return (lower || upper) && digit || lower && upper
}

// wordy reports whether a value consists of words and small numbers, such as
// "prod-token-2024" or "myAccessToken1".
func wordy(value string) bool {
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return r > 0x7f || !isTokenByte(byte(r)) || r == '-' }) {
		if !word.MatchString(part) {
			return false
		}
	}
	return true
}

// word matches a word that people write, or a number. A word consists of letters in one case or
// with capitals at the start of parts of at least three letters, and may end with a small
// number.
var word = regexp.MustCompile(`^(?:[A-Z]?[a-z]+(?:[A-Z][a-z]{2,})*[0-9]{0,4}|[A-Z]+[0-9]{0,4}|[0-9]{1,8}|[a-z][0-9]{1,4}[a-z]{0,4})$`)

// placeholder reports whether a value replaces a secret in documentation, or is one of our
// marks.
func placeholder(value string) bool {
	lower := strings.ToLower(value)
	if containsAny(lower, "{{", "}}", "${", "$(", "<", ">", "***", "...", "…", "%7b", "%3c", "[redacted", "%5bredacted") || template.MatchString(value) {
		return true
	}
	if len(value) <= maxWords && containsAny(lower, "your", "example", "sample", "placeholder", "change", "replace", "insert", "dummy",
		"fake", "test", "demo", "redact", "secret", "token", "password", "here", "todo", "xxxx", "apikey", "api_key", "api-key") {
		return true
	}
	return repetitive(value) || published(value) || sampleJWT(value)
}

// sampleJWT recognises the public sample of jwt.io, with any header and signature. Its claims
// are about "John Doe", and its key is public.
func sampleJWT(value string) bool {
	if !strings.HasPrefix(value, "eyJ") {
		return false
	}
	_, claims, _ := strings.Cut(value, ".")
	claims, _, _ = strings.Cut(claims, ".")
	plain, err := base64.RawURLEncoding.DecodeString(claims)
	return err == nil && strings.Contains(string(plain), `"John Doe"`)
}

// maxWords is the length of the longest value in which words are searched. Among more random
// letters there are words by chance.
const maxWords = 256

// template matches a variable: "{token}", "$TOKEN", "%TOKEN%", ":token".
var template = regexp.MustCompile(`\{[A-Za-z_][A-Za-z0-9_.-]*\}|^\$[A-Za-z_]+$|^%[A-Za-z_]+%$|^:[A-Za-z_]+$`)

// repetitive recognises filler from a keyboard: one character five times, six consecutive
// characters ("123456"), parts of this kind ("abc123xyz789"), or few different characters.
func repetitive(value string) bool {
	same, up, typed := 1, 1, 0
	var seen [256]bool
	kinds := 0
	for i := range len(value) {
		if !seen[value[i]] {
			seen[value[i]] = true
			kinds++
		}
		if i == 0 {
			continue
		}
		same, up = same+1, up+1
		if value[i] != value[i-1] {
			same = 1
		}
		if value[i] != value[i-1]+1 && (value[i-1] != '9' || value[i] != '0') {
			up = 1
		}
		switch {
		case up == 3:
			typed += 3
		case up > 3:
			typed++
		}
		if (same == 5 || up == 6) && len(value) <= maxWords {
			return true
		}
	}
	return 2*typed >= len(value) || len(value) >= minNamed && kinds < 7
}

// stockWord recognises passwords that documentation uses.
func stockWord(value string) bool {
	return slices.Contains([]string{"pass", "pwd", "user", "username", "admin", "key", "mypass", "hunter2", "postgres", "root", "guest"},
		strings.ToLower(value))
}

// published recognises values that specifications and manuals print, and that are not valid
// anywhere.
func published(value string) bool {
	return containsAny(value,
		"QWxhZGRpbjpvcGVuIHNlc2FtZQ==",         // RFC 7617 §2
		"czZCaGRSa3F0MzpnWDFmQmF0M2JW",         // RFC 6749 §4.1.3
		"gX1fBat3bV",                           // RFC 6749 §4.1.3
		"7Fjfp0ZBr1KtDRbnfVdmIw",               // RFC 6749 §2.3.1
		"2YotnFZFEjr1zCsicMWpAA",               // RFC 6749 §4.1.4
		"tGzv3JOkF0XG5Qx2TlKWIA",               // RFC 6749 §4.1.4
		"mF_9.B5f-4.1JqM",                      // RFC 6750 §2.1
		"123e4567-e89b-12d3-a456-426614174000", // the example of RFC 9562 and its predecessors
		"550e8400-e29b-41d4-a716-446655440000",
	)
}
