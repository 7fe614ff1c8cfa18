package merge

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
)

// authWords contains the ways in which a document may describe authentication.
func authWords() map[string]*wayfind.Auth {
	schemes := map[string]wayfind.Scheme{
		"o": {Kind: wayfind.SchemeOAuth2}, "k": {Kind: wayfind.SchemeAPIKey, In: "header", Name: "X-Key"}, "none": {Kind: wayfind.SchemeNone},
	}
	needs := func(list ...[]wayfind.Requirement) *wayfind.Auth {
		return &wayfind.Auth{Schemes: schemes, Requirements: list}
	}
	one := func(scheme string, scopes ...string) []wayfind.Requirement {
		return []wayfind.Requirement{{Scheme: scheme, Scopes: scopes}}
	}
	return map[string]*wayfind.Auth{
		"nothing": nil, "none": needs(one("none")), "empty": needs([]wayfind.Requirement{}), "unknown": {Unknown: true},
		"key": needs(one("k")), "oauth": needs(one("o", "read", "pay")), "oauth less": needs(one("o", "read")),
		"key or none": needs(one("k"), one("none")), "both": needs([]wayfind.Requirement{{Scheme: "o"}, {Scheme: "k"}}),
	}
}

// demands reports whether a call is known to need authentication.
func demands(a *wayfind.Auth) bool { return a != nil && len(a.Requirements) > 0 && !open(a) }

// A detail document removes no authentication that a service or its capability requires, in its
// capability or in its service.
func TestCompletingLowersNoAuth(t *testing.T) {
	for service, inherited := range authWords() {
		for own, base := range authWords() {
			for word, detail := range authWords() {
				for _, foreign := range []bool{false, true} {
					s := wayfind.Service{ID: "s", Auth: inherited}
					s.Capabilities = []wayfind.Capability{{Key: "s/pay", Auth: base}, {Key: "s/other"}}
					capability := s.Capabilities[0]
					was := demands(authOf(base, &s))
					Complete(nil, &s, &capability, &wayfind.Capability{Auth: detail}, foreign)
					if was && !demands(authOf(capability.Auth, &s)) {
						t.Errorf("service %s, capability %s, detail %s, foreign %t: open now", service, own, word, foreign)
					}
					for _, whole := range []wayfind.Service{
						{Auth: detail, Capabilities: []wayfind.Capability{{Key: "s/pay"}}},
						{Capabilities: []wayfind.Capability{{Key: "s/pay", Auth: detail}}},
						{Auth: detail, Capabilities: []wayfind.Capability{{Key: "s/pay", Auth: detail}, {Key: "s/new", Auth: detail}}},
					} {
						now := s
						CompleteService(nil, &now, whole, foreign)
						if demands(inherited) && !demands(now.Auth) {
							t.Errorf("service %s, detail %s, foreign %t: the service is open now", service, word, foreign)
						}
						if was && !demands(authOf(now.Capabilities[0].Auth, &now)) {
							t.Errorf("service %s, capability %s, detail %s of a service, foreign %t: open now", service, own, word, foreign)
						}
						for _, c := range now.Capabilities {
							if demands(inherited) && c.Key == "s/new" && !demands(authOf(c.Auth, &now)) {
								t.Errorf("service %s, detail %s, foreign %t: a new capability is open", service, word, foreign)
							}
						}
						if diff := cmp.Diff(base, s.Capabilities[0].Auth); diff != "" {
							t.Fatalf("the Site was changed:\n%s", diff)
						}
					}
				}
			}
		}
	}
}

// Scopes add up; a foreign document adds no other way to authenticate.
func TestCompletingKeepsScopes(t *testing.T) {
	all := authWords()
	s := wayfind.Service{}
	c := wayfind.Capability{Auth: all["oauth"]}
	Complete(nil, &s, &c, &wayfind.Capability{Auth: all["oauth less"]}, false)
	if got := c.Auth.Requirements[0][0].Scopes; !slices.Equal(got, []string{"read", "pay"}) {
		t.Errorf("scopes %v", got)
	}
	Complete(nil, &s, &c, &wayfind.Capability{Auth: all["key"]}, true)
	if len(c.Auth.Requirements) != 1 {
		t.Errorf("another site added a way: %+v", c.Auth.Requirements)
	}
}

// Effects, order, warnings and the word of robots.txt stay as well.
func TestCompletingLowersNoCaution(t *testing.T) {
	yes, no := new(true), new(false)
	c := wayfind.Capability{
		Key: "s/pay", DependsOn: []string{"s/login"}, Deprecated: true, RobotsDisallowed: true, Suspicious: []string{"override"},
		Effects: &wayfind.Effects{ReadOnly: no, Destructive: yes, NeedsConfirmation: yes, Sensitivity: "irreversible"},
	}
	want := c
	want.DependsOn, want.Suspicious = []string{"s/login", "s/more"}, []string{"override", "role"}
	for _, foreign := range []bool{false, true} {
		got := c
		Complete(nil, &wayfind.Service{}, &got, &wayfind.Capability{
			DependsOn: []string{"s/more"}, Suspicious: []string{"role"},
			Effects: &wayfind.Effects{ReadOnly: yes, Destructive: no, NeedsConfirmation: no, Sensitivity: "standard"},
		}, foreign)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("foreign %t (-want +got):\n%s", foreign, diff)
		}
	}
}

