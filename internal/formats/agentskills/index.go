package agentskills

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// The largest lengths of a name and a description, in characters.
const (
	maxName        = 64
	maxDescription = 1024
)

// reader reads one index or one skill.
type reader struct {
	*parse.Reader
	// base is the final URL of the index, nil if it is not known.
	base    *url.URL
	dialect string
	reading parse.Reading
	names   map[string]bool
}

// newReader returns a reader that names the format, without building its rules again.
func newReader(spec wayfind.SpecRef) *parse.Reader {
	return parse.NewReader(&parse.Format{Name: name, Spec: spec})
}

// parseIndex reads an index. An index without skills is valid; it makes a service only
// if it has other members.
func parseIndex(in *parse.Input) (*parse.Reading, error) {
	if hasFront(in) {
		return parseSkill(in, parse.Subject{}) // the caller has named the format, and the file is a skill
	}
	root, err := in.JSONThatFits()
	if err != nil {
		return nil, err
	}
	r := &reader{Reader: newReader(spec()), base: in.FinalURL, dialect: dialectOf(in, root), names: map[string]bool{}}
	r.Cut(root)
	r.MediaType(in, root, secHTTP, "application/json")
	r.reading.Dialect, r.reading.Version = r.dialect, r.schema(root)
	service := wayfind.Service{
		Name:        r.Prose(root, "name", secIndex),
		Description: r.Prose(root, "description", secIndex),
		Sources:     parse.SourcesAt(root),
		Extensions:  r.Extensions(root, "$schema", "name", "description", "skills"),
	}
	service.Capabilities = r.skills(root)
	if service.Name+service.Description != "" || len(service.Extensions)+len(service.Capabilities) > 0 {
		r.reading.Services = []wayfind.Service{service}
	}
	r.reading.Diagnostics = r.Diagnostics()
	return &r.reading, nil
}

// schema returns $schema as written, and reports a value that no specification
// defines.
func (r *reader) schema(root parse.Node) string {
	n := root.Get("$schema")
	if !n.Exists() {
		if r.dialect == "0.2.0" {
			r.Missing(root, "$schema", parse.Must, secIndex)
		}
		return ""
	}
	schema := r.String(root, "$schema", parse.Must, secIndex)
	if schema != "" && schema != schema020 {
		r.Report(ruleSchema, n, "the $schema %q is none that is defined; the document was read by its structure", schema)
	}
	return schema
}

// skills reads the entries.
func (r *reader) skills(root parse.Node) []wayfind.Capability {
	entries := r.Objects(root, "skills", parse.Must, secIndex)
	if n := len(entries); n > parse.DefaultItems {
		r.Report(ruleTruncated.Beyond("skills", n, parse.DefaultItems), root.Get("skills"), "the index has %d skills; the first %d were read", n, parse.DefaultItems)
		entries = entries[:parse.DefaultItems]
	}
	var list []wayfind.Capability
	for _, entry := range entries {
		if c, ok := r.skill(entry); ok {
			list = append(list, c)
		}
	}
	return list
}

// skill reads one entry. It drops an entry without a name. The capability is lazy even
// if no file can be loaded, because the text of the skill is only in the file.
func (r *reader) skill(entry parse.Node) (wayfind.Capability, bool) {
	id := r.String(entry, "name", parse.Must, secSkills)
	if id == "" {
		if entry.Get("name").Kind() == parse.String {
			r.Report(ruleNameSyntax, entry.Get("name"), "the name is empty; the entry is ignored")
		}
		return wayfind.Capability{}, false
	}
	r.checkName(entry.Get("name"), id)
	c := wayfind.Capability{
		ID: id, Name: id, Kind: wayfind.KindSkillFile, Lazy: true, Claimed: true, Sources: parse.SourcesAt(entry),
		Description: r.description(entry),
		Extensions:  r.Extensions(entry, "name", "type", "description", "url", "path", "files", "digest", "sha256"),
	}
	at := r.place(entry, id, &c)
	mediaType, typed := r.typeOf(entry, at, &c)
	digest, sound := r.digest(entry, &c)
	if at == "" {
		return c, true
	}
	document := wayfind.Document{Rel: "skill", URL: at, Title: id, MediaType: mediaType, Sources: c.Sources}
	if digest != "" {
		document.Digest = "sha256:" + digest
	}
	r.reading.Documents = append(r.reading.Documents, document)
	if typed && sound {
		c.DetailURLs = []string{at}
		c.Artifact = &wayfind.Artifact{URL: at, MediaType: mediaType, SHA256: digest}
	}
	return c, true
}

// checkName reports the faults of a name. The name identifies the skill all the same,
// but only a checked name becomes part of a path.
func (r *reader) checkName(n parse.Node, id string) {
	switch {
	case urlref.ClimbsUp(id) || strings.ContainsAny(id, `/\`):
		r.Report(ruleNamePath, n, "the name %q is a path", id)
	case !isName(id):
		r.Report(ruleNameSyntax, n, "the name %q is not of lower-case letters, digits and single hyphens", id)
	}
	if count := utf8.RuneCountInString(id); count > maxName {
		r.Report(ruleTooLong.At(secSkills), n, "the name has %d characters, %d at most", count, maxName)
	}
	if r.names[id] {
		r.Report(ruleDuplicateName, n, "another skill is called %q", id)
	}
	r.names[id] = true
}

// isName reports whether s consists of lower-case letters and digits with single
// hyphens between them.
func isName(s string) bool {
	before := '-'
	for _, c := range s {
		if c == '-' && before == '-' || c != '-' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
		before = c
	}
	return before != '-'
}

func (r *reader) description(entry parse.Node) string {
	text := r.String(entry, "description", parse.Must, secSkills)
	if count := utf8.RuneCountInString(text); count > maxDescription {
		r.Report(ruleTooLong.At(secSkills), entry.Get("description"), "the description has %d characters, %d at most", count, maxDescription)
	}
	return text
}
