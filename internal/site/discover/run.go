package discover

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/live"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/provenance"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/cards"
)

// run is the state of one Resolve.
type run struct {
	engine  *Engine
	session *Session
	key     FlightKey
	site    resolve.Target      // whose places are asked: see settle
	moves   int                 // of site
	leads   []*places.Candidate // two places of site that may lead to another host
	scouted map[string]*scout   // the requests for the leads, by URL
	scouts  sync.WaitGroup      // of these requests
	plan    []places.Candidate
	emit    func(*Outcome)
	with    Credentialed // nil for a public result

	budget   places.Budget
	done     []*Outcome
	canaried bool
	frontier frontier
	beside   int // followed links that are beside documents or in robots.txt
	// forbidden are places of convention that robots.txt forbids. They are skipped when no link is left that
	// could lead there.
	forbidden []*places.Candidate
}

// ask asks the URL of the target first, and then the places of the plan, unless the URL is all that the
// caller named.
func (r *run) ask(ctx context.Context) {
	ctx, leave := context.WithCancel(ctx)
	defer r.scouts.Wait()
	defer leave() // what a lead still brings is not needed
	plan, sign := r.askEntry(ctx, r.askRules(ctx))
	if len(plan) > 0 {
		r.askPlaces(ctx, plan)
	}
	if sign == hint && (r.engine.Opts.Typed || r.engine.isOwnServer(r.key.Target)) && !r.isDirectory() {
		r.askServer(ctx)
	}
}

// askPlaces works through the plan at the site's own host.
func (r *run) askPlaces(ctx context.Context, plan []*places.Candidate) {
	found := r.found()
	if !found || !r.engine.Opts.FirstMatch {
		plan = r.settle(ctx, plan)
	}
	r.askPlan(ctx, plan, found)
	for r.moves < maxMoves {
		r.standIn()
		to := r.leadTo(r.done)
		if to == "" {
			return
		}
		r.askPlan(ctx, r.move(ctx, to, slices.Clone(r.done)), found)
	}
}

// askPlan works through a plan: all of it at once, or one format after another until a document was
// found.
func (r *run) askPlan(ctx context.Context, plan []*places.Candidate, found bool) {
	if !r.engine.Opts.FirstMatch {
		r.waves(ctx, plan)
		return
	}
	for i, f := range r.engine.Opts.Formats {
		var own []*places.Candidate
		r.budget.Kept = 0
		for _, candidate := range plan {
			linked := candidate.Depth > 0 && i == 0
			switch {
			case r.outcome(candidate.URL) != nil:
			case linked || slices.Contains(candidate.Formats, f):
				own = append(own, candidate)
			case slices.ContainsFunc(r.engine.Opts.Formats[i:], func(f *parse.Format) bool { return slices.Contains(candidate.Formats, f) }):
				r.budget.Kept++
			}
		}
		if !found {
			r.waves(ctx, own)
			found = r.found()
			continue
		}
		r.skip(own, resolve.ReasonFirstMatch)
	}
}

// found reports whether a document was found that is no list of other documents alone.
func (r *run) found() bool {
	return slices.ContainsFunc(r.done, func(o *Outcome) bool { return o.isDocument() && !o.listsOnly() })
}

// askRules requests robots.txt by itself if it governs the other places, and returns the rest of
// the plan. If robots.txt is only reported, it is requested first under FirstMatch, which might
// otherwise stop before it.
func (r *run) askRules(ctx context.Context) []*places.Candidate {
	i := slices.IndexFunc(r.plan, func(c places.Candidate) bool { return c.Robots })
	if i < 0 || !r.engine.Opts.Robots.Enforce && !r.engine.Opts.FirstMatch {
		return pointers(r.plan)
	}
	rules := r.session.RulesOf(ctx, r.site.Origin)
	r.done = append(r.done, rules)
	r.budget.Left--
	r.emit(rules)
	return append(slices.Delete(pointers(r.plan), i, i+1), r.follow([]*Outcome{rules})...)
}

