package secret

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// RecordedMark replaces a secret.
const RecordedMark = "REDACTED"

// canaryName matches the path of a canary, and canaryZero replaces it in a recording.
var canaryName = regexp.MustCompile(`/\.well-known/wayfind-[0-9a-f]{8}\b`)

const canaryZero = "/.well-known/wayfind-00000000"

// Recorded removes from a text with URLs the parts that a recording must not keep: user names
// and passwords, values of the query and fragment under the names of secrets, and likely
// secrets. It is idempotent. It judges values in URLs only by their names, and more strictly
// than in documents, because the requested URL is the caller's. A URL can contain the mark,
// because recordings are found by their URLs.
func Recorded(text string) string {
	text = redactValues(redactUserinfo(text))
	text, rules := Redact("", text)
	for _, rule := range rules {
		text = strings.ReplaceAll(text, Mark(rule), RecordedMark)
	}
	return canaryName.ReplaceAllString(text, canaryZero)
}

// ends are the characters that end a value inside a URL inside a header field.
const ends = "&#>\" \t"

func redactValues(text string) string {
	var out strings.Builder
	for {
		i := strings.IndexAny(text, "?&#")
		if i < 0 {
			break
		}
		out.WriteString(text[:i+1])
		text = text[i+1:]
		end := strings.IndexAny(text, ends+"?=")
		if end < 0 || text[end] != '=' || !secretName(text[:end]) {
			continue
		}
		out.WriteString(text[:end+1] + RecordedMark)
		text = text[end+1:]
		if end = strings.IndexAny(text, ends); end < 0 {
			end = len(text)
		}
		text = text[end:]
	}
	return out.String() + text
}

// secretName reports whether a parameter has the name of a secret.
func secretName(name string) bool {
	if plain, err := url.QueryUnescape(name); err == nil {
		name = plain
	}
	name = strings.ToLower(name)
	for _, part := range []string{"token", "secret", "passw", "passphrase", "credential", "signature", "authoriz", "session", "jwt"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return r < 'a' || r > 'z' })
	for _, word := range []string{"auth", "code", "hmac", "otp", "pass", "pin", "pwd", "sid", "sig"} {
		if slices.Contains(words, word) {
			return true
		}
	}
	return slices.ContainsFunc(words, func(word string) bool { return strings.HasSuffix(word, "key") })
}

// redactUserinfo replaces the text before "@" in an authority (RFC 3986 §3.2.1). Two slashes
// inside a path do not begin an authority.
func redactUserinfo(text string) string {
	var out strings.Builder
	for last := byte(':'); ; {
		i := strings.Index(text, "//")
		if i < 0 {
			return out.String() + text
		}
		if i > 0 {
			last = text[i-1]
		}
		out.WriteString(text[:i+2])
		text = text[i+2:]
		end := strings.IndexAny(text, "/?#>\" \t")
		if end < 0 {
			end = len(text)
		}
		if at := strings.LastIndexByte(text[:end], '@'); at >= 0 && strings.IndexByte(":<\" \t,=", last) >= 0 {
			out.WriteString(RecordedMark)
			text = text[at:]
		}
		last = '/'
	}
}
