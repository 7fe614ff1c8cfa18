package sitecheck

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// kind is the kind of a site, by its offers. It decides which document is advised.
type kind int

const (
	kindUnknown kind = iota
	kindPages        // pages for people, and nothing that can be called
	kindAPI
	kindServer // a server of the Model Context Protocol
	kindAgent
)

// kind returns the kind of the site. A site that offers several is of the kind with the fewest
// documents: a server is named in a card, and an API has a description of its own.
func (f *facts) kind() kind {
	switch {
	case f.speaks("mcp"):
		return kindServer
	case f.speaks("a2a"):
		return kindAgent
	case f.hasAPI():
		return kindAPI
	case f.hasPages():
		return kindPages
	}
	return kindUnknown
}

// speaks reports whether a service of the site has an interface of a protocol.
func (f *facts) speaks(protocol string) bool {
	return slices.ContainsFunc(f.Site.Services, func(s wayfind.Service) bool {
		return slices.ContainsFunc(s.Interfaces, func(i wayfind.Interface) bool { return strings.HasPrefix(i.Protocol, protocol) })
	})
}

// hasAPI reports whether something says that the site has an API: a description, a capability, or a home
// page in JSON.
func (f *facts) hasAPI() bool {
	place, _ := f.extraOpenAPI()
	if len(f.sources("openapi"))+len(f.sources("openrpc"))+f.Offer.Tools+len(f.Offer.NotTools) > 0 || place != "" {
		return true
	}
	for i := range f.Site.Documents {
		if rel := f.Site.Documents[i].Rel; rel == "service-desc" || rel == "api-catalog" {
			return true
		}
	}
	return strings.Contains(f.Answers[f.at("/")].Header.Get("Content-Type"), "json")
}

func (f *facts) hasPages() bool {
	return strings.Contains(f.Answers[f.at("/")].Header.Get("Content-Type"), "html")
}

// beginning says which document a site of each kind publishes first.
func (f *facts) beginning() string {
	switch f.kind() {
	case kindPages:
		return "Publish /llms.txt: it tells a model the subject of the site and the pages that matter. The site has pages, and nothing says that it has an API; one that has publishes /.well-known/api-catalog, which leads to its OpenAPI description."
	case kindServer:
		return "Publish the card of the MCP server, so that a client finds it from the domain."
	case kindAgent:
		return "Publish the card of the agent, so that a client finds it from the domain."
	case kindAPI:
		return "Publish an API catalogue that leads to the OpenAPI description."
	default:
		return "" // as the rule says
	}
}
