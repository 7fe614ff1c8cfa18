package acp

import (
	"cmp"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// maxVersions is the largest number of supported versions that are read. The protocol
// had six versions in two years.
const maxVersions = 100

// reader reads one document.
type reader struct {
	*parse.Reader
	in      *parse.Input
	service wayfind.Service
}

// parseDocument reads a document. It is unusable if it does not contain the URL of the
// API.
func parseDocument(in *parse.Input) (*parse.Reading, error) {
	root, err := in.JSONObject()
	if err != nil {
		return nil, err
	}
	r := &reader{Reader: parse.NewReader(&parse.Format{Name: name, Spec: spec()}), in: in}
	r.MediaType(in, root, "§4.1", "application/json")
	r.merchant(root)
	reading := &parse.Reading{}
	r.service = wayfind.Service{
		Auth:       &wayfind.Auth{Unknown: true}, // a bearer token from another source (§6)
		Sources:    parse.SourcesAt(root),
		Extensions: r.Extensions(root, "protocol", "api_base_url", "transports", "capabilities"),
	}
	versions := r.protocol(r.Object(root, "protocol", parse.Must, "§4.2"))
	if len(versions) > 0 {
		reading.Version = versions[len(versions)-1]
	} else {
		reading.Version, _ = root.Get("protocol").Get("version").Str()
	}
	r.transports(root)
	if !r.address(root, versions) {
		reading.Unusable = "it does not say where the API is"
	}
	r.capabilities(r.Object(root, "capabilities", parse.Must, "§4.2"))
	reading.Services = []wayfind.Service{r.service}
	reading.Diagnostics = r.Diagnostics()
	return reading, nil
}

// protocol reads the versions. It returns the versions that are dates, the oldest
// first.
func (r *reader) protocol(obj parse.Node) []string {
	if text, _ := obj.Get("name").Str(); text != name {
		r.Report(ruleName, obj.Get("name"), "the name of the protocol is %q where %q belongs", text, name)
	}
	r.service.DocsURL = r.Link(obj, "documentation_url", r.in.FinalURL, "§4.2")
	r.rest("protocol", obj, "name", "version", "supported_versions", "documentation_url")
	current := r.Text(obj, "version", parse.Must, "§4.2")
	var dates []string
	ordered := true
	for i, n := range r.Array(obj, "supported_versions", parse.Must, "§4.2").Items() {
		if i == maxVersions {
			break
		}
		if text, _ := n.Str(); r.isDate(n) {
			ordered = ordered && (len(dates) == 0 || dates[len(dates)-1] < text)
			dates = append(dates, text)
		}
	}
	if !ordered {
		r.Report(ruleVersionOrder, obj.Get("supported_versions"), "the supported versions do not stand in chronological order, each once")
	}
	slices.Sort(dates)
	dates = slices.Compact(dates)
	if obj.Get("version").Exists() && r.isDate(obj.Get("version")) {
		if len(dates) > 0 && current != dates[len(dates)-1] {
			r.Report(ruleLatest, obj.Get("version"), "the version is %q, and the latest supported one is %q", current, dates[len(dates)-1])
		}
		dates = append(dates, current)
		slices.Sort(dates)
		dates = slices.Compact(dates)
	}
	return dates
}

// isDate reports whether a version is a date. If it is not, isDate adds a diagnostic.
func (r *reader) isDate(n parse.Node) bool {
	text, ok := n.Str()
	if _, err := time.Parse(time.DateOnly, text); ok && err == nil {
		return true
	}
	r.Report(ruleVersionDate, n, "the version %q is no date", cmp.Or(text, string(n.Raw()[:min(len(n.Raw()), 64)])))
	return false
}

// transports checks the list of transports. No transport has an address of its own.
func (r *reader) transports(root parse.Node) {
	list := r.Array(root, "transports", parse.Must, "§4.2")
	parse.SetExtension(&r.service.Extensions, "transports", list)
	rest := false
	for _, n := range list.Items() {
		switch text, ok := n.Str(); {
		case text == "rest":
			rest = true
		case text == "mcp":
			r.Report(ruleMCPAddress, n, "the address of the MCP server is not said")
		case ok:
			r.Report(ruleTransportWord, n, "the transport %q is neither %q nor %q; it is ignored", text, "rest", "mcp")
		default:
			r.Report(ruleTransportWord, n, "a transport is %v where a string belongs; it is ignored", n.Kind())
		}
	}
	if !rest && list.Exists() {
		r.Report(ruleNoRest, list, "the transports lack %q", "rest")
	}
}

// address reads the URL of the API, which is not called.
func (r *reader) address(root parse.Node, versions []string) bool {
	text := r.String(root, "api_base_url", parse.Must, "§4.2")
	n := root.Get("api_base_url")
	if n.Kind() != parse.String {
		return false
	}
	e, err := r.in.ResolveEndpoint(text)
	if err == nil && e.Form != parse.FormAbsolute {
		r.Report(parse.ReaderRule("bad_url").At("§4.2").AsWarning(), n, "%q is relative; it was resolved against the document", text)
	}
	if err != nil || !e.Resolved() {
		r.Report(parse.ReaderRule("bad_url").At("§4.2"), n, "member %q is not an absolute URL: %q; it is ignored", "api_base_url", text)
		return false
	}
	r.CheckEndpoint(n, e, "§4.2")
	r.service.Interfaces = []wayfind.Interface{{Protocol: "http", URL: e.URL, Template: e.Template, Versions: versions, Sources: parse.SourcesAt(n)}}
	return true
}

// capabilities reads the services and the languages of the platform.
func (r *reader) capabilities(obj parse.Node) {
	r.service.Languages = r.Strings(obj, "supported_locales", parse.Optional, "§4.2")
	for _, member := range []string{"intervention_types", "supported_currencies"} {
		r.Strings(obj, member, parse.Optional, "§4.2")
	}
	for _, n := range r.Objects(obj, "extensions", parse.Optional, "§4.2") {
		r.String(n, "name", parse.Must, "§4.2")
	}
	r.rest("capabilities", obj, "services", "supported_locales")
	list := r.Array(obj, "services", parse.Must, "§4.2")
	if list.Len() > parse.DefaultItems {
		r.Report(ruleTruncated.Beyond("services", list.Len(), parse.DefaultItems), list, "there are %d services; the first %d were read", list.Len(), parse.DefaultItems)
	}
	for i, n := range list.Items() {
		if i == parse.DefaultItems {
			break
		}
		if c, ok := r.capability(n); ok {
			r.service.Capabilities = append(r.service.Capabilities, c)
		}
	}
}

// capability reads a service, which should be a word.
func (r *reader) capability(n parse.Node) (wayfind.Capability, bool) {
	c := wayfind.Capability{Kind: wayfind.KindOperation, Claimed: true, Sources: parse.SourcesAt(n)}
	switch n.Kind() {
	case parse.String:
		c.ID, _ = n.Str()
	case parse.Object:
		r.Report(ruleServiceObject, n, "a service is an object where a string belongs; its name was read")
		c.ID = r.String(n, "name", parse.Must, "§4.2")
		c.Description = r.Prose(n, "description", "§4.2")
		c.Extensions = r.Extensions(n, "name", "description")
	default:
		r.Report(parse.ReaderRule("wrong_type").At("§4.2"), n, "element of %q is %v where string belongs; it is ignored", "services", n.Kind())
		return c, false
	}
	if c.ID == "" {
		return c, false
	}
	if slices.ContainsFunc(r.service.Capabilities, func(o wayfind.Capability) bool { return o.ID == c.ID }) {
		r.Report(ruleDuplicateService, n, "the service %q is listed twice", c.ID)
		return c, false
	}
	if !slices.Contains([]string{"checkout", "orders", "delegate_payment", "carts"}, c.ID) {
		r.Report(ruleServiceWord, n, "the specification has no service %q", c.ID)
	}
	c.Name = c.ID
	return c, true
}

// merchant reports the members that a public document must not contain.
func (r *reader) merchant(root parse.Node) {
	for _, obj := range []parse.Node{root, root.Get("protocol"), root.Get("capabilities")} {
		for _, member := range []string{"merchant", "merchant_id", "merchants"} {
			if n := obj.Get(member); n.Exists() {
				r.Report(ruleMerchant, n, "the document has the member %q", member)
			}
		}
	}
}

// rest keeps the members of an inner object that have no place in the model, in an
// object of the same name.
func (r *reader) rest(name string, obj parse.Node, known ...string) {
	parse.Keep(&r.service.Extensions, name, rawjson.Some(rawjson.Copies(r.UnknownMembers(obj, known...))))
}