// waves asks the primaries at once, and then the places that their answers permit: fallbacks,
// links, the canary.
func (r *run) waves(ctx context.Context, pending []*places.Candidate) {
	for first := true; ; first = false {
		ready, later := r.split(pending, first)
		if !r.canaried && r.doubtful() && r.outcome(r.canaryURL(wellKnown)) == nil {
			r.canaried = true
			ready = append(ready, r.canary(wellKnown, r.canaryAccept()))
		}
		ready = append(ready, r.canariesOfRefusals(ready)...)
		if len(ready) == 0 {
			break
		}
		before := len(r.done)
		later = append(later, r.wave(ctx, ready, later)...)
		pending = joined(later, r.follow(r.done[before:]))
	}
	r.skip(slices.DeleteFunc(r.forbidden, func(c *places.Candidate) bool { return r.outcome(c.URL) != nil }), string(wayfind.CodeRobots))
	r.forbidden = nil
	r.judgeSoft404()
	r.judgeRefusals()
}

// split separates the candidates that may be asked now from those that wait for another answer.
// Candidates that can no longer become ready are dropped: a fallback is not asked if its primary
// was there. Places that are asked last are not in the first wave, unless it has no other places.
func (r *run) split(pending []*places.Candidate, first bool) (ready, later []*places.Candidate) {
	var last []*places.Candidate
	ready = make([]*places.Candidate, 0, len(pending))
	for _, candidate := range pending {
		switch may, open := Permitted(candidate, r.done); {
		case candidate.Conventional && leadsTo(pending, candidate.Formats):
			later = append(later, candidate) // the owner may have named the documents of the format
		case (may || candidate.Beside) && candidate.Conventional && r.forbids(candidate.URL):
			r.forbidden = append(r.forbidden, candidate)
		case may && len(candidate.Unless) > 0:
			last = append(last, candidate)
		case may:
			ready = append(ready, candidate)
		case open:
			later = append(later, candidate)
		}
	}
	if !first || len(ready) == 0 {
		// Places come before links, which share the rest of the budget.
		links := slices.IndexFunc(ready, func(c *places.Candidate) bool { return c.Depth > 0 })
		if links < 0 {
			links = len(ready)
		}
		ready, last = slices.Insert(ready, links, last...), nil
	}
	if len(ready) == 0 {
		return nil, nil
	}
	return ready, append(later, last...)
}

// leadsTo reports whether one of the candidates is a link to a document of one of the formats.
func leadsTo(candidates []*places.Candidate, formats []*parse.Format) bool {
	return slices.ContainsFunc(candidates, func(c *places.Candidate) bool {
		return c.From != "" && slices.ContainsFunc(c.Formats, func(f *parse.Format) bool { return slices.Contains(formats, f) })
	})
}

// forbids reports whether robots.txt forbids a URL. It is obeyed at places of convention even if it is only
// reported elsewhere: no specification says that publishers offer a document there.
func (r *run) forbids(u string) bool {
	return slices.ContainsFunc(r.done, func(o *Outcome) bool { return o.Candidate.Robots && o.Forbids(u) })
}

func (r *run) outcome(u string) *Outcome { return OutcomeAt(r.done, u) }

// wave asks candidates at once and waits for all answers. If there is no connection to the target
// yet, the first candidate makes it before the others of the target are asked. The answers are kept
// in the order of the plan, so that the next steps do not depend on the order of arrival. It returns
// the candidates that the budget has no room for before the waiting places are settled.
func (r *run) wave(ctx context.Context, ready, waiting []*places.Candidate) []*places.Candidate {
	now, wait, never := r.budget.Take(ready, waiting)
	e := Event{Kind: kindWave, Target: r.key.Target.Origin, Places: len(now)}
	ctx, part := r.engine.Observe(ctx, e)
	defer part.End(e)
	var wg sync.WaitGroup
	answers := make([]*Outcome, len(now))
	session, first := r.opening(now)
	led := make(chan struct{})
	ask := func(i int) {
		candidate := now[i]
		candidate.SHA256 = r.frontier.digests(candidate)
		wg.Go(func() {
			answers[i] = r.engine.outcomeOf(candidate, func() *Outcome { return r.forCaller(r.askOnce(ctx, session, candidate)) })
			r.emit(answers[i])
			if i == first {
				close(led)
			}
		})
	}
	var others []int // of the target
	for _, i := range onceFirst(now) {
		candidate := now[i]
		if session.opening != nil && i != first && r.isOfTarget(candidate) {
			others = append(others, i)
			continue
		}
		ask(i)
	}
	session.opening.Wait(led)
	for _, i := range others {
		ask(i)
	}
	wg.Wait()
	r.done = append(r.done, answers...)
	r.unasked(never)
	return wait
}

