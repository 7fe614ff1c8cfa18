package sitecheck

import (
	"fmt"
	"slices"
	"strings"
)

// Level is a level with its rule: all checks of it pass, and those of the levels below.
type Level struct {
	// Level is 1 to 5.
	Level int `json:"level"`
	// Name of the level.
	Name string `json:"name"`
	// Means says what a site of this level is for an agent.
	Means string `json:"means"`
	// Checks are the IDs of the rules that pass at this level.
	Checks []string `json:"checks"`
	// Met: they do, and so do those of all levels below.
	Met bool `json:"met"`
	// Missing are the IDs of those that do not.
	Missing []string `json:"missing,omitempty"`
	// NotAsked are the IDs of rules about the server, which files do not have yet.
	NotAsked []string `json:"notAsked,omitempty"`
}

// lowest is the name of level 0.
const lowest = "Not ready"

// level is a row of the table of levels.
type level struct {
	name, means string
	checks      []string
}

// levels is the table of levels, the lowest first.
var levels = [...]level{
	{"Reachable", "an agent can tell a document from a place where there is none", []string{"well_known", "open", "not_found"}},
	{"Described", "an agent finds a document that was written for it", []string{"described"}},
	{"Correct", "documents say the same to every reader, because they keep their specifications", []string{"correct", "links_lead"}},
	{"Usable", "an agent gets tools for the models of all vendors, and knows how to authenticate", []string{"tools", "authentication"}},
	{"Dependable", "an agent finds everything from one place, knows the wishes of the site, and can keep answers", []string{"index", "ai_rules", "robots_allow", "lifetimes", "agreement"}},
}

// climb finds the level, and the steps to the next one. No level needs the rules that were
// not asked because there is no server.
func (r *Report) climb(unserved []string, blocked bool) {
	met := true
	r.LevelName = lowest
	for i := range levels {
		l := Level{Level: i + 1, Name: levels[i].name, Means: levels[i].means, Checks: levels[i].checks}
		for _, id := range l.Checks {
			switch c := r.Result(id); {
			case slices.Contains(unserved, id):
				l.NotAsked = append(l.NotAsked, id)
			case c == nil || c.Status != Pass:
				l.Missing = append(l.Missing, id)
			}
		}
		next := met && len(l.Missing) > 0
		met = met && len(l.Missing) == 0
		if l.Met = met; met {
			r.Level, r.LevelName = l.Level, l.Name
		}
		if next {
			r.steps(&l, len(unserved) > 0, blocked)
		}
		r.Levels = append(r.Levels, l)
	}
}

// blocker is the rule that comes before all others, whatever its level, if no well-known place may be read:
// a client that obeys robots.txt reads nothing that is published there.
const blocker = "robots_allow"

// isBlocked reports whether robots.txt forbids all well-known places.
func (f *facts) isBlocked() bool {
	places := 0
	for p := range f.placed() {
		if !strings.HasPrefix(pathOf(p.URL), wellKnown) {
			continue
		}
		if !p.RobotsDisallowed {
			return false
		}
		places++
	}
	return places > 0
}

// steps adds the steps to a level. files is true if no server has the documents yet, and blocked if
// robots.txt forbids the well-known places.
func (r *Report) steps(l *Level, files, blocked bool) {
	missing := l.Missing
	if blocked && !slices.Contains(missing, blocker) {
		missing = append([]string{blocker}, missing...)
	}
	for _, id := range missing {
		if c := r.Result(id); c != nil {
			r.Next = append(r.Next, Step{Level: l.Level, Check: id, Text: advice(c, files), Document: c.Document})
		}
	}
}

// advice returns how to pass a check: the reason and the mend, or the mend of each fault.
func advice(c *Result, files bool) string {
	if len(c.Faults) == 0 && c.Why != "" {
		return c.Title + ": " + c.Why + ".\n" + c.Mend
	}
	if len(c.Faults) == 0 {
		return c.Mend
	}
	var lines []string
	for i := range c.Faults {
		f := &c.Faults[i]
		line := f.Source + f.at() + ": " + f.Message + "."
		if i+1 == len(c.Faults) || i+1 == mostAdvice || c.Faults[i+1].Mend != f.Mend { // one mend for several faults stands once
			line += " " + f.Mend
		}
		lines = append(lines, strings.TrimSpace(line))
		if i+1 == mostAdvice {
			break
		}
	}
	if c.Faults[0].Code == "" { // of the site, and not of a document
		if n := len(c.Faults) - mostAdvice; n > 0 {
			lines = append(lines, fmt.Sprintf("%d more are alike.", n))
		}
		return strings.Join(lines, "\n")
	}
	command := "wayfind lint"
	if !files {
		command = lintOf(c.Faults[0].Source)
	}
	lines = append(lines, fmt.Sprintf("%q lists all faults of a document with their lines, and names misspelt members.", command))
	return strings.Join(lines, "\n")
}

// mostAdvice is how many faults a step names.
const mostAdvice = 5
