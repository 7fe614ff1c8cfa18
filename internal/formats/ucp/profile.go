package ucp

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

const (
	// maxInterfaces is the number of interfaces of a shop that are read. Real profiles have up to
	// four.
	maxInterfaces = 100
	// maxVersions is the number of profiles of older versions that are listed.
	maxVersions = 100
)

const structure = "Profile Structure"

// reader reads one profile.
type reader struct {
	*parse.Reader
	in        *parse.Input
	base      *url.URL // the URL of the profile, nil if unknown
	root, ucp parse.Node
	beside    []string // members that were read next to ucp
	service   wayfind.Service
	reading   *parse.Reading
	// pinned has the names of the capabilities, so that none is added twice.
	pinned map[string]bool
}

// parseProfile reads a profile. A document without any of the required parts of a profile is
// unusable.
func parseProfile(in *parse.Input) (*parse.Reading, error) {
	root, err := in.JSONObject()
	if err != nil {
		return nil, err
	}
	r := &reader{
		Reader: parse.NewReader(&parse.Format{Name: name, Spec: spec()}), in: in, base: in.FinalURL, root: root,
		ucp: root.Get("ucp"), reading: &parse.Reading{}, pinned: map[string]bool{},
	}
	if r.ucp.Kind() != parse.Object {
		return nil, parse.Invalid("the document is no UCP profile: ucp must be an object")
	}
	r.MediaType(in, root, "Hosting", "application/json")
	r.caching(in)
	r.reading.Dialect = dialectOf(r.ucp)
	r.reading.Version = r.version()
	r.service = wayfind.Service{Version: r.reading.Version, Auth: &wayfind.Auth{Unknown: true}, Sources: parse.SourcesAt(r.ucp)}
	services := r.part("services", parse.Must)
	r.services(services)
	r.capabilities(r.part("capabilities", parse.Optional))
	r.handlers()
	r.older(r.part("supported_versions", parse.Optional), isLeaf(in.URL))
	r.rest()
	if len(r.service.Interfaces) == 0 && len(r.service.Capabilities) == 0 && services.Kind() != parse.Object {
		r.reading.Unusable = "it has no services and no capabilities"
	}
	r.reading.Services = []wayfind.Service{r.service}
	r.reading.Diagnostics = r.Diagnostics()
	return r.reading, nil
}

// isLeaf reports whether a profile is one of an older version, by its place. A file has no
// place.
func isLeaf(u *url.URL) bool {
	return u != nil && u.Path != Path && strings.Trim(u.Path, "/") != ""
}

// version reads the version of the protocol, which is a date.
func (r *reader) version() string {
	version := r.Text(r.ucp, "version", parse.Must, structure)
	n := r.ucp.Get("version")
	switch {
	case version == "":
	case !isDate(version):
		r.Report(ruleVersion, n, "the version %q is no date", version)
	case version > newest:
		r.Report(ruleNewer, n, "the version is %q; the profile was read as %s", version, newest)
	}
	return version
}

func isDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// part returns a member of ucp. Some profiles have it next to ucp, where it is read too.
func (r *reader) part(member string, need parse.Need) parse.Node {
	if n := r.ucp.Get(member); n.Exists() {
		return n
	}
	if n := r.root.Get(member); n.Exists() {
		r.Report(ruleBeside, n, "%q stands beside ucp; it belongs into it", member)
		r.beside = append(r.beside, member)
		return n
	}
	if need == parse.Must {
		r.Report(parse.ReaderRule("missing").At(structure), r.ucp, "required member %q is missing", member)
	}
	return parse.Node{}
}

// caching reports a header that prevents the caching of a profile, or allows it for less than
// a minute.
func (r *reader) caching(in *parse.Input) {
	if in.Header == nil {
		return
	}
	public, age := false, time.Duration(-1)
	for _, field := range in.Header["Cache-Control"] {
		for directive := range strings.SplitSeq(field, ",") {
			word, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), "=")
			switch word {
			case "private", "no-store", "no-cache":
				r.Report(ruleCaching, r.root, "Cache-Control has %q", word)
				return
			case "public":
				public = true
			case "max-age":
				if d, err := time.ParseDuration(strings.Trim(value, `"`) + "s"); err == nil {
					age = d
				}
			}
		}
	}
	if !public || age < time.Minute {
		r.Report(ruleCaching, r.root, "Cache-Control lacks public or a max-age of at least 60")
	}
}

