package agentskills

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleDigest, ruleDigestForm, ruleDigestMember, ruleDuplicateName, ruleFile, ruleFrontDiffers, ruleFrontKey, ruleFrontMatter, ruleFrontName,
		ruleNamePath, ruleNameSyntax, ruleNoSkillFile, rulePath, ruleSchema, ruleTruncated, ruleType, ruleURL, ruleURLFragment,
		ruleURLScheme,
	}
}

// examples returns example values for members that can be missing.
func examples() map[string]string {
	return map[string]string{
		"$schema":     `"` + schema020 + `"`,
		"description": `"Books a table at the restaurant."`,
		"digest":      `"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"`,
		"files":       `["SKILL.md"]`,
		"name":        `"book-a-table"`,
		"skills":      `[]`,
		"type":        `"skill-md"`,
		"url":         `"/.well-known/agent-skills/book-a-table/SKILL.md"`,
	}
}

// The rules of the index.
var (
	ruleDigest = parse.Rule{Code: "digest", Severity: wayfind.SeverityError, Section: secDigest,
		Means: "The digest of a skill is not a SHA-256, or an entry has two that differ. The skill is listed and cannot be loaded.",
		Mend:  "Write `sha256:` and the 64 hexadecimal digits of the SHA-256 of the file, as `sha256sum` prints them."}
	ruleDigestForm = parse.Rule{Code: "digest_form", Severity: wayfind.SeverityWarning, Section: secDigest,
		Means: "The digest of a skill can be read, but is not written as the specification says.",
		Mend:  "Write `sha256:` and 64 hexadecimal digits in lower case."}
	ruleDigestMember = parse.Rule{Code: "digest_member", Severity: wayfind.SeverityWarning, Section: secDigest,
		Means: "The digest of a skill stands in the member `sha256`, which the specification does not have.",
		Mend:  "Rename the member to `digest`, and write `sha256:` before the digits."}
	ruleDuplicateName = parse.Rule{Code: "duplicate_name", Severity: wayfind.SeverityWarning, Section: secSkills,
		Means: "Two skills have the same name.",
		Mend:  "Give each skill a name of its own."}
	ruleFile = parse.Rule{Code: "file", Severity: wayfind.SeverityError, Section: sec010,
		Means: "An element of `files` is not a path below the directory of the skill.",
		Mend:  "Write paths such as `SKILL.md` and `references/api.md`, without `..` and without a slash at the beginning."}
	ruleNamePath = parse.Rule{Code: "name_path", Severity: wayfind.SeverityError, Section: secSkills,
		Means: "The name of a skill is a path. A program that makes the name of a directory of it writes elsewhere.",
		Mend:  "Write a name of lower-case letters, digits and hyphens, such as `book-a-table`."}
	ruleNameSyntax = parse.Rule{Code: "name_syntax", Severity: wayfind.SeverityError, Section: secSkills,
		Means: "The name of a skill has other characters than lower-case letters, digits and single hyphens between them, or is empty.",
		Mend:  "Write a name such as `book-a-table`."}
	ruleNoSkillFile = parse.Rule{Code: "no_skill_file", Severity: wayfind.SeverityError, Section: sec010,
		Means: "The files of a skill do not include `SKILL.md`, where its instructions are. The skill cannot be loaded.",
		Mend:  "Add `SKILL.md` to `files`."}
	rulePath = parse.Rule{Code: "path", Severity: wayfind.SeverityWarning, Section: secSkills,
		Means: "The place of a skill stands in the member `path`, which a first draft had.",
		Mend:  "Write the URL of the file in `url`."}
	ruleSchema = parse.Rule{Code: "schema", Severity: wayfind.SeverityWarning, Section: secIndex,
		Means: "The `$schema` is not that of a version of the specification. Programs that follow the specification ignore such an index.",
		Mend:  "Write `\"$schema\": \"" + schema020 + "\"`."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: secIndex,
		Means: "The index has more skills than this program reads.",
		Mend:  "List at most 1,000 skills."}
	ruleType = parse.Rule{Code: "type", Severity: wayfind.SeverityWarning, Section: secSkills,
		Means: "The type of a skill is neither `skill-md` nor `archive`. The skill is listed and cannot be loaded.",
		Mend:  "Write `skill-md` for a SKILL.md file, and `archive` for a .tar.gz or .zip file."}
	ruleURL = parse.Rule{Code: "url", Severity: wayfind.SeverityError, Section: secSkills,
		Means: "The URL of a skill cannot be used: it is not a URL or path, leads upwards with `..`, has a user name, or is that of the index. The skill cannot be loaded.",
		Mend:  "Write the https URL of the file, or its path."}
	ruleURLFragment = parse.Rule{Code: "url_fragment", Severity: wayfind.SeverityWarning, Section: secSkills,
		Means: "The URL of a skill has a fragment. A skill is a whole file, so the fragment was dropped.",
		Mend:  "Write the URL of the file, without `#` and the text after it."}
	ruleURLScheme = parse.Rule{Code: "url_scheme", Severity: wayfind.SeverityWarning, Section: secSkills,
		Means: "The URL of a skill does not start with `https://`. Such a file is not loaded.",
		Mend:  "Serve the file over https, and write its URL with `https://`."}
)

// The rules of a SKILL.md.
var (
	ruleFrontDiffers = parse.Rule{Code: "front_differs", Severity: wayfind.SeverityWarning, Section: secSkills,
		Means: "The front matter of a skill has another name or description than its entry in the index.",
		Mend:  "Write the same `name` and `description` in both."}
	ruleFrontKey = parse.Rule{Code: "front_key", Severity: wayfind.SeverityError, Section: secFront,
		Means: "The front matter of a skill has a key that the specification does not define. The reference validator refuses such a skill; programs that read skills ignore the key.",
		Mend:  "Write the value below `metadata`."}
	ruleFrontMatter = parse.Rule{Code: "front_matter", Severity: wayfind.SeverityError, Section: secFront,
		Means: "The front matter of a skill is missing, lacks a name or a description, or is not YAML that can be read safely.",
		Mend:  "Begin the file with a line `---`, the keys `name` and `description`, and another line `---`."}
	ruleFrontName = parse.Rule{Code: "front_name", Severity: wayfind.SeverityError, Section: secFront,
		Means: "The name in the front matter of a skill is not of lower-case letters, digits and single hyphens, or is not the name of the folder that the file is in.",
		Mend:  "Give the folder a name of lower-case letters, digits and hyphens, and write the same in `name`."}
)

// The rules of all formats that this package reports as well.
var (
	ruleMissing = parse.ReaderRule("missing")
	ruleTooLong = parse.ReaderRule("too_long")
)
