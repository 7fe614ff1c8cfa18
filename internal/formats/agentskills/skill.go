package agentskills

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// parseSkill reads the bytes of a skill. It reads only the front matter of a SKILL.md,
// and no part of an archive.
func parseSkill(in *parse.Input, subject parse.Subject) (*parse.Reading, error) {
	r := newReader()
	c := wayfind.Capability{Kind: wayfind.KindSkillFile, Claimed: true}
	if !isArchive(in) {
		if err := readFrontMatter(r, in, subject.Capability, &c); err != nil {
			return nil, err
		}
	}
	if subject.Capability != nil {
		c.ID = subject.Capability.ID
	}
	reading := &parse.Reading{Dialect: parse.DialectDetail}
	if c.ID == "" {
		reading.Unusable = "it does not say which skill it is"
	} else {
		reading.Services = []wayfind.Service{{Capabilities: []wayfind.Capability{c}}}
	}
	reading.Diagnostics = r.Diagnostics()
	return reading, nil
}

// isArchive recognises gzip and zip by their first bytes.
func isArchive(in *parse.Input) bool {
	return bytes.HasPrefix(in.Body, []byte("\x1f\x8b")) || bytes.HasPrefix(in.Body, []byte("PK\x03\x04"))
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
	}
	more, meant := r.UnknownKeys(front, nil, "name", "description")
	c.Extensions = more
	for _, key := range [...]string{"name", "description"} {
		if text, _ := front.Get(key).Str(); front.Exists() && text == "" && !slices.Contains(meant, key) {
			r.ReportLine(ruleFrontMatter, cmp.Or(front.Get(key).Line(), front.Line()), "the front matter has no %q", key)
		}
	}
	c.ID, _ = front.Get("name").Str()
	c.Name = c.ID
	description, _ := front.Get("description").Str()
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

// differs reports a value in a skill that is not the same as in its index.
func differs(r *parse.Reader, n parse.YAML, key, indexed string) {
	text, ok := n.Str()
	if ok && indexed != "" && strings.Join(strings.Fields(text), " ") != strings.Join(strings.Fields(indexed), " ") {
		r.ReportLine(ruleFrontDiffers, n.Line(), "the %s in the front matter is not that of the index", key)
	}
}
