package sitecheck

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/internal/web/wall"
)

// wellKnown is the folder of well-known places (RFC 8615).
const wellKnown = "/.well-known/"

// reachRules are about the way to the site: whether it lets programs in, and about absent places.
func reachRules() []Rule {
	return []Rule{
		{
			ID: "well_known", Group: groupReach, Title: "The folder /.well-known/ can be read", Spec: rfc("8615", "§3"),
			Asks: "all places of discovery; a path that cannot exist, where they refuse", Passes: "no rule of the server refuses all paths below /.well-known/, while it answers for others",
			Gain:  "An agent reads the documents of this folder, in which most standards have their places.",
			Mend:  "Find the rule that forbids names that begin with a dot, and leave /.well-known/ out of it.",
			judge: judgeWellKnown, server: true,
		},
		{
			ID: "open", Group: groupReach, Title: "Clients are let in", Spec: rfc("9110", "§15.5.4"),
			Asks: "all places of discovery", Passes: "no firewall, captcha, login or page for consent answers instead of the site, and the site answers at one place at least",
			Gain:  "An agent reads the answer of the site instead of a page for browsers.",
			Mend:  "Let clients that are no browsers reach /.well-known/ and the documents behind it, without a challenge.",
			judge: judgeOpen, server: true,
		},
		{
			ID: "not_found", Group: groupReach, Title: "Absent places answer 404", Spec: rfc("9110", "§15.5.5"),
			Asks: "all places of discovery", Passes: "places without a document answer 404 or 410, and no status answers at several of them instead",
			Gain:     "An agent knows that there is nothing, and does not ask again for some time.",
			Mend:     "Answer 404 below /.well-known/, and for each path that the site does not have.",
			Scanners: "Scanners judge each file by itself. Here one page with status 200 fails the server, because it makes every absence doubtful.",
			judge:    judgeNotFound, server: true,
		},
		{
			ID: "robots_allow", Group: groupReach, Title: "robots.txt lets agents read the documents", Spec: rfc("9309", "§2.2.2"),
			Asks: "/robots.txt, for this client", Passes: "no rule forbids a place of discovery or an address of a tool",
			Gain:  "A client that obeys robots.txt reads the documents that were written for it.",
			Mend:  "Add `Allow: /.well-known/`, and the paths of the documents and of the API, to the group that forbids them.",
			judge: judgeAllowed,
		},
	}
}

// judgeWellKnown fails if all places below /.well-known/ refuse alike, while absent places elsewhere are
// plainly absent. Discovery has asked for a path there that cannot exist, if the places were refused.
func judgeWellKnown(f *facts) finding {
	var inside []*wayfind.Probe
	var outside *wayfind.Probe
	for p := range f.placed() {
		switch in := strings.HasPrefix(pathOf(p.URL), wellKnown); {
		case in && !isRefusing(p):
			return passes("")
		case in:
			inside = append(inside, p)
		case isPlainlyAbsent(p):
			outside = p
		}
	}
	if f.isSilent() {
		return finding{status: Unanswered, why: "see open"}
	}
	if len(inside) < 2 || outside == nil || slices.ContainsFunc(inside, func(p *wayfind.Probe) bool { return p.Status != inside[0].Status }) {
		return passes("")
	}
	first, also := inside[0], ""
	if slices.ContainsFunc(inside, isBait) {
		also = ", also for a path that cannot exist"
	}
	out := fails(fmt.Sprintf("the server answers %d for all %d places below %s%s, and %d for %s", first.Status, len(inside), wellKnown, also, outside.Status, f.short(outside.URL)), first.URL)
	out.mend = f.setting(setupDot, first)
	if w := wall.Said(first.Error); w.Is() {
		out.mend = w.Advice()
	}
	return out
}
func judgeOpen(f *facts) finding {
	var walls, closed, late, failed []*wayfind.Probe
	answered := 0
	for p := range f.asked() {
		switch {
		case p.Verdict == wayfind.VerdictBlocked:
			walls = append(walls, p)
		case p.Verdict == wayfind.VerdictProtected:
			closed = append(closed, p)
		case p.Verdict == wayfind.VerdictThrottled:
			late = append(late, p)
		case p.Verdict.Answered() && pathOf(p.URL) != "/robots.txt": // which is often open where nothing else is
			answered++
		case p.Verdict == wayfind.VerdictUnreachable:
			failed = append(failed, p)
		}
	}
	switch {
	case len(walls) > 0:
		return f.walled(walls)
	case answered == 0 && len(closed) > 0:
		return f.says(Fail, unlessStatus(setupClosed, closed[0], http.StatusPaymentRequired, setupPaid), closed)
	case len(late) > 1 || answered == 0 && len(late) > 0:
		return f.says(Unanswered, unlessStatus(setupPause, late[0], http.StatusTooManyRequests, setupLimited), late)
	case answered == 0 && len(failed) > 0:
		return f.says(Unanswered, unlessStatus(setupDown, failed[0], 0, setupSilent), failed)
	case answered == 0:
		return finding{status: Unanswered, why: "no place gave an answer"}
	}
	if led := f.led(); led != nil {
		return *led
	}
	return passes(fmt.Sprintf("%s gave an answer", humanize.Count(answered, "place")))
}

// unlessStatus returns the kind of a set-up, which is another one if a place has a status.
func unlessStatus(of setup, p *wayfind.Probe, status int, other setup) setup {
	if p.Status == status {
		return other
	}
	return of
}