// An interface keeps the authentication that it requires, and a service keeps the facts that were
// merged from another document.
func TestCompletingAServiceKeepsMergedFacts(t *testing.T) {
	all := authWords()
	own, other := []wayfind.Ref{{Source: "https://shop.example/card"}}, []wayfind.Ref{{Source: "https://shop.example/other"}}
	at := func(u string, auth *wayfind.Auth, refs []wayfind.Ref) wayfind.Interface {
		return wayfind.Interface{Protocol: "a2a", URL: u, Auth: auth, Sources: refs}
	}
	s := wayfind.Service{ID: "s", Sources: own,
		Interfaces:   []wayfind.Interface{at("https://shop.example/a", all["oauth"], own), at("https://shop.example/b", nil, own), at("https://shop.example/c", nil, other)},
		Capabilities: []wayfind.Capability{{Key: "s/a", Sources: own}, {Key: "s/b", Sources: own}, {Key: "s/c", Sources: other}},
	}
	CompleteService(nil, &s, wayfind.Service{
		Interfaces:   []wayfind.Interface{at("https://SHOP.example/a/", all["none"], own)},
		Capabilities: []wayfind.Capability{{Key: "s/a"}},
	}, false)
	var places, keys []string
	for _, f := range s.Interfaces {
		places = append(places, f.URL)
	}
	for _, c := range s.Capabilities {
		keys = append(keys, c.Key)
	}
	if !demands(s.Interfaces[0].Auth) || !slices.Equal(places, []string{"https://SHOP.example/a/", "https://shop.example/c"}) || !slices.Equal(keys, []string{"s/a", "s/c"}) {
		t.Errorf("interfaces %v, capabilities %v, auth %+v", places, keys, s.Interfaces[0].Auth)
	}
}

// A tool that a live server lists is merged with the same call in its card.
func TestALiveServerLowersNothing(t *testing.T) {
	yes, no := new(true), new(false)
	face := []wayfind.Interface{{Protocol: "mcp", URL: "https://shop.example/mcp"}}
	tool := func(key string, e *wayfind.Effects) wayfind.Capability {
		return wayfind.Capability{Key: key, Effects: e, Invocation: &wayfind.Invocation{Protocol: "mcp", Operation: "delete"}}
	}
	card := wayfind.Service{ID: "mcp:card", Interfaces: face, Capabilities: []wayfind.Capability{tool("mcp:card/delete", &wayfind.Effects{NeedsConfirmation: yes})}}
	live := wayfind.Service{ID: "mcp:live", Interfaces: face, Capabilities: []wayfind.Capability{tool("mcp:live/delete", &wayfind.Effects{NeedsConfirmation: no}), {Key: "mcp:live/more"}}}
	list := AddCapabilities(nil, &card, &live, false)
	if len(list) != 2 || list[0].Key != "mcp:card/delete" || !*list[0].Effects.NeedsConfirmation || list[1].Key != "mcp:live/more" {
		t.Errorf("%+v", list)
	}
}

// A call in a detail document is recognised as the same call elsewhere in the Site.
func TestTheSameCallIsTightenedEverywhere(t *testing.T) {
	yes := new(true)
	call := &wayfind.Invocation{Protocol: "http", Method: "POST", URL: "https://shop.example/pay"}
	for trust, want := range map[wayfind.Trust]bool{wayfind.TrustSameOrigin: true, wayfind.TrustCrossSite: false} {
		site := &wayfind.Site{Sources: []wayfind.Source{{URL: "https://shop.example/x", Trust: trust}}, Services: []wayfind.Service{{
			Auth: authWords()["oauth"], Capabilities: []wayfind.Capability{{
				Key: "aidiscovery:pay", Invocation: call, Effects: &wayfind.Effects{NeedsConfirmation: yes}, Sources: []wayfind.Ref{{Source: "https://shop.example/x"}},
			}},
		}}}
		c := wayfind.Capability{Key: "adp:pay", Invocation: &wayfind.Invocation{Protocol: "http", Method: "post", URL: "https://SHOP.example/pay/"}}
		CallsOf(nil, site).Tighten(nil, &wayfind.Service{}, &c)
		if got := c.Effects != nil && *c.Effects.NeedsConfirmation && demands(c.Auth); got != want {
			t.Errorf("%s: %+v", trust, c)
		}
	}
}
