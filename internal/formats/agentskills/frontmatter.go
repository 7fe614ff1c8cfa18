package agentskills

import (
	"bytes"
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// maxCompatibility is the largest length of the key "compatibility", in characters.
const maxCompatibility = 500

// The keys of the front matter.
var (
	requiredKeys = []string{"name", "description"}
	optionalKeys = []string{"license", "compatibility", "metadata", "allowed-tools"}
)

// hasFront reports whether a text begins with front matter.
func hasFront(in *parse.Input) bool {
	body := bytes.TrimPrefix(in.Body, []byte("\ufeff"))
	return bytes.HasPrefix(body, []byte("---\n")) || bytes.HasPrefix(body, []byte("---\r\n"))
}

// isSkillFile recognises a SKILL.md by the end of its name and its front matter, which may be broken.
// parseSkill reports the faults.
func isSkillFile(in *parse.Input) bool {
	if in.URL == nil || !strings.HasSuffix(strings.ToLower(in.URL.Path), "skill.md") {
		return false
	}
	text, err := in.Markdown()
	if err != nil {
		return false
	}
	front, err := text.FrontMatter()
	if err == nil {
		return front.Get("name").Kind() == parse.String || front.Get("description").Kind() == parse.String
	}
	written, _ := text.FrontText()
	for line := range strings.Lines(written) {
		if strings.HasPrefix(line, "name:") || strings.HasPrefix(line, "description:") {
			return true
		}
	}
	return false
}

// readFrontMatter reads the front matter of a SKILL.md, and compares it with the
// index. A fault in the front matter does not make the skill unusable.
func readFrontMatter(r *parse.Reader, in *parse.Input, subject, c *wayfind.Capability) error {
	text, err := in.Markdown()
	if err != nil {
		return err
	}
	front, err := text.FrontMatter()
	if err != nil {
		line, reason := parse.SyntaxCause(err)
		r.ReportLine(ruleFrontMatter, line, "the front matter cannot be read: %q", cmp.Or(reason, err.Error()))
		return nil
	}
	if !front.Exists() {
		r.ReportLine(ruleFrontMatter, 0, "the file has no front matter with name and description")
		return nil
	}
	c.Extensions = checkKeys(r, front)
	id, description := textOf(front, "name"), textOf(front, "description")
	checkFolder(r, front.Get("name"), id, in)
	checkLength(r, front.Get("description"), "description", maxDescription)
	checkLength(r, front.Get("compatibility"), "compatibility", maxCompatibility)
	c.ID, c.Name = id, id
	if subject == nil || subject.Description == "" {
		c.Description = description
	}
	if subject != nil {
		c.Name = ""
		differs(r, front.Get("name"), "name", subject.ID)
		differs(r, front.Get("description"), "description", subject.Description)
	}
	return nil
}

// textOf returns the text of a key without the blanks around it.
func textOf(front parse.YAML, key string) string {
	text, _ := front.Get(key).Str()
	return strings.TrimSpace(text)
}

// checkKeys reports keys that are missing, and those that the specification does not define. It returns
// all but the required ones, for the Extensions of the capability.
func checkKeys(r *parse.Reader, front parse.YAML) map[string]parse.Raw {
	more, meant := r.UnknownKeys(front, requiredKeys, slices.Concat(requiredKeys, optionalKeys)...)
	misspelt := slices.Collect(maps.Values(meant))
	for key, value := range front.Members() {
		if _, unknown := more[key]; unknown && !slices.Contains(misspelt, key) {
			r.ReportLine(ruleFrontKey, value.Line(), "the key %q is none of the specification", key)
		}
	}
	for _, key := range requiredKeys {
		if textOf(front, key) == "" && meant[key] == "" {
			r.ReportLine(ruleFrontMatter, cmp.Or(front.Get(key).Line(), front.Line()), "the front matter has no %q", key)
		}
	}
	for _, key := range optionalKeys {
		if value := front.Get(key); value.Exists() {
			if more == nil {
				more = map[string]parse.Raw{}
			}
			more[key] = value.Raw()
		}
	}
	return more
}

// checkFolder reports faults of the name, which is also that of the folder. Letters of all scripts count,
// in the composed form (NFKC).
func checkFolder(r *parse.Reader, n parse.YAML, written string, in *parse.Input) {
	if written == "" {
		return
	}
	id := norm.NFKC.String(written)
	other := func(c rune) bool { return c != '-' && !unicode.IsLetter(c) && !unicode.IsNumber(c) }
	switch {
	case id != strings.ToLower(id):
		r.ReportLine(ruleFrontName, n.Line(), "the name %q has capital letters", written)
	case strings.HasPrefix(id, "-"), strings.HasSuffix(id, "-"), strings.Contains(id, "--"):
		r.ReportLine(ruleFrontName, n.Line(), "the name %q has a hyphen at an end, or two in a row", written)
	case strings.ContainsFunc(id, other):
		r.ReportLine(ruleFrontName, n.Line(), "the name %q has characters other than letters, digits and hyphens", written)
	}
	if count := utf8.RuneCountInString(id); count > maxName {
		r.ReportLine(ruleTooLong.At(secFront), n.Line(), "the name has %d characters, %d at most", count, maxName)
	}
	if in.FinalURL == nil || !strings.EqualFold(path.Base(in.FinalURL.Path), "skill.md") {
		return
	}
	if folder := path.Base(path.Dir(in.FinalURL.Path)); folder != "/" && folder != "." && norm.NFKC.String(folder) != id {
		r.ReportLine(ruleFrontName, n.Line(), "the name %q is not that of the folder, %q", written, folder)
	}
}

// checkLength reports a text that is too long.
func checkLength(r *parse.Reader, n parse.YAML, key string, most int) {
	text, _ := n.Str()
	if count := utf8.RuneCountInString(text); count > most {
		r.ReportLine(ruleTooLong.At(secFront), n.Line(), "the %s has %d characters, %d at most", key, count, most)
	}
}

// differs reports a value in a skill that is not the same as in its index.
func differs(r *parse.Reader, n parse.YAML, key, indexed string) {
	text, ok := n.Str()
	if ok && indexed != "" && strings.Join(strings.Fields(text), " ") != strings.Join(strings.Fields(indexed), " ") {
		r.ReportLine(ruleFrontDiffers, n.Line(), "the %s in the front matter is not that of the index", key)
	}
}
