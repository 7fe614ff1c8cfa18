package aidiscovery

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// reader reads one document.
type reader struct {
	*parse.Reader
	in *parse.Input
	// base is the URI of the document, nil if it is not known. Endpoints that begin
	// with a slash belong to its authority (§3.3).
	base *url.URL
	// newer is true if the document follows a later version. Its new members are then
	// not faults.
	newer bool
	// hints are the promises of shorter answers for all capabilities.
	hints *wayfind.TokenHints
	// notations counts the parameters by form.
	notations notations
}

// newReader returns a reader that names the format, without building its rules again.
// After redirects, the URI of the document is the final one (RFC 3986 §5.1.3).
func newReader(in *parse.Input) *reader {
	r := &reader{Reader: parse.NewReader(&parse.Format{Name: name, Spec: spec()}), in: in, base: in.FinalURL}
	if r.base == nil {
		r.base = in.URL
	}
	return r
}

// parseDocument reads a document (§3). It is unusable if it has no usable capability.
func parseDocument(in *parse.Input) (*parse.Reading, error) {
	top, err := in.JSONObject()
	if err != nil {
		return nil, err
	}
	r := newReader(in)
	r.delivery(in, top)
	reading := &parse.Reading{}
	_, reading.Dialect = recognise(top)
	root := top
	if reading.Dialect == DialectWrapped {
		root = top.Get("aiendpoint")
		r.Report(ruleWrapped, root, "aiendpoint is an object where a version belongs; its members were read as those of the document")
	}
	reading.Version = r.version(root, reading.Dialect)
	service := r.service(root)
	service.Sources = parse.SourcesAt(root)
	service.Auth = r.auth(root, &service)
	service.TokenHints = r.tokenHints(root, &service)
	r.hints = service.TokenHints
	service.Limits = r.rateLimits(root, &service)
	reading.Documents = r.meta(root, &service)
	r.unknown(top, root, &service)
	service.Capabilities = r.capabilities(root)
	service.Interfaces = interfaces(service.Capabilities)
	r.writesWithoutAuth(root, service.Capabilities)
	if len(service.Capabilities) == 0 {
		reading.Unusable = "no usable capability"
		r.Report(ruleNoCapability, root.Get("capabilities"), "at least one capability is required; none can be used")
	}
	r.reportNotations()
	reading.Services = []wayfind.Service{service}
	reading.Diagnostics = r.Diagnostics()
	return reading, nil
}

// delivery checks the media type, the size and the URL of the document.
func (r *reader) delivery(in *parse.Input, top parse.Node) {
	r.MediaType(in, top, "§2.3", "application/json")
	if n := len(in.Body); n > wantedBytes {
		r.Report(ruleSize, top, "the document has %d bytes; it should not exceed %d", n, wantedBytes)
	}
	if r.base != nil && r.base.RawQuery != "" {
		r.Report(ruleLocation, top, "the document was served at a URL with a query")
	}
}

// members returns the members of the top level (§3.1).
func members() []string {
	return []string{"aiendpoint", "service", "capabilities", "auth", "token_hints", "rate_limits", "meta"}
}

// unknown keeps the members of the top level that the specification does not define,
// and reports them: publishers must not have any, and readers ignore them (§3.1,
// §4.4).
func (r *reader) unknown(top, root parse.Node, service *wayfind.Service) {
	known := members()
	if top != root {
		for name, value := range r.UnknownMembers(top, "aiendpoint") {
			r.unknownField(name, value, service)
		}
		known = append(known, "version")
	}
	for name, value := range r.UnknownMembers(root, known...) {
		r.unknownField(name, value, service)
	}
}

func (r *reader) unknownField(name string, value parse.Node, service *wayfind.Service) {
	if r.newer {
		r.Report(ruleUnknownField.At("§4.4").AsInfo(), value, "the member %q is not one of version %s", name, Version)
	} else {
		r.Report(ruleUnknownField, value, "the member %q is not defined at the top level; private data belongs into meta", name)
	}
	parse.SetExtension(&service.Extensions, name, value)
}

// strays returns the members of a nested object that are not read, for the extensions.
// The schema allows no other members in any object but meta.
//
// A likely credential in auth is never kept.
func (r *reader) strays(name string, obj parse.Node, known ...string) []rawjson.Member {
	var list []rawjson.Member
	for member, value := range r.UnknownMembers(obj, known...) {
		if name == "auth" && r.credential(member, value) {
			continue
		}
		list = append(list, rawjson.Member{Name: member, Value: value.Copy()})
		if name != "meta" {
			r.Report(ruleUnknownMember, value, "%s has no member %q; it is kept as an extension", name, member)
		}
	}
	return list
}

// keep puts members into the extensions as one object, and does nothing if there are
// no members.
func keep(service *wayfind.Service, name string, list ...rawjson.Member) {
	parse.Keep(&service.Extensions, name, rawjson.Some(list))
}

// version returns the version as written. Every document is read by the rules of the
// only version (§4.4).
func (r *reader) version(root parse.Node, dialect string) string {
	n := root.Get("aiendpoint")
	if dialect == DialectWrapped && !n.Exists() {
		return r.Text(root, "version", parse.Optional, "§3.1")
	}
	if n.Kind() == parse.Number {
		r.Report(ruleWrongType.At("§3.1"), n, "aiendpoint is a number where the string %q belongs", Version)
		return string(n.Copy())
	}
	version := r.String(root, "aiendpoint", parse.Must, "§3.1")
	switch {
	case n.Kind() != parse.String || version == Version:
	case isNewer(version):
		r.newer = true
		// §4.4: no document is rejected because its version is higher.
		r.Report(ruleVersion.AsWarning(), n, "the document follows version %q; it was read as %s", version, Version)
	default:
		r.Report(ruleVersion, n, "aiendpoint is %q where %q belongs; the document was read as that", version, Version)
	}
	return version
}

// isNewer reports whether a version is later than the one that is read.
func isNewer(version string) bool {
	major, minor, ok := versionParts(version)
	return ok && (major > 1 || major == 1 && minor > 0)
}

// versionParts reads "1", "1.0" and "1.0.2", also with a v before them.
func versionParts(version string) (major, minor int, ok bool) {
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	if len(parts) > 3 || slices.ContainsFunc(parts, func(p string) bool { return p == "" || strings.Trim(p, "0123456789") != "" }) {
		return 0, 0, false
	}
	major, err := strconv.Atoi(parts[0])
	if err != nil {
		return 0, 0, false
	}
	if len(parts) > 1 {
		minor, err = strconv.Atoi(parts[1])
	}
	return major, minor, err == nil
}