// onceFirst returns the indices of candidates in the order in which they are asked: those first that
// may be asked only once, because a server that has too many requests refuses the last ones.
func onceFirst(wave []*places.Candidate) []int {
	order := make([]int, len(wave))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := asksOnce(wave[a]), asksOnce(wave[b]); {
		case x == y:
			return 0
		case x:
			return -1
		}
		return 1
	})
	return order
}

// asksOnce reports whether each request counts, because a format of the place has a floor.
func asksOnce(c *places.Candidate) bool {
	return slices.ContainsFunc(c.Formats, func(f *parse.Format) bool { return f.Cache.Floor > 0 })
}

// opening returns the session of a wave. If several candidates need the first connection to the
// target, first is the index of the one that makes it, and the session has an Opening.
func (r *run) opening(wave []*places.Candidate) (session *Session, first int) {
	first = slices.IndexFunc(wave, r.isOfTarget)
	if first < 0 || !slices.ContainsFunc(wave[first+1:], r.isOfTarget) {
		return r.session, -1
	}
	u, err := wave[first].Parse()
	if err != nil {
		return r.session, -1
	}
	own := *r.session
	own.opening = r.engine.Conns.Opening(u)
	return &own, first
}

// isOfTarget reports whether a candidate has the origin of the site.
func (r *run) isOfTarget(c *places.Candidate) bool {
	path, is := strings.CutPrefix(c.URL, r.site.Origin)
	return is && strings.HasPrefix(path, "/")
}

// skip records candidates that are not asked.
func (r *run) skip(candidates []*places.Candidate, reason string) {
	for _, candidate := range candidates {
		o := Skipped(candidate, reason)
		r.done = append(r.done, o)
		r.emit(o)
	}
}

// result merges the findings. If places were not asked because the time ran out, or because no
// request was allowed, the next call asks them.
func (r *run) result() *Result {
	now := r.engine.Opts.Clock.Now()
	skipped := func(reason string) bool {
		return slices.ContainsFunc(r.done, func(o *Outcome) bool { return o.Probe.Reason == reason })
	}
	r.unfollowed()
	late, cut, offlined := skipped(string(wayfind.CodeDeadline)), skipped(string(wayfind.CodeCrowded)), skipped(string(wayfind.CodeOffline))
	notes := r.frontier.notes(r.key.Target.Origin)
	if cut {
		notes = append(slices.Clip(notes), ruleIncomplete.Diagnostic(r.key.Target.Origin, "some places are missing: the site took long, and others waited for the memory that the call held"))
	}
	size := int64(0)
	for _, o := range r.done {
		size += sizeOf(o.Doc)
	}
	defer r.engine.parsing(r.session.callers, r.session.domain, size, r.session.Work.Pause)()
	named, host := NamedBy(r.key.Target, r.done), HostOf(r.key.Target, r.site)
	judged := merge.Judge(r.key.Target.Origin, host, Merged(r.done))
	site, pinned, ended := r.engine.Merge(fuel.Under(r.session.callers), merge.Input{Target: named, Host: host, Plan: r.plan, Now: now, CutShort: late || cut || offlined, Judgement: judged, Notes: notes}, r.done)
	err := r.unspoken(judged.Err)
	switch unknown := err != nil && !judged.Known; {
	case ended != nil:
		err = CutShort(r.key.Target, ended) // no caller waits for it
	case unknown && cut:
		err = crowded(r.key.Target.Origin)
	case unknown && late:
		err = CutShort(r.key.Target, context.DeadlineExceeded)
	case unknown && offlined:
		err = Offline("resolve", r.key.Target.Origin)
	}
	return &Result{Site: site, Err: cmp.Or(err, pinned), Outcomes: r.done, Target: r.key.Target}
}

// canary returns the candidate for a folder.
func (r *run) canary(folder, accept string) *places.Candidate {
	return &places.Candidate{URL: r.canaryURL(folder), Canary: true, Accept: accept, Limits: parse.Limits{}.WithDefaults()}
}

func (r *run) canaryURL(folder string) string {
	return r.site.Origin + canaryPath(r.site.Origin, folder, r.engine.Opts.Lab.Fixed)
}

