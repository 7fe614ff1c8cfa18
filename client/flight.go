package client

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/merge"
	"github.com/wayfindhq/wayfind/internal/places"
	"github.com/wayfindhq/wayfind/internal/reading"
	"github.com/wayfindhq/wayfind/internal/verdict"
	"github.com/wayfindhq/wayfind/internal/work"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// flightKey names the flight that concurrent callers share. Data of one caller
// (approvals, traces, spelling) is not in it and never enters a flight.
type flightKey struct {
	target  resolve.Target
	refresh bool
	era     uint64 // see siteCache.era
}

func (eng *engine) flightKey(target resolve.Target, refresh bool) flightKey {
	return flightKey{target: target, refresh: refresh, era: eng.sites.era(target.Key())}
}

// fly returns the work of a flight: ask wave by wave, merge, remember. leader is the
// context that Observe has for the call that begins it. to, where it is not nil, is told
// of each outcome before the flight goes on from there, and of the requests. ctx of
// the work ends when the last caller left: then nothing new is written, but a
// request that was written may finish, so that its answer is kept.
func (eng *engine) fly(key flightKey, leader context.Context, to *listener) func(context.Context, func(*outcome)) (*resolved, error) {
	return func(callers context.Context, emit func(*outcome)) (*resolved, error) {
		began := eng.sites.era(key.target.Key())
		lease, leave := eng.joinLease(key.target.Origin)
		defer leave()
		a, end := eng.newAsking(eng.base, key.target.Host(), key.refresh)
		defer end()
		work := a.work
		a.callers, a.lease, a.pins = callers, lease, eng.sites.pins(key.target.Key())
		r := &run{engine: eng, asking: a, key: key, emit: emit, plan: places.Plan(key.target, eng.opts.Formats), budget: places.Budget{Left: eng.opts.Limits.Budget}}
		if to != nil {
			a.sent = &to.sent
			r.emit = func(o *outcome) {
				to.outcome(o)
				emit(o)
			}
		}
		seen := eng.observedAs(work, leader)
		named := r.typed(seen)
		r.ask(seen, slices.ContainsFunc(named, func(o *outcome) bool { return o.Probe.Verdict == wayfind.VerdictFound }))
		r.done = append(named, r.done...)
		r.keys(seen)
		if len(eng.opts.Live) > 0 && !eng.opts.Offline {
			r.live(seen)
		}
		result := r.result()
		result.leader = leader
		if callers.Err() == nil && work.Err() == nil {
			eng.sites.store(key.target.Key(), result, began, key.refresh)
		}
		return result, nil
	}
}

// run is one Resolve at work.
type run struct {
	engine *engine
	asking *asking
	key    flightKey
	plan   []places.Candidate
	emit   func(*outcome)

	budget   places.Budget
	done     []*outcome
	canaried bool
	follows  follows
	beside   int // links followed that stand beside documents or in robots.txt
}

// ask works through the plan: all of it, or one format after another until
// something was found; found: it was already.
func (r *run) ask(ctx context.Context, found bool) {
	plan := r.askRules(ctx)
	if r.engine.opts.Mode == All {
		r.waves(ctx, plan)
		return
	}
	for i, f := range r.engine.opts.Formats {
		var own []places.Candidate
		r.budget.Kept = 0
		for _, candidate := range plan {
			linked := candidate.Depth > 0 && i == 0
			switch {
			case r.outcome(candidate.URL) != nil:
			case linked || slices.Contains(candidate.Formats, f):
				own = append(own, candidate)
			case slices.ContainsFunc(r.engine.opts.Formats[i:], func(f *parse.Format) bool { return slices.Contains(candidate.Formats, f) }):
				r.budget.Kept++
			}
		}
		if !found {
			r.waves(ctx, own)
			found = slices.ContainsFunc(r.done, func(o *outcome) bool {
				return o.Probe.Verdict == wayfind.VerdictFound && !o.Candidate.Robots && !o.listsOnly()
			})
			continue
		}
		r.skip(own, resolve.ReasonFirstMatch)
	}
}

// askRules asks for robots.txt alone where it governs the others, and returns
// the rest of the plan. Where it is only reported, FirstMatch must not forget
// it.
func (r *run) askRules(ctx context.Context) []places.Candidate {
	i := slices.IndexFunc(r.plan, func(c places.Candidate) bool { return c.Robots })
	if i < 0 || r.engine.opts.Robots.Mode != RobotsEnforce && r.engine.opts.Mode == All {
		return slices.Clone(r.plan)
	}
	r.done = append(r.done, r.asking.rulesOf(ctx, r.key.target.Origin))
	r.budget.Left--
	r.emit(r.done[0])
	return append(slices.Delete(slices.Clone(r.plan), i, i+1), r.follow(r.done)...)
}

