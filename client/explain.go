package client

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// Explain says what a code of wayfind.Diagnostic means to a publisher, and how
// to mend it. The Rule's Code is the whole code, "adp.base_url_slash" for
// example. list are the formats that read the document; nil is formats.All().
// ok is false for a code that nobody explains, such as that of a format without
// Rules.
func Explain(code string, list []*parse.Format) (rule parse.Rule, ok bool) {
	if list == nil {
		list = formats.All()
	}
	if r, ok := ruleOf(code, Rules()); ok {
		return r, true
	}
	prefix, name, _ := strings.Cut(code, ".")
	for _, f := range list {
		if f.Name != prefix {
			continue
		}
		if r, ok := ruleOf(name, slices.Concat(f.Rules, parse.ReaderRules())); ok {
			r.Code = code
			return r, true
		}
	}
	return parse.Rule{}, false
}

// ruleOf finds the rule of a code.
func ruleOf(code string, rules []parse.Rule) (parse.Rule, bool) {
	i := slices.IndexFunc(rules, func(r parse.Rule) bool { return r.Code == code })
	if i < 0 {
		return parse.Rule{}, false
	}
	return rules[i], true
}

// Rules explain the codes that belong to no format, whole and in alphabetical
// order: what is said about any document, about how it was served, and about
// the target.
func Rules() []parse.Rule {
	list := slices.Concat(documentRules(), answerRules(), pinRules(), signatureRules(), textRules())
	slices.SortFunc(list, func(a, b parse.Rule) int { return strings.Compare(a.Code, b.Code) })
	return list
}

// documentRules are for documents that cannot be read or used: "document." and
// the wayfind.Code of the reason.
func documentRules() []parse.Rule {
	return []parse.Rule{
		{Code: "describe.alternative", Means: "Another document describes the same call, and its details could not be read.",
			Mend: "Serve the document that the message names, or drop the link to it."},
		{Code: "document.encoding", Means: "The body is not encoded as its `Content-Encoding` says, or in a way that was not asked for.",
			Mend: "Serve the document plain or with sound gzip."},
		{Code: "document.html", Means: "The document is a web page.",
			Mend: "Serve the document itself, not a page that shows it."},
		{Code: "document.invalid_utf8", Means: "The text holds bytes that are not UTF-8.",
			Mend: "Save the document as UTF-8."},
		{Code: "document.json_depth", Means: "The JSON is nested deeper than 64 levels.",
			Mend: "Nest less deeply."},
		{Code: "document.json_duplicate", Means: "A member name stands twice in one JSON object, and readers differ on which one counts.",
			Mend: "Keep one of the two members."},
		{Code: "document.json_syntax", Means: "The document is not JSON.",
			Mend: "Write JSON at the place that the message names: no comments, no comma after the last value, names and text in double quotes."},
		{Code: "document.json_trailing", Means: "Something follows the end of the JSON value.",
			Mend: "Drop what follows, and serve one value in each document."},
		{Code: "document.limit", Means: "The document goes beyond a limit of size or number, which the message names.",
			Mend: "Make the document smaller, or divide it."},
		{Code: "document.panic", Means: "Reading the document failed through a mistake of the program, not of the document.",
			Mend: "Report it to the authors of the program, with the document."},
		{Code: "document.schema", Means: "The document can be read and is not of the kind that it was taken for, or it is empty.",
			Mend: "Write the document as the specification of the format says, beginning with its outermost value."},
		{Code: "document.stale", Means: "What is shown is an earlier version of the document, because the site could not or must not be asked again.",
			Mend: "Nothing has to be done in the document; look again when the site answers."},
		{Code: "document.strict", Means: "The document breaks a MUST of its specification, and was refused because strict reading was asked for.",
			Mend: "Mend the other diagnostics of severity error."},
		{Code: "document.too_large", Means: "The document is larger than its format, or the reader, accepts.",
			Mend: "Make the document smaller, and leave details to documents of their own where the format has such."},
		{Code: "document.unusable", Means: "The document can be read, and nothing in it can be used.",
			Mend: "Mend the other diagnostics, those of severity error first."},
		{Code: "document.yaml_duplicate", Means: "A key stands twice in one YAML mapping, and readers differ on which one counts.",
			Mend: "Keep one of the two keys."},
		{Code: "document.yaml_forbidden", Means: "The document uses a part of YAML that is not read, because it makes documents unsafe or ambiguous.",
			Mend: "Write plain mappings, lists and text, without what the message names."},
		{Code: "document.yaml_syntax", Means: "The document is not YAML.",
			Mend: "Write YAML at the place that the message names: indent with blanks, alike on each level, and quote text with colons."},
	}
}

