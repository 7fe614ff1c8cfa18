package secret

import (
	"slices"
	"strings"
	"unicode"
)

// Rules for values that are recognised by their name.
const (
	rulePassword  = "password"
	ruleSession   = "session-id"
	ruleParameter = "url-parameter"
	ruleNamed     = "named-secret"
)

// assigned looks for values under the names of secrets inside a text, as they
// stand in JSON, YAML, shells, header fields, cookies and URLs: name, "=" or
// ":", value.
//
// A value may hold other names and values ("token:key:…"), and each of them ends
// where it does. All of them together cost no more than a few passes over the
// text.
func (s *scanner) assigned() {
	judged, known := maxLooked*len(s.text)+maxNamed, 0
	for i := range len(s.text) {
		if b := s.text[i]; b != '=' && b != ':' {
			continue
		}
		start, end := nameBefore(s.text, i)
		if start == end || !hasSecretWord(s.text[start:end]) {
			continue
		}
		inURL := start > 0 && strings.IndexByte("?&#", s.text[start-1]) >= 0
		from := valueStart(s.text, i+1)
		var to int
		to, known = valueEnd(s.text, from, known)
		if judged -= to - from; judged < 0 {
			return
		}
		if rule, ok := namedSecret(s.text[start:end], s.text[from:to], inURL); ok {
			s.add(rankNamed, rule, from, to)
		}
	}
}

// Bounds on the text read at each "=" and ":".
const (
	maxLooked  = 4 // times the text
	maxNameLen = 64
	maxGap     = 3 // blanks
)

// nameBefore is the name that ends before an offset, blanks and a quote between
// them. Of a long one it is the end.
func nameBefore(text string, at int) (start, end int) {
	end = at
	for end > 0 && at-end < maxGap && (text[end-1] == ' ' || text[end-1] == '\t') {
		end--
	}
	if end > 0 && isQuote(text[end-1]) {
		end--
	}
	start = end
	for start > 0 && end-start < maxNameLen && (isTokenByte(text[start-1]) || strings.IndexByte("_.%", text[start-1]) >= 0) {
		start--
	}
	return start, end
}

// valueStart is where the value begins that stands behind a separator.
func valueStart(text string, at int) int {
	if at < len(text) && text[at] == '>' {
		at++ // "=>"
	}
	for n := 0; n < maxGap && at < len(text) && (text[at] == ' ' || text[at] == '\t'); n++ {
		at++
	}
	if at < len(text) && isQuote(text[at]) {
		at++
	}
	return at
}

func isQuote(b byte) bool { return b == '"' || b == '\'' || b == '`' }

// hasSecretWord is a quick check whether ruleOfName could match.
func hasSecretWord(name string) bool {
	return containsAny(strings.ToLower(name), "key", "token", "secret", "pass", "pwd", "pw", "credential", "sess", "sid", "sig", "auth", "jwt", "hmac")
}

// valueEnd is where a value that begins at an offset ends. It is no longer than
// a secret is, and "=" is padding only. Up to known the value before has none of
// the characters that end one; stop is that of this one, before the padding.
func valueEnd(text string, start, known int) (end, stop int) {
	limit := min(len(text), start+maxNamed+1)
	end = min(max(start, known), limit)
	for end < limit && strings.IndexByte(" \t\r\n\"'`,;&#<>()[]=", text[end]) < 0 {
		end++
	}
	stop = end
	for end < limit && text[end] == '=' {
		end++
	}
	return end, stop
}

// Lengths of secrets that are recognised by their names alone, in bytes.
const (
	minNamed    = 16
	minPassword = 8 // passwords, and values in URLs
	maxNamed    = 4 << 10
)

// namedSecret reports whether a value looks like a secret under a name.
func namedSecret(name, value string, inURL bool) (rule string, ok bool) {
	if name == "" || len(value) < minPassword || len(value) > maxNamed ||
		strings.ContainsFunc(value, notInSecrets) || strings.Contains(value, "://") {
		return "", false
	}
	rule = ruleOfName(name, inURL)
	least := minNamed
	if inURL || rule == rulePassword {
		least = minPassword
	}
	if rule == "" || len(value) < least {
		return "", false
	}
	return rule, random(value)
}

