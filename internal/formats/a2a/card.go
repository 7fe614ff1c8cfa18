package a2a

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// members returns the top-level members of all editions.
func members() []string {
	return []string{
		"name", "description", "url", "version", "protocolVersion", "preferredTransport", "additionalInterfaces",
		"supportedInterfaces", "capabilities", "supportsAuthenticatedExtendedCard", "defaultInputModes", "defaultOutputModes",
		"skills", "authentication", "security", "securitySchemes", "securityRequirements", "provider", "documentationUrl",
		"iconUrl", "signatures",
	}
}

// parseCard reads a card.
func parseCard(in *parse.Input) (*parse.Reading, error) {
	root, err := in.JSONObject()
	if err != nil {
		return nil, err
	}
	if isNegative(root) {
		return &parse.Reading{Unusable: "it says that A2A is not supported"}, nil
	}
	r := newReader(in, root)
	r.mediaType(in, root)
	reading := &parse.Reading{Dialect: r.edition.dialect(), Version: r.version(root)}
	if r.union {
		reading.Dialect = dialectUnion
	}
	service := r.service(root)
	r.signatures(root, reading)
	if len(service.Interfaces) == 0 && !r.misplaced { // an address that cannot be used is told, and the rest is read
		reading.Unusable = "it names no place where the agent can be spoken to"
		r.Report(ruleNoInterface.At(r.at.face), root, "the card names no place where the agent can be spoken to")
	}
	reading.Services = []wayfind.Service{service}
	reading.Diagnostics = r.diagnostics()
	return reading, nil
}

// service reads the description of the agent from a card.
func (r *reader) service(root parse.Node) wayfind.Service {
	s := wayfind.Service{
		Name:        r.String(root, "name", parse.Must, r.at.card),
		Description: r.String(root, "description", r.edition.from(edition02), r.at.card),
		Version:     r.Text(root, "version", parse.Must, r.at.card),
		DocsURL:     r.URL(root.IfSet("documentationUrl"), "documentationUrl", r.base, parse.Optional, r.at.card),
		IconURL:     r.URL(root.IfSet("iconUrl"), "iconUrl", r.base, parse.Optional, r.at.card),
		Extensions:  r.rest(root, members()...),
		Sources:     parse.SourcesAt(root),
	}
	if available, ok := root.Get("available").Bool(); ok && !available {
		r.Report(ruleNotAvailable.At(r.at.card), root.Get("available"), "the card says that the agent is not available")
		s.Status = &wayfind.Status{Operational: new(false)}
	}
	r.provider(root, &s)
	r.capabilities(root, &s)
	s.Interfaces = r.interfaces(root)
	r.readSchemes(root, &s)
	s.Auth = r.auth(root, &s)
	s.Capabilities = r.skills(root, &s)
	r.extended(root, &s)
	return s
}

// mediaType reports a media type other than the registered one (1.0 §14.1) and
// application/json, which servers send. No version requires a media type for a card.
func (r *reader) mediaType(in *parse.Input, root parse.Node) {
	if in.MediaType == "" && in.Header == nil || in.MediaType == "application/json" || in.MediaType == "application/a2a+json" {
		return
	}
	r.Report(ruleMediaType.At(r.at.place).AsWarning(), root, "the media type is %q where application/json or application/a2a+json belongs", in.MediaType)
}

// version returns the version of the protocol as the card writes it: since 1.0, the
// version of the preferred interface.
func (r *reader) version(root parse.Node) string {
	said := r.old.Text(root, "protocolVersion", r.needVersion(), r.oldAt.card)
	n := root.Get("protocolVersion")
	major, _, _ := strings.Cut(said, ".")
	switch {
	case said == "":
	case r.edition == edition10:
		if !r.union {
			r.removed(n, "protocolVersion", "each interface has its own")
		}
	case major != "0":
		r.Report(ruleVersion.At(r.at.card), n, "protocolVersion is %q, and the card is written as one of %s", said, r.edition.dialect())
	}
	for _, face := range root.Get("supportedInterfaces").Items() {
		if v, ok := face.Get("protocolVersion").Str(); ok && v != "" {
			return v
		}
	}
	return said
}

// needVersion returns Must for 0.2.5 to 0.3, which require protocolVersion, and
// Optional for other versions.
func (r *reader) needVersion() parse.Need {
	if r.edition == edition10 {
		return parse.Optional
	}
	return r.edition.from(edition025)
}

// removed reports a member that 1.0 no longer has. The member is read all the same.
func (r *reader) removed(n parse.Node, member, now string) {
	r.Report(ruleVersionMember.At(r.at.card).AsInfo(), n, "%s is of an earlier version: in 1.0 %s; it was read", member, now)
}

