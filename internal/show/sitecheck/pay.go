package sitecheck

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// noShop is the reason of rules that are for shops.
const noShop = "nothing says that the site sells to agents"

// payRules are about shops and payment. A site that sells nothing needs none of them.
func payRules() []Rule {
	all := formats.All()
	const neutral = "Commerce never counts for a level of a scanner without signs of a shop. Here it counts for no level."
	return []Rule{
		{
			ID: "ucp", Group: groupPay, Title: "Universal Commerce Protocol", Spec: specOf(all, "ucp"),
			Asks: "/.well-known/ucp", Passes: "a profile is read, and keeps its MUSTs", Gain: "An agent finds the services of a shop, and their versions.",
			Mend:     "Publish a profile at /.well-known/ucp.",
			Scanners: neutral + " ucp: looks for members of an older version (protocol_version, endpoints). Here both generations are read.",
			judge:    readsIfThere("ucp", noShop, isStranger),
		},
		{
			ID: "acp", Group: groupPay, Title: "Agentic Commerce Protocol", Spec: specOf(all, "acp"),
			Asks: "/.well-known/acp.json", Passes: "it is read, and keeps its MUSTs", Gain: "An agent finds the checkout of a shop.",
			Mend: "Publish /.well-known/acp.json.", Scanners: neutral, judge: readsIfThere("acp", noShop, isStranger),
		},
		{
			ID: "ap2", Group: groupPay, Title: "Agent Payments Protocol (AP2)", Spec: wayfind.SpecRef{Title: "Agent Payments Protocol", URL: "https://ap2-protocol.org/specification/"},
			Asks: "the extensions of an A2A card", Passes: "a card has the extension of AP2", Gain: "An agent knows that the agent of the shop takes mandates.",
			Mend: "Declare the extension in capabilities.extensions of the card.", Scanners: neutral, judge: judgeAP2,
		},
		{
			ID: "x402", Group: groupPay, Title: "x402", Spec: wayfind.SpecRef{Title: "x402", URL: "https://github.com/coinbase/x402"},
			Asks: "answers with status 402 at places of discovery, prices in OpenAPI; --full: /api, /api/v1", Passes: "a demand says how it is paid",
			Gain: "An agent can tell a person the price of a call. Nothing here pays.",
			Mend: "Answer 402 with PAYMENT-REQUIRED, or a body with accepts and x402Version.", Scanners: neutral, judge: judgeX402,
		},
		{
			ID: "mpp", Group: groupPay, Title: "Prices in OpenAPI (Machine Payments Protocol)", Spec: wayfind.SpecRef{Title: "Machine Payments Protocol", URL: "https://mpp.dev/"},
			Asks: "x-payment-info in descriptions that were read; --full: /openapi.json", Passes: "an operation states an offer",
			Gain: "An agent knows the price before the call.",
			Mend: "Add x-payment-info to the operations that cost something.", Scanners: neutral, judge: judgeMPP,
		},
	}
}

func judgeAP2(f *facts) finding {
	for i := range f.Site.Services {
		if s := &f.Site.Services[i]; slices.Contains(s.Tags, "ap2") {
			return passes("the card of a service has the extension")
		}
	}
	return inapplicable(noShop)
}

func judgeX402(f *facts) finding {
	for i := range f.Site.Probes {
		if p := &f.Site.Probes[i]; len(p.Extensions) > 0 && p.Status == 402 {
			return passes(f.short(p.URL)+" demands payment and says how", p.URL)
		}
	}
	for _, path := range [...]string{"/", "/api", "/api/v1"} {
		if f.Extra[path].Demands {
			return passes(path+" demands payment and says how", f.at(path))
		}
	}
	if f.offers("x402") {
		return passes("a description states prices")
	}
	return inapplicable(noShop)
}

func judgeMPP(f *facts) finding {
	if f.offers("mpp") {
		return passes("a description states prices")
	}
	return inapplicable(noShop)
}

// offers reports an offer of a protocol in a description.
func (f *facts) offers(protocol string) bool {
	is := func(o wayfind.Offer) bool { return o.Protocol == protocol }
	for _, c := range f.Site.Capabilities() {
		if slices.ContainsFunc(c.Offers, is) {
			return true
		}
	}
	_, extra := f.extraOpenAPI()
	return slices.ContainsFunc(extra.Offers, is)
}