// notInSecrets are characters that tell a sentence from a secret.
func notInSecrets(r rune) bool { return r <= ' ' || r >= 0x7f }

// ruleOfName judges a name; "" is that of no secret. In the query of a URL some
// short names are clear that mean other things elsewhere.
func ruleOfName(name string, inURL bool) string {
	words := nameWords(name)
	if len(words) == 0 || slices.ContainsFunc(words, isPublicWord) {
		return ""
	}
	last := words[len(words)-1]
	switch all := strings.Join(words, ""); {
	case containsAny(all, "sessionid", "sessid", "sessiontoken", "sessionkey", "sessioncookie"), last == "sid", last == "session" && !inURL:
		return ruleSession
	case isAboutSecrets(last):
		return ""
	case inURL && (slices.Contains([]string{"key", "sig", "signature", "auth", "hmac", "pass", "pw"}, last) || isSecretWords(all, last)):
		return ruleParameter
	case containsAny(all, "password", "passwd", "passphrase", "passcode"), last == "pwd":
		return rulePassword
	case isSecretWords(all, last):
		return ruleNamed
	}
	return ""
}

// Names reports whether a name is that of a secret, as the names of arguments are: whatever
// stands under it is one.
func Names(name string) bool {
	words := nameWords(name)
	return ruleOfName(name, false) != "" ||
		len(words) > 0 && slices.Contains([]string{"pin", "otp", "pass", "cvv", "cvc", "totp"}, words[len(words)-1])
}

// Asks reports whether a text for people speaks of a secret: it may ask for one.
func Asks(text string) bool {
	words := nameWords(text)
	for i, word := range words {
		if Names(word) || slices.Contains([]string{"pincode", "passcode", "apikey", "tan", "seed"}, strings.TrimSuffix(word, "s")) || i > 0 && Names(words[i-1]+" "+word) {
			return true
		}
	}
	return false
}

// isSecretWords judges a name by all of its words and the last of them.
func isSecretWords(all, last string) bool {
	switch last {
	case "token", "secret", "jwt", "authorization", "credential", "credentials", "password":
		return true
	}
	return containsAny(all, "apikey", "accesskey", "secretkey", "privatekey", "authkey", "accountkey", "adminkey", "masterkey",
		"signingkey", "encryptionkey", "servicekey", "subscriptionkey", "licensekey", "clientsecret", "accesstoken", "authtoken",
		"refreshtoken", "bearertoken", "secretvalue", "tokenvalue")
}

// isPublicWord reports a name whose value is public, or belongs to a page and
// not to a person. Proofs of ownership of a domain are published, as
// verification_tokens for example.
func isPublicWord(word string) bool {
	switch word {
	case "public", "publishable", "verification", "csrf", "xsrf", "nonce", "page", "next", "previous", "prev", "continuation",
		"cursor", "sync", "pagination", "idempotency", "csrftoken", "metadata", "statement", "example", "placeholder", "site", "cache":
		return true
	}
	return false
}

// isAboutSecrets: names that end so say something about a secret.
func isAboutSecrets(last string) bool {
	switch last {
	case "id", "ids", "type", "types", "name", "names", "url", "uri", "endpoint", "hint", "hints", "limit", "count", "length", "format",
		"header", "prefix", "env", "field", "description", "expires", "expiry", "ttl", "method", "methods", "docs", "ref", "scheme", "digest", "hash", "version":
		return true
	}
	return false
}

func containsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}

// nameWords splits a name into words in lower case: "X-Api-Key", "apiKey",
// "API_KEY" and "api key" are the same.
func nameWords(name string) []string {
	var words []string
	start, last := 0, rune(0)
	cut := func(end int) {
		if start < end {
			words = append(words, strings.ToLower(name[start:end]))
		}
	}
	for i, r := range name {
		switch {
		case r >= 0x80 || !isTokenByte(byte(r)) || r == '-':
			cut(i)
			start = i + 1
			if r >= 0x80 {
				start = i + len(string(r))
			}
		case unicode.IsUpper(r) && unicode.IsLower(last):
			cut(i)
			start = i
		}
		last = r
	}
	cut(len(name))
	return words
}
