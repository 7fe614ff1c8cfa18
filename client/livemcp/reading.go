package livemcp

import (
	"cmp"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/formats/oauth"
	"github.com/wayfindhq/wayfind/internal/syntax/mcpera"
	"github.com/wayfindhq/wayfind/parse"
)

// dialect is the dialect of readings that come from a server.
const dialect = "live"

// maxDiagnostics is the maximum number of diagnostics of a reading. The diagnostics of pages
// come last.
const maxDiagnostics = 200

// section is the section of the specification about a server's identity.
const section = "Discovery"

// answer returns the answer made from a server's lists. Its parts are new each time.
func (l *listing) answer(endpoint *url.URL, g *greeting) *client.LiveAnswer {
	service := l.service(endpoint, g)
	for _, said := range [...]string{"capabilities", "instructions"} {
		l.write(said, g.result.Get(said))
	}
	l.write("serverInfo", g.info)
	diagnostics := append(l.reader.Diagnostics(), l.diagnostics...)
	return &client.LiveAnswer{
		Reading: &parse.Reading{
			Dialect: dialect, Version: g.version, Services: []wayfind.Service{service},
			Authority: wayfind.AuthorityLive, Diagnostics: diagnostics[:min(len(diagnostics), maxDiagnostics)],
		},
		Digest:   hex.EncodeToString(l.digest.Sum(nil)),
		Lifetime: l.lifetime(g),
	}
}

// answer returns the content of a refusal: the interface, and the description of its
// authentication. A 401 without details still means that authentication is needed (RFC 9110
// §15.5.2).
func (e *ChallengeError) answer(req *client.LiveRequest) *client.LiveAnswer {
	auth := e.Auth
	if auth == nil && e.Status == http.StatusUnauthorized {
		auth = &wayfind.Auth{Unknown: true}
	}
	if auth == nil {
		return nil
	}
	auth = oauth.Announced(auth, cmp.Or(e.ResourceMetadata, oauth.ResourceMetadataURL(req.URL)))
	return &client.LiveAnswer{Reading: &parse.Reading{
		Dialect: dialect, Authority: wayfind.AuthorityLive, Diagnostics: e.diagnostics,
		Services: []wayfind.Service{{Interfaces: []wayfind.Interface{{
			Protocol: protocol, Transport: req.Interface.Transport, URL: req.URL.String(), Auth: auth,
		}}}},
	}}
}

// service returns the service with the server's own name, which is for display, and its lists.
// Its instructions are kept as data.
func (l *listing) service(endpoint *url.URL, g *greeting) wayfind.Service {
	r := l.reader
	s := wayfind.Service{
		Name:        r.String(g.info, "name", parse.Must, section),
		Version:     r.Text(g.info, "version", parse.Must, section),
		Description: r.String(g.info, "description", parse.Optional, section),
		DocsURL:     r.URL(g.info, "websiteUrl", endpoint, parse.Optional, section),
		IconURL:     icon(g.info),
		Interfaces: []wayfind.Interface{{
			Protocol: protocol, Transport: g.transport, URL: endpoint.String(), Versions: versions(g),
		}},
		Capabilities: l.capabilities,
	}
	if title := r.String(g.info, "title", parse.Optional, section); title != "" {
		parse.SetExtension(&s.Extensions, "name", g.info.Get("name"))
		s.Name = title
	}
	for _, said := range [...]string{"instructions", "capabilities"} {
		parse.SetExtension(&s.Extensions, said, g.result.Get(said))
	}
	return s
}

// icon returns the first icon with an https URL.
func icon(info parse.Node) string {
	for _, n := range info.Get("icons").Items() {
		if src, _ := n.Get("src").Str(); strings.HasPrefix(src, "https://") {
			return src
		}
	}
	return ""
}

// versions returns the versions that the server lists, with the version of the session first.
func versions(g *greeting) []string {
	list := []string{g.version}
	for _, n := range g.result.Get("supportedVersions").Items() {
		if v, ok := n.Str(); ok && len(list) < maxVersions && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// maxVersions is the maximum number of versions that are listed. At present the protocol has
// five.
const maxVersions = 32

// lifetime returns the time for which the answer is valid ([mcpera.Modern], ttlMs and cacheScope):
// the shortest time of all results; negative if a result states 0. An answer for one user is
// valid for at most client.DefaultLiveLifetime, because a Client may have several users,
// although its memory is not shared.
func (l *listing) lifetime(g *greeting) time.Duration {
	if g.version != mcpera.Modern {
		return 0
	}
	if ms, ok := g.result.Get("ttlMs").Int(); ok {
		ms = max(0, ms) // a time in the past
		scope, _ := g.result.Get("cacheScope").Str()
		l.keep(new(time.Duration(min(ms, maxTTL.Milliseconds()))*time.Millisecond), scope != "public")
	}
	switch {
	case l.ttl == nil:
		return 0
	case *l.ttl <= 0:
		return -1
	case l.private:
		return min(*l.ttl, client.DefaultLiveLifetime)
	}
	return *l.ttl
}

// maxTTL keeps a server's times within the range of time.Duration.
const maxTTL = 365 * 24 * time.Hour
