// Package agentskills reads the index of Agent Skills that a site publishes: version
// 0.2.0 at /.well-known/agent-skills/index.json, version 0.1.0 and its first draft at
// /.well-known/skills/index.json, and the SKILL.md files in the index.
//
//	f := agentskills.Format()
//	reading, err := f.Parse(&parse.Input{URL: u, FinalURL: u, Body: index})
//
// The rules come from "Agent Skills Discovery" 0.2.0; diagnostics refer to its
// headings.
//
// # Promises
//
// The structure of a document decides its version before its $schema: most publishers
// write a $schema that no specification defines. Each skill becomes a capability of
// the kind skill_file, whose Artifact has the URL of its bytes and their expected
// digest. A skill that cannot be loaded safely keeps its entry and has no Artifact: a
// skill of an unknown type, a skill without a usable URL, and a skill whose digest is
// not a SHA-256. Each entry with a URL is a Document as well.
//
// Skills are instructions that strangers wrote for a model. Their text is never a
// Description. No part of a skill is run, and no archive is unpacked.
//
// # Not supported
//
// The contents of archives, and links inside a SKILL.md.
package agentskills

import (
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Paths of an index.
const (
	// Path is the path in version 0.2.0.
	Path = "/.well-known/agent-skills/index.json"
	// EarlierPath is the path in version 0.1.0. It is requested if the server has no
	// document at Path.
	EarlierPath = "/.well-known/skills/index.json"
)

// The versions that have rules of their own.
const (
	schema020  = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
	version010 = "0.1.0"
	draft      = "draft"
)

// The headings of the specification.
const (
	secIndex  = "Index Format"
	secSkills = "Skill Entries"
	secDigest = "Digest Verification"
	secArch   = "Archive Distribution"
	sec010    = "Version 0.1.0"
	secFront  = "SKILL.md format"
	secHTTP   = "HTTP Considerations"
)

// name is the name of the format.
const name = "agentskills"

// spec returns the specification that diagnostics refer to.
func spec() wayfind.SpecRef {
	return wayfind.SpecRef{Title: "Agent Skills Discovery 0.2.0", URL: "https://github.com/cloudflare/agent-skills-discovery-rfc"}
}

// skillSpec returns the specification of the files themselves.
func skillSpec() wayfind.SpecRef {
	return wayfind.SpecRef{Title: "Agent Skills", URL: "https://agentskills.io/specification"}
}

// Format returns the format.
func Format() *parse.Format {
	return &parse.Format{
		Name:     name,
		Spec:     spec(),
		Title:    "Agent Skills index: files of instructions by name, each with a digest",
		Rules:    rules(),
		Examples: examples(),
		Marks:    []string{"skills", "$schema"},
		Locations: []parse.Location{
			{Path: Path, Section: secIndex, Accept: "application/json", Note: "version 0.2.0"},
			{Path: EarlierPath, After: Path, Section: sec010, Accept: "application/json", Note: "version 0.1.0"},
		},
		// Cache headers apply. Without them, the lifetime is one hour, which is usual
		// for documents of this kind.
		Cache:  parse.CachePolicy{Default: time.Hour, Section: secHTTP},
		Index:  true,
		Match:  match,
		Parse:  parseIndex,
		Detail: parseSkill,
	}
}

// match recognises an index by its entries: each skill has a name and leads to a file.
// The path of the index and its $schema are considered only if the entries are not
// enough.
func match(in *parse.Input) parse.Claim {
	if isSkillFile(in) {
		return parse.Claim{Level: parse.Likely, Dialect: parse.DialectDetail}
	}
	root, err := in.JSONThatFits()
	if err != nil {
		return parse.Claim{}
	}
	skills := root.Get("skills")
	if skills.Kind() != parse.Array {
		return parse.Claim{}
	}
	schema, _ := root.Get("$schema").Str()
	marked := strings.Contains(schema, "agentskills.io")
	here := in.URL != nil && strings.HasSuffix(in.URL.Path, "skills/index.json")
	if !marked && isCard(root) && (!here || skills.Index(0).Get("id").Exists()) {
		return parse.Claim{}
	}
	switch listed := skills.Len() == 0 || described(skills); {
	case marked && listed, skills.Sampled(leadsToFile) > 0:
		return parse.Claim{Level: parse.Exact, Dialect: dialectOf(in, root)}
	case here && listed:
		return parse.Claim{Level: parse.Likely, Dialect: dialectOf(in, root)}
	}
	return parse.Claim{}
}

// isCard recognises documents of agents, whose skills are of another kind. The marks
// of an index take precedence.
func isCard(root parse.Node) bool {
	return root.Get("url").Kind() == parse.String || root.Get("supportedInterfaces").Kind() == parse.Array || root.Get("protocolVersion").Kind() == parse.String
}

// leadsToFile reports whether an entry has a name and a location.
func leadsToFile(entry parse.Node) bool {
	if entry.Get("name").Kind() != parse.String {
		return false
	}
	return entry.Get("url").Exists() || entry.Get("path").Kind() == parse.String || entry.Get("files").Kind() == parse.Array
}

// described reports whether the first entry of a list has a name and a description.
func described(skills parse.Node) bool {
	first := skills.Index(0)
	return first.Get("name").Kind() == parse.String && first.Get("description").Kind() == parse.String
}

// dialectOf returns the version of an index by its entries: entries of 0.1.0 have
// files, and entries of the first draft have directories. Without either, the place of
// the index decides.
func dialectOf(in *parse.Input, root parse.Node) string {
	if root.Get("$schema").Exists() {
		return "0.2.0"
	}
	for i := range min(root.Get("skills").Len(), parse.MaxSampled) {
		entry := root.Get("skills").Index(i)
		switch path, _ := entry.Get("path").Str(); {
		case entry.Get("url").Exists():
			return "0.2.0"
		case entry.Get("files").Exists():
			return version010
		case strings.HasSuffix(path, "/"):
			return draft
		}
	}
	if in.URL != nil && in.URL.Path == EarlierPath {
		return version010
	}
	return "0.2.0"
}