// canariesOfRefusals returns the canaries of the folders in which places refuse and none is plainly
// absent, unless they were asked or are in ready.
func (r *run) canariesOfRefusals(ready []*places.Candidate) (list []*places.Candidate) {
	if !slices.ContainsFunc(r.done, (*Outcome).speaks) {
		return nil // if the site refuses everywhere, a canary tells nothing
	}
	for _, folder := range [...]string{wellKnown, "/"} {
		var denied *Outcome
		for _, o := range r.done {
			if folderOf(o.Candidate.URL) != folder {
				continue
			}
			if status := o.Probe.Status; o.Candidate.Canary || status == http.StatusNotFound || status == http.StatusGone {
				denied = nil
				break
			}
			if isPlace(o.Candidate) && !o.Candidate.Robots && o.isDenied() {
				denied = o
			}
		}
		u := r.canaryURL(folder)
		if denied != nil && !slices.ContainsFunc(ready, func(c *places.Candidate) bool { return c.URL == u }) {
			list = append(list, r.canary(folder, denied.Candidate.Accept))
		}
	}
	return list
}

// judgeRefusals makes places absent that refuse as the canary of their folder does, unless the site
// refuses everywhere: then no answer tells whether a place has a document.
func (r *run) judgeRefusals() {
	if !slices.ContainsFunc(r.done, (*Outcome).speaks) {
		return
	}
	for i, o := range r.done {
		bait := r.outcome(r.canaryURL(folderOf(o.Candidate.URL)))
		if bait == nil || o == bait || o.Candidate.Live || !o.isDenied() || !o.deniesLike(bait) {
			continue
		}
		judged := *o
		judged.absent(wayfind.VerdictAbsent, r.engine.Opts.Clock.Now())
		r.done[i] = &judged
		r.emit(&judged)
	}
}

// canaryAccept returns the Accept field of a doubtful answer, because a server that converts pages
// to Markdown does so only on request. A doubtful answer in Markdown takes precedence.
func (r *run) canaryAccept() string {
	accept := "application/json"
	for i := len(r.done) - 1; i >= 0; i-- {
		o := r.done[i]
		if o.Doubtful() && o.Candidate.Accept != "" && (o.isMarkdown() || !strings.Contains(accept, "markdown")) {
			accept = o.Candidate.Accept
		}
	}
	return accept
}

func (r *run) doubtful() bool { return slices.ContainsFunc(r.done, (*Outcome).Doubtful) }

// judgeSoft404 marks the doubtful answers that equal the canary's answer. Watchers have seen the
// outcome, so a judged copy replaces it.
func (r *run) judgeSoft404() {
	bait := r.outcome(r.canaryURL(wellKnown))
	for i, o := range r.done {
		if !o.Doubtful() {
			continue
		}
		judged := *o
		judged.canaryDone = true
		if bait != nil && bait.Doc != nil && bait.Probe.Status == 200 && bait.Doc.Digest() == o.Doc.Digest() {
			judged.absent(wayfind.VerdictSoft404, r.engine.Opts.Clock.Now())
		}
		r.done[i] = &judged
		r.emit(&judged)
	}
}

// endpoints asks the endpoints of the origin itself that documents have named, each once. Endpoints
// of other sites and of other hosts of the site, which may have other owners, are left to Describe.
func (r *run) endpoints(ctx context.Context) {
	var wg sync.WaitGroup
	var known []string
	for _, o := range r.done {
		if o.Candidate.Live {
			known = append(append(known, o.Candidate.URL), o.Probe.Redirects...)
		}
	}
	asked, most := 0, min(maxEndpoints, r.budget.Left)
	answers := make([]*Outcome, maxEndpoints)
	for _, o := range r.done {
		for _, f := range o.interfaces() {
			p := r.engine.Live.Prober(f.Protocol)
			if p == nil || !r.isOwn(o, f) || slices.Contains(known, f.URL) || asked >= most {
				continue
			}
			i, place := asked, &places.Candidate{URL: f.URL, Depth: 1, From: o.Candidate.URL, Live: true}
			known, asked = append(known, f.URL), asked+1
			wg.Go(func() { answers[i] = r.endpoint(ctx, p, place, f, 0) })
		}
	}
	wg.Wait()
	for _, o := range answers[:asked] {
		r.done = append(r.done, o)
		r.emit(o)
	}
}

