package oauth

import (
	"errors"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/quotedstring"
)

const (
	// maxField is the largest size of all fields together, in bytes, and maxChallenges the number
	// of challenges in them. Real responses have two, with four parameters.
	maxField      = 16 << 10
	maxChallenges = 20
)

// challenge is one challenge (RFC 9110 §11.3).
type challenge struct {
	scheme string
	// params are the parameters by name in lower case.
	params map[string]string
	// twice has the names that occurred more than once.
	twice []string
	// unclear is set if one of them had different values.
	unclear bool
}

// scanner reads the value of one WWW-Authenticate field.
type scanner struct {
	text string
	at   int
}

// challenges reads a list of challenges (RFC 9110 §11.6.1). The error is the reason why it
// stopped before the end; the last challenge is then incomplete.
func (s *scanner) challenges() (list []challenge, err error) {
	for {
		s.skip(", \t") // a list may have empty elements (§5.6.1.2)
		if s.at == len(s.text) {
			return list, nil
		}
		scheme := s.token()
		if scheme == "" {
			return list, errors.New("a challenge begins with no scheme")
		}
		c := challenge{scheme: strings.ToLower(scheme)}
		err := s.rest(&c)
		if list = append(list, c); err != nil {
			return list, err
		}
	}
}

// rest reads the part after a scheme: an empty text, a token68 or parameters. The first two
// also end at a comma.
func (s *scanner) rest(c *challenge) error {
	blank := s.skip(" ") > 0
	s.skip("\t ")
	switch {
	case s.ends():
		return nil
	case !blank:
		return errors.New("a scheme is not followed by a blank")
	case s.param():
		return s.params(c)
	}
	if s.token68(); s.ends() {
		return nil
	}
	return errors.New("a scheme is followed by neither a token68 nor a list of parameters")
}

// params reads parameters up to the next challenge. A name without "=" after it is the scheme
// of the next challenge.
func (s *scanner) params(c *challenge) error {
	c.params = make(map[string]string)
	for {
		name := strings.ToLower(s.token())
		s.skip(" \t")
		s.at++ // "=", which param has found
		s.skip(" \t")
		value, ok := s.value()
		if !ok {
			return errors.New("the value of a parameter is neither a token nor a quoted string")
		}
		if before, known := c.params[name]; known {
			c.twice = append(c.twice, name)
			c.unclear = c.unclear || before != value
		}
		c.params[name] = value
		if s.skip(" \t"); !s.ends() {
			return errors.New("no comma follows a parameter")
		}
		if s.skip(", \t"); s.at == len(s.text) || !s.param() {
			return nil
		}
	}
}

// param reports whether a parameter follows. It does not change the position.
func (s *scanner) param() bool {
	start := s.at
	defer func() { s.at = start }()
	if s.token() == "" {
		return false
	}
	if s.skip(" \t"); s.at == len(s.text) || s.text[s.at] != '=' {
		return false
	}
	s.at++
	s.skip(" \t")
	return s.at < len(s.text) && (s.text[s.at] == '"' || isTchar(s.text[s.at]))
}

// value reads a token or a quoted string (§5.6.4).
func (s *scanner) value() (text string, ok bool) {
	if s.text[s.at] != '"' {
		text = s.token()
		return text, text != ""
	}
	text, rest, ok := quotedstring.Cut(s.text[s.at+1:])
	if !ok || strings.ContainsFunc(text, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
		return "", false
	}
	s.at = len(s.text) - len(rest)
	return text, true
}

// token reads a token (§5.6.2), or "" if there is none.
func (s *scanner) token() string {
	start := s.at
	for s.at < len(s.text) && isTchar(s.text[s.at]) {
		s.at++
	}
	return s.text[start:s.at]
}

// token68 skips a token68 (§11.2). It may be a credential, so it is never shown.
func (s *scanner) token68() {
	start := s.at
	for s.at < len(s.text) && (isAlphanumeric(s.text[s.at]) || strings.IndexByte("-._~+/", s.text[s.at]) >= 0) {
		s.at++
	}
	if s.at > start {
		s.skip("=")
	}
	s.skip(" \t")
}

// ends reports whether a list element ends here.
func (s *scanner) ends() bool { return s.at == len(s.text) || s.text[s.at] == ',' }

// skip skips bytes of a set, and returns their number.
func (s *scanner) skip(set string) (n int) {
	for s.at < len(s.text) && strings.IndexByte(set, s.text[s.at]) >= 0 {
		s.at++
		n++
	}
	return n
}

func isTchar(c byte) bool {
	return isAlphanumeric(c) || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
