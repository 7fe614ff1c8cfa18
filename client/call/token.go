package call

import (
	"regexp"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// isToken reports whether the key of a scheme goes into the place of tokens: the field
// Authorization, after the name of an authentication scheme (RFC 9110 §11.4).
func isToken(s wayfind.Scheme) bool {
	return s.Kind == wayfind.SchemeAPIKey && s.In == "header" && strings.EqualFold(s.Name, "Authorization")
}

// tokenWord finds the word before a token in the text of a document.
var tokenWord = regexp.MustCompile(`(?i)authorization:\s*([a-z][a-z-]*)\s|\b(bearer|bot)\b`)

// fitToken chooses the word before a token: "Bearer", unless the document describes the token
// as a key with another word.
func (p *part) fitToken() error {
	p.prefix = "Bearer "
	switch {
	case !isToken(p.scheme):
		return nil
	case p.scheme.Prefix != nil:
		return p.fitKey()
	}
	if found := tokenWord.FindStringSubmatch(p.scheme.Description); found != nil && found[1] != "" {
		p.prefix = found[1] + " "
	} else if found != nil && strings.EqualFold(found[2], "bot") {
		p.prefix = "Bot "
	}
	return nil
}
