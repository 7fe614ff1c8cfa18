package agentskills

import (
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// The types of a skill, and the media type of a SKILL.md.
const (
	typeSkill   = "skill-md"
	typeArchive = "archive"
	markdown    = "text/markdown"
)

// place returns the URL of a skill, "" if there is no usable one. Text that is not a
// usable URL is kept in the Extensions.
func (r *reader) place(entry parse.Node, id string, c *wayfind.Capability) string {
	n, text := entry.Get("url"), ""
	switch path := entry.Get("path"); {
	case n.Exists():
		text = r.String(entry, "url", parse.Must, secSkills)
		parse.SetExtension(&c.Extensions, "path", path)
		parse.SetExtension(&c.Extensions, "files", entry.Get("files"))
	case path.Kind() == parse.String:
		n = path
		text = r.directory(n)
		parse.SetExtension(&c.Extensions, "files", entry.Get("files"))
	case entry.Get("files").Exists():
		parse.SetExtension(&c.Extensions, "path", path)
		return r.fromFiles(entry, id, c)
	default:
		if r.dialect == version010 {
			r.Missing(entry, "files", parse.Must, sec010)
		} else {
			r.Missing(entry, "url", parse.Must, secSkills)
		}
		parse.SetExtension(&c.Extensions, "path", path)
		return ""
	}
	if n.Kind() != parse.String {
		return ""
	}
	at := r.resolve(n, text)
	if at == "" {
		parse.SetExtension(&c.Extensions, "url", n)
	}
	return at
}

// directory returns the reference in a member "path": the path of a file, or in the
// first draft the directory of a skill below the directory of skills.
func (r *reader) directory(n parse.Node) string {
	text, _ := n.Str()
	r.Report(rulePath, n, "the place of the skill stands in %q; it was read as %q", "path", "url")
	if !strings.HasPrefix(text, "/") || !strings.HasSuffix(text, "/") {
		return text
	}
	return strings.TrimSuffix(EarlierPath, "/index.json") + text + "SKILL.md"
}

// resolve makes a reference absolute, against the final URL of the index.
func (r *reader) resolve(n parse.Node, text string) string {
	err := urlref.CheckLink(text)
	ref, parseErr := url.Parse(text)
	switch {
	case err != nil:
		r.Report(ruleURL, n, "the URL %q cannot be used: %s", text, err)
		return ""
	case parseErr != nil:
		r.Report(ruleURL, n, "the URL %q cannot be used", text)
		return ""
	case urlref.ClimbsUp(text):
		r.Report(ruleURL, n, "the URL %q leads upwards; the skill cannot be loaded", text)
		return ""
	case ref.Scheme == "" && r.base == nil:
		return ""
	case ref.Scheme == "":
		ref = r.base.ResolveReference(ref)
	}
	if ref, err = urlref.AbsoluteURL(ref.String()); err != nil {
		r.Report(ruleURL, n, "the URL %q cannot be used: %s", text, err)
		return ""
	}
	switch {
	case ref.Scheme != "https":
		r.Report(ruleURLScheme, n, "the URL does not start with https://")
	case ref.Fragment != "":
		r.Report(ruleURLFragment, n, "the URL %q has a fragment; it was dropped", text)
	}
	at := urlref.TidyURL(ref)
	if r.base != nil && at == urlref.TidyURL(r.base) {
		r.Report(ruleURL, n, "the URL %q is that of the index itself", text)
		return ""
	}
	return at
}

// fromFiles returns the URL of a skill of version 0.1.0: SKILL.md in the directory
// with the skill's name, next to the index.
func (r *reader) fromFiles(entry parse.Node, id string, c *wayfind.Capability) string {
	parse.SetExtension(&c.Extensions, "files", entry.Get("files"))
	found := false
	for i, file := range r.Strings(entry, "files", parse.Must, sec010) {
		if err := urlref.CheckLink(file); err != nil || urlref.ClimbsUp(file) || strings.HasPrefix(file, "/") || strings.Contains(file, ":") {
			r.Report(ruleFile, entry.Get("files").Index(i), "the file %q is no path below the directory of the skill", file)
			continue
		}
		found = found || file == "SKILL.md"
	}
	if !found {
		r.Report(ruleNoSkillFile, entry.Get("files"), "the files of the skill do not include SKILL.md")
		return ""
	}
	if !isName(id) || r.base == nil {
		return "" // such a name must not become part of a path
	}
	return urlref.TidyURL(r.base.ResolveReference(&url.URL{Path: "./" + id + "/SKILL.md"}))
}

// typeOf returns the media type for the type of a skill. known is false if the type is
// not known; such a skill is not loaded.
func (r *reader) typeOf(entry parse.Node, at string, c *wayfind.Capability) (mediaType string, known bool) {
	if !entry.Get("type").Exists() {
		if r.dialect == "0.2.0" {
			r.Missing(entry, "type", parse.Must, secSkills)
		}
		if archive := archiveType(at); archive != "" {
			return archive, true
		}
		return markdown, true
	}
	kind := r.String(entry, "type", parse.Must, secSkills)
	switch kind {
	case typeSkill:
		return markdown, true
	case typeArchive:
		if archive := archiveType(at); archive != "" {
			return archive, true
		}
		return "application/octet-stream", true
	}
	parse.SetExtension(&c.Extensions, "type", entry.Get("type"))
	if entry.Get("type").Kind() == parse.String {
		r.Report(ruleType, entry.Get("type"), "the type %q is neither %q nor %q; the skill is listed and not loaded", kind, typeSkill, typeArchive)
	}
	return "", false
}

// archiveType returns the media type for the extension of an archive, "" if it is not
// an archive.
func archiveType(at string) string {
	u, err := url.Parse(at)
	if err != nil {
		return ""
	}
	path := strings.ToLower(u.Path)
	switch {
	case strings.HasSuffix(path, ".tar.gz"), strings.HasSuffix(path, ".tgz"):
		return "application/gzip"
	case strings.HasSuffix(path, ".zip"):
		return "application/zip"
	}
	return ""
}

// digest returns the SHA-256 that the bytes of a skill must have, in lower-case
// hexadecimal, and "" if the entry has none. sound is false if the entry has a digest
// that cannot be compared. The skill is then not loaded.
func (r *reader) digest(entry parse.Node, c *wayfind.Capability) (digest string, sound bool) {
	n, other := entry.Get("digest"), entry.Get("sha256")
	switch {
	case n.Exists() && other.Exists():
		digest, sound = r.sum(n, c, "digest")
		if again, fine := r.sum(other, c, "sha256"); fine && sound && again != digest {
			r.Report(ruleDigest, other, "%q and %q differ; the skill is not loaded", "digest", "sha256")
			parse.SetExtension(&c.Extensions, "sha256", other)
			return "", false
		}
		return digest, sound
	case n.Exists():
		return r.sum(n, c, "digest")
	case other.Exists():
		r.Report(ruleDigestMember, other, "the digest stands in %q; it was read as %q", "sha256", "digest")
		return r.sum(other, c, "sha256")
	case r.dialect == "0.2.0":
		r.Report(ruleMissing.At(secDigest), entry, "required member %q is missing; the bytes of the skill cannot be verified", "digest")
	}
	return "", true
}

// sum reads one digest: "sha256:" and 64 hexadecimal digits.
func (r *reader) sum(n parse.Node, c *wayfind.Capability, member string) (digest string, sound bool) {
	text, _ := n.Str()
	digits, prefixed := strings.CutPrefix(strings.ToLower(text), "sha256:")
	if len(digits) != 64 || strings.Trim(digits, "0123456789abcdef") != "" {
		r.Report(ruleDigest, n, "the digest is not %q and 64 hexadecimal digits; the skill is not loaded", "sha256:")
		parse.SetExtension(&c.Extensions, member, n)
		return "", false
	}
	if member == "digest" && (!prefixed || text != strings.ToLower(text)) {
		r.Report(ruleDigestForm, n, "the digest is not written as %q and 64 lower-case hexadecimal digits; it was read so", "sha256:")
	}
	return digits, true
}