// isOwn reports whether an interface is at the typed origin, or at the site's own host and named by a
// document of that host.
func (r *run) isOwn(o *Outcome, f wayfind.Interface) bool {
	return live.AtOrigin(f, r.key.Target.Origin) || r.isOfTarget(o.Candidate) && live.AtOrigin(f, r.site.Origin)
}

// target asks the URL of the target as a server. Because the caller named the URL, it may redirect within
// its origin. Every protocol is tried until the server speaks one. If it speaks none of them, the answer to
// the first one is used.
func (r *run) target(ctx context.Context, place *places.Candidate, probers []live.Prober) (first *Outcome) {
	for _, p := range probers {
		own := *place
		o := r.endpoint(ctx, p, &own, wayfind.Interface{Protocol: p.Protocol(), URL: place.URL}, maxTargetRedirects)
		if first == nil || o.Probe.Verdict == wayfind.VerdictFound {
			first = o
		}
		if !o.anotherProtocol() {
			break
		}
	}
	return first
}

// endpoint asks one endpoint, or returns its remembered reply. The outcome contains the error.
func (r *run) endpoint(ctx context.Context, p live.Prober, place *places.Candidate, f wayfind.Interface, redirects int) *Outcome {
	return r.engine.outcomeOf(place, func() *Outcome {
		eng, start := r.engine, r.engine.Opts.Clock.Now()
		place.Formats = []*parse.Format{eng.Live.Format(p)}
		o := newOutcome(place)
		if from, err := url.Parse(place.From); err == nil {
			o.typed = TypedURL(from, r.session.site, r.session.typed)
		}
		u, err := eng.Opts.Policy.ParseURL(f.URL, nil)
		if err != nil {
			o.fail(err)
			return o
		}
		o.Fact = Fact{URL: f.URL, From: cache.FromMemory}
		reply := eng.Live.Recall(p, u, redirects)
		if reply == nil || r.key.refresh {
			o.Fact.From = cache.FromNetwork
			reply = eng.Live.Ask(ctx, r.session, p, live.Request{URL: u, Interface: f, Redirects: redirects})
			reply.Err = r.session.orCrowded(f.URL, reply.Err)
			eng.Live.Remember(p, u, reply)
		}
		o.takeReply(eng.Place(u, reply.Final(u)), reply)
		o.Fact.Verdict, o.Fact.FreshUntil, o.Fact.Duration = o.Probe.Verdict, o.FreshUntil, eng.Opts.Clock.Now().Sub(start)
		return o
	})
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
			list, further, cut := places.Follow(from, found.Format.Index, r.engine.Opts.Limits.Follow, found.Links, r.engine.Opts.Formats)
			r.frontier.endOfPages(from, found.Links)
			r.frontier.leave(resolve.ReasonDepth, further)
			links := r.followed(o, list)
			if from.Robots {
				links = r.fewBeside(links)
			}
			more = append(more, links...)
			deep += cut
			near, _, _ := places.Follow(from, false, r.engine.Opts.Limits.Follow, r.near(found.Reading), r.engine.Opts.Formats)
			more = append(more, r.fewBeside(r.followed(o, near))...)
		}
		for _, found := range o.Beside {
			list, further, _ := places.Follow(o.Candidate, found.Format.Index, r.engine.Opts.Limits.Follow, found.Links, r.engine.Opts.Formats)
			r.frontier.leave(resolve.ReasonDepth, further)
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
	n := min(len(links), places.MaxBeside-r.beside)
	for _, candidate := range links[n:] {
		r.frontier.leave(resolve.ReasonBudget, []places.Candidate{*candidate})
	}
	links = links[:n]
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
	r.frontier.leaveForeign(at, list, canonical)
	var more []*places.Candidate
	for i := range list {
		candidate := &list[i]
		candidate.URL, candidate.Led = canonical[candidate.URL], o.led
		r.frontier.promise(candidate)
		r.link(candidate.URL, candidate.From)
		if candidate.URL == "" || !r.frontier.add(candidate.URL) {
			continue
		}
		for i, u := range candidate.After {
			candidate.After[i] = canonical[u]
		}
		candidate.After = slices.DeleteFunc(candidate.After, func(u string) bool { return u == "" })
		if i := slices.IndexFunc(r.plan, func(c places.Candidate) bool { return c.URL == candidate.URL }); i >= 0 {
			at := r.plan[i]
			at.After, at.Else = nil, ""
			if !at.Conventional { // there it is a document that is linked
				candidate = &at
			}
		}
		more = append(more, candidate)
	}
	return more
}