// provider reads the organization that runs the agent. If it has an email address,
// which no version defines, the address becomes the contact.
func (r *reader) provider(root parse.Node, s *wayfind.Service) {
	obj := r.Object(root.IfSet("provider"), "provider", parse.Optional, r.at.card)
	p := wayfind.Provider{
		Name: r.String(obj, "organization", parse.Must, r.at.provider),
		URL:  r.URL(obj, "url", r.base, r.edition.from(edition02), r.at.provider),
	}
	if p != (wayfind.Provider{}) {
		s.Provider = &p
	}
	known := []string{"organization", "url"}
	if email, ok := obj.Get("email").Str(); ok && email != "" {
		s.Contact, known = &wayfind.Contact{Email: email}, append(known, "email")
	}
	parse.Keep(&s.Extensions, "provider", rawjson.Some(rawjson.Copies(r.UnknownMembers(obj, known...))))
}

// capabilities reads the optional features of the agent. The members that the model
// has no place for are kept together, among them extensions.
func (r *reader) capabilities(root parse.Node, s *wayfind.Service) {
	obj := r.Object(root, "capabilities", parse.Must, r.at.card)
	if !obj.Exists() {
		parse.SetExtension(&s.Extensions, "capabilities", root.Get("capabilities"))
		return
	}
	f := wayfind.Features{
		Streaming: r.Bool(obj.IfSet("streaming"), "streaming", parse.Optional, r.at.capabilities),
		Webhooks:  r.Bool(obj.IfSet("pushNotifications"), "pushNotifications", parse.Optional, r.at.capabilities),
	}
	if f != (wayfind.Features{}) {
		s.Features = &f
	}
	if n := obj.Get("stateTransitionHistory"); n.Exists() && r.edition == edition10 && !r.union {
		r.removed(n, "stateTransitionHistory", "there is no such thing")
	}
	if r.extensions(obj); r.pays {
		s.Tags = append(s.Tags, "ap2")
	}
	known := []string{"streaming", "pushNotifications"}
	r.snakeCase(obj, append(known, "stateTransitionHistory", "extensions", "extendedAgentCard")...)
	var rest []rawjson.Member
	for member, value := range r.UnknownMembers(obj, known...) {
		if member == "extensions" && value.Kind() == parse.Array && value.Len() == 0 {
			continue // an empty list is equal to a missing one, and signatures do not cover it (§8.4.1)
		}
		rest = append(rest, rawjson.Member{Name: member, Value: value.Copy()})
	}
	parse.Keep(&s.Extensions, "capabilities", rawjson.Some(rest))
}

// extensions checks the extensions that an agent supports. Each call must name a
// required extension in a header field (1.0 §4.6.1).
func (r *reader) extensions(capabilities parse.Node) {
	for _, entry := range r.Objects(capabilities.IfSet("extensions"), "extensions", parse.Optional, r.at.capabilities) {
		uri := r.String(entry, "uri", parse.Must, r.at.extension)
		if n := entry.Get("uri"); n.Kind() == parse.String && !isURI(uri) {
			r.Report(ruleExtensionURI.At(r.at.extension), n, "the extension is named %q, which is no URI", uri)
		}
		r.pays = r.pays || strings.HasPrefix(uri, paymentExtension)
		r.String(entry.IfSet("description"), "description", parse.Optional, r.at.extension)
		r.Object(entry.IfSet("params"), "params", parse.Optional, r.at.extension)
		if required := r.Bool(entry.IfSet("required"), "required", parse.Optional, r.at.extension); required != nil && *required {
			r.named = true
		}
	}
}

// paymentExtension is the prefix of the URIs of the Agent Payments Protocol in all its
// versions.
const paymentExtension = "https://github.com/google-agentic-commerce/ap2/"

// isURI reports whether text has a scheme (RFC 3986 §3.1) with text after it.
func isURI(text string) bool {
	scheme, rest, ok := strings.Cut(text, ":")
	return ok && rest != "" && scheme != "" && strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz0123456789+.-") == "" &&
		!strings.ContainsAny(text, " \t\r\n")
}

// rest returns the members of an object that the model has no place for.
func (r *reader) rest(obj parse.Node, known ...string) map[string]parse.Raw {
	r.snakeCase(obj, known...)
	return r.Extensions(obj, known...)
}

// snakeCase reports members whose names are written as in the protocol's Protobuf
// text: 1.0 §5.5 requires camelCase in JSON. They are not read.
func (r *reader) snakeCase(obj parse.Node, known ...string) {
	for member, value := range obj.Members() {
		if !strings.Contains(member, "_") {
			continue
		}
		flat := strings.ReplaceAll(member, "_", "")
		for _, k := range known {
			if strings.EqualFold(flat, k) {
				r.Report(ruleSnakeCase.At(r.at.card), value, "member %q should be %q; it is not read", member, k)
			}
		}
	}
}
