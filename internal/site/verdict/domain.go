package verdict

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// A domain is a sum of its places. This file is the table of what one place adds to it: for the kind
// of the place, the verdict and the reason, whether it decides, and whether it leaves the Site
// incomplete. Package merge adds up.

// Place is a kind of place.
type Place int

const (
	// WellKnown is a place that is named for agents alone.
	WellKnown Place = iota
	// Shared is a place with a name that other programs use too: "/agent.json".
	Shared
	// Ordinary is a path that an application may use for itself: "/agents".
	Ordinary
	// Linked is a place that a document names.
	Linked
	// Chosen is a place that the caller named.
	Chosen
	// RobotsTxt is the robots.txt of the origin.
	RobotsTxt
	// Canary is a page that cannot exist.
	Canary
	places
)

// Places returns all kinds of places.
func Places() []Place {
	list := make([]Place, places)
	for i := range list {
		list[i] = Place(i)
	}
	return list
}

func (p Place) String() string {
	return [...]string{"well-known", "`/agent.json`", "ordinary", "linked", "named by the caller", "robots.txt", "canary"}[p]
}

// Effect is what a place does to its domain.
type Effect int

const (
	// Offers means that the domain has a document.
	Offers Effect = iota + 1
	// Absent means that it is known that nothing is there.
	Absent
	// Nothing means that the place is no evidence about the domain.
	Nothing
	// Decides means that the answer is that of the domain if nothing was found.
	Decides
	// Wall is Decides if another place has a wall too, or if absence is not known.
	Wall
	// Silent is Decides if absence is not known for most of the places that are named for agents.
	Silent
	// Refuses is Decides if no place that is named for agents was asked.
	Refuses
)

func (e Effect) String() string {
	return [...]string{"", "found", "absent", "–", "decides", "decides with a second wall", "decides if most are silent", "decides if nothing was asked"}[e]
}

// Lack reports whether a place without an answer leaves the Site incomplete.
type Lack int

const (
	Never Lack = iota
	// Always means that the place can be asked later.
	Always
	// WithOthers is Always if the request had no answer at all, or if another place has the same
	// verdict. If one path of an application fails, it is the business of the application.
	WithOthers
)

func (l Lack) String() string {
	return [...]string{"", "incomplete", "incomplete with a second one"}[l]
}

// Part is what a verdict on a place adds to the sum.
type Part struct {
	Effect Effect
	Lack   Lack
	// Err is the kind of the error if the place decides. It is nil if it cannot.
	Err error
}

// parts are the Parts of a verdict by Place.
type parts [places]Part

// exception are the Parts for some reasons of a verdict.
type exception struct {
	codes []wayfind.Code
	err   error
	parts parts
}

func all(e Effect) parts {
	var p parts
	for i := range p {
		p[i] = Part{Effect: e}
	}
	p[RobotsTxt], p[Canary] = Part{Effect: Nothing}, Part{Effect: Nothing}
	return p
}

func (p parts) at(kind Place, e Effect, l Lack) parts {
	p[kind] = Part{Effect: e, Lack: l}
	return p
}

// absentParts are about the answer that nothing is there. A link that leads nowhere says nothing
// about the domain.
func absentParts() parts { return all(Absent).at(Linked, Nothing, Never) }

// brokenParts are about a document that cannot be read.
func brokenParts() parts { return all(Decides).at(Shared, Nothing, Never).at(Ordinary, Nothing, Never) }

// silentParts are about a place that gave no answer, and that may give one later.
func silentParts(ordinary Lack) parts {
	p := all(Silent)
	for i := range p[:RobotsTxt] {
		p[i].Lack = Always
	}
	return p.at(Ordinary, Nothing, ordinary).at(Chosen, Decides, Always)
}

// wallParts are about a firewall.
func wallParts() parts {
	return silentParts(WithOthers).at(WellKnown, Wall, Always).at(Shared, Wall, Always).at(Ordinary, Wall, WithOthers).
		at(Linked, Wall, Always).at(RobotsTxt, Wall, Never).at(Canary, Decides, Never)
}

// lostParts are about redirects that lead in circles, or to nothing that is a URL. They are the site's
// doing, and not a policy.
func lostParts() parts {
	return all(Silent).at(Ordinary, Nothing, Never).at(Linked, Nothing, Never).at(Chosen, Decides, Never)
}

