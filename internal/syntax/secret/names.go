package secret

import (
	"slices"
	"strings"
	"unicode"
)

// These rules recognise values by their name.
const (
	rulePassword  = "password"
	ruleSession   = "session-id"
	ruleParameter = "url-parameter"
	ruleNamed     = "named-secret"
)

// assigned looks for values under the names of secrets inside a text, as in JSON, YAML, shells,
// header fields, cookies and URLs: name, "=" or ":", value.
//
// A value may contain other names and values ("token:key:…"), which end at the same place. The
// cost of all of them is a few passes over the text.
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

// These constants limit the text that is read at each "=" and ":".
const (
	maxLooked  = 4 // in lengths of the text
	maxNameLen = 64
	maxGap     = 3 // spaces
)

// nameBefore returns the name that ends before an offset; spaces and a quote may be between.
// For a long name it returns the end.
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

// valueStart returns the start of the value after a separator.
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

// valueEnd returns the end of the value that begins at start. The value is at most as long as a
// secret, and "=" is only padding. Before known there is no character that ends a value. stop
// is the end of the value without its padding.
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

// These are lengths of secrets that are recognised only by their names, in bytes.
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

// notInSecrets reports whether r occurs in sentences, but not in secrets.
func notInSecrets(r rune) bool { return r <= ' ' || r >= 0x7f }

// ruleOfName returns the rule for a name, or "" if it is not the name of a secret. Some short
// names mean a secret only in the query of a URL.
func ruleOfName(name string, inURL bool) string {
	words := nameWords(name)
	if len(words) == 0 || slices.ContainsFunc(words, isPublicWord) {
		return ""
	}
	last := words[len(words)-1]
	switch all := strings.ReplaceAll(strings.Join(words, ""), "passwordless", ""); {
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

// Names reports whether a value under a name is a secret. It judges names like the names of
// arguments, in many languages.
func Names(name string) bool {
	words := nameWords(name)
	return isNamed(name) || strings.HasSuffix(strings.Join(words, ""), "creditcard") || // in a text it is a way to pay
		len(words) == 1 && (words[0] == "bearer" || words[0] == "cookie")
}

func isNamed(name string) bool {
	words := nameWords(name)
	return ruleOfName(name, false) != "" || namesInAnyLanguage(name) ||
		len(words) > 0 && slices.Contains([]string{"pin", "otp", "pass", "cvv", "cvc", "totp"}, words[len(words)-1])
}

// Asks reports whether a text for people mentions a secret in any of many languages, and therefore may ask
// for one.
func Asks(text string) bool {
	folded := foldedWords(text)
	if languages().asksFor(folded) {
		return true
	}
	if joined := respelled(folded); len(joined) < len(folded) && Asks(strings.Join(joined, " ")) {
		return true
	}
	if lower := strings.ToLower(text); strings.Contains(lower, "2fa") && strings.Contains(lower, "code") {
		return true
	}
	words := nameWords(text)
	for i, word := range words {
		if isNamed(word) || slices.Contains([]string{"pincode", "passcode", "apikey", "tan", "seed"}, strings.TrimSuffix(word, "s")) || i > 0 && isNamed(words[i-1]+" "+word) {
			return true
		}
	}
	return false
}

// isSecretWords judges a name by all of its words and by the last word.
func isSecretWords(all, last string) bool {
	switch last {
	case "token", "secret", "jwt", "authorization", "credential", "credentials", "password":
		return true
	}
	return containsAny(all, "apikey", "accesskey", "secretkey", "privatekey", "authkey", "accountkey", "adminkey", "masterkey",
		"signingkey", "encryptionkey", "servicekey", "subscriptionkey", "licensekey", "clientsecret", "accesstoken", "authtoken",
		"refreshtoken", "bearertoken", "secretvalue", "tokenvalue", "devicecode", "codeverifier")
}

// isPublicWord reports whether a value under the name is public, or belongs to a page instead
// of a person. Proofs of the ownership of a domain are public, for example verification_tokens.
func isPublicWord(word string) bool {
	switch word {
	case "public", "publishable", "verification", "csrf", "xsrf", "nonce", "page", "next", "previous", "prev", "continuation",
		"cursor", "sync", "pagination", "idempotency", "csrftoken", "metadata", "statement", "example", "placeholder", "site", "cache":
		return true
	}
	return false
}

// isAboutSecrets reports whether a name with this last word describes a secret instead of
// containing one.
func isAboutSecrets(last string) bool {
	switch last {
	case "id", "ids", "type", "types", "name", "names", "url", "uri", "endpoint", "hint", "hints", "limit", "count", "length", "format",
		"header", "prefix", "env", "field", "description", "expires", "expiry", "ttl", "method", "methods", "docs", "ref", "scheme", "digest", "hash", "version",
		"policy", "policies", "rules", "strength":
		return true
	}
	return false
}

func containsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}

// nameWords splits a name into words in lower case. "Api-Key", "apiKey", "API_KEY" and "api key"
// consist of the same words.
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
