package diff_test

import "github.com/wayfindhq/wayfind"

const (
	origin  = "https://example.com"
	adpURL  = origin + "/.well-known/agent"
	awpURL  = origin + "/agent.json"
	specURL = origin + "/openapi.json"
)

// from returns the source for a document.
func from(url string) []wayfind.Ref { return []wayfind.Ref{{Source: url}} }

// found adds a document that was read to a Site.
func found(s *wayfind.Site, format, url string, authority wayfind.Authority) {
	s.Sources = append(s.Sources, wayfind.Source{Format: format, URL: url, Authority: authority})
	probed(s, url, wayfind.VerdictFound)
}

func probed(s *wayfind.Site, url string, v wayfind.Verdict) {
	s.Probes = append(s.Probes, wayfind.Probe{URL: url, Verdict: v})
}

// call returns a capability of one document.
func call(key, id, source string) wayfind.Capability {
	return wayfind.Capability{
		Key: key, ID: id, Kind: wayfind.KindOperation, Description: key, Sources: from(source),
		Invocation: &wayfind.Invocation{Protocol: "http", Method: "POST", URL: origin + "/" + id},
	}
}

// adpSite returns a Site with one document.
func adpSite(capabilities ...wayfind.Capability) *wayfind.Site {
	s := &wayfind.Site{Origin: origin}
	found(s, "adp", adpURL, wayfind.AuthorityNative)
	s.Services = []wayfind.Service{{ID: "adp", Name: "Mail", Sources: from(adpURL), Capabilities: capabilities}}
	return s
}

// mergedSite returns a Site with one call that two documents describe, and one call of each
// document alone.
func mergedSite() *wayfind.Site {
	s := adpSite(call("adp:send", "send", adpURL), call("adp:read", "read", adpURL))
	found(s, "awp", awpURL, wayfind.AuthorityNative)
	alternative := call("awp:send", "send", awpURL)
	alternative.Effects = &wayfind.Effects{Destructive: new(true)}
	alternative.Price = "1 EUR"
	send := &s.Services[0].Capabilities[0]
	send.Aliases = []string{"awp:send"}
	send.Sources = append(send.Sources, from(awpURL)...)
	send.Alternatives = []wayfind.Capability{alternative}
	send.Effects, send.Price = alternative.Effects, alternative.Price
	s.Services = append(s.Services, wayfind.Service{
		ID: "awp", Sources: from(awpURL), Capabilities: []wayfind.Capability{call("awp:sort", "sort", awpURL)},
	})
	return s
}

// adpOnly returns mergedSite if the second document has a verdict instead of content.
func adpOnly(v wayfind.Verdict) *wayfind.Site {
	s := adpSite(call("adp:send", "send", adpURL), call("adp:read", "read", adpURL))
	probed(s, awpURL, v)
	return s
}

// awpOnly returns mergedSite if the first document has a verdict instead of content.
func awpOnly(v wayfind.Verdict) *wayfind.Site {
	s := &wayfind.Site{Origin: origin}
	probed(s, adpURL, v)
	found(s, "awp", awpURL, wayfind.AuthorityNative)
	send := call("awp:send", "send", awpURL)
	send.Effects, send.Price = &wayfind.Effects{Destructive: new(true)}, "1 EUR"
	s.Services = []wayfind.Service{{
		ID: "awp", Sources: from(awpURL), Capabilities: []wayfind.Capability{send, call("awp:sort", "sort", awpURL)},
	}}
	return s
}
