package aiplugin

import (
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// The largest lengths of the texts in the specification, in characters. The limit for
// the human description grew from 100 to 120, and the limit for the human name from 20
// to 50.
const (
	maxModelName        = 50
	maxHumanName        = 50
	maxModelDescription = 8000
	maxHumanDescription = 120
)

// parseDocument reads a manifest. It is unusable if it has no link to an API.
func parseDocument(in *parse.Input) (*parse.Reading, error) {
	root, err := in.JSONObject()
	if err != nil {
		return nil, err
	}
	r := &reader{Reader: parse.NewReader(&parse.Format{Name: name, Spec: spec()}), base: in.FinalURL}
	r.MediaType(in, root, "Plugin manifest", "application/json")
	r.Report(ruleDeprecated, root, "the plugins that this manifest is for were closed in April 2024")
	reading := &parse.Reading{Version: r.version(root)}
	service := wayfind.Service{
		Name:        r.text(root, "name_for_human", "name", maxHumanName),
		Description: r.text(root, "description_for_human", "description", maxHumanDescription),
		IconURL:     r.link(root, "logo_url"),
		Contact:     r.contact(root),
		Auth:        r.auth(root),
		Sources:     parse.SourcesAt(root),
		Extensions: r.Extensions(root, append(r.plain(root), "schema_version", "name_for_human", "name_for_model", "description_for_human",
			"description_for_model", "auth", "api", "logo_url", "contact_email", "legal_info_url")...),
	}
	r.forModels(root, &service)
	r.keepAuth(root.Get("auth"), &service)
	if legal := r.link(root, "legal_info_url"); legal != "" {
		reading.Documents = []wayfind.Document{{Title: "Legal information", URL: legal, Rel: "terms", Sources: parse.SourcesAt(root.Get("legal_info_url"))}}
	}
	if link, ok := r.api(root, &service); ok {
		reading.Links = []parse.Link{link}
	} else {
		reading.Unusable = "it leads to no API"
	}
	reading.Services = []wayfind.Service{service}
	reading.Diagnostics = r.Diagnostics()
	return reading, nil
}

// version returns schema_version as written. All versions are read as v1.
func (r *reader) version(root parse.Node) string {
	version := r.Text(root, "schema_version", parse.Must, "schema_version")
	if version != "" && version != "v1" {
		r.Report(ruleVersion, root.Get("schema_version"), "schema_version is %q; the manifest was read as v1", version)
	}
	return version
}

// text reads a text for people. Some publishers write it under its plain name.
func (r *reader) text(root parse.Node, member, other string, limit int) string {
	if n := root.Get(other); !root.Get(member).Exists() && n.Kind() == parse.String {
		r.Report(ruleMissing.At(member), root, "required member %q is missing; %q was read", member, other)
		text, _ := n.Str()
		return text
	}
	text := r.String(root, member, parse.Must, member)
	r.length(root.Get(member), text, member, limit)
	return text
}

// plain returns the plain names under which texts for people were read.
func (r *reader) plain(root parse.Node) []string {
	var read []string
	for member, other := range map[string]string{"name_for_human": "name", "description_for_human": "description"} {
		if !root.Get(member).Exists() && root.Get(other).Kind() == parse.String {
			read = append(read, other)
		}
	}
	return read
}

// length reports a text that exceeds the limit. The text is kept.
func (r *reader) length(n parse.Node, text, member string, limit int) {
	if count := utf8.RuneCountInString(text); count > limit {
		r.Report(ruleTooLong.At(member), n, "%s has %d characters, %d at most", member, count, limit)
	}
}

// link reads a URL for people. Many publishers leave it empty.
func (r *reader) link(root parse.Node, member string) string {
	if text, ok := root.Get(member).Str(); ok && strings.TrimSpace(text) == "" {
		r.Report(ruleEmpty.At(member), root.Get(member), "%s is empty", member)
		return ""
	}
	return r.URL(root, member, r.base, parse.Should, member)
}

// forModels keeps texts for a model, as data.
func (r *reader) forModels(root parse.Node, service *wayfind.Service) {
	name := r.String(root, "name_for_model", parse.Must, "name_for_model")
	n := root.Get("name_for_model")
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
		r.Report(ruleNameSyntax, n, "name_for_model %q has more than letters, digits and underscores", name)
	}
	r.length(n, name, "name_for_model", maxModelName)
	text := r.String(root, "description_for_model", parse.Must, "description_for_model")
	r.length(root.Get("description_for_model"), text, "description_for_model", maxModelDescription)
	parse.SetExtension(&service.Extensions, "name_for_model", n)
	parse.SetExtension(&service.Extensions, "description_for_model", root.Get("description_for_model"))
	parse.Keep(&service.Extensions, "deprecated", rawjson.QuoteBool(true))
}

// contact reads contact_email, which often contains another value than an address.
func (r *reader) contact(root parse.Node) *wayfind.Contact {
	text := strings.TrimSpace(r.String(root, "contact_email", parse.Should, "contact_email"))
	email := strings.TrimPrefix(text, "mailto:")
	n := root.Get("contact_email")
	at := strings.IndexByte(email, '@')
	switch {
	case text == "":
		return nil
	case at < 1 || at == len(email)-1 || strings.ContainsAny(email, " <>,;"):
		r.Report(ruleContactEmail, n, "contact_email %q is no address", text)
		return &wayfind.Contact{Text: text}
	case email != text:
		r.Report(ruleContactEmail, n, "contact_email is the URL %q", text)
	}
	return &wayfind.Contact{Email: email}
}

// api returns the link to the description of the API.
func (r *reader) api(root parse.Node, service *wayfind.Service) (parse.Link, bool) {
	if n := root.Get("api"); n.Kind() == parse.String {
		r.Report(ruleAPIText, n, "api is a string where an object belongs; it was read as its url")
		text, _ := n.Str()
		return r.linkTo(n, text)
	}
	api := r.Object(root, "api", parse.Must, "api")
	r.keepRest(service, "api", api, "type", "url")
	kind := r.String(api, "type", parse.Must, "api.type")
	if kind != "" && kind != "openapi" {
		r.Report(ruleAPIType, api.Get("type"), "the type of the API is %q where %q belongs", kind, "openapi")
	}
	text := r.String(api, "url", parse.Must, "api.url")
	if api.Get("url").Kind() != parse.String {
		return parse.Link{}, false
	}
	return r.linkTo(api.Get("url"), text)
}

// linkTo returns the link to a description. It returns false if there is no URL.
func (r *reader) linkTo(n parse.Node, text string) (parse.Link, bool) {
	urls := r.place(n, strings.TrimSpace(text))
	return parse.Link{URLs: urls, Role: "openapi", Format: "openapi", Auth: true}, len(urls) > 0
}

// keepRest keeps the members of an object other than the known ones, as an object of
// that name.
func (r *reader) keepRest(service *wayfind.Service, name string, obj parse.Node, known ...string) {
	parse.Keep(&service.Extensions, name, rawjson.Some(rawjson.Copies(r.UnknownMembers(obj, known...))))
}
