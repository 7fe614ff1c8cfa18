package reading

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Rules returns the rules of documents of every format, in no order.
func Rules() []parse.Rule { return slices.Concat(documentRules(), inlineRules(), textRules()) }

// DocumentRule returns the rule for a document that could not be read or used. Its code is
// "document." and the reason, which is the wayfind.Code of an error.
func DocumentRule(reason string) parse.Rule {
	code := "document." + reason
	list := documentRules()
	if i := slices.IndexFunc(list, func(r parse.Rule) bool { return r.Code == code }); i >= 0 {
		return list[i]
	}
	return parse.Rule{Code: code, Severity: wayfind.SeverityError,
		Means: "The document could not be read. The message says why.",
		Mend:  "Fix the fault that the message names, or try again later."}
}

func documentRules() []parse.Rule {
	return []parse.Rule{
		ruleEncoding, ruleForeign, ruleHTML, ruleInvalidUTF8, ruleJSONDepth, ruleJSONDuplicate, ruleJSONSyntax, ruleJSONTrailing, ruleLimit, rulePanic,
		ruleSchema, ruleStrict, ruleTooLarge, ruleUnusable, ruleYAMLDuplicate, ruleYAMLForbidden, ruleYAMLSyntax,
	}
}

func textRules() []parse.Rule {
	return []parse.Rule{rulePriceUnit, ruleProblem, ruleTextCut, ruleTextHidden, ruleTextInjection, ruleTextSecret, ruleTextUnsafeURL, ruleTextURL}
}

// The rules about documents that cannot be read or used.
var (
	ruleEncoding = parse.Rule{Code: "document.encoding", Severity: wayfind.SeverityError,
		Means: "The body is not encoded as its `Content-Encoding` says, the encoding was not asked for, or the body is compressed and no `Content-Encoding` says so.",
		Mend:  "Serve the document without an encoding, or with valid gzip and `Content-Encoding: gzip`."}
	ruleForeign = parse.Rule{Code: "document.foreign", Severity: wayfind.SeverityError,
		Means: "The document uses names of a format but is not of that format. The message names the member that shows it.",
		Mend:  "Follow the specification of the format, beginning with the member that the message names, or remove the document."}
	ruleHTML = parse.Rule{Code: "document.html", Severity: wayfind.SeverityError,
		Means: "The document is a web page.",
		Mend:  "Serve the document itself, not a page that shows it."}
	ruleInvalidUTF8 = parse.Rule{Code: "document.invalid_utf8", Severity: wayfind.SeverityError,
		Means: "The text holds bytes that are not UTF-8.",
		Mend:  "Save the document as UTF-8."}
	ruleJSONDepth = parse.Rule{Code: "document.json_depth", Severity: wayfind.SeverityError,
		Means: "The JSON is nested deeper than 64 levels.",
		Mend:  "Use fewer levels."}
	ruleJSONDuplicate = parse.Rule{Code: "document.json_duplicate", Severity: wayfind.SeverityError,
		Means: "A JSON object has two members of the same name. Readers disagree about which one counts.",
		Mend:  "Remove one of the two members."}
	ruleJSONSyntax = parse.Rule{Code: "document.json_syntax", Severity: wayfind.SeverityError,
		Means: "The document is not JSON.",
		Mend:  "Write JSON at the place that the message names: no comments, no comma after the last value, names and text in double quotes."}
	ruleJSONTrailing = parse.Rule{Code: "document.json_trailing", Severity: wayfind.SeverityError,
		Means: "Something follows the end of the JSON value.",
		Mend:  "Remove everything after the first value. A document holds one value."}
	ruleLimit = parse.Rule{Code: "document.limit", Severity: wayfind.SeverityError,
		Means: "The document exceeds a limit of size or number. The message names the limit.",
		Mend:  "Make the document smaller, or divide it."}
	rulePanic = parse.Rule{Code: "document.panic", Severity: wayfind.SeverityError,
		Means: "The program failed while it read the document. The fault is in the program, not in the document.",
		Mend:  "Report the failure to the authors of the program, and attach the document."}
	ruleSchema = parse.Rule{Code: "document.schema", Severity: wayfind.SeverityError,
		Means: "The document can be read, but it is empty or does not have the structure of its format.",
		Mend:  "Follow the specification of the format, beginning with the outermost value."}
	ruleStrict = parse.Rule{Code: "document.strict", Severity: wayfind.SeverityError,
		Means: "The document breaks a MUST of its specification. Strict reading refuses such a document.",
		Mend:  "Fix the other diagnostics of severity error."}
	ruleTooLarge = parse.Rule{Code: "document.too_large", Severity: wayfind.SeverityError,
		Means: "The document is larger than its format or the reader accepts.",
		Mend:  "Make the document smaller. Move details to separate documents where the format has them."}
	ruleUnusable = parse.Rule{Code: "document.unusable", Severity: wayfind.SeverityError,
		Means: "The document can be read, but nothing in it can be used.",
		Mend:  "Fix the other diagnostics, beginning with those of severity error."}
	ruleYAMLDuplicate = parse.Rule{Code: "document.yaml_duplicate", Severity: wayfind.SeverityError,
		Means: "A YAML mapping has the same key twice. Readers disagree about which one counts.",
		Mend:  "Remove one of the two keys."}
	ruleYAMLForbidden = parse.Rule{Code: "document.yaml_forbidden", Severity: wayfind.SeverityError,
		Means: "The document uses a part of YAML that makes documents unsafe or ambiguous. Such documents are not read.",
		Mend:  "Use plain mappings, lists and text. Remove the construct that the message names."}
	ruleYAMLSyntax = parse.Rule{Code: "document.yaml_syntax", Severity: wayfind.SeverityError,
		Means: "The document is not YAML.",
		Mend:  "Correct the YAML at the place that the message names. Indent each level equally with spaces, and quote text that contains a colon."}
)