// link raises the document of a place of convention to one that another document links to. A link from the
// document to itself says nothing.
func (r *run) link(u, from string) {
	for i, o := range r.done {
		if o.Candidate.Conventional && u != from && o.Candidate.URL == u {
			r.done[i] = o.linked()
			r.emit(r.done[i])
		}
	}
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

// unfollowed records the links that were not followed although a format reads such documents, with the
// reason. The first are listed.
func (r *run) unfollowed() {
	r.done = slices.DeleteFunc(r.done, func(o *Outcome) bool { return o.isUnfollowed() && r.outcome(o.Candidate.URL) != o })
	asked := make(map[string]bool, len(r.done))
	for _, o := range r.done {
		asked[places.KeyOf(o.Candidate.URL)] = true
		for _, u := range o.Probe.Redirects {
			asked[places.KeyOf(u)] = true
		}
	}
	for i := range r.frontier.left {
		left := &r.frontier.left[i]
		if !asked[places.KeyOf(left.link.URL)] {
			r.skip([]*places.Candidate{&left.link}, left.reason)
		}
	}
	r.frontier.left = nil
}

// keys requests the key sets that are needed to check signatures, if the caller wants it, and
// checks those signatures again.
func (r *run) keys(ctx context.Context) {
	if !r.engine.Opts.Trust.FetchKeys {
		return
	}
	wanted, candidates := r.wantedKeys()
	if len(candidates) == 0 {
		return
	}
	r.wave(ctx, candidates, nil)
	ring := provenance.Keyring{Pinned: r.engine.Opts.Trust.Keys, Fetched: map[string]*cards.Keys{}}
	for text, u := range wanted {
		if o := r.outcome(u); o != nil && o.Candidate.Keys && o.Probe.Verdict != wayfind.VerdictSkipped {
			ring.Fetched[text] = o.keys
		}
	}
	for i, o := range r.done {
		if again := r.recheck(ring, o); again != nil {
			r.done[i] = again
			r.emit(again)
		}
	}
}

// wantedKeys returns the key URLs in protected headers, with the URLs that they refer to, and the
// candidates for requesting them.
func (r *run) wantedKeys() (wanted map[string]string, candidates []*places.Candidate) {
	wanted = map[string]string{}
	ring := provenance.Keyring{Pinned: r.engine.Opts.Trust.Keys}
	for _, o := range r.done {
		for _, found := range o.Readings {
			check, ok := ring.Card(o.Doc, r.engine.PlaceOf(o), found)
			if !ok {
				continue
			}
			for _, text := range check.Wanted() {
				u, err := security.ParseURL(text, nil)
				if err != nil || len(wanted) == maxKeySets {
					continue
				}
				wanted[text] = u.String()
				candidate := keysCandidate(u.String(), o.Candidate.URL)
				candidate.Led = o.led
				known := func(c *places.Candidate) bool { return c.URL == candidate.URL }
				if r.outcome(candidate.URL) == nil && !slices.ContainsFunc(candidates, known) {
					candidates = append(candidates, candidate)
				}
			}
		}
	}
	return wanted, candidates
}

// recheck returns an outcome whose signatures were checked again with more keys, or nil if no
// signature needs another key. It returns a copy, because callers already have the outcome.
func (r *run) recheck(ring provenance.Keyring, o *Outcome) *Outcome {
	at, again := r.engine.PlaceOf(o), *o
	again.Readings = slices.Clone(o.Readings)
	changed := false
	for i := range again.Readings {
		found := &again.Readings[i]
		check, ok := ring.Card(o.Doc, at, *found)
		if !ok || len(check.Wanted()) == 0 {
			continue
		}
		found.OwnSignatures()
		again.Diagnostics = slices.DeleteFunc(slices.Clone(again.Diagnostics), func(d wayfind.Diagnostic) bool {
			return strings.HasPrefix(d.Code, "signature.")
		})
		again.Diagnostics = append(again.Diagnostics, ring.Verify(o.Doc, at, found)...)
		changed = true
	}
	if !changed {
		return nil
	}
	return &again
}

const (
	// maxEndpoints bounds the endpoints that are asked in one Resolve.
	maxEndpoints = 8
	// maxTargetRedirects bounds the redirects within the origin between the URL of a
	// target and its server.
	maxTargetRedirects = 5
)