// handlers keeps the payment handlers that own their names. Nothing is paid.
func (r *reader) handlers() {
	need := parse.Must
	if r.reading.Dialect == DialectObjects && r.root.Get("payment").Exists() {
		need = parse.Optional // they exist
	}
	var kept []rawjson.Member
	for entity, value := range r.object(r.part("payment_handlers", need), "payment_handlers") {
		if !r.entityName(entity, value) {
			continue
		}
		var list []parse.Raw
		for _, entry := range r.entries(value) {
			r.String(entry, "id", parse.Must, "Payment Handlers")
			r.String(entry, "version", parse.Must, "Payment Handlers")
			r.specURL(entry)
			if r.isBound(entity, entry) {
				list = append(list, r.public(entry))
			}
		}
		if len(list) > 0 {
			kept = append(kept, rawjson.Member{Name: entity, Value: rawjson.Arr(list...)})
		}
	}
	if kept != nil {
		r.extend("payment_handlers", rawjson.Obj(kept...))
	}
}

// older lists the profiles of older versions. If the profile itself is newer than the newest
// release that is read, it links the newest of them that is read, but not from another such
// profile.
func (r *reader) older(versions parse.Node, leaf bool) {
	if leaf && versions.Exists() {
		r.Report(ruleLeaf, versions, "a profile of an older version lists versions; they are ignored")
		return
	}
	best := parse.Link{}
	n := 0
	for version, at := range r.object(versions, "supported_versions") {
		text, ok := at.Str()
		u, err := urlref.AbsoluteURL(text)
		switch {
		case !isDate(version):
			r.Report(ruleVersion, at, "the version %q is no date", version)
			continue
		case !ok || err != nil || u.Scheme != "https":
			r.Report(parse.ReaderRule("bad_url").At("Protocol Version"), at, "the profile of version %q has no https URL; it is ignored", version)
			continue
		}
		if n++; n > maxVersions {
			r.Report(ruleTruncated, versions, "there are more than %d older versions; the others are ignored", maxVersions)
			break
		}
		r.reading.Documents = append(r.reading.Documents, wayfind.Document{
			Rel: "ucp-profile", URL: text, MediaType: "application/json", Version: version, Sources: parse.SourcesAt(at),
		})
		if version <= newest && version > best.Version {
			best = parse.Link{URLs: []string{text}, Role: "ucp-profile", Format: name, Version: version}
		}
	}
	if current := r.reading.Version; best.URLs != nil && isDate(current) && current > newest {
		r.reading.Links = append(r.reading.Links, best)
	}
}

// rest keeps the members that the model has no field for.
func (r *reader) rest() {
	for _, member := range []string{"keys", "signing_keys"} {
		r.keys(member)
	}
	known := append([]string{"ucp", "keys", "signing_keys"}, r.beside...)
	for member, value := range r.UnknownMembers(r.root, known...) {
		r.extend(member, r.public(value))
	}
	inside := []string{"version", "services", "capabilities", "payment_handlers", "supported_versions"}
	var more []rawjson.Member
	for member, value := range r.UnknownMembers(r.ucp, inside...) {
		more = append(more, rawjson.Member{Name: member, Value: r.public(value)})
	}
	if more != nil {
		r.extend("ucp", rawjson.Obj(more...))
	}
}

// extend adds a value to the Extensions of the service. If two have the same name, the first
// is kept.
func (r *reader) extend(member string, value parse.Raw) {
	if r.service.Extensions == nil {
		r.service.Extensions = make(map[string]parse.Raw)
	}
	if _, taken := r.service.Extensions[member]; taken {
		member += "~2"
	}
	r.service.Extensions[member] = value
}

// entityName reports a name that is not the name of an entity, and returns whether there is a
// name at all: without a name nothing can be called.
func (r *reader) entityName(entity string, at parse.Node) (named bool) {
	switch {
	case entity == "":
		r.Report(ruleEntityName, at, "the name is empty; the entity is ignored")
		return false
	case !isName(entity):
		r.Report(ruleEntityName, at, "the name %q is no reversed domain with a name behind it", entity)
	}
	return true
}

// isBound reports whether an entity is valid: it has no schema, or the schema of the owner of
// its name.
func (r *reader) isBound(entity string, entry parse.Node) bool {
	n := entry.Get("schema")
	text, ok := n.Str()
	if !ok {
		return true
	}
	host, err := authorityOf(entity, text)
	if err != nil {
		r.Report(ruleAuthority, entry, "the schema %q does not belong to the name %q, so that the entry counts as absent: %s", text, entity, err)
		return false
	}
	if !slices.Contains(r.reading.Authorities, host) {
		r.reading.Authorities = append(r.reading.Authorities, host)
	}
	return true
}

// specURL reports a link for people that is not https. It may be on any host.
func (r *reader) specURL(entry parse.Node) {
	n := entry.Get("spec")
	if text, _ := n.Str(); n.Exists() {
		if u, err := urlref.AbsoluteURL(text); err != nil || u.Scheme != "https" {
			r.Report(ruleSpec, n, "the specification %q has no https URL", text)
		}
	}
}
