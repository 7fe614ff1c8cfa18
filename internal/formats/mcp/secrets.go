package mcp

import (
	"strings"

	"github.com/wayfindhq/wayfind/parse"
)

// secret reports a secret in a document.
func (r *reader) secret(at parse.Node) {
	r.Report(ruleSecretValue.At(r.shape.section()), at, "the document contains a secret, which every reader can use; it was not kept")
}

// literal reports the value of a secret in a document.
func (r *reader) literal(input parse.Node, member string) {
	if text, ok := input.Get(member).Str(); ok && isLiteral(text) {
		r.secret(input.Get(member))
	}
}

// hasSecret reports whether a secret is among the variables of a value.
func hasSecret(variables parse.Node) bool {
	for _, n := range variables.Members() {
		if secret, _ := n.Get("isSecret").Bool(); secret {
			return true
		}
	}
	return false
}

// isSecretName recognises names of fields, variables and options that contain secrets.
func isSecretName(name string) bool {
	lower := strings.ToLower(name)
	for _, word := range [...]string{"authorization", "token", "secret", "password", "passwd", "credential", "api-key", "api_key", "apikey", "access-key", "access_key", "x-auth", "private_key", "private-key"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return lower == "key" || strings.HasSuffix(lower, "-key") || strings.HasSuffix(lower, "_key")
}

// isLiteral reports whether text is a value and not a placeholder.
func isLiteral(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsAny(text, "{}<>$") {
		return false
	}
	lower := strings.ToLower(text)
	for _, word := range [...]string{"your", "xxx", "...", "…", "example", "changeme", "placeholder", "token here", "***"} {
		if strings.Contains(lower, word) {
			return false
		}
	}
	return true
}

// minSecret is the shortest text that may be recognised as a secret, in bytes.
const minSecret = 8

// secretIn finds a secret in a value without a known meaning: text that looks like a secret,
// under the name of one.
func secretIn(name string, n parse.Node) (at parse.Node, found bool) {
	switch n.Kind() {
	case parse.String:
		text, _ := n.Str()
		return n, isSecretName(name) && isLiteral(text) && len(text) >= minSecret && strings.ContainsAny(text, "0123456789") &&
			!strings.ContainsAny(text, " /")
	case parse.Object:
		for member, value := range n.Members() {
			if at, found = secretIn(member, value); found {
				return at, true
			}
		}
	case parse.Array:
		for _, value := range n.Items() {
			if at, found = secretIn(name, value); found {
				return at, true
			}
		}
	}
	return parse.Node{}, false
}