// The rules about texts and URLs in any document, and about answers.
var (
	ruleProblem = parse.Rule{Code: CodeProblem, Severity: wayfind.SeverityInfo, Section: "§3.1",
		Means: "The site answered with an error and a description of the error.",
		Mend:  "Read the description, and fix the cause on the site."}
	ruleTextCut = parse.Rule{Code: "text.cut", Severity: wayfind.SeverityWarning,
		Means: "A text is too long. Its end was cut off.",
		Mend:  "Shorten the text in the field that the message names."}
	ruleTextHidden = parse.Rule{Code: "text.hidden", Severity: wayfind.SeverityWarning,
		Means: "A text holds invisible characters, which can hide instructions, or bytes that are not UTF-8. They were removed.",
		Mend:  "Remove control, invisible and bidirectional characters from the field that the message names."}
	ruleTextInjection = parse.Rule{Code: "text.injection", Severity: wayfind.SeverityWarning,
		Means: "A text seems to address the model of an agent instead of describing something. It asks to ignore instructions, to hide something from the user, to call or to send something, or it imitates the delimiters of prompts. The capability or service is flagged. Nothing else changes.",
		Mend:  "Describe the offer and its effect. Leave its use to the agent."}
	ruleTextSecret = parse.Rule{Code: "text.secret", Severity: wayfind.SeverityWarning,
		Means: "The document seems to contain a live key, token, password or private key, which every reader of the document can use. It was taken out, and a URL that held one is not asked for.",
		Mend:  "Withdraw the secret where it was issued, take it out of the document, and write a placeholder such as `YOUR_API_KEY`."}
	ruleTextUnsafeURL = parse.Rule{Code: "text.unsafe_url", Severity: wayfind.SeverityWarning,
		Means: "A URL contains code (such as `javascript:`), names a file on the reader's machine, or holds a document or more than 8 KiB of data. It was left out.",
		Mend:  "Link to an https URL, and serve pictures there."}
	ruleTextURL = parse.Rule{Code: "text.url", Severity: wayfind.SeverityError,
		Means: "A URL is longer than 2,048 bytes or holds invisible characters. It was left out.",
		Mend:  "Shorten the URL, and percent-encode every character that is not ASCII."}
)

func inlineRules() []parse.Rule {
	return []parse.Rule{ruleInlineCut, ruleInlineDepth, ruleInlineDigest, ruleInlineUnread}
}

// The rules about documents inside others.
var (
	ruleInlineCut = parse.Rule{Code: "inline.cut", Severity: wayfind.SeverityWarning,
		Means: "The catalogues inside a catalogue have more entries than this program reads.",
		Mend:  "List at most 1,000 entries in one document, and the others in documents of their own."}
	ruleInlineDepth = parse.Rule{Code: "inline.depth", Severity: wayfind.SeverityWarning,
		Means: "Catalogues stand inside catalogues over more than three levels. The deeper levels were not read.",
		Mend:  "List the documents in fewer levels."}
	ruleInlineDigest = parse.Rule{Code: "inline.digest", Severity: wayfind.SeverityError,
		Means: "A document inside another one does not have the digest that stands beside it. It was not read.",
		Mend:  "Compute the SHA-256 of the document's canonical form (RFC 8785) again."}
	ruleInlineUnread = parse.Rule{Code: "inline.unread", Severity: wayfind.SeverityInfo,
		Means: "A document inside another one is of no format that is read.",
		Mend:  "No change is needed if other clients read it."}
)