// answerRules are for how documents were served, and for targets.
func answerRules() []parse.Rule {
	return []parse.Rule{
		{Code: "auth.metadata", Means: "A document about how to authenticate could not be had, is none, or is on another site and nobody approved.",
			Mend: "Serve the metadata where it is announced, for the issuer and resource that it is announced for."},
		{Code: "dns.mixed", Means: "The name has private or special addresses beside public ones, and only the public ones were used.",
			Mend: "Publish addresses of a private network in its own name service only."},
		{Code: "endpoint.cross_site", Means: "The document names an MCP endpoint on another site (another registrable domain), which is used only where a user approves.",
			Mend: "Serve the endpoint under the domain of the document."},
		{Code: "http.problem", Means: "The site answers with an error and says what is wrong.",
			Mend: "Read what the site says, and let it serve the document without."},
		{Code: "policy.metadata", Means: "The program was told to allow addresses at which cloud platforms tell a machine its own credentials, so a name that leads there is asked.",
			Mend: "Nothing has to be done in the document; the program should allow narrower ranges."},
		{Code: "policy.unsafe_dial", Means: "The program was told to connect by a function of its caller, so it could not check which address it contacted.",
			Mend: "Nothing has to be done in the document; the caller's function must keep requests out of private networks."},
		{Code: "policy.unsafe_proxy", Means: "The program was told to use a proxy, so the proxy and not the program chose which address was contacted.",
			Mend: "Nothing has to be done in the document; the proxy must keep requests out of private networks."},
		{Code: "redirect.cross_site", Means: "A redirect leads to another site, so what the document says is a claim of that site and proves nothing about this one.",
			Mend: "Serve the document on the site that it is about."},
		{Code: "refresh.failed", Means: "The site could not be asked again, so what was known is shown.",
			Mend: "Nothing has to be done in the document; look again when the site answers."},
		{Code: "robots.unreachable", Means: "`robots.txt` could not be asked for, which crawlers take for a refusal of everything.",
			Mend: "Serve a `robots.txt`, or answer with 404 where there is none."},
		{Code: "search.duplicate", Means: "The registry lists one domain several times.",
			Mend: "List each domain once, with all of its capabilities."},
		{Code: "search.limit", Means: "The registry's answer is longer than anybody reads.",
			Mend: "Answer with the best hits."},
		{Code: "search.target", Means: "The registry lists something that is no public domain, so nobody could ask it.",
			Mend: "List domains, not addresses or names of a private network."},
		{Code: "site.cut", Means: "The documents of the site, put together, have so much of something that not all of it is kept: the message says what.",
			Mend: "Describe each call in one document, and keep lists (scopes, versions, rules with stars) short."},
		{Code: "site.unfinished", Means: "The caller's time was up before what was found could be put together.",
			Mend: "Nothing has to be done in the document; look again with more time."},
		{Code: "target.fragment_dropped", Means: "The target was named with a fragment, which means nothing there.",
			Mend: "Name the domain without the number sign and what follows."},
		{Code: "target.host_homograph", Means: "A part of the host name consists of letters that look like Latin ones and are not.",
			Mend: "Make sure that this is the name you mean."},
		{Code: "target.host_mapped", Means: "The host name was written with characters that stand for others.",
			Mend: "Write the name that the message says it stands for."},
		{Code: "target.query_dropped", Means: "The target was named with a query, which means nothing there.",
			Mend: "Name the domain without the question mark and what follows."},
	}
}

// pinRules are for what a reader has looked at before.
func pinRules() []parse.Rule {
	return []parse.Rule{
		{Code: "pin.added", Means: "A site that the reader has pinned as a whole has something that it did not have.",
			Mend: "Tell your readers what is new; they look at it and pin it."},
		{Code: "pin.mismatch", Means: "A definition is not what the reader has pinned: the message says what changed.",
			Mend: "Tell your readers what changes, and why; they look at it and pin it again."},
		{Code: "pin.rollback", Means: "A signed document has an older version than the one that the reader has pinned.",
			Mend: "Serve the newest version, and raise its number with each change."},
		{Code: "pin.unknown", Means: "Something that the reader has pinned could not be seen, because its document could not be asked.",
			Mend: "Nothing has to be done in the document; look again when the site answers."},
		{Code: "pin.version", Means: "The reader's pin comes from an earlier version and does not cover what the definition refers to.",
			Mend: "Nothing has to be done in the document; the reader pins it again."},
	}
}

