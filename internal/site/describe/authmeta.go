package describe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/oauth"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// oauthFormat is the format of the metadata that schemes refer to.
const oauthFormat = "oauth"

// maxMetadata bounds the requests of one Describe for documents about authentication: two places of the
// resource and three of its authorization server, and as many of an alternative.
const maxMetadata = 10

// describeAuth completes the authentication at a service by the documents that its schemes refer to
// (RFC 8414, RFC 9728, OpenID Connect Discovery). They are requested here and never during
// discovery. If metadata cannot be fetched, there is a diagnostic, and the rest of the Detail is
// valid.
func (d *describer) describeAuth(ctx context.Context) {
	if d.ByName[oauthFormat] == nil {
		return
	}
	a, end := d.NewSession(ctx, urlref.Host(d.site.Origin), false)
	defer end()
	m := &metadata{describer: d, caller: ctx, ctx: a.Work, session: a, left: maxMetadata, asked: map[announced]found{}}
	service := d.detail.Service
	service.Auth = m.complete(service.Auth, "")
	service.Interfaces = slices.Clone(service.Interfaces)
	for i := range service.Interfaces {
		service.Interfaces[i].Auth = m.complete(service.Interfaces[i].Auth, service.Interfaces[i].URL)
	}
}

// metadata is the state of one describeAuth.
type metadata struct {
	describer *describer
	session   *discover.Session
	caller    context.Context
	ctx       context.Context
	left      int // requests
	asked     map[announced]found
}

// announced is a place of metadata, as it was announced. endpoint is the address of the interface that
// the metadata are for, or empty.
type announced struct{ place, endpoint string }

// found is the content of the metadata of an authorization server.
type found struct {
	flows        []wayfind.OAuthFlow
	registration *wayfind.Registration
}

// complete returns a copy of auth with the flows that its schemes lead to. endpoint is the
// address of the interface that it belongs to, or empty.
func (m *metadata) complete(auth *wayfind.Auth, endpoint string) *wayfind.Auth {
	if auth == nil {
		return nil
	}
	own := *auth
	own.Schemes = maps.Clone(auth.Schemes)
	for _, name := range slices.Sorted(maps.Keys(auth.Schemes)) {
		scheme := auth.Schemes[name]
		if scheme.MetadataURL == "" || slices.ContainsFunc(scheme.Flows, func(f wayfind.OAuthFlow) bool { return f.TokenURL != "" }) {
			continue
		}
		server := m.server(announced{scheme.MetadataURL, endpoint}, 0)
		if len(server.flows) > 0 {
			scheme.Flows = server.flows
			own.Schemes[name] = scheme
		}
		own.Registration = cmp.Or(own.Registration, server.registration)
	}
	return &own
}

var ruleAuthMetadata = parse.Rule{Code: "auth.metadata", Severity: wayfind.SeverityWarning,
	Means: "A document about how to authenticate could not be read: it is missing or invalid, or it is on another site and its use was not approved.",
	Mend:  "Serve the metadata where it is announced, for the issuer and the resource that it is announced for."}

// server returns the metadata of the authorization server that a document describes or leads to.
func (m *metadata) server(at announced, depth int) found {
	if server, ok := m.asked[at]; ok || m.left == 0 || depth > 1 {
		return server
	}
	m.asked[at] = found{}
	server, err := m.ask(at, depth)
	if err != nil {
		m.describer.detail.Diagnostics = append(m.describer.detail.Diagnostics, ruleAuthMetadata.Diagnostic(at.place, "how to authenticate could not be completed: %v", err))
	}
	m.asked[at] = server
	return server
}

// ask requests metadata from their place, and from the next one of its kind if nothing is there. The
// error is that of the announced place.
func (m *metadata) ask(at announced, depth int) (server found, err error) {
	u, err := m.describer.approved(m.caller, at.place, reads())
	if err != nil {
		return found{}, err
	}
	for _, place := range oauth.Alternatives(u) {
		if m.left == 0 {
			break
		}
		m.left--
		o := m.session.Ask(m.ctx, detailCandidate(m.describer.ByName[oauthFormat], place), false)
		m.describer.told(o.Fact)
		if o.Doc == nil || o.Doc.Input() == nil || !verdict.Readable(o.Probe.Verdict) {
			err = cmp.Or(err, error(Unanswered(o)))
			continue
		}
		auth, unusable := m.authOf(o, u, at.endpoint)
		if unusable != nil {
			return found{}, cmp.Or(err, unusable)
		}
		return m.read(auth, at.place, depth), nil
	}
	return found{}, err
}

// authOf returns the authentication in metadata that were announced at a place for an endpoint.
func (m *metadata) authOf(o *discover.Outcome, place *url.URL, endpoint string) (*wayfind.Auth, error) {
	if slices.ContainsFunc(o.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "oauth.unchecked" }) {
		return nil, unfit(o, errors.New("it does not name its subject"))
	}
	readings, _ := o.Doc.At(m.describer.PlaceOf(o))
	for _, r := range readings {
		if r.Format.Name != oauthFormat || len(r.Services) == 0 || r.Services[0].Auth == nil {
			continue
		}
		var resource string
		if text := r.Services[0].Extensions["resource"]; text != nil && json.Unmarshal(text, &resource) == nil && !oauth.IsAbout(resource, place, endpoint) {
			break
		}
		return r.Services[0].Auth, nil
	}
	return nil, unfit(o, errors.New("it is no metadata about authentication, or about another server"))
}

// read returns the metadata in a document that was announced at ref, or the metadata of the servers that
// it names.
func (m *metadata) read(auth *wayfind.Auth, ref string, depth int) found {
	for _, name := range slices.Sorted(maps.Keys(auth.Schemes)) {
		scheme := auth.Schemes[name]
		if len(scheme.Flows) > 0 && scheme.Flows[0].TokenURL != "" {
			return found{scheme.Flows, auth.Registration}
		}
		if scheme.MetadataURL != "" && scheme.MetadataURL != ref {
			if server := m.server(announced{place: scheme.MetadataURL}, depth+1); len(server.flows) > 0 || server.registration != nil {
				return server
			}
		}
	}
	return found{registration: auth.Registration}
}

// Rules returns the rules of this package.
func Rules() []parse.Rule {
	return []parse.Rule{ruleAlternative, ruleAuthMetadata, ruleUnverified}
}
