package discover

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// maxUnasked is the number of links without a request that a Site lists one by one. Catalogues can
// name tens of thousands.
const maxUnasked = 100

// frontier is the state of the links that a run has met.
type frontier struct {
	// seen contains the URLs that were asked or will be, in one spelling each. It includes
	// redirects, because a document must not lead to itself by a detour.
	seen map[string]bool
	// counted is the number of outcomes of the run that are in seen.
	counted int
	// promised contains the digests that links name for the bytes at a URL, by its key. If several
	// links lead to a document, each digest applies, so that their order does not matter.
	promised map[string][]string
	// deep contains the diagnostics about indexes that lead too far.
	deep []wayfind.Diagnostic
	// unasked is the number of links without a request.
	unasked int
	// left are the first links that are not followed, each URL once, and known are their URLs.
	left  []leftLink
	known map[string]bool
}

// leftLink is a link that is not followed, with the reason.
type leftLink struct {
	link   places.Candidate
	reason string
}

// leave records links that are not followed. A document that leads to several parts of another one
// names it once.
func (f *frontier) leave(reason string, links []places.Candidate) {
	for i := range links {
		key := places.KeyOf(links[i].URL)
		if f.known[key] || len(f.left) >= maxUnasked {
			continue
		}
		if f.known == nil {
			f.known = map[string]bool{}
		}
		f.known[key] = true
		f.left = append(f.left, leftLink{links[i], reason})
	}
}

// leaveForeign records the links of a document none of whose alternatives may be asked. canonical has
// the URLs that may.
func (f *frontier) leaveForeign(at reading.At, list []places.Candidate, canonical map[string]string) {
	next := map[string]string{} // the alternative after a URL
	for i := range list {
		for _, u := range list[i].After {
			next[u] = list[i].URL
		}
	}
	for i := range list {
		u := list[i].URL
		if len(list[i].After) > 0 {
			continue
		}
		may := canonical[u] != ""
		for steps := 0; !may && next[u] != "" && steps < len(list); steps++ {
			u = next[u]
			may = canonical[u] != ""
		}
		if may {
			continue
		}
		reason := string(wayfind.CodeCrossSite)
		if _, err := at.ParseURL(list[i].URL); err != nil {
			reason = resolve.ReasonRefused
		}
		f.leave(reason, list[i:i+1])
	}
}

// see adds the places of a plan and all outcomes so far. It is called only if there are links,
// because most sites have no links.
func (f *frontier) see(plan []places.Candidate, done []*Outcome) {
	if f.seen == nil {
		f.seen = make(map[string]bool, len(plan))
		for i := range plan {
			if len(plan[i].After) == 0 && plan[i].Else == "" && !plan[i].Conventional {
				f.add(plan[i].URL)
			}
		}
	}
	for _, o := range done[f.counted:] {
		if o.isUnfollowed() {
			continue
		}
		f.add(o.Candidate.URL)
		for _, u := range o.Probe.Redirects {
			f.add(u)
		}
	}
	f.counted = len(done)
}

// add adds a URL. It reports whether the URL is new.
func (f *frontier) add(ref string) bool {
	key := places.KeyOf(ref)
	known := f.seen[key]
	f.seen[key] = true
	return !known
}

// promise records the digests that a link names.
func (f *frontier) promise(link *places.Candidate) {
	if len(link.SHA256) == 0 {
		return
	}
	key := places.KeyOf(link.URL)
	if f.promised == nil {
		f.promised = map[string][]string{}
	}
	if have := f.promised[key]; !slices.Contains(have, link.SHA256[0]) {
		f.promised[key] = append(have, link.SHA256[0])
	}
}

// digests returns the digests that the bytes behind a link must have.
func (f *frontier) digests(link *places.Candidate) []string {
	if link.From == "" || len(f.promised) == 0 {
		return nil
	}
	return f.promised[places.KeyOf(link.URL)]
}

// endOfPages tells that the next page of a list is not requested.
func (f *frontier) endOfPages(from *places.Candidate, links []parse.Link) {
	if from.Pages >= places.MaxPages && slices.ContainsFunc(links, func(l parse.Link) bool { return l.Page }) {
		f.deep = append(f.deep, ruleFollowPages.Beyond("pages", 0, places.MaxPages).Diagnostic(from.URL, "the list has more pages than the %d that are read", places.MaxPages+1))
	}
}

// joined returns the waiting candidates and the new ones. A new link replaces a waiting one with
// the same URL.
func joined(waiting, more []*places.Candidate) []*places.Candidate {
	again := make(map[string]bool, len(more))
	for i := range more {
		again[more[i].URL] = true
	}
	return append(slices.DeleteFunc(waiting, func(c *places.Candidate) bool { return again[c.URL] }), more...)
}

// notes returns diagnostics about links that were not followed.
func (f *frontier) notes(origin string) []wayfind.Diagnostic {
	if f.unasked == 0 {
		return f.deep
	}
	return append(slices.Clip(f.deep), ruleFollowBudget.Beyond("links without a request", f.unasked, maxUnasked).Diagnostic(origin, "%d links are not followed: the requests of one call are spent", f.unasked))
}

var (
	ruleFollowBudget = parse.Rule{Code: "follow.budget", Severity: wayfind.SeverityInfo,
		Means: "The documents of the site link to more documents than one call requests. The others are listed and were not read.",
		Mend:  "List the most important documents first, on the host of the list."}
	ruleFollowPages = parse.Rule{Code: "follow.pages", Severity: wayfind.SeverityInfo,
		Means: "A list has more pages than one call reads. The others were not read.",
		Mend:  "Put more entries on a page."}
	ruleFollowDepth = parse.Rule{Code: "follow.depth", Severity: wayfind.SeverityInfo,
		Means: "Catalogues lead to catalogues over more than three levels. The deeper levels were not read.",
		Mend:  "List the documents in fewer levels."}
)
