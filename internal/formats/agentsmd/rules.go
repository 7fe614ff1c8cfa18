package agentsmd

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rules returns the rules of the format, in alphabetical order of their codes.
func rules() []parse.Rule {
	return []parse.Rule{
		ruleAuth, ruleConflict, ruleContact, ruleDuplicateID, ruleDuplicateItem, ruleEndpoint, ruleEndpointRelative,
		ruleFlatFrontMatter, ruleFrontMatter, ruleHiddenHeading, ruleIdentity, ruleLongItem, ruleMCPConflict,
		ruleMCPSection, ruleMCPTwice, ruleNoList, ruleNothingSaid, ruleSecondTitle, ruleTransport, ruleTruncated,
		ruleVersion,
	}
}

// The rules of the format.
var (
	ruleAuth = parse.Rule{Code: "auth", Severity: wayfind.SeverityWarning, Section: "§3",
		Means: "The authentication of the MCP gateway is not one of the three words of the protocol.",
		Mend:  "Write `none`, `api_key` or `oauth2` in `auth`, in lower case."}
	ruleConflict = parse.Rule{Code: "conflict", Severity: wayfind.SeverityWarning, Section: "§8",
		Means: "A statement appears under both Can and Cannot. It was left out of the capabilities.",
		Mend:  "Keep it in one of the two sections."}
	ruleContact = parse.Rule{Code: "contact", Severity: wayfind.SeverityInfo, Section: "§3",
		Means: "The Contact section holds no text.",
		Mend:  "Write a mail address or a URL below the heading, or delete the heading."}
	ruleDuplicateID = parse.Rule{Code: "duplicate_id", Severity: wayfind.SeverityInfo, Section: "§3",
		Means: "Two statements differ only in punctuation or in upper and lower case. They have the same ID.",
		Mend:  "Reword one of the two."}
	ruleDuplicateItem = parse.Rule{Code: "duplicate_item", Severity: wayfind.SeverityWarning, Section: "§3",
		Means: "A statement appears twice under Can. The second was left out.",
		Mend:  "Remove one of the two."}
	ruleEndpoint = parse.Rule{Code: "endpoint", Severity: wayfind.SeverityError, Section: "§3",
		Means: "The endpoint of the MCP gateway is not a usable URL.",
		Mend:  "Write a whole `https://` URL in `endpoint`."}
	ruleEndpointRelative = parse.Rule{Code: "endpoint_relative", Severity: wayfind.SeverityWarning, Section: "§3",
		Means: "The endpoint of the MCP gateway is a relative URL. Its meaning depends on where the file was found.",
		Mend:  "Write the whole URL, with `https://` and the host."}
	ruleFlatFrontMatter = parse.Rule{Code: "flat_front_matter", Severity: wayfind.SeverityWarning, Section: "App. B",
		Means: "The fields of `mcp` in the front matter are not indented. YAML therefore reads them as fields of the document.",
		Mend:  "Indent `endpoint`, `transport` and `auth` by two spaces below `mcp:`."}
	ruleFrontMatter = parse.Rule{Code: "front_matter", Severity: wayfind.SeverityError, Section: "§2",
		Means: "The front matter is not YAML. It was not read.",
		Mend:  "Correct the line in the message. Indent with spaces instead of tabs, and quote text that contains a colon."}
	ruleHiddenHeading = parse.Rule{Code: "hidden_heading", Severity: wayfind.SeverityWarning, Section: "§3",
		Means: "A heading looks like a heading of the protocol, but it contains invisible characters.",
		Mend:  "Delete the heading and type it again."}
	ruleIdentity = parse.Rule{Code: "identity", Severity: wayfind.SeverityInfo, Section: "§3",
		Means: "No heading of level 1 names the site.",
		Mend:  "Begin the text with `# ` and the name of the site."}
	ruleLongItem = parse.Rule{Code: "long_item", Severity: wayfind.SeverityInfo, Section: "§2",
		Means: "A list item under Can is much longer than a statement.",
		Mend:  "Shorten it to one sentence, and explain the details elsewhere."}
	ruleMCPConflict = parse.Rule{Code: "mcp_conflict", Severity: wayfind.SeverityWarning, Section: "§3",
		Means: "Two places name different MCP gateways. The first one counts.",
		Mend:  "Name the gateway in one place, the front matter or an MCP section."}
	ruleMCPSection = parse.Rule{Code: "mcp_section", Severity: wayfind.SeverityError, Section: "§3",
		Means: "The fields of an MCP section are not plain YAML. Most programs cannot read them.",
		Mend:  "Write `endpoint`, `transport` and `auth` below the heading, each with a colon on a line of its own, without list markers, code fences or other text."}
	ruleMCPTwice = parse.Rule{Code: "mcp_twice", Severity: wayfind.SeverityInfo, Section: "§3",
		Means: "Two MCP sections name the same gateway.",
		Mend:  "Delete one of the two."}
	ruleNoList = parse.Rule{Code: "no_list", Severity: wayfind.SeverityWarning, Section: "§2",
		Means: "A section that should list statements has no list. Paragraphs under Can do not count as capabilities.",
		Mend:  "Write each statement as a list item that begins with a dash."}
	ruleNothingSaid = parse.Rule{Code: "nothing_said", Severity: wayfind.SeverityError, Section: "§3",
		Means: "No section says what agents can or cannot do, and no MCP gateway is named.",
		Mend:  "Add a section `## Can` with a list of what agents can do, or name the gateway in the front matter."}
	ruleSecondTitle = parse.Rule{Code: "second_title", Severity: wayfind.SeverityWarning, Section: "§3",
		Means: "The file has more than one heading of level 1. Only the first names the site.",
		Mend:  "Write the other headings with two number signs."}
	ruleTransport = parse.Rule{Code: "transport", Severity: wayfind.SeverityWarning, Section: "§3",
		Means: "The transport of the MCP gateway is not one of the two words of the protocol.",
		Mend:  "Write `streamable-http` or `sse` in `transport`."}
	ruleTruncated = parse.Rule{Code: "truncated", Severity: wayfind.SeverityWarning, Section: "§3",
		Means: "Can has more statements than this program reads.",
		Mend:  "List at most 1,000 statements."}
	ruleVersion = parse.Rule{Code: "version", Severity: wayfind.SeverityError, Section: "§8",
		Means: "The version of the protocol in the front matter is not 1.x.",
		Mend:  "Write the version that the document follows, in quotes, as in `version: \"1.0\"`, or leave it out."}
)

// The rules of all formats that this package reports as well.
var (
	ruleDotSegments    = parse.ReaderRule("dot_segments")
	ruleEndpointHost   = parse.ReaderRule("endpoint_host")
	ruleEndpointScheme = parse.ReaderRule("endpoint_scheme")
	ruleMissing        = parse.ReaderRule("missing")
	ruleWrongType      = parse.ReaderRule("wrong_type")
)
