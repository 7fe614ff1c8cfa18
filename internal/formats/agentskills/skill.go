package agentskills

import (
	"bytes"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// parseSkill reads the bytes of a skill. It reads only the front matter of a SKILL.md,
// and no part of an archive.
func parseSkill(in *parse.Input, subject parse.Subject) (*parse.Reading, error) {
	r := newReader(skillSpec())
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
