package a2a

import (
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// extended reads whether authenticated callers get a card with more detail. The URLs
// at which a GET returns it are alternatives. For interfaces without such a URL, the
// methods are named.
func (r *reader) extended(root parse.Node, s *wayfind.Service) {
	now := r.Bool(root.Get("capabilities").IfSet("extendedAgentCard"), "extendedAgentCard", parse.Optional, r.at.capabilities)
	n := root.Get("supportsAuthenticatedExtendedCard")
	old := r.old.Bool(root.IfSet("supportsAuthenticatedExtendedCard"), "supportsAuthenticatedExtendedCard", parse.Optional, r.oldAt.card)
	if n.Exists() && r.edition == edition10 && !r.union {
		r.removed(n, "supportsAuthenticatedExtendedCard", "it is capabilities.extendedAgentCard")
	}
	if (now == nil || !*now) && (old == nil || !*old) {
		return
	}
	var methods []string
	for i := range s.Interfaces {
		face := &s.Interfaces[i]
		if face.Protocol != protocolA2A {
			continue
		}
		if urls := r.extendedURLs(face); urls != nil {
			s.DetailURLs = append(s.DetailURLs, urls...)
			continue
		}
		if m := r.extendedMethod(face); m != "" && !slices.Contains(methods, m) {
			methods = append(methods, m)
		}
	}
	s.DetailURLs = unique(s.DetailURLs)
	s.Lazy = s.DetailURLs != nil
	if methods != nil {
		parse.Keep(&s.Extensions, "extendedCard", rawjson.Obj(rawjson.Member{Name: "methods", Value: rawjson.Quotes(methods)}))
	}
}

// maxDetailURLs bounds the URLs of one extended card.
const maxDetailURLs = 8

// unique removes repetitions, and the entries beyond the limit.
func unique(list []string) []string {
	var kept []string
	for _, u := range list {
		if len(kept) < maxDetailURLs && !slices.Contains(kept, u) {
			kept = append(kept, u)
		}
	}
	return kept
}

// ofVersion1 reports whether an interface speaks 1.0.
func ofVersion1(face *wayfind.Interface) bool {
	return slices.Contains(face.RequiredHeaders, headerVersion)
}

// extendedURLs returns the URLs below an interface at which a GET returns the extended
// card, nil if there are none.
func (r *reader) extendedURLs(face *wayfind.Interface) []string {
	u, err := url.Parse(face.URL)
	if err != nil || u.Host == "" || u.RawQuery != "" {
		return nil
	}
	origin, path := u.Scheme+"://"+u.Host, strings.TrimRight(u.EscapedPath(), "/")
	switch {
	case ofVersion1(face) && face.Transport == transportREST:
		if face.Tenant != "" {
			path += "/" + escapeSegment(face.Tenant) // as in the binding of GetExtendedAgentCard
		}
		// The query may contain the version (§3.6): a GET without a version is a
		// request of 0.3.
		return []string{origin + path + "/extendedAgentCard?" + headerVersion + "=1.0"}
	case ofVersion1(face):
		return nil
	case face.Transport == transportREST && strings.HasSuffix(path, "/v1"):
		return []string{origin + path + "/card", origin + path + PathREST}
	case face.Transport == transportREST:
		return []string{origin + path + PathREST}
	case r.edition < edition03 && face.Transport == transportJSONRPC:
		// 0.2.5: {url}/../agent/authenticatedExtendedCard, an HTTP GET.
		return []string{origin + path[:max(strings.LastIndexByte(path, '/'), 0)] + "/agent/authenticatedExtendedCard"}
	}
	return nil
}

// escapeSegment writes text as one segment of a path.
func escapeSegment(text string) string {
	escaped := url.PathEscape(text)
	if strings.Trim(escaped, ".") == "" {
		return strings.ReplaceAll(escaped, ".", "%2E")
	}
	return escaped
}

// extendedMethod returns the method that returns the extended card of an interface
// without a URL for it, and "" if there is no such method.
func (r *reader) extendedMethod(face *wayfind.Interface) string {
	switch {
	case face.Transport == transportJSONRPC && ofVersion1(face), face.Transport == transportGRPC && ofVersion1(face):
		return "GetExtendedAgentCard"
	case face.Transport == transportJSONRPC:
		return "agent/getAuthenticatedExtendedCard"
	case face.Transport == transportGRPC:
		return "GetAgentCard"
	}
	return ""
}

// parseExtended reads an extended card. It is a whole card, which replaces the public
// one for the caller who received it (1.0 §13.3).
func parseExtended(in *parse.Input, subject parse.Subject) (*parse.Reading, error) {
	root, err := in.JSONObject()
	if err != nil {
		return nil, err
	}
	if levelOf(root) == parse.None && !isNegative(root) {
		return nil, parse.Invalid("the document is no agent card")
	}
	reading, err := parseCard(in)
	if err != nil {
		return nil, err
	}
	reading.Dialect = parse.DialectDetail
	if reading.Services == nil {
		return reading, nil
	}
	s := &reading.Services[0]
	s.Lazy, s.DetailURLs = false, nil
	delete(s.Extensions, "extendedCard")
	if subject.Service != nil && subject.Service.Name != "" && s.Name != "" && subject.Service.Name != s.Name {
		e, _ := editionOf(root)
		r := newReporter(e)
		r.Report(ruleDetailName.At(e.sections().extended), root.Get("name"), "the extended card of %.100q is about %.100q", subject.Service.Name, s.Name)
		reading.Diagnostics = append(reading.Diagnostics, r.Diagnostics()...)
	}
	return reading, nil
}