// refusedParts are about a policy that forbids the request.
func refusedParts() parts { return all(Refuses).at(Linked, Nothing, Never).at(Chosen, Decides, Never) }

// domainRow is the line of the table for one verdict.
type domainRow struct {
	verdict wayfind.Verdict
	parts   parts
	but     []exception
}

var domainRows = [...]domainRow{
	{verdict: wayfind.VerdictFound, parts: all(Offers)},
	// A redirect that a format forbids is no evidence that other places are absent.
	{verdict: wayfind.VerdictAbsent, parts: absentParts(), but: []exception{
		{codes: []wayfind.Code{wayfind.CodeRedirectLimit, wayfind.CodeRedirectCrossSite}, parts: all(Nothing)},
	}},
	{verdict: wayfind.VerdictSoft404, parts: absentParts()},
	{verdict: wayfind.VerdictUnrecognised, parts: absentParts()},
	{verdict: wayfind.VerdictOtherFormat, parts: absentParts()},
	{verdict: wayfind.VerdictMalformed, parts: brokenParts()},
	{verdict: wayfind.VerdictTooLarge, parts: brokenParts()},
	{verdict: wayfind.VerdictEndpointLike, parts: all(Nothing)},
	{verdict: wayfind.VerdictProtected, parts: all(Decides).at(Ordinary, Nothing, Never)},
	{verdict: wayfind.VerdictBlocked, parts: wallParts()},
	{verdict: wayfind.VerdictThrottled, parts: silentParts(WithOthers)},
	{verdict: wayfind.VerdictUnreachable, parts: silentParts(WithOthers), but: []exception{
		{codes: []wayfind.Code{wayfind.CodeDNSNotFound}, parts: silentParts(WithOthers).at(Linked, Nothing, Never)},
	}},
	{verdict: wayfind.VerdictRefused, parts: refusedParts(), but: []exception{
		{codes: []wayfind.Code{wayfind.CodeRedirectLoop, wayfind.CodeRedirectLimit, wayfind.CodeRedirectLocation}, err: wayfind.ErrUnreachable, parts: lostParts()},
	}},
	{verdict: wayfind.VerdictSkipped, parts: all(Nothing), but: []exception{
		{codes: []wayfind.Code{wayfind.CodeRobots}, err: wayfind.ErrRefused, parts: refusedParts()},
		{codes: []wayfind.Code{wayfind.CodeDeadline, wayfind.CodeCanceled, wayfind.CodeCrowded, wayfind.CodeOffline, wayfind.CodeRobotsUnreachable}, err: wayfind.ErrUnreachable, parts: silentParts(Always)},
	}},
}

// Line is a line of the table: a verdict, and the reasons for which it differs, if there are any.
type Line struct {
	Verdict wayfind.Verdict
	Reasons []string
}

// Lines returns the lines of the table.
func Lines() (list []Line) {
	for _, row := range domainRows {
		list = append(list, Line{Verdict: row.verdict})
		for _, e := range row.but {
			line := Line{Verdict: row.verdict}
			for _, code := range e.codes {
				line.Reasons = append(line.Reasons, string(code))
			}
			list = append(list, line)
		}
	}
	return list
}

// String returns the part in words.
func (p Part) String() string {
	if p.Lack == Never {
		return p.Effect.String()
	}
	return strings.TrimPrefix(p.Effect.String()+", "+p.Lack.String(), "–, ")
}

// PartOf returns what a verdict, for a reason, on a place of a kind adds to the sum. An unknown verdict
// is treated as skipped.
func PartOf(kind Place, v wayfind.Verdict, reason string) Part {
	row := &domainRows[len(domainRows)-1]
	for i := range domainRows {
		if domainRows[i].verdict == v {
			row = &domainRows[i]
		}
	}
	for _, e := range row.but {
		if slices.Contains(e.codes, wayfind.Code(reason)) {
			return e.parts[kind].of(e.err, v)
		}
	}
	return row.parts[kind].of(nil, v)
}

func (p Part) of(err error, v wayfind.Verdict) Part {
	if p.Err = err; err == nil {
		p.Err = v.Kind()
	}
	return p
}
