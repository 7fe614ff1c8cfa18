package resolve

// Reasons of VerdictSkipped that are not codes of errors. The other reasons are
// wayfind.CodeDeadline, CodeCrowded, CodeOffline, CodeRobots and CodeRobotsUnreachable, and CodeCrossSite
// for a link to another site.
const (
	ReasonBudget     = "budget"      // too many URLs for one Resolve
	ReasonForeign    = "foreign"     // too many requests to other sites for one call
	ReasonDepth      = "depth"       // too many links in a row: see client.Limits
	ReasonRefused    = "refused"     // a link to a URL that may not be requested
	ReasonFirstMatch = "first_match" // something was found before
	ReasonHost       = "host"        // the place leads to the site's own host, where it is asked
	ReasonPace       = "pace"        // the site asks for a longer pause than the caller waits for
)

// ReasonAside is the reason of VerdictOtherFormat for a page that was asked only for what formats read
// beside documents, such as links. It need not be a document.
const ReasonAside = "aside"
