package adp

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// The bounds of a description, in characters (§7).
const (
	minDescription = 10
	maxDescription = 200
)

// reader reads one document.
type reader struct {
	*parse.Reader
}

// newReader returns a reader that names the format, without building its rules again.
func newReader() reader { return reader{parse.NewReader(&parse.Format{Name: name, Spec: spec()})} }

// wrongType reports whether a value is present and not a string. Null is treated as
// absent.
func wrongType(n parse.Node) bool {
	return n.Exists() && n.Kind() != parse.String && n.Kind() != parse.Null
}

// parseManifest reads a manifest (§2). It is unusable if it has no usable capability.
func parseManifest(in *parse.Input) (*parse.Reading, error) {
	root, err := in.JSONObject()
	if err != nil {
		return nil, err
	}
	r := newReader()
	r.MediaType(in, root, "§7", "application/json")
	reading := &parse.Reading{Version: r.version(root)}
	service := wayfind.Service{
		Name:        r.String(root, "name", parse.Must, "§2"),
		Description: r.description(root),
		Sources:     parse.SourcesAt(root),
		Extensions: r.Extensions(root,
			"spec_version", "name", "description", "base_url", "auth", "pricing", "capabilities"),
	}
	b := r.base(in, root, &service)
	service.Auth = r.auth(root, &service)
	service.Pricing = r.pricing(root, &service)
	service.Capabilities, reading.Links = r.capabilities(root, &b)
	if len(service.Capabilities) == 0 {
		reading.Unusable = "no usable capability"
		r.Report(ruleNoCapability, root.Get("capabilities"), "at least one capability must be defined; none can be used")
	}
	reading.Services = []wayfind.Service{service}
	reading.Diagnostics = r.Diagnostics()
	return reading, nil
}

// version returns spec_version as written, even if it is a number. All versions are
// read by the rules of the newest known version.
func (r reader) version(root parse.Node) string {
	n := root.Get("spec_version")
	if n.Kind() == parse.Number {
		r.Report(ruleWrongType.At("§7"), n, "spec_version is a number where the string %q belongs", Version)
		return string(n.Raw())
	}
	version := r.String(root, "spec_version", parse.Must, "§2")
	if n.Kind() == parse.String && version != Version {
		r.Report(ruleVersion, n, "spec_version is %q; the document was read as %s", version, Version)
	}
	return version
}

func (r reader) description(root parse.Node) string {
	text := r.String(root, "description", parse.Must, "§2")
	count := utf8.RuneCountInString(text)
	if text != "" && (count < minDescription || count > maxDescription) {
		r.Report(ruleDescriptionLength, root.Get("description"),
			"the description has %d characters; %d to %d are allowed", count, minDescription, maxDescription)
	}
	return text
}

// base reads base_url, adds its interface to the service, and returns the base for
// relative references.
func (r reader) base(in *parse.Input, root parse.Node, service *wayfind.Service) base {
	n := root.Get("base_url")
	text := r.String(root, "base_url", parse.Must, "§2")
	if text == "" && n.Kind() != parse.String {
		if in.FinalURL != nil && !n.Exists() {
			r.Report(ruleBaseFromDocument, root, "relative URLs were resolved against the document's origin")
			return originOf(in.FinalURL)
		}
		return base{}
	}
	b, err := newBase(text)
	if err != nil {
		r.Report(ruleBaseURL, n, "base_url cannot be used: %s", err)
		return b
	}
	r.checkBase(n, text, &b)
	service.Interfaces = []wayfind.Interface{b.face(n)}
	return b
}

// face returns the interface for a base_url.
func (b *base) face(n parse.Node) wayfind.Interface {
	f := wayfind.Interface{Protocol: "http", Sources: parse.SourcesAt(n)}
	if len(b.variables) == 0 {
		f.URL = b.text
		return f
	}
	f.Template = b.text
	for _, v := range b.variables {
		f.Variables = append(f.Variables, wayfind.Variable{Name: v})
	}
	return f
}

// checkBase reports oddities of a usable base_url.
func (r reader) checkBase(n parse.Node, text string, b *base) {
	if b.url.Scheme != "https" {
		r.Report(ruleBaseURLScheme, n, "base_url must start with https://")
	}
	switch {
	case b.hostVaries:
		r.Report(ruleNeedsVariables, n, "base_url has variables: %q; detail documents below it cannot be fetched", b.variables)
	case len(b.variables) > 0:
		r.Report(ruleNeedsVariables, n, "base_url has variables: %q; detail documents can only be fetched without its path", b.variables)
	}
	if err := urlref.OddHost(b.url); err != nil && !b.hostVaries {
		r.Report(ruleBaseURLHost, n, "base_url is doubtful: %s", err)
	}
	switch {
	case strings.ContainsAny(text, "?#"):
		r.Report(ruleBaseURLQuery, n, "base_url has a query or a fragment; they were dropped")
	case strings.HasSuffix(text, "/"):
		r.Report(ruleBaseURLSlash, n, "base_url ends in a slash; it was dropped before joining")
	}
}

// pricing reads the pricing object (§4), nil if there is none.
func (r reader) pricing(root parse.Node, service *wayfind.Service) *wayfind.Pricing {
	obj := r.Object(root, "pricing", parse.Optional, "§2")
	if !obj.Exists() {
		return nil
	}
	p := &wayfind.Pricing{
		Model: r.String(obj, "type", parse.Should, "§4"),
		URL:   r.URL(obj, "plans_url", nil, parse.Optional, "§4"),
	}
	if p.Model != "" && !slices.Contains([]string{"free", "freemium", "paid"}, p.Model) {
		r.Report(rulePricingType, obj.Get("type"), "pricing type %q is none of free, freemium and paid", p.Model)
	}
	for _, plan := range r.Objects(obj, "plans", parse.Optional, "§4") {
		p.Plans = append(p.Plans, wayfind.Plan{
			Name:   r.String(plan, "name", parse.Should, "§4"),
			Price:  r.Text(plan, "price", parse.Optional, "§4"),
			Limits: r.Text(plan, "limits", parse.Optional, "§4"),
		})
	}
	if len(r.Extensions(obj, "type", "plans", "plans_url")) > 0 {
		parse.SetExtension(&service.Extensions, "pricing", obj)
	}
	return p
}
