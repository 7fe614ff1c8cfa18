package sitecheck

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// accessRules are about the way to a credential.
func accessRules() []Rule {
	return []Rule{
		{
			ID: "oauth_server", Group: groupAccess, Title: "Metadata of the authorization server", Spec: rfc("8414", "§3"),
			Asks: "/.well-known/oauth-authorization-server, first with the path of the target; --full: " + placeOpenID, Passes: "one is read, and keeps its MUSTs",
			Gain:     "An agent finds where a person logs in, without a manual.",
			Mend:     "Publish the metadata at /.well-known/oauth-authorization-server of the issuer, followed by its path if it has one.",
			Scanners: "oauthDiscovery: absent fails for every site. Here it is not for a site whose services use no OAuth.",
			judge:    judgeOAuth("oauth-authorization-server", "openid-configuration"),
		},
		{
			ID: "oauth_resource", Group: groupAccess, Title: "Metadata of the protected resource", Spec: rfc("9728", "§3"),
			Asks: "/.well-known/oauth-protected-resource, first with the path of the target", Passes: "it is read, and keeps its MUSTs",
			Gain:     "An agent that is answered 401 finds the authorization server of the API.",
			Mend:     "Publish /.well-known/oauth-protected-resource, followed by the path of the resource if it has one, with resource and authorization_servers, and name it in WWW-Authenticate.",
			Scanners: "oauthProtectedResource: absent fails for every site. Here it is not for a site whose services use no OAuth.",
			judge:    judgeOAuth("oauth-protected-resource"), copy: copyResource,
		},
		{
			ID: "registration", Group: groupAccess, Title: "Registration of agents (auth.md, agent_auth)",
			Spec: wayfind.SpecRef{Title: "auth.md", URL: "https://github.com/workos/auth.md"},
			Asks: "agent_auth in the metadata of the authorization server; --full: " + placeAuthMD, Passes: "agent_auth names where an agent registers",
			Gain:     "An agent gets a credential of its own, once a person agrees.",
			Mend:     "Add agent_auth to the metadata of the authorization server. The text of auth.md alone is for people.",
			Scanners: "authMd: wants /auth.md with a heading that contains \"auth.md\", and fails one that says that no registration is needed. Here the metadata decide, because a client does not obey prose of a stranger.",
			judge:    judgeRegistration,
		},
	}
}

// judgeOAuth judges metadata by the places whose paths contain one of some parts.
func judgeOAuth(parts ...string) func(*facts) finding {
	ours := func(u string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(pathOf(u), part) })
	}
	return func(f *facts) finding {
		list := slices.DeleteFunc(f.sources("oauth"), func(s *wayfind.Source) bool { return !ours(s.URL) })
		faults := slices.DeleteFunc(f.faults("oauth"), func(d Fault) bool { return !ours(d.Source) })
		switch {
		case !slices.Contains(f.Formats, "oauth"):
			return unasked("--formats leaves it out")
		case len(faults) > 0:
			return f.broken(list, faults)
		case len(list) > 0:
			return passes(f.short(list[0].URL)+" is read", places(list)...)
		case ours(placeOpenID) && f.Extra[placeOpenID].Format == "oauth":
			return passes(placeOpenID+" is read", f.at(placeOpenID))
		}
		found := f.unread(isStranger, func(p *wayfind.Probe) bool { return ours(p.URL) })
		if found.status == Absent && !f.Offer.usesOAuth() {
			return inapplicable("no service says that it uses OAuth")
		}
		return found
	}
}

func judgeRegistration(f *facts) finding {
	for i := range f.Site.Services {
		s := &f.Site.Services[i]
		if registers(s.Auth) || slices.ContainsFunc(s.Capabilities, func(c wayfind.Capability) bool { return registers(c.Auth) }) {
			return passes("agent_auth is in the metadata")
		}
	}
	prose := ""
	if f.Extra[placeAuthMD].Reason == "authmd" {
		prose = placeAuthMD + " is prose, and no metadata have agent_auth"
	}
	switch {
	case !f.Offer.needsCredential():
		return inapplicable(cmp.Or(prose, "no service says that it needs a credential"))
	case prose != "":
		return fails(prose, f.at(placeAuthMD))
	}
	return absent("")
}

func registers(a *wayfind.Auth) bool { return a != nil && a.Registration != nil }
