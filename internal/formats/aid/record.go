package aid

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
	"github.com/wayfindhq/wayfind/parse"
)

// maxDescription is the largest length of a description, in bytes.
const maxDescription = 60

// keys are the keys of a record: short and long.
var keys = [...]struct{ short, long string }{
	{"v", "version"}, {"u", "uri"}, {"p", "proto"}, {"a", "auth"}, {"s", "desc"}, {"d", "docs"}, {"e", "dep"}, {"k", "pka"}, {"i", "kid"},
}

// reader reads one record.
type reader struct {
	*parse.Reader
	in   *parse.Input
	root parse.Node
	// unclear is true if a key stands in the record twice, with different values.
	unclear bool
}

// parseRecord reads a record. It is unusable if it does not say where the endpoint is.
func parseRecord(in *parse.Input) (*parse.Reading, error) {
	root, err := in.JSONObject()
	if err != nil {
		return nil, err
	}
	r := &reader{Reader: parse.NewReader(&parse.Format{Name: name, Spec: spec()}), in: in, root: root}
	r.MediaType(in, root, secFallback, "application/json")
	reading := &parse.Reading{}
	service := wayfind.Service{ID: "agent", Sources: parse.SourcesAt(root)}
	for _, k := range keys {
		r.twice(k.short, k.long)
	}
	reading.Version = r.version()
	service.Description = r.description()
	service.DocsURL = r.Link(root, r.key("d"), in.FinalURL, secRecord)
	service.Extensions = r.rest()
	r.deprecation(&service)
	r.proof(reading.Version)
	r.auth(&service)
	r.endpoint(&service, reading)
	switch {
	case r.unclear:
		reading.Unusable = "a key stands in it twice, with different values"
	case in.URL != nil && in.FinalURL != nil && in.URL.String() != in.FinalURL.String():
		r.Report(ruleRedirect, root, "the record was reached by a redirect")
		reading.Unusable = "a redirect led to it"
	case len(service.Interfaces)+len(service.LocalInstall)+len(reading.Links) == 0:
		reading.Unusable = "it names no endpoint that can be used"
	}
	reading.Services = []wayfind.Service{service}
	reading.Diagnostics = r.Diagnostics()
	return reading, nil
}

// key returns the form of a key that the record has: short or long.
func (r *reader) key(short string) string {
	for _, k := range keys {
		if k.short == short && !r.root.Get(short).Exists() && r.root.Get(k.long).Exists() {
			return k.long
		}
	}
	return short
}

// text returns the text of a key.
func (r *reader) text(short string, need parse.Need) string {
	return strings.TrimSpace(r.String(r.root, r.key(short), need, secRecord))
}

// twice reports a key that stands in the record in both forms.
func (r *reader) twice(short, long string) {
	a, b := r.root.Get(short), r.root.Get(long)
	if !a.Exists() || !b.Exists() {
		return
	}
	r.Report(ruleTwice, b, "%q and %q are one key", short, long)
	r.unclear = r.unclear || string(a.Raw()) != string(b.Raw())
}

// version reads the version of the record.
func (r *reader) version() string {
	version := r.text("v", parse.Must)
	if version != "" && version != "aid1" && version != "aid2" {
		r.Report(ruleVersion, r.root.Get(r.key("v")), "the version %q is neither %q nor %q; it was read as the latter", version, "aid1", "aid2")
	}
	return version
}

func (r *reader) description() string {
	text := r.Prose(r.root, r.key("s"), secRecord)
	if n := len(text); n > maxDescription {
		r.Report(ruleLong, r.root.Get(r.key("s")), "the description has %d bytes, %d at most", n, maxDescription)
	}
	return text
}

// deprecation reads the time at which the endpoint ends.
func (r *reader) deprecation(service *wayfind.Service) {
	text := r.text("e", parse.Optional)
	if text == "" {
		return
	}
	n := r.root.Get(r.key("e"))
	if _, err := time.Parse(time.RFC3339, text); err != nil {
		r.Report(ruleEnd, n, "the end %q is no time of the form 2027-01-31T00:00:00Z", text)
	} else {
		r.Report(ruleEnds, n, "the endpoint ends at %s", text)
	}
	parse.SetExtension(&service.Extensions, "dep", n)
}

