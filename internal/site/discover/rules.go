package discover

import (
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/parse"
)

// The rules of this module in addition to RFC 9111: the lifetime of a verdict, and the times when
// not to ask at all. A request is the cache.Rules of its answer.

var ruleStale = parse.Rule{Code: "document.stale", Severity: wayfind.SeverityWarning,
	Means: "The result shows an earlier version of the document, because the site could not or must not be asked again.",
	Mend:  "The document needs no change. Ask again when the site answers."}

// staleNote returns a diagnostic if a document is used past its freshness, with the reason.
func staleNote(u string, facts cache.Facts) []wayfind.Diagnostic {
	why := ""
	switch facts.StaleReason {
	case "":
		return nil
	case cache.StaleError:
		why = "the site could not be asked"
	case cache.StaleHeld:
		why = "the site must not be asked yet"
	case cache.StaleFloor:
		why = "its format allows one request in a while"
	case cache.StaleRevalidating:
		why = "it allows that, and is asked for meanwhile"
	default:
		why = "no request is allowed"
	}
	return []wayfind.Diagnostic{ruleStale.Diagnostic(u, "this is an earlier answer; it was fresh until %s, and %s", facts.FreshUntil.UTC().Format(time.RFC3339), why)}
}

// formatsFor returns the formats whose rules bind an answer: the formats that claimed its content,
// or else the formats that claim the place.
func formatsFor(doc *reading.Contents, candidate *places.Candidate) []*parse.Format {
	if list := doc.Formats(); len(list) > 0 {
		return list
	}
	return candidate.Formats
}

var ruleForbidden = parse.Rule{Code: "redirect.forbidden", Severity: wayfind.SeverityInfo,
	Means: "A place redirects, and its format forbids clients to follow. It counts as a place without a document.",
	Mend:  "Serve the document at the place itself, or answer 404 there if you have none."}

var ruleCrossSite = parse.Rule{Code: "redirect.cross_site", Severity: wayfind.SeverityWarning,
	Means: "A redirect leads to another site. The document is a claim of that site and proves nothing about this one.",
	Mend:  "Serve the document on the site that it describes."}

var ruleRefreshFailed = parse.Rule{Code: "refresh.failed", Severity: wayfind.SeverityWarning,
	Means: "The site could not be asked again. The result is an earlier answer.",
	Mend:  "The document needs no change. Ask again when the site answers."}
