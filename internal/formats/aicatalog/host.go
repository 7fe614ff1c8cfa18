package aicatalog

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// maxDataURL is the length of the longest data: URL of an icon, in bytes.
const maxDataURL = 8 << 10

// host reads the description of the organization that runs the catalogue.
func (r *reader) host(root parse.Node) {
	if k := root.Get("host").Kind(); k == parse.Null || r.made.Dialect == dialectARD && k != parse.Object {
		return
	}
	host := r.Object(root, "host", parse.Optional, secHost)
	if host.Kind() != parse.Object {
		return
	}
	s := &r.service
	s.Sources = parse.SourcesAt(host)
	need := parse.Must
	if r.made.Dialect == dialectARD { // ARD does not define the host
		need = parse.Optional
	}
	s.Name = r.named(host, need, secHost)
	s.Description = r.Prose(host, "description", secHost)
	s.DocsURL = r.Link(host, "documentationUrl", r.base, secHost)
	s.IconURL = r.logo(host)
	provider := wayfind.Provider{Name: s.Name, Identifier: r.Prose(host, "identifier", secHost), URL: r.Link(host, "url", r.base, secHost)}
	if provider != (wayfind.Provider{}) {
		s.Provider = &provider
	}
	for member, value := range r.UnknownMembers(host, "displayName", "name", "description", "documentationUrl", "logoUrl", "identifier", "url") {
		parse.SetExtension(&s.Extensions, member, value)
	}
}

// named reads a displayName, which home-made documents call name.
func (r *reader) named(n parse.Node, need parse.Need, section string) string {
	if n.Pick("displayName", "name") == "name" {
		r.Report(ruleMember.At(section), n.Get("name"), "the member \"name\" was read as \"displayName\"")
		return r.Prose(n, "name", section)
	}
	if need == parse.Optional {
		return r.Prose(n, "displayName", section)
	}
	return r.String(n, "displayName", need, section)
}

// logo reads the URL of an icon. A URL that contains the picture must be short.
func (r *reader) logo(host parse.Node) string {
	at := host.Get("logoUrl")
	text, _ := at.Str()
	if !strings.HasPrefix(strings.ToLower(text), "data:") {
		return r.Link(host, "logoUrl", r.base, secHost)
	}
	if len(text) > maxDataURL {
		r.Report(ruleLogo, at, "the logo is a data: URL of %d bytes; it is left out", len(text))
		return ""
	}
	return text
}
