package resolve

import "github.com/wayfindhq/wayfind"

// Rule is one line of the table of verdicts, for people: docs/FORMATS.md shows
// it. Keep is the same table for programs.
type Rule struct {
	Verdict wayfind.Verdict
	// When it is given.
	When string
	// Means says whether a document is there: "yes", "no" or "unknown".
	Means string
	// Remembered says for how long.
	Remembered string
}

// Rules returns the table in the order of wayfind.Verdicts.
func Rules() []Rule {
	const asResponse = "as the response says, between 10 minutes and 24 hours"
	return []Rule{
		{wayfind.VerdictFound, "a document that a format reads", "yes", "as HTTP says, else the format's default"},
		{wayfind.VerdictAbsent, "404, 410, 204, or a document that says no", "no", "as the response says, at least 10 minutes and at most 24 hours; 24 hours where it does not say; longer where the format says so"},
		{wayfind.VerdictSoft404, "200 with a web page, or with what this server shows for any path", "no", asResponse},
		{wayfind.VerdictUnrecognised, "200 with something nobody claims; stray statuses", "no", asResponse},
		{wayfind.VerdictOtherFormat, "200 with a document of another kind", "no", asResponse},
		{wayfind.VerdictMalformed, "200 with something that cannot be read: broken, too large, undecodable", "no", "10 minutes"},
		{wayfind.VerdictEndpointLike, "400, 405, 406, 415", "unknown", "1 hour"},
		{wayfind.VerdictProtected, "401, 402, 403", "unknown", "10 minutes"},
		{wayfind.VerdictBlocked, "a firewall answers", "unknown", "10 minutes"},
		{wayfind.VerdictThrottled, "429, or 503 with Retry-After", "unknown", "until Retry-After; without one 60 seconds, doubling; at most 24 hours"},
		{wayfind.VerdictUnreachable, "DNS, connection, TLS, time-out, truncation, other 5xx", "unknown", "30 seconds, doubling to 10 minutes; 5 minutes for a name that does not exist"},
		{wayfind.VerdictRefused, "our policy refuses: an address, a redirect", "unknown", "10 minutes; the refusal is decided anew each time"},
		{wayfind.VerdictSkipped, "not asked: deadline, budget, first match, robots.txt, offline", "unknown", "not remembered"},
	}
}
