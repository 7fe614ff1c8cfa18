package oauth

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

const (
	// maxText is the longest realm that is kept and the longest name of a scheme, in bytes.
	maxText = 256
	// maxChallengeScopes is the number of scopes that are read of a challenge.
	maxChallengeScopes = 100
)

// Challenge reads the WWW-Authenticate fields of the response of a URL. It returns the required
// authentication, and the place of the resource's metadata (RFC 9728 §5.1), or "" if no
// challenge names a usable place. A relative reference counts from the URL. The place begins with https,
// or with http at a URL that does, which only a server under development has. Auth is nil if there is no
// such field.
//
// Each challenge is an alternative. Bearer, Basic and DPoP are schemes of kind http, Bearer with the
// scopes that it requires (RFC 6750 §3); any other scheme is custom, with its name in
// HTTPScheme. A realm is the scheme's description. The error of a challenge is a diagnostic.
// No other part of a field is kept, and in particular no tokens or nonces.
//
// The syntax is read strictly (RFC 9110 §11.6.1). Text after a mistake is not read, and Auth
// is then Unknown. It is Unknown for an empty field, too. At most 16 KiB and 20 challenges are
// read. Diagnostics are about the header: they have no pointer and no line.
func Challenge(at *url.URL, header http.Header) (auth *wayfind.Auth, resourceMetadata string, diagnostics []wayfind.Diagnostic) {
	fields := header.Values("WWW-Authenticate")
	if len(fields) == 0 {
		return nil, "", nil
	}
	c := &challenges{
		at:   at,
		auth: &wayfind.Auth{Schemes: make(map[string]wayfind.Scheme)},
		http: reporter("RFC 9110", "9110"), bearer: reporter("RFC 6750", "6750"), resource: reporter("RFC 9728", "9728"),
	}
	room := maxField
	for _, field := range fields {
		if room -= len(field); room < 0 {
			c.stop(fmt.Errorf("the fields have more than %d bytes", maxField))
			break
		}
		list, err := (&scanner{text: field}).challenges()
		for _, one := range list {
			c.add(one)
		}
		if err != nil {
			c.stop(err)
		}
	}
	c.auth.Unknown = c.auth.Unknown || len(c.auth.Requirements) == 0
	return c.auth, c.metadata, slices.Concat(c.http.Diagnostics(), c.bearer.Diagnostics(), c.resource.Diagnostics())
}

// Params returns the parameters of each challenge of one scheme, by their names in lower case.
// The name of the scheme must be in lower case. A challenge after a mistake in a field is not
// returned, nor is one with a duplicate parameter.
func Params(header http.Header, scheme string) (list []map[string]string) {
	room := maxField
	for _, field := range header.Values("WWW-Authenticate") {
		if room -= len(field); room < 0 {
			break
		}
		found, err := (&scanner{text: field}).challenges()
		if err != nil && len(found) > 0 {
			found = found[:len(found)-1] // the last is incomplete
		}
		for _, c := range found {
			if c.scheme == scheme && len(c.twice) == 0 && len(list) < maxChallenges {
				list = append(list, c.params)
			}
		}
	}
	return list
}

// reporter returns a Reader that reports with a section of a specification.
func reporter(title, number string) *parse.Reader {
	spec := wayfind.SpecRef{Title: title, URL: "https://www.rfc-editor.org/rfc/rfc" + number}
	return parse.NewReader(&parse.Format{Name: name, Spec: spec})
}

// challenges are the challenges of one response.
type challenges struct {
	at       *url.URL // of the response; nil if it is not known
	auth     *wayfind.Auth
	metadata string
	// The diagnostics, by their specifications.
	http, bearer, resource *parse.Reader
}

// stop reports the part that was not read.
func (c *challenges) stop(err error) {
	c.auth.Unknown = true
	c.http.ReportLine(ruleChallenge, 0, "WWW-Authenticate cannot be read to its end: %s", err)
}

// add adds a challenge as an alternative.
func (c *challenges) add(one challenge) {
	if len(c.auth.Requirements) == maxChallenges || len(one.scheme) > maxText {
		c.stop(errors.New("there are too many challenges, or the name of a scheme is too long"))
		return
	}
	for _, param := range one.twice {
		if !one.unclear {
			c.http.ReportLine(ruleChallengeParam, 0, "the parameter %q comes twice in a challenge, with one value", param)
			continue
		}
		c.http.ReportLine(ruleChallengeParam, 0, "the parameter %q comes twice in a challenge; it is ignored", param)
		delete(one.params, param)
	}
	s := wayfind.Scheme{Kind: wayfind.SchemeCustom, HTTPScheme: one.scheme}
	if kind, known := authkind.Read(authkind.HTTPAuth, one.scheme); known {
		s.Kind = kind.Kind
	}
	if realm := one.params["realm"]; len(realm) <= maxText && utf8.ValidString(realm) {
		s.Description = realm
	}
	key := one.scheme
	if key == string(wayfind.SchemeNone) {
		key = "none-scheme" // "none" means that no authentication is needed
	}
	for n := 2; c.auth.Schemes[key].Kind != ""; n++ {
		key = fmt.Sprintf("%s~%d", one.scheme, n)
	}
	c.auth.Schemes[key] = s
	c.auth.Requirements = append(c.auth.Requirements, []wayfind.Requirement{{Scheme: key, Scopes: c.scopes(one)}})
	c.findMetadata(one)
	if code := one.params["error"]; code != "" {
		c.bearer.ReportLine(ruleChallengeError, 0, "the server says %q (%q)", code, one.params["error_description"])
	}
}

// scopes returns the scopes that a challenge requires (RFC 6750 §3).
func (c *challenges) scopes(one challenge) []string {
	list := strings.FieldsFunc(one.params["scope"], func(r rune) bool { return r == ' ' })
	if len(list) > maxChallengeScopes {
		c.bearer.ReportLine(ruleChallengeScope.AsWarning(), 0, "of %d scopes the first %d were read", len(list), maxChallengeScopes)
		list = list[:maxChallengeScopes]
	}
	var scopes []string
	for _, scope := range list {
		// RFC 6749 §3.3: printable ASCII without quote and backslash.
		if strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '\\' }) {
			c.bearer.ReportLine(ruleChallengeScope, 0, "%q is no scope; it is ignored", scope)
			continue
		}
		if !slices.Contains(scopes, scope) {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// findMetadata reads resource_metadata, which any scheme may have. The first usable value is
// kept.
func (c *challenges) findMetadata(one challenge) {
	text, ok := one.params["resource_metadata"]
	if !ok {
		return
	}
	if c.at != nil && len(text) <= maxURL && !strings.Contains(text, "://") {
		if u, err := c.at.Parse(text); err == nil && urlref.CheckReference(text) == nil {
			text = u.String()
		}
	}
	u, err := urlref.AbsoluteURL(text)
	switch {
	case len(text) > maxURL:
		err = errors.New("it is too long")
	case err == nil && u.Scheme != "https" && (c.at == nil || c.at.Scheme != "http"):
		err = errors.New("it does not begin with https://")
	case err == nil:
		err = urlref.CheckReference(text)
	}
	switch {
	case err != nil:
		c.resource.ReportLine(ruleChallengeMetadata, 0, "resource_metadata cannot be used: %s", err)
	case c.metadata == "":
		c.metadata = text
	case c.metadata != text:
		c.resource.ReportLine(ruleChallengeMetadata.AsWarning(), 0, "challenges name several places of metadata; the first counts")
	}
}