// proof reports a key that is not compared with the endpoint's.
func (r *reader) proof(version string) {
	key, id := r.root.Get(r.key("k")), r.root.Get(r.key("i"))
	switch text, _ := key.Str(); {
	case id.Exists() && version == "aid2":
		r.Report(ruleKeyID, id, "version 2 has no %q", r.key("i"))
	case !key.Exists():
		return
	case version == "aid1" && !id.Exists():
		r.Report(ruleKeyID, key, "a key of version 1 needs an ID")
	case version == "aid1" && !strings.HasPrefix(text, "z"), version != "aid1" && !isKey(text):
		r.Report(ruleKey, key, "the key is not written as its version does it")
	default:
		r.Report(ruleProof, key, "the endpoint is not asked for a proof of its key")
	}
}

// isKey reports whether a text is a key of version 2: 32 bytes in base64url without padding.
func isKey(text string) bool {
	key, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(key) == 32
}

// auth reads the kind of credential.
func (r *reader) auth(service *wayfind.Service) {
	word := r.text("a", parse.Optional)
	kind, known := authkind.Read(authkind.AID, word)
	switch {
	case word == "":
		service.Auth = &wayfind.Auth{Unknown: true}
		return
	case !known && word != "custom":
		r.Report(ruleAuth, r.root.Get(r.key("a")), "the kind of credential %q is none that the specification defines", word)
	}
	scheme := kind.Scheme()
	if kind.Members == authkind.OAuthFlows && strings.HasSuffix(word, "_code") {
		scheme.Flows = []wayfind.OAuthFlow{{Grant: "authorization_code"}}
	} else if kind.Members == authkind.OAuthFlows {
		scheme.Flows = []wayfind.OAuthFlow{{Grant: "device_code"}}
	}
	service.Auth = authkind.Only(word, scheme)
}

// endpoint reads where the agent is, by its protocol.
func (r *reader) endpoint(service *wayfind.Service, reading *parse.Reading) {
	protocol, text := strings.ToLower(r.text("p", parse.Must)), r.text("u", parse.Must)
	n := r.root.Get(r.key("u"))
	format, known := protocols[protocol]
	switch {
	case text == "":
		return
	case protocol == "local":
		r.local(n, text, service)
		return
	case protocol == "zeroconf":
		r.Report(ruleLocal, n, "the endpoint %.100q is found in the local network alone", text)
		return
	case !known && protocol != "":
		r.Report(ruleProtocol, r.root.Get(r.key("p")), "the protocol %q is none that the specification defines", protocol)
	}
	if protocol == "websocket" {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "wss" || u.Host == "" {
			r.Report(ruleEndpoint, n, "the endpoint %q is no wss URL", text)
			return
		}
		service.Interfaces = []wayfind.Interface{{Protocol: protocol, URL: text, Sources: parse.SourcesAt(n)}}
		return
	}
	e, err := r.in.ResolveEndpoint(text)
	if err != nil || e.Form != parse.FormAbsolute || e.URL == "" {
		r.Report(ruleEndpoint, n, "the endpoint %q is no absolute URL", text)
		return
	}
	r.CheckEndpoint(n, e, secRecord)
	if format != "" {
		reading.Links = append(reading.Links, parse.Link{URLs: []string{e.URL}, Role: protocol, Format: format, Subject: service.ID})
		return
	}
	service.Interfaces = []wayfind.Interface{{Protocol: cmp.Or(protocol, "http"), URL: e.URL, Sources: parse.SourcesAt(n)}}
}

// protocols are the protocols of an endpoint with a URL, with the format of the document at it; "" if it is
// called.
var protocols = map[string]string{"mcp": "", "a2a": "a2a", "openapi": "openapi", "grpc": "", "graphql": "", "websocket": "", "ucp": "ucp"}

// packages are the schemes of software that a person installs, with the kinds of its packages.
var packages = []struct{ scheme, kind, command string }{{"docker", "oci", "docker"}, {"npx", "npm", "npx"}, {"pip", "pypi", "pip"}}

// local reads software that a person installs. It is never run.
func (r *reader) local(n parse.Node, text string, service *wayfind.Service) {
	scheme, rest, _ := strings.Cut(text, ":")
	for _, p := range packages {
		if rest = strings.TrimPrefix(rest, "//"); p.scheme == scheme && rest != "" {
			service.LocalInstall = []wayfind.LocalInstall{{Kind: p.kind, Name: rest, Command: p.command, Sources: parse.SourcesAt(n)}}
			return
		}
	}
	r.Report(ruleEndpoint, n, "the software %.100q is no package that begins with docker:, npx: or pip:", text)
}

// rest returns what the model has no field for.
func (r *reader) rest() map[string]parse.Raw {
	known := make([]string, 0, 2*len(keys))
	for _, k := range keys[:7] {
		known = append(known, k.short, k.long)
	}
	return r.Extensions(r.root, known...)
}
