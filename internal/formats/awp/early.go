package awp

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// earlyActions returns the actions of the earlier form, which are below capabilities.
func earlyActions(root parse.Node) parse.Node {
	if n := root.Get("capabilities").Get("actions"); n.Kind() == parse.Array {
		return n
	}
	return parse.Node{}
}

// early reads the earlier form: its version is in protocol and its site in url. Its
// actions are below capabilities and have a name instead of an id. The auth member
// next to them is a word.
func (r *reader) early(in *parse.Input, root parse.Node) *parse.Reading {
	n := root.Get("protocol")
	written, _ := n.Str()
	r.Report(ruleEarlyForm, n, "the document has an earlier form, without awp_version, domain and actions; those were derived from it")
	reading := &parse.Reading{Dialect: DialectEarly, Version: written[strings.IndexByte(written, '/')+1:]}
	if text := r.URL(root, "url", nil, parse.Should, "§5"); text != "" {
		reading.Domain = statedHost(text)
		r.compareDomain(root.Get("url"), reading.Domain, in.URL, in.FinalURL)
	}
	capabilities := root.Get("capabilities")
	service := wayfind.Service{
		Name:        reading.Domain,
		Description: r.String(root, "intent", parse.Must, "§5"),
		Sources:     parse.SourcesAt(root),
		Extensions:  r.Extensions(root, "protocol", "url", "intent", "capabilities"),
	}
	r.keepRest(&service.Extensions, "capabilities", capabilities, "actions", "auth")
	entries := r.entries(capabilities)
	r.identify(entries, "name")
	service.Auth = r.auth(capabilities, &service)
	service.Capabilities = r.actions(entries, "name")
	r.addOrigin(root, &service)
	reading.Unusable = r.unusable(capabilities, &service)
	reading.Services = []wayfind.Service{service}
	reading.Diagnostics = r.Diagnostics()
	return reading
}
