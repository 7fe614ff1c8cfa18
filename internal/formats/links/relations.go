package links

import "slices"

// leadsOn reports whether the target of a relation may be a description for agents. Of the
// relations that are followed, api-catalog (RFC 9727), service-desc (RFC 8631) and describedby
// (POWDER) are registered; the others are names that sites have invented. None of them is
// trusted: the bytes at the target decide.
func leadsOn(rel string) bool {
	return slices.Contains([]string{
		"api-catalog", "ai-catalog", "ard", "service-desc", "describedby",
		"agent-card", "agent-description", "agent-skills", "llms-txt", "mcp-server", "mcp-server-card",
	}, rel)
}

// leftOut reports whether a relation is only for browsers and search engines. Pages have
// dozens of them, and they lead to nothing that an agent needs. Of the alternate forms of a
// page, only Markdown is listed.
func leftOut(rel, typ string) bool {
	if rel == "alternate" {
		return mediaType(typ) != "text/markdown"
	}
	return slices.Contains([]string{
		"alternate", "amphtml", "apple-touch-icon", "apple-touch-icon-precomposed", "apple-touch-startup-image", "canonical",
		"compression-dictionary", "dns-prefetch", "edituri", "expect", "fluid-icon", "icon", "manifest", "mask-icon", "me",
		"modulepreload", "next", "nofollow", "noopener", "noreferrer", "pingback", "preconnect", "prefetch", "preload",
		"prerender", "prev", "self", "shortcut", "shortlink", "sitemap", "stylesheet", "webmention", "wlwmanifest",
	}, rel)
}
