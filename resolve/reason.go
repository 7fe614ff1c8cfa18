package resolve

import "github.com/wayfindhq/wayfind"

// Reasons of VerdictSkipped.
const (
	ReasonDeadline = string(wayfind.CodeDeadline) // the caller's time was up
	ReasonRobots   = string(wayfind.CodeRobots)   // robots.txt forbids it
	// ReasonRobotsUnreachable: robots.txt could not be asked for, and counts.
	ReasonRobotsUnreachable = string(wayfind.CodeRobotsUnreachable)
	ReasonOffline           = string(wayfind.CodeOffline) // no site may be asked
	ReasonBudget            = "budget"                    // too many URLs for one Resolve
	ReasonForeign           = "foreign"                   // too many requests to other sites for one call
	ReasonFirstMatch        = "first_match"               // something was found before
	ReasonPace              = "pace"                      // the site wants a longer pause than the caller waits for
)
