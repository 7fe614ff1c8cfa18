package diff_test

import "github.com/wayfindhq/wayfind"

const (
	origin  = "https://example.com"
	adpURL  = origin + "/.well-known/agent"
	awpURL  = origin + "/agent.json"
	specURL = origin + "/openapi.json"
)

// from is the source of what a document says.
func from(url string) []wayfind.Ref { return []wayfind.Ref{{Source: url}} }

// found is a Site's knowledge of a document that was read.
func found(s *wayfind.Site, format, url string, authority wayfind.Authority) {
	s.Sources = append(s.Sources, wayfind.Source{Format: format, URL: url, Authority: authority})
	probed(s, url, wayfind.VerdictFound)
}

func probed(s *wayfind.Site, url string, v wayfind.Verdict) {
	s.Probes = append(s.Probes, wayfind.Probe{URL: url, Verdict: v})
}

// call is a capability of one document.
func call(key, id, source string) wayfind.Capability {
	return wayfind.Capability{
		Key: key, ID: id, Kind: wayfind.KindOperation, Description: key, Sources: from(source),
		Invocation: &wayfind.Invocation{Protocol: "http", Method: "POST", URL: origin + "/" + id},
	}
}

// adpSite is a Site of one document.
func adpSite(capabilities ...wayfind.Capability) *wayfind.Site {
	s := &wayfind.Site{Origin: origin}
	found(s, "adp", adpURL, wayfind.AuthorityNative)
	s.Services = []wayfind.Service{{ID: "adp", Name: "Mail", Sources: from(adpURL), Capabilities: capabilities}}
	return s
}

// mergedSite has one call that two documents describe, and one of each alone.
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

// adpOnly is mergedSite as it is when the second document gives a verdict.
func adpOnly(v wayfind.Verdict) *wayfind.Site {
	s := adpSite(call("adp:send", "send", adpURL), call("adp:read", "read", adpURL))
	probed(s, awpURL, v)
	return s
}

// awpOnly is mergedSite as it is when the first document gives a verdict.
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