// signatureRules are for the signatures of documents, once they were checked:
// "signature." and the wayfind.Code of the reason without its "sig_".
func signatureRules() []parse.Rule {
	return []parse.Rule{
		{Code: "signature.alg", Means: "The signature is of an algorithm that is not accepted, because not only the owner of a private key can sign with it.",
			Mend: "Sign with a private key, for example with `ES256`."},
		{Code: "signature.ambiguous_number", Means: "A number in the document is not the same for all readers, so the signature may be of another one.",
			Mend: "Write integers up to 2^53-1 and no more digits than a double keeps, anything else as text, and sign again."},
		{Code: "signature.domain", Means: "The signature is genuine, and of a document of another site.",
			Mend: "Sign the document of each site with a key of that site, and name endpoints on it."},
		{Code: "signature.header", Means: "The protected header of a signature, or the signature itself, cannot be relied on: the message says why.",
			Mend: "Write `alg`, `kid` and `typ` into the protected header, no `crit` and no `b64`, and encode both parts in base64url without padding."},
		{Code: "signature.invalid", Means: "The key did not sign this document: it was changed afterwards, or signed in another form.",
			Mend: "Sign the document that is served, without `signatures` and in the canonical form of RFC 8785."},
		{Code: "signature.jku", Means: "The key of a signature cannot be had from where its protected header says, or that place must not be asked.",
			Mend: "Serve a JWK Set with the key over https, on the site of the document."},
		{Code: "signature.key", Means: "The key must not be used for the signature: it is of another type, for another use, too weak, or it came with the signature.",
			Mend: "Sign with a key that is made for the algorithm and for signatures, and publish it apart from the document."},
		{Code: "signature.limit", Means: "The document has more signatures than anybody checks.",
			Mend: "Keep no more than eight."},
		{Code: "keys.private", Means: "A key set that the site serves has a private or symmetric key, so every reader can sign with it.",
			Mend: "Take the key out of use, make a new one, and publish its public members only."},
		{Code: "signature.profile", Means: "What was signed is not all of the document: other documents have the same signature.",
			Mend: "Sign the canonical form (RFC 8785) of the document with all required members, also where they are empty."},
		{Code: "signature.unsigned", Means: "The document is not signed, although the reader has a key for its origin.",
			Mend: "Sign the document, or tell your readers that it no longer is."},
		{Code: "signature.unverified", Means: "Nobody here knows the key of a signature, so it was not checked.",
			Mend: "Nothing has to be done in the document; tell your readers which key is yours."},
	}
}

// textRules are for what is said of a text whoever reads it.
func textRules() []parse.Rule {
	return []parse.Rule{
		{Code: "json.bom", Means: "A byte order mark stands before the JSON text, which some readers refuse.",
			Mend: "Save the document without a byte order mark."},
		{Code: "json.case_variant", Means: "The name of a member differs from a known one in upper and lower case only, so it was not taken for that.",
			Mend: "Write the name exactly as the specification does."},
		{Code: "markdown.bom", Means: "A byte order mark stands before the text.",
			Mend: "Save the document without a byte order mark."},
		{Code: "markdown.cut", Means: "The text is longer than is read, so what stands behind the first 256 KiB was left out.",
			Mend: "Write a shorter text with the most important first, and link to pages that hold the rest."},
		{Code: "markdown.front_matter", Means: "The text begins with `---`, and no other such line ends the front matter, so all of it was read as Markdown.",
			Mend: "End the front matter with a line `---`, or drop the first one."},
		{Code: "markdown.too_deep", Means: "A line lies in so many lists and quotes that it was not read.",
			Mend: "Nest lists and quotes less deeply."},
		{Code: "text.confusable", Means: "Two IDs or names look alike and are different, or an ID has blanks that do not show: one can pass for the other.",
			Mend: "Give each thing a name of its own, in letters of one script, without blanks at its ends."},
		{Code: "text.cut", Means: "A text is longer than is kept, and was cut.",
			Mend: "Shorten the text in the field that the message names."},
		{Code: "text.hidden", Means: "A text holds characters that nobody sees, which can hide instructions, or bytes that are not UTF-8; they were removed.",
			Mend: "Drop control, invisible and bidirectional characters from the field that the message names."},
		{Code: "text.injection", Means: "A text reads as if it addressed the model of an agent instead of describing something: it asks to ignore instructions, to keep something from the user, to call or to send something, or it imitates the marks by which prompts are divided. The capability or service is flagged; nothing else changes.",
			Mend: "Describe what is offered and what it does, and leave to the agent what to do with it."},
		{Code: "text.secret", Means: "What looks like a live key, token, password or private key stands in the document, where everybody can read it; it was taken out. A URL that held one is not asked for.",
			Mend: "Withdraw the secret where it was issued, take it out of the document, and write a placeholder such as `YOUR_API_KEY`."},
		{Code: "text.unsafe_url", Means: "A URL is code such as `javascript:`, names a file of the reader, or holds a document or more than 8 KiB of data; it was left out.",
			Mend: "Link to an https URL, and serve pictures there."},
		{Code: "text.url", Means: "A URL is longer than 2,048 bytes or holds characters that nobody sees, and was left out.",
			Mend: "Write a shorter URL, and encode what is not plain ASCII."},
		{Code: "yaml.case_variant", Means: "A key differs from a known one in upper and lower case only, so it was not taken for that.",
			Mend: "Write the key exactly as the specification does."},
	}
}
