package discover

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/internal/web/gate"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// FlightKey identifies the flight that concurrent callers share. Data of one caller (approvals,
// traces, spelling) is not in it and never enters a flight.
type FlightKey struct {
	Target  resolve.Target
	refresh bool
	epoch   uint64 // see siteCache.epoch
}

func (eng *Engine) FlightKey(target resolve.Target, refresh bool) FlightKey {
	return FlightKey{Target: target, refresh: refresh, epoch: eng.Sites.currentEpoch(target.Key())}
}

// Plan returns the places to ask for a target. A server that is part of this process has an
// endpoint and no documents.
func (eng *Engine) Plan(t resolve.Target) []places.Candidate {
	if eng.Opts.Network.Local[t.Host()] != nil {
		return nil
	}
	return eng.layout.Plan(t)
}

// Fly returns the work of a flight: it asks wave by wave, merges, and remembers the result. leader
// is the context that Observe has for the call that begins it. to, if it is not nil, gets the
// requests, and each outcome before the flight continues. ctx of the work ends when the last caller
// left. Then no new request is written, but a request that was already written may finish, so that
// its answer is kept.
func (eng *Engine) Fly(key FlightKey, leader context.Context, to *PaceObserver) func(context.Context, func(*Outcome)) (*Result, error) {
	return func(callers context.Context, emit func(*Outcome)) (*Result, error) {
		began := eng.Sites.currentEpoch(key.Target.Key())
		lease, leave := eng.joinLease(key.Target.Origin)
		defer leave()
		a, end := eng.NewSession(eng.base, key.Target.Host(), key.refresh)
		defer end()
		work := a.Work
		a.callers, a.lease, a.pins = fetch.NewCallers(callers), lease, eng.Sites.Pins(key.Target.Key())
		r := &run{engine: eng, session: a, key: key, emit: emit, plan: eng.Plan(key.Target), budget: places.Budget{Left: eng.Opts.Limits.Budget}}
		a.glance = eng.glance(r.plan)
		if to != nil {
			a.sent = &to.Sent
			r.emit = func(o *Outcome) {
				to.outcome(o)
				emit(o)
			}
		}
		// The contexts of all requests descend from a context of package context, which costs each
		// of them less than another kind.
		own, leaveOwn := context.WithCancel(work)
		defer leaveOwn()
		seen := eng.observedAs(own, leader)
		named := r.target(seen)
		r.ask(seen, slices.ContainsFunc(named, func(o *Outcome) bool { return o.Probe.Verdict == wayfind.VerdictFound }))
		r.done = append(named, r.done...)
		r.keys(seen)
		if len(eng.Opts.Live) > 0 && !eng.Opts.Offline {
			r.endpoints(seen)
		}
		result := r.result()
		result.Leader = leader
		if callers.Err() == nil && work.Err() == nil {
			eng.Sites.Store(key.Target.Key(), result, began, key.refresh)
		}
		return result, nil
	}
}

// glance returns a glance at the pauses of the places of a plan.
func (eng *Engine) glance(plan []places.Candidate) *gate.Glance {
	urls := make([]*url.URL, 0, len(plan))
	for i := range plan {
		if u, err := plan[i].Parse(); err == nil {
			urls = append(urls, u)
		}
	}
	return eng.Gate.Glance(urls, gate.Own)
}

// run is the state of one Resolve.
type run struct {
	engine  *Engine
	session *Session
	key     FlightKey
	plan    []places.Candidate
	emit    func(*Outcome)

	budget   places.Budget
	done     []*Outcome
	canaried bool
	frontier frontier
	beside   int // followed links that are beside documents or in robots.txt
}

// ask works through the plan: all of it at once, or one format after another until a document was
// found. found reports whether one was found before.
func (r *run) ask(ctx context.Context, found bool) {
	plan := r.askRules(ctx)
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
			found = slices.ContainsFunc(r.done, func(o *Outcome) bool {
				return o.Probe.Verdict == wayfind.VerdictFound && !o.Candidate.Robots && !o.listsOnly()
			})
			continue
		}
		r.skip(own, resolve.ReasonFirstMatch)
	}
}

