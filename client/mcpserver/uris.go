package mcpserver

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/tools"
)

// scheme begins the URIs of resources. The domain and the URI at the server follow, so that two
// servers may use the same URI, and so that no host mistakes a URI for a file or a page of its own.
const scheme = "wayfind://"

// hostURI returns the URI, or the template, with which a host sees a resource.
func hostURI(t *tools.Tool, uri string) string {
	_, site, _ := strings.Cut(t.Origin, "://")
	return scheme + site + "/" + uri
}

// hostsURI returns the URI with which a host sees a resource. A host may use the URI at the server
// itself if only one server has resources. Other URIs are returned as they are.
func hostsURI(box *tools.Box, uri string) string {
	var only *tools.Tool
	for _, t := range box.Tools() {
		switch {
		case !isContent(&t) || t.Capability.Kind != wayfind.KindResource:
		case only != nil && only.Origin != t.Origin:
			return uri
		default:
			only = &t
		}
	}
	if only == nil || strings.HasPrefix(uri, scheme) {
		return uri
	}
	hosts := hostURI(only, uri)
	if _, _, ok := resourceOf(box, hosts); !ok {
		return uri
	}
	return hosts
}

// uriForm matches a URI, or a template with variables of the simplest forms, {name} and {+name}
// (RFC 6570 §1.2). Other templates are offered as tools only.
var uriForm = regexp.MustCompile(`^(?:[A-Za-z0-9:/?#@!$&'()*,;=._~+\[\]-]|%[0-9A-Fa-f]{2}|\{\+?[A-Za-z0-9_]+\})+$`)

// variable matches a variable of such a template.
var variable = regexp.MustCompile(`\{\+?[A-Za-z0-9_]+\}`)

// isURI reports whether hosts can read a URI or a template of a server.
func isURI(uri string) bool {
	u, err := url.Parse(variable.ReplaceAllString(uri, "x"))
	return len(uri) <= maxURI && uriForm.MatchString(uri) && err == nil && u.Scheme != ""
}

// maxURI is the length of the longest URI that is listed, in bytes.
const maxURI = 2048

// variables returns the values with which a template becomes a URI.
func variables(template, uri string) (values map[string]string, ok bool) {
	values = make(map[string]string)
	for {
		at := variable.FindStringIndex(template)
		if at == nil {
			return values, template == uri
		}
		rest, found := strings.CutPrefix(uri, template[:at[0]])
		name := template[at[0]+1 : at[1]-1]
		template = template[at[1]:]
		literal := template
		if next := variable.FindStringIndex(template); next != nil {
			literal = template[:next[0]]
		}
		end := len(rest)
		if literal != "" {
			end = strings.Index(rest, literal)
		}
		if !found || end <= 0 {
			return nil, false
		}
		value, err := url.PathUnescape(rest[:end])
		name, isPath := strings.CutPrefix(name, "+")
		if err != nil || !isPath && strings.Contains(rest[:end], "/") {
			return nil, false
		}
		values[name], uri = value, rest[end:]
	}
}
