package merge

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Rules returns the rules about a Site as a whole, sorted by their codes.
func Rules() []parse.Rule {
	return []parse.Rule{ruleCut, ruleFollowDigest, ruleFollowFailed, ruleUnfinished, ruleConfusable}
}

var (
	ruleCut = parse.Rule{Code: "site.cut", Severity: wayfind.SeverityWarning,
		Means: "The documents of the site, taken together, have too many entries of one kind. Some entries were left out. The message says which.",
		Mend:  "Describe each call in one document, and keep lists such as scopes, versions and rules with wildcards short."}
	ruleFollowDigest = parse.Rule{Code: "follow.digest", Severity: wayfind.SeverityError,
		Means: "A document does not have the bytes that a catalogue says it has.",
		Mend:  "Compute the digest in the catalogue again, each time the document changes."}
	ruleFollowFailed = parse.Rule{Code: "follow.failed", Severity: wayfind.SeverityWarning,
		Means: "A catalogue lists a document that could not be read.",
		Mend:  "Serve the document at the URL that the entry names, or remove the entry."}
	ruleUnfinished = parse.Rule{Code: "site.unfinished", Severity: wayfind.SeverityWarning,
		Means: "The caller's time ran out before the documents could be merged.",
		Mend:  "The documents need no change. Ask again with more time."}
	ruleConfusable = parse.Rule{Code: "text.confusable", Severity: wayfind.SeverityWarning,
		Means: "Two IDs or names look alike but are different, or an ID has invisible blanks. A reader can take one for the other.",
		Mend:  "Give each thing a distinct name, in letters of one script, without blanks at its ends."}
)