// waves asks the primaries at once, then the places that their answers permit:
// fallbacks, links, the canary.
func (r *run) waves(ctx context.Context, pending []places.Candidate) {
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

// split separates the candidates that may be asked now from those that wait
// for another answer. Those that can no longer become ready are dropped: a
// fallback is not asked when its primary was there. Places that are asked last
// are not in the first wave, unless there is nothing else.
func (r *run) split(pending []places.Candidate, first bool) (ready, later []places.Candidate) {
	var last []places.Candidate
	for _, candidate := range pending {
		switch may, open := permitted(candidate, r.done); {
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
		links := slices.IndexFunc(ready, func(c places.Candidate) bool { return c.Depth > 0 })
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

// permitted reports whether a candidate may be asked: at once, or because a
// place it comes after said a plain "no". open: an answer is missing that may
// still say so.
func permitted(candidate places.Candidate, done []*outcome) (may, open bool) {
	if len(candidate.Unless) > 0 && len(done) > 0 {
		return worthwhile(candidate, done), false
	}
	for _, u := range candidate.After {
		o := outcomeAt(done, u)
		open = open || o == nil
		may = may || o != nil && o.Probe.Verdict == wayfind.VerdictAbsent
	}
	return may || len(candidate.After) == 0, open
}

// worthwhile reports whether a candidate is asked that is only asked last: not where
// one of the formats was read that make it needless, nor of an origin that has
// answered nothing so far.
func worthwhile(candidate places.Candidate, done []*outcome) bool {
	spoke := slices.ContainsFunc(done, func(o *outcome) bool { return o.Probe.Status != 0 && !verdict.Held(o.Probe.Verdict) })
	return spoke && !slices.ContainsFunc(done, func(o *outcome) bool { return o.readAs(candidate.Unless) })
}

// readAs reports whether one of the formats has read the document.
func (o *outcome) readAs(formats []string) bool {
	return slices.ContainsFunc(o.Readings, func(l reading.Located) bool { return slices.Contains(formats, l.Format.Name) })
}

func outcomeAt(done []*outcome, u string) *outcome {
	for _, o := range done {
		if o.Candidate.URL == u {
			return o
		}
	}
	return nil
}

func (r *run) outcome(u string) *outcome { return outcomeAt(r.done, u) }

// wave asks candidates at once and waits for all answers. They are kept in the
// order of the plan, so that the next steps do not depend on arrival. It returns
// those that the budget has no room for before the places in waiting are settled.
func (r *run) wave(ctx context.Context, ready, waiting []places.Candidate) []places.Candidate {
	now, wait, never := r.budget.Take(ready, waiting)
	ctx, end := r.engine.observe(ctx, Event{Kind: EventWave, Target: r.key.target.Origin, Places: len(now)})
	defer end(Event{Kind: EventWave, Target: r.key.target.Origin, Places: len(now)})
	var wg sync.WaitGroup
	answers := make([]*outcome, len(now))
	for i, candidate := range now {
		candidate.SHA256 = r.follows.digests(candidate)
		wg.Go(func() {
			answers[i] = r.engine.outcomeOf(candidate, func() *outcome { return r.asking.ask(ctx, candidate, r.key.refresh) })
			r.emit(answers[i])
		})
	}
	wg.Wait()
	r.done = append(r.done, answers...)
	r.unasked(never)
	return wait
}

// skip records candidates that are not asked.
func (r *run) skip(candidates []places.Candidate, reason string) {
	for _, candidate := range candidates {
		o := skipped(candidate, reason)
		r.done = append(r.done, o)
		r.emit(o)
	}
}

// result merges the findings. Places that were not asked because the time was
// up, or no request was allowed, are asked by the next call.
func (r *run) result() *resolved {
	now := r.engine.opts.clock.Now()
	skipped := func(reason string) bool {
		return slices.ContainsFunc(r.done, func(o *outcome) bool { return o.Probe.Reason == reason })
	}
	late, offlined := skipped(string(wayfind.CodeDeadline)), skipped(string(wayfind.CodeOffline))
	defer r.engine.parsing(r.asking.callers, r.asking.domain, r.asking.work.Pause)()
	site, pinned, ended := r.engine.merge(work.Under(r.asking.callers), merge.Input{Target: r.key.target, Plan: r.plan, Now: now, CutShort: late || offlined, Notes: r.follows.notes(r.key.target.Origin)}, r.done)
	err := merge.Failure(site, inner(r.done))
	switch {
	case ended != nil:
		err = cutShort(r.key.target, ended) // no one waits for it
	case err != nil && late:
		err = cutShort(r.key.target, context.DeadlineExceeded)
	case err != nil && offlined:
		err = offline("resolve", r.key.target.Origin)
	}
	return &resolved{site: site, err: cmp.Or(err, pinned), outcomes: r.done}
}