// askRules requests robots.txt by itself if it governs the other places, and returns the rest of
// the plan. If robots.txt is only reported, it is requested first under FirstMatch, which might
// otherwise stop before it.
func (r *run) askRules(ctx context.Context) []*places.Candidate {
	i := slices.IndexFunc(r.plan, func(c places.Candidate) bool { return c.Robots })
	if i < 0 || !r.engine.Opts.Robots.Enforce && !r.engine.Opts.FirstMatch {
		return pointers(r.plan)
	}
	r.done = append(r.done, r.session.RulesOf(ctx, r.key.Target.Origin))
	r.budget.Left--
	r.emit(r.done[0])
	return append(slices.Delete(pointers(r.plan), i, i+1), r.follow(r.done)...)
}

// pointers returns pointers to the candidates of a plan, which all steps of a run share.
func pointers(plan []places.Candidate) []*places.Candidate {
	list := make([]*places.Candidate, len(plan))
	for i := range plan {
		list[i] = &plan[i]
	}
	return list
}

// waves asks the primaries at once, and then the places that their answers permit: fallbacks,
// links, the canary.
func (r *run) waves(ctx context.Context, pending []*places.Candidate) {
	for first := true; ; first = false {
		ready, later := r.split(pending, first)
		if !r.canaried && r.doubtful() {
			r.canaried = true
			ready = append(ready, r.canary())
		}
		if len(ready) == 0 {
			break
		}
		before := len(r.done)
		later = append(later, r.wave(ctx, ready, later)...)
		pending = joined(later, r.follow(r.done[before:]))
	}
	r.judgeSoft404()
}

// split separates the candidates that may be asked now from those that wait for another answer.
// Candidates that can no longer become ready are dropped: a fallback is not asked if its primary
// was there. Places that are asked last are not in the first wave, unless it has no other places.
func (r *run) split(pending []*places.Candidate, first bool) (ready, later []*places.Candidate) {
	var last []*places.Candidate
	ready = make([]*places.Candidate, 0, len(pending))
	for _, candidate := range pending {
		switch may, open := Permitted(candidate, r.done); {
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

// Permitted reports whether a candidate may be asked: at once, or because a place before it was
// absent. open reports whether an answer is missing that may still permit the candidate.
func Permitted(candidate *places.Candidate, done []*Outcome) (may, open bool) {
	if len(candidate.Unless) > 0 && len(done) > 0 {
		return worthwhile(candidate, done), false
	}
	for _, u := range candidate.After {
		o := OutcomeAt(done, u)
		open = open || o == nil
		may = may || o != nil && o.Probe.Verdict == wayfind.VerdictAbsent
	}
	return may || len(candidate.After) == 0, open
}

// worthwhile reports whether a candidate that is only asked last is asked. It is not if a document
// was read as one of the formats that make it needless, or if the origin has answered no request so
// far.
func worthwhile(candidate *places.Candidate, done []*Outcome) bool {
	spoke := slices.ContainsFunc(done, func(o *Outcome) bool { return o.Probe.Status != 0 && !verdict.Held(o.Probe.Verdict) })
	return spoke && !slices.ContainsFunc(done, func(o *Outcome) bool { return o.readAs(candidate.Unless) })
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
			answers[i] = r.engine.outcomeOf(candidate, func() *Outcome { return session.Ask(ctx, candidate, r.key.refresh) })
			r.emit(answers[i])
			if i == first {
				close(led)
			}
		})
	}
	var others []int // of the target
	for i, candidate := range now {
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

// isOfTarget reports whether a candidate has the origin of the target.
func (r *run) isOfTarget(c *places.Candidate) bool {
	path, is := strings.CutPrefix(c.URL, r.key.Target.Origin)
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
	site, pinned, ended := r.engine.Merge(fuel.Under(r.session.callers), merge.Input{Target: r.key.Target, Plan: r.plan, Now: now, CutShort: late || cut || offlined, Notes: notes}, r.done)
	err := merge.Failure(site, Merged(r.done))
	switch {
	case ended != nil:
		err = CutShort(r.key.Target, ended) // no caller waits for it
	case err != nil && cut:
		err = crowded(r.key.Target.Origin)
	case err != nil && late:
		err = CutShort(r.key.Target, context.DeadlineExceeded)
	case err != nil && offlined:
		err = Offline("resolve", r.key.Target.Origin)
	}
	return &Result{Site: site, Err: cmp.Or(err, pinned), Outcomes: r.done}
}
