package aicatalog

import (
	"encoding/hex"
	"net/url"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// relEntry is the relation of the documents in entries.
const relEntry = "catalog-entry"

// entries reads the list of entries up to the limit.
func (r *reader) entries(root parse.Node) {
	list := root.Get("entries")
	n := min(list.Len(), parse.DefaultItems)
	if all := list.Len() + list.Left(); all > n {
		r.Report(ruleTruncated.Beyond("entries", all, n), list, "of %d entries the first %d were read", all, n)
	}
	for i := range n {
		entry := list.Index(i)
		if entry.Kind() != parse.Object {
			r.Report(ruleWrongType.At(secCatalog), entry, "an entry is %v where object belongs; it is ignored", entry.Kind())
			continue
		}
		r.versions[identifierOf(entry)]++
	}
	for i := range n {
		if entry := list.Index(i); entry.Kind() == parse.Object {
			r.entry(entry)
		}
	}
}

func identifierOf(entry parse.Node) string {
	text, _ := entry.Get(entry.Pick("identifier", "urn", "id")).Str()
	return text
}

// entry reads one entry.
func (r *reader) entry(n parse.Node) {
	doc := wayfind.Document{Rel: relEntry, Sources: parse.SourcesAt(n)}
	doc.Identifier = r.renamed(n, "identifier", "urn", "id")
	doc.MediaType = r.renamed(n, "type", "mediaType")
	doc.Title = r.named(n, parse.Optional, secEntry)
	if doc.Title == "" {
		r.missingName(n)
		doc.Title = lastSegment(doc.Identifier)
	}
	doc.Description = r.Prose(n, "description", secEntry)
	doc.Tags = r.Strings(n, "tags", parse.Optional, secEntry)
	if v := n.Get("version"); v.Kind() != parse.Null {
		doc.Version = r.Text(n, "version", parse.Optional, secEntry)
	}
	doc.Updated = r.updated(n)
	r.publisher(n, &doc)
	sum, sound := r.digest(n, &doc)
	r.trust(n, &doc)
	r.duplicate(n, &doc)
	r.rest(n, &doc)
	r.place(n, &doc, sum, sound)
	r.made.Documents = append(r.made.Documents, doc)
}

// renamed reads a required member that has other names in drafts and in home-made
// documents. It reports the other names, except for mediaType in the April drafts,
// which define it.
func (r *reader) renamed(n parse.Node, names ...string) string {
	member := n.Pick(names...)
	if member != names[0] && (member != "mediaType" || r.made.Dialect != dialectApril) {
		r.Report(ruleMember.At(secEntry), n.Get(member), "the member %q was read as %q", member, names[0])
	}
	return r.String(n, member, parse.Must, secEntry)
}

// missingName reports a missing name in ARD, which requires one. AI Catalog does not.
func (r *reader) missingName(n parse.Node) {
	if r.made.Dialect == dialectARD {
		r.Missing(n, "displayName", parse.Must, secEntry)
	}
}

// lastSegment returns the end of an identifier, which is the title of an entry without
// a name.
func lastSegment(identifier string) string {
	text := strings.TrimRight(identifier, ":/")
	return text[strings.LastIndexAny(text, ":/")+1:]
}

// updated reads a time. A date without a time means the beginning of the day.
func (r *reader) updated(n parse.Node) *time.Time {
	text := r.Prose(n, "updatedAt", secEntry)
	if text == "" {
		return nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		t = t.UTC()
		return &t
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		r.Report(ruleTime, n.Get("updatedAt"), "%q is no time of RFC 3339; it is ignored", text)
		return nil
	}
	r.Report(ruleTime, n.Get("updatedAt"), "%q is a date without a time", text)
	return &t
}

// publisher reads the publisher of the document from the member, or else from the
// identifier, which contains a domain by the rules of ARD.
func (r *reader) publisher(n parse.Node, doc *wayfind.Document) {
	domain, air := strings.CutPrefix(doc.Identifier, "urn:air:")
	if air {
		var rest string
		domain, rest, _ = strings.Cut(domain, ":")
		if !isDomain(domain) || !isSegments(rest) {
			r.Report(ruleIdentifier, n.Get(n.Pick("identifier", "urn", "id")), "%q is not of the form \"urn:air:<domain>:<name>\"", doc.Identifier)
		}
	}
	if k := n.Get("publisher").Kind(); k != parse.Missing && k != parse.Null {
		if obj := r.Object(n, "publisher", parse.Optional, secPublisher); obj.Kind() == parse.Object {
			doc.Publisher = &wayfind.Provider{
				Name: r.String(obj, "displayName", parse.Must, secPublisher), Identifier: r.String(obj, "identifier", parse.Must, secPublisher),
			}
			return
		}
	}
	if air && domain != "" {
		doc.Publisher = &wayfind.Provider{Identifier: domain}
	}
}

// isDomain reports whether text has a dot and consists of letters, digits, hyphens and
// dots, as in ARD.
func isDomain(text string) bool { return strings.Contains(text, ".") && consists(text, "-.") }

// isSegments reports whether text may follow the domain.
func isSegments(text string) bool {
	for part := range strings.SplitSeq(text, ":") {
		if !consists(part, "-._") {
			return false
		}
	}
	return true
}

// consists reports whether text has only ASCII letters, digits and the other
// characters.
func consists(text, others string) bool {
	return text != "" && !strings.ContainsFunc(text, func(c rune) bool {
		return (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && !strings.ContainsRune(others, c)
	})
}

// digest reads the catalogue's digest of the bytes. sound is false if the digest must
// not be relied upon. A digest of a strong algorithm that is not known here remains in
// the Extensions.
func (r *reader) digest(n parse.Node, doc *wayfind.Document) (sum string, sound bool) {
	at := n.Get("digest")
	if k := at.Kind(); k == parse.Missing || k == parse.Null {
		return "", true
	}
	text := r.String(n, "digest", parse.Optional, secDigest)
	algorithm, value, ok := strings.Cut(text, ":")
	decoded, err := hex.DecodeString(value)
	switch {
	case !ok || err != nil || len(decoded) < 32:
		r.Report(ruleDigest, at, "%q is no digest of SHA-256 or stronger", text)
		return "", false
	case strings.EqualFold(algorithm, "sha256") && len(decoded) != 32:
		r.Report(ruleDigest, at, "%q is not as long as a SHA-256 is", text)
		return "", false
	case !strings.EqualFold(algorithm, "sha256"):
		parse.SetExtension(&doc.Extensions, "digest", at)
		return "", true
	case text != strings.ToLower(text):
		r.Report(ruleDigest.AsWarning(), at, "the digest %q is not in lower case", text)
	}
	sum = strings.ToLower(value)
	doc.Digest = "sha256:" + sum
	return sum, true
}

// duplicate reports an identifier that is listed twice with the same version.
func (r *reader) duplicate(n parse.Node, doc *wayfind.Document) {
	key := [2]string{doc.Identifier, doc.Version}
	if r.seen[key] && doc.Identifier != "" {
		r.Report(ruleDuplicate, n, "another entry has the identifier %q and the same version", doc.Identifier)
	}
	r.seen[key] = true
}

// rest keeps the members that the model has no field for, as data.
func (r *reader) rest(n parse.Node, doc *wayfind.Document) {
	known := []string{
		"identifier", "urn", "type", "mediaType", "displayName", "description", "tags", "version", "updatedAt", "publisher", "digest",
		"url", "data", "inline",
	}
	if n.Get("displayName").Kind() != parse.String {
		known = append(known, "name")
	}
	for member, value := range r.UnknownMembers(n, known...) {
		if member == "id" && value.Kind() == parse.String {
			continue
		}
		parse.SetExtension(&doc.Extensions, member, value)
	}
}

// place reads the location of the document, and adds a link if the document is worth a
// request.
func (r *reader) place(n parse.Node, doc *wayfind.Document, sum string, sound bool) {
	data, there := n.Get(n.Pick("data", "inline")), n.Get("url").Kind()
	inside := data.Kind() != parse.Missing && data.Kind() != parse.Null
	if n.Pick("data", "inline") == "inline" && r.made.Dialect != dialectApril {
		r.Report(ruleMember.At(secEntry), data, "the member \"inline\" was read as \"data\"")
	}
	if there != parse.Missing && there != parse.Null {
		doc.URL = r.location(n)
	}
	switch {
	case inside && (there != parse.Missing && there != parse.Null):
		r.Report(rulePlace, n, "the entry has both a URL and data; neither is followed")
		parse.SetExtension(&doc.Extensions, "data", data)
	case inside:
		doc.URL = r.inside(data)
		if sound && (data.Kind() == parse.Object || data.Kind() == parse.Array) {
			r.made.Inline = append(r.made.Inline, parse.Inline{Value: data, SHA256: sum})
			return
		}
		parse.SetExtension(&doc.Extensions, "data", data)
	case there == parse.Missing || there == parse.Null:
		r.Report(rulePlace, n, "the entry has neither a URL nor data")
	case doc.URL != "":
		r.lead(doc, sum, sound)
	}
}

// location reads the URL of an entry.
func (r *reader) location(n parse.Node) string {
	at := n.Get("url")
	text := r.String(n, "url", parse.Must, secEntry)
	if text == "" {
		return ""
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err == nil && !u.IsAbs() && r.base != nil && urlref.CheckLink(text) == nil {
		r.Report(ruleRelative, at, "the URL %q is relative; it was resolved against that of the catalogue", text)
		u = r.base.ResolveReference(u)
	}
	if err == nil {
		text = u.String()
		_, err = urlref.AbsoluteURL(text)
	}
	if err != nil {
		r.Report(ruleURL, at, "the URL cannot be used: %s", cause(err))
		return ""
	}
	return text
}

// cause returns the reason why a URL cannot be used, without text from the document.
func cause(err error) string {
	if _, ok := err.(*url.Error); ok {
		return "it is not a URL"
	}
	return err.Error()
}

// inside returns the URL of a value within the catalogue itself (RFC 6901 §6).
func (r *reader) inside(data parse.Node) string {
	if r.base == nil {
		return ""
	}
	u := *r.base
	u.Fragment, u.RawFragment = data.Pointer(), ""
	return u.String()
}