// walled is the finding of a site behind a wall. The wall is named if an answer proves it.
func (f *facts) walled(list []*wayfind.Probe) finding {
	first := list[0]
	who := wall.Said(first.Error)
	named := "a firewall answers instead of the site"
	if who.Is() {
		named = who.String()
	}
	out := fails(fmt.Sprintf("%s at %s, first %s%s", named, humanize.Count(len(list), "place"), f.short(first.URL), status(first)), first.URL)
	out.mend = who.Advice()
	return out
}

// says is the finding of places that answer with one kind of status.
func (f *facts) says(s Status, of setup, list []*wayfind.Probe) finding {
	list = ofOneStatus(list)
	first := list[0]
	why := fmt.Sprintf("%s with status %d, first %s", humanize.Plural(len(list), "place answers", "places answer"), first.Status, f.short(first.URL))
	switch {
	case of == setupHome || of == setupLogin || of == setupAway:
		why = leads(f, list)
	case first.Status == 0:
		why = fmt.Sprintf("%s no answer, first %s%s", humanize.Plural(len(list), "place gives", "places give"), f.short(first.URL), reason(first))
	}
	return finding{status: s, why: why, places: []string{first.URL}, mend: f.setting(of, first)}
}

// ofOneStatus returns the places that have the status of the first place with one.
func ofOneStatus(list []*wayfind.Probe) []*wayfind.Probe {
	status := 0
	for _, p := range list {
		status = cmp.Or(status, p.Status)
	}
	return slices.DeleteFunc(slices.Clone(list), func(p *wayfind.Probe) bool { return p.Status != status })
}

// led is the finding if every place leads to another host, or to the login of the site. It is nil for any
// other site.
func (f *facts) led() *finding {
	var list []*wayfind.Probe
	for p := range f.placed() {
		of := redirected(f, p)
		switch {
		case of == setupAway || of == setupLogin:
			list = append(list, p)
		case p.Format != "robots" && !isUnfollowed(p):
			return nil
		}
	}
	if len(list) < 2 {
		return nil
	}
	out := f.says(Fail, redirected(f, list[0]), list)
	return &out
}

// leads says where places redirect to.
func leads(f *facts, list []*wayfind.Probe) string {
	to := list[0].Redirects[len(list[0].Redirects)-1]
	return fmt.Sprintf("%s to %s, which shows a page for people", humanize.Plural(len(list), "place redirects", "places redirect"), f.short(withoutQuery(to)))
}

func judgeNotFound(f *facts) finding {
	absent, walls := 0, 0
	groups := map[group][]*wayfind.Probe{}
	for p := range f.placed() {
		of, enough := f.wrong(p)
		switch {
		case isPlainlyAbsent(p) && p.Verdict != wayfind.VerdictSoft404:
			absent++
		case p.Verdict == wayfind.VerdictBlocked:
			walls++
		case of != "":
			g := group{of, p.Status, enough}
			groups[g] = append(groups[g], p)
		}
	}
	if worst := worstOf(groups, absent > 0); worst.of != "" {
		return f.says(Fail, worst.of, groups[worst])
	}
	switch {
	case absent > 0:
		return passes("")
	case walls > 0:
		return finding{status: Unanswered, why: "see open"}
	}
	return finding{status: Unanswered, why: "no place without a document gave an answer"}
}

// group are places whose answers are wrong in one way. alone: one of them is enough to fail the server.
type group struct {
	of     setup
	status int
	alone  bool
}

// worstOf returns the largest group that fails the server. A single place may have a reason of its own, and
// so may content that no format reads, if other places are plainly absent.
func worstOf(groups map[group][]*wayfind.Probe, absent bool) (worst group) {
	for g, list := range groups {
		if !g.alone && (len(list) < 2 || absent && g.status == http.StatusOK) {
			continue
		}
		if n, most := len(list), len(groups[worst]); worst.of == "" || n > most || n == most && fmt.Sprint(g) < fmt.Sprint(worst) {
			worst = g
		}
	}
	return worst
}

// wrong returns the set-up that gives a wrong answer for a place without a document, "" if it is right or
// says nothing. alone: such an answer is never given for a document.
func (f *facts) wrong(p *wayfind.Probe) (of setup, alone bool) {
	switch {
	case p.Verdict == wayfind.VerdictSoft404:
		return f.page(p)
	case isBait(p):
		return setupDenied, true
	case p.Status == http.StatusNoContent:
		return setupOdd, true
	case p.Verdict == wayfind.VerdictUnrecognised:
		return setupOdd, false
	case p.Verdict == wayfind.VerdictBlocked || p.Verdict == wayfind.VerdictThrottled:
		return "", false
	}
	switch p.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return setupDenied, false
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusUnsupportedMediaType:
		return setupMethod, false
	}
	if p.Status >= http.StatusInternalServerError {
		return setupBroken, false
	}
	return "", false
}

// page returns the set-up that shows a page for a place without a document.
func (f *facts) page(p *wayfind.Probe) (of setup, alone bool) {
	switch of := redirected(f, p); {
	case f.isMistyped(p):
		return "", false
	case of != "":
		return of, true
	case p.Reason == string(wayfind.CodeHTML):
		return setupShell, true
	}
	return setupOdd, true
}

func judgeAllowed(f *facts) finding {
	var forbidden []string
	for i := range f.Site.Probes {
		if p := &f.Site.Probes[i]; p.RobotsDisallowed {
			forbidden = append(forbidden, p.URL)
		}
	}
	for _, c := range f.Site.Capabilities() {
		if c.RobotsDisallowed && c.Invocation != nil {
			forbidden = append(forbidden, c.Invocation.URL+c.Invocation.Template)
		}
	}
	if len(forbidden) > 0 {
		return fails(fmt.Sprintf("%s, first %s", humanize.Plural(len(forbidden), "address is forbidden", "addresses are forbidden"), f.short(forbidden[0])), forbidden[0])
	}
	return passes("")
}
