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
}

// see adds the places of a plan and all outcomes so far. It is called only if there are links,
// because most sites have no links.
func (f *frontier) see(plan []places.Candidate, done []*Outcome) {
	if f.seen == nil {
		f.seen = make(map[string]bool, len(plan))
		for i := range plan {
			if len(plan[i].After) == 0 {
				f.add(plan[i].URL)
			}
		}
	}
	for _, o := range done[f.counted:] {
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

// follow returns candidates for the links in new documents.
func (r *run) follow(outcomes []*Outcome) []*places.Candidate {
	var more []*places.Candidate
	for _, o := range outcomes {
		deep := 0
		for _, found := range o.Readings {
			from := o.Candidate
			if n := found.Around(); n > 0 {
				from = from.Inside(n)
			}
			list, cut := places.Follow(from, found.Format.Index, r.engine.Opts.Limits.Follow, found.Links, r.engine.Opts.Formats)
			links := r.followed(o, list)
			if from.Robots {
				links = r.fewBeside(links)
			}
			more = append(more, links...)
			deep += cut
			near, _ := places.Follow(from, false, r.engine.Opts.Limits.Follow, r.near(found.Reading), r.engine.Opts.Formats)
			more = append(more, r.fewBeside(r.followed(o, near))...)
		}
		for _, found := range o.Beside {
			list, _ := places.Follow(o.Candidate, found.Format.Index, r.engine.Opts.Limits.Follow, found.Links, r.engine.Opts.Formats)
			more = append(more, r.fewBeside(r.followed(o, list))...)
		}
		if deep > 0 {
			r.frontier.deep = append(r.frontier.deep, ruleFollowDepth.Beyond("indexes within each other", 0, parse.MaxIndexes).Diagnostic(o.Candidate.URL,
				"%d links are not followed: more than %d indexes would stand within each other", deep, parse.MaxIndexes))
		}
	}
	return more
}

// near returns the links to documents near the URLs of a reading, as many as may still be followed.
// A document that is left out here is still requested if another document names it.
func (r *run) near(read *parse.Reading) (links []parse.Link) {
	for _, f := range r.engine.Opts.Formats {
		if f.Near != nil {
			links = append(links, f.Near(read)...)
		}
	}
	return links[:min(len(links), places.MaxBeside-r.beside)]
}

// fewBeside returns as many links of things beside documents as may still be followed. A link to
// another site is not requested, not even through a redirect.
func (r *run) fewBeside(links []*places.Candidate) []*places.Candidate {
	links = links[:min(len(links), places.MaxBeside-r.beside)]
	for i := range links {
		links[i].Limits.SameSiteOnly = true
	}
	r.beside += len(links)
	return links
}

// followed returns the candidates of one reading within the site that are not known yet, each once.
// If a URL may not be asked, its alternative may still be. If a document names a fallback of the
// plan, the fallback is asked at once.
func (r *run) followed(o *Outcome, list []places.Candidate) []*places.Candidate {
	if len(list) == 0 {
		return nil
	}
	r.frontier.see(r.plan, r.done)
	at := r.engine.PlaceOf(o)
	canonical := make(map[string]string, len(list)) // without URLs that may not be asked
	for i := range list {
		if u, err := at.ParseURL(list[i].URL); err == nil && at.Near(u) {
			canonical[list[i].URL] = u.String()
		}
	}
	var more []*places.Candidate
	for i := range list {
		candidate := &list[i]
		candidate.URL, candidate.Led = canonical[candidate.URL], o.led
		r.frontier.promise(candidate)
		if candidate.URL == "" || !r.frontier.add(candidate.URL) {
			continue
		}
		for i, u := range candidate.After {
			candidate.After[i] = canonical[u]
		}
		candidate.After = slices.DeleteFunc(candidate.After, func(u string) bool { return u == "" })
		if i := slices.IndexFunc(r.plan, func(c places.Candidate) bool { return c.URL == candidate.URL }); i >= 0 {
			at := r.plan[i]
			at.After = nil
			candidate = &at
		}
		more = append(more, candidate)
	}
	return more
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

// unasked records candidates for which no request is left. The first links are listed, and the
// others are only counted.
func (r *run) unasked(list []*places.Candidate) {
	for _, candidate := range list {
		if candidate.From != "" {
			if r.frontier.unasked++; r.frontier.unasked > maxUnasked {
				continue
			}
		}
		r.skip([]*places.Candidate{candidate}, resolve.ReasonBudget)
	}
}

// notes returns diagnostics about links that were not followed.
func (f *frontier) notes(origin string) []wayfind.Diagnostic {
	if f.unasked == 0 {
		return f.deep
	}
	return append(slices.Clip(f.deep), ruleFollowBudget.Beyond("links without a request", f.unasked, maxUnasked).Diagnostic(origin, "%d links are not followed: the requests of one call are spent", f.unasked))
}

// listsOnly reports whether an outcome contains only lists of other documents.
func (o *Outcome) listsOnly() bool {
	return !slices.ContainsFunc(o.Readings, func(l reading.Located) bool { return !l.Format.Index })
}

var (
	ruleFollowBudget = parse.Rule{Code: "follow.budget", Severity: wayfind.SeverityInfo,
		Means: "The documents of the site link to more documents than one call requests. The others are listed and were not read.",
		Mend:  "List the most important documents first, on the host of the list."}
	ruleFollowDepth = parse.Rule{Code: "follow.depth", Severity: wayfind.SeverityInfo,
		Means: "Catalogues lead to catalogues over more than three levels. The deeper levels were not read.",
		Mend:  "List the documents in fewer levels."}
)
