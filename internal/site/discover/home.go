package discover

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security"
)

// Half of the web has its site at another host than the name that people type: "example.com" redirects
// every path to "www.example.com". Two well-known places of different formats decide this. If both lead,
// path kept, to one host of the same site, that host is the site's own host, and all places are
// requested there. The redirects are answers of the typed origin, so the response cache keeps the fact,
// and a purge or a refresh ends it.

// maxMoves bounds the hosts that lead to one another after the typed name.
const maxMoves = 2

// leadTime is how long the other places wait for the leads, once there is a connection.
const leadTime = 3 * time.Second

// settle finds the site's own host before the plan is worked through, and returns the places to ask. It
// asks the leads alone, unless it is known that the site of the target is at the target's own host. If
// the plan has one lead, the canary is the other, and is asked if that one leads. If both lead to
// another site, the name is one of that site's: no redirect there is followed, and the error names it.
func (r *run) settle(ctx context.Context, plan []*places.Candidate) []*places.Candidate {
	if r.leads = r.leadsOf(plan); len(r.leads) == 0 || len(r.leads) >= r.budget.Left {
		r.leads = nil
		return plan
	}
	r.withBorder()
	if len(r.leads) == 2 && r.engine.Sites.isAtHome(r.key.Target.Key()) {
		return plan
	}
	r.scouted = map[string]*scout{}
	done := r.scout(ctx, r.leads)
	if len(r.leads) == 1 && len(done) == 1 && done[0].leads {
		bait := r.canary(wellKnown, r.leads[0].Accept)
		bait.Lead = true
		r.leads = append(r.leads, bait)
		done = append(done, r.scout(ctx, r.leads[1:])...)
	}
	if to := r.leadTo(done); to != "" {
		r.budget.Left -= len(done)
		return r.move(ctx, to, done)
	}
	return plan
}

// withBorder gives the session of the run a border if two leads can decide it.
func (r *run) withBorder() {
	own := *r.session
	if own.border = nil; len(r.leads) == 2 && !r.engine.Opts.FirstMatch {
		own.border = &border{leads: 2, open: make(chan struct{})}
	}
	r.session = &own
}

// border holds the redirects to other sites until it is known whether the leads, too, redirect there.
// Then the name is one of another site's names, and no redirect to that site is followed.
type border struct {
	mu    sync.Mutex
	leads int // that have not answered
	stays bool
	open  chan struct{} // closed when the leads have answered, or one of them stays
}

// take takes the outcome of a lead.
func (b *border) take(o *Outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.leads == 0 {
		return
	}
	b.leads--
	if o.away && b.leads > 0 {
		return
	}
	b.stays, b.leads = o.away, 0
	close(b.open)
}

// isClosed waits for the leads, and reports whether no redirect to another site is followed.
func (b *border) isClosed(ctx context.Context) bool {
	if b == nil {
		return false
	}
	late := time.NewTimer(leadTime)
	defer late.Stop()
	select {
	case <-b.open:
		return b.stays
	case <-late.C:
	case <-ctx.Done():
	}
	return true // nothing is asked of others because of a site that keeps silent
}

// scout is the request for a lead. A wave that asks the same place takes its outcome.
type scout struct {
	done    chan struct{}
	outcome *Outcome // after done
}

// scout asks leads, and returns the outcomes that decide: all of them, or fewer if one does not lead or
// if they take long.
func (r *run) scout(ctx context.Context, leads []*places.Candidate) (done []*Outcome) {
	e := Event{Kind: kindWave, Target: r.key.Target.Origin, Places: len(leads)}
	ctx, part := r.engine.Observe(ctx, e)
	var wave sync.WaitGroup
	defer func() {
		if len(done) == len(leads) {
			part.End(e)
			return
		}
		r.scouts.Go(func() { // the others are still under way
			wave.Wait()
			part.End(e)
		})
	}()
	session, first := r.opening(leads)
	b := session.border
	answers, led := make(chan *Outcome, len(leads)), make(chan struct{})
	ask := func(i int) {
		s := &scout{done: make(chan struct{})}
		r.scouted[leads[i].URL] = s
		wave.Add(1)
		r.scouts.Go(func() {
			defer wave.Done()
			s.outcome = r.engine.outcomeOf(leads[i], func() *Outcome { return session.Ask(ctx, leads[i], r.key.refresh) })
			if b != nil {
				b.take(s.outcome)
			}
			close(s.done)
			answers <- s.outcome
			if i == first {
				close(led)
			}
		})
	}
	if first >= 0 {
		ask(first)
		session.opening.Wait(led)
	}
	for i := range leads {
		if i != first {
			ask(i)
		}
	}
	late := time.NewTimer(leadTime)
	defer late.Stop()
	for len(done) < len(leads) {
		select {
		case o := <-answers:
			if done = append(done, o); !o.leads && !o.away {
				return done
			}
		case <-late.C:
			return done
		}
	}
	return done
}

// askOnce asks a place, or takes the outcome of the scout that has asked it. A lead that leads alone is
// followed as any other place is.
func (r *run) askOnce(ctx context.Context, session *Session, candidate *places.Candidate) *Outcome {
	var o *Outcome
	if s := r.scouted[candidate.URL]; s != nil {
		<-s.done
		o = s.outcome
	} else if lead := r.leadAt(candidate.URL); lead != nil && session.border != nil {
		o = session.Ask(ctx, lead, r.key.refresh)
		session.border.take(o)
	}
	if o == nil {
		return session.Ask(ctx, candidate, r.key.refresh)
	}
	if o.leads || o.away && !session.border.isClosed(ctx) {
		own := *session
		own.renewed = candidate.URL
		return own.Ask(ctx, candidate, r.key.refresh)
	}
	own := *o
	own.Candidate = candidate
	return &own
}

// leadAt returns the lead of a URL, or nil.
func (r *run) leadAt(u string) *places.Candidate {
	if i := slices.IndexFunc(r.leads, func(c *places.Candidate) bool { return c.URL == u }); i >= 0 && !r.leads[i].Canary {
		return r.leads[i]
	}
	return nil
}

// leadsOf returns at most two places that decide which host is the site. Places that others wait for come
// first, because the answer permits or spares a request, and places that may be asked only once in a while,
// or whose absence binds, last. A plan with one well-known place has one lead: see settle.
func (r *run) leadsOf(plan []*places.Candidate) (leads []*places.Candidate) {
	if !r.engine.hasSiblings(r.site.Origin) {
		return nil
	}
	free := func(c *places.Candidate) bool {
		return c.Limits.Redirects > 0 && !slices.ContainsFunc(c.Formats, func(f *parse.Format) bool { return f.Cache.Floor > 0 || f.Cache.Negative > 0 })
	}
	waited := func(c *places.Candidate) bool {
		return free(c) && slices.ContainsFunc(plan, func(o *places.Candidate) bool { return o.Else == c.URL || slices.Contains(o.After, c.URL) })
	}
	for _, fits := range [...]func(*places.Candidate) bool{waited, free, isPlace} {
		for _, c := range plan {
			if len(leads) < 2 && isLead(c) && fits(c) && !slices.ContainsFunc(leads, func(o *places.Candidate) bool { return shareFormat(o, c) }) {
				own := *c
				own.Lead = true
				leads = append(leads, &own)
			}
		}
	}
	return leads
}

// isLead reports whether a place can decide which host is the site: no application uses its path.
func isLead(c *places.Candidate) bool {
	return isPlace(c) && !c.Robots && !c.Aside && len(c.After)+len(c.Unless)+len(c.Else) == 0 && folderOf(c.URL) == wellKnown
}

func shareFormat(a, b *places.Candidate) bool {
	return slices.ContainsFunc(a.Formats, func(f *parse.Format) bool { return slices.Contains(b.Formats, f) })
}

// hasSiblings reports whether other hosts can be the same site as the host of an origin. Addresses,
// names of one label, servers under development and names of AllowNames have none.
func (eng *Engine) hasSiblings(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || security.IsException(u) || eng.Opts.Policy.IsNamed(u.Hostname()) {
		return false
	}
	_, ok := eng.Opts.Policy.SuffixList.RegistrableDomain(u.Hostname())
	return ok
}

// leadsTo returns the origin to which a redirect of a place leads if it keeps the path and stays within
// the site, or "".
func (eng *Engine) leadsTo(from, to *url.URL) string {
	origin := security.Origin(to)
	switch {
	case origin == security.Origin(from), to.EscapedPath() != from.EscapedPath(), to.RawQuery != from.RawQuery:
		return ""
	case !eng.hasSiblings(origin), !eng.SameSite(from.Hostname(), to.Hostname()), eng.Opts.Network.Local[to.Hostname()] != nil:
		return ""
	}
	return origin
}

// leadFrom returns the walk along a redirect of a place to another host of the site. ok is false for any
// other answer.
func (eng *Engine) leadFrom(u *url.URL, e *cache.Entry) (lead fetch.Walk, ok bool) {
	lead = fetch.Walk{URL: u, Redirects: 1, Sites: eng.Opts.Policy.SuffixList}
	done, err := lead.Next(e.Status, e.Header["Location"])
	return lead, !done && err == nil && eng.leadsTo(u, lead.Final()) != ""
}

// leadTo returns the one origin to which both leads of the run redirect, or "".
func (r *run) leadTo(done []*Outcome) (origin string) {
	if len(r.leads) < 2 {
		return ""
	}
	for _, lead := range r.leads {
		o := OutcomeAt(done, lead.URL)
		if o == nil || len(o.Probe.Redirects) == 0 {
			return ""
		}
		from, err := lead.Parse()
		to, bad := url.Parse(o.Probe.Redirects[0])
		if err != nil || bad != nil {
			return ""
		}
		at := r.engine.leadsTo(from, to)
		if at == "" || at == r.key.Target.Origin || origin != "" && at != origin {
			return ""
		}
		origin = at
	}
	return origin
}

// standIn replaces a lead that failed by another well-known place that redirects to another host of the
// site, so that one failure does not hide that host. It sends no request.
func (r *run) standIn() {
	for i, lead := range r.leads {
		if o := OutcomeAt(r.done, lead.URL); o == nil || !verdict.Held(o.Probe.Verdict) {
			continue
		}
		for k := range r.plan {
			c := r.plan[k]
			o := OutcomeAt(r.done, c.URL)
			if o == nil || !isLead(&c) || len(o.Entries) == 0 || slices.ContainsFunc(r.leads, func(l *places.Candidate) bool { return l != lead && shareFormat(l, &c) }) {
				continue
			}
			if u, err := c.Parse(); err == nil {
				if _, leads := r.engine.leadFrom(u, o.Entries[0]); leads {
					c.Lead = true
					r.leads[i] = &c
					return
				}
			}
		}
	}
}

// move makes an origin the site of the run, and returns the places to ask there. Nothing that is bound
// to the typed origin is valid at the other one. Of the answers so far, only those of the leads are
// kept, as absences: no document is at the typed name.
func (r *run) move(ctx context.Context, origin string, done []*Outcome) []*places.Candidate {
	r.done = slices.DeleteFunc(r.done, (*Outcome).isLeft)
	for _, lead := range r.leads {
		o := OutcomeAt(done, lead.URL).moved(lead)
		r.done = append(r.done, o)
		r.emit(o)
	}
	r.moves++
	typed := r.key.Target
	r.site = resolve.Target{Origin: origin, Base: typed.Base}
	r.plan, r.canaried, r.frontier = r.engine.Plan(r.site), false, frontier{}
	own := *r.session
	own.typed, own.site, own.glance, own.border = typed.Origin, origin, r.engine.glance(r.plan), nil
	r.session = &own
	plan := r.askRules(ctx)
	r.leads = r.leadsOf(plan)
	r.withBorder()
	return plan
}

// isLeft reports whether an outcome is dropped when the run moves to another host.
func (o *Outcome) isLeft() bool {
	return !o.Candidate.Robots && !o.Candidate.Lead && !o.Candidate.IsChosen()
}

// SinceMove returns the findings of a run without those that were dropped when the run moved.
func SinceMove(found []*Outcome) (kept []*Outcome) {
	for _, o := range found {
		if o.leads && o.Candidate.Lead {
			kept = slices.DeleteFunc(kept, (*Outcome).isLeft)
		}
		kept = append(kept, o)
	}
	return kept
}

// moved returns the outcome of a lead as that of a place without a document: it redirects to the
// site's own host.
func (o *Outcome) moved(lead *places.Candidate) *Outcome {
	own := newOutcome(lead)
	own.Entries = o.Entries[:min(1, len(o.Entries))]
	own.Probe.Redirects, own.Probe.Verdict, own.Probe.Reason = o.Probe.Redirects[:1], wayfind.VerdictAbsent, resolve.ReasonHost
	own.FreshUntil, own.Probe.FreshUntil, own.Fact = o.FreshUntil, o.FreshUntil, o.Fact
	if len(own.Entries) > 0 {
		own.Probe.Status = own.Entries[0].Status
	}
	own.Fact.Verdict, own.Fact.Status = own.Probe.Verdict, own.Probe.Status
	own.leads = true
	return own
}

// AskedFor returns the target whose places were asked for a target, by the outcomes so far: the target
// itself, or the same at the site's own host.
func AskedFor(t resolve.Target, found []*Outcome) resolve.Target {
	for _, o := range found {
		if o.leads && o.Candidate.Lead && len(o.Probe.Redirects) > 0 {
			if u, err := url.Parse(o.Probe.Redirects[0]); err == nil {
				t.Origin = security.Origin(u)
			}
		}
	}
	return t
}

// Origins returns the origins at which a target was asked, as far as stored answers tell: its own, and
// those of the hosts of the site to which its places lead. It sends no request.
func (eng *Engine) Origins(ctx context.Context, t resolve.Target) []string {
	s, end := eng.NewSession(ctx, t.Host(), false)
	defer end()
	s.stored = true
	origins := []string{t.Origin}
	for len(origins) <= maxMoves {
		t.Origin = s.storedLead(ctx, t)
		if slices.Contains(origins, t.Origin) {
			break
		}
		origins = append(origins, t.Origin)
	}
	return origins
}

// storedLead returns the origin to which a stored answer of a well-known place leads, or the origin of
// the target. Other Clients of the store may have had other leads, so all of these places are looked at.
func (s *Session) storedLead(ctx context.Context, t resolve.Target) string {
	plan := s.Engine.Plan(t)
	for i := range plan {
		if lead := &plan[i]; isLead(lead) && s.Engine.hasSiblings(t.Origin) {
			lead.Lead = true
			if o := s.AskOnce(ctx, lead, false); o.leads {
				return AskedFor(t, []*Outcome{o}).Origin
			}
		}
	}
	return t.Origin
}

// HostOf returns the host of a site at which a target was asked; "" if it is the host of the target.
func HostOf(t, asked resolve.Target) string {
	if asked.Origin == t.Origin {
		return ""
	}
	return urlref.Host(asked.Origin)
}

// withSibling returns the error of a target. If the name is a registrable domain without an address, and
// its "www" has one, the error names that.
func (eng *Engine) withSibling(ctx context.Context, t resolve.Target, err error) error {
	e, ok := errors.AsType[*wayfind.Error](err)
	host := t.Host()
	if !ok || e.Code != wayfind.CodeDNSNotFound || eng.Opts.Offline || !eng.hasSiblings(t.Origin) || eng.Domain(host) != host {
		return err
	}
	www := "www." + host
	if eng.Opts.Network.Local[www] != nil || !eng.Conns.HasAddress(ctx, www) {
		return err
	}
	own := *e
	own.Err = &verdict.Sibling{Host: www, Err: cmp.Or(e.Err, error(errNoAddress))}
	return &own
}

// errNoAddress is the cause if a name that has no address was not looked up again.
var errNoAddress = errors.New("the name has no address")

// TypedURL returns the URL at the typed origin that a URL of the site's own origin stands for; nil if the site
// is at the typed origin, or the URL is of another one. Trust in a document is measured from it.
func TypedURL(u *url.URL, own, typed string) *url.URL {
	at, err := url.Parse(typed)
	if err != nil || own == typed || security.Origin(u) != own {
		return nil
	}
	stands := *u
	stands.Host = at.Host
	return &stands
}

// OwnOrigin returns the origin of the own host of a Site if this Engine has found it there, or else its
// typed origin: a Site from elsewhere, such as a file, only claims its host.
func (eng *Engine) OwnOrigin(site *wayfind.Site) string {
	key := resolve.Of(site).Key()
	for _, key := range [...]string{key, key + "/"} { // "/" after the host may have been found to be the domain
		if e, ok := eng.Sites.Table.Get(key); ok && e.key == key && e.Site.Host == site.Host {
			return site.Asked()
		}
	}
	return site.Origin
}

// isAtHome reports whether a target was asked before, and its site was at its own host.
func (s *siteCache) isAtHome(key string) bool {
	e, ok := s.Table.Get(key)
	return ok && e.key == key && s.stands(&e) && e.Site.Host == "" && slices.ContainsFunc(e.Site.Probes, func(p wayfind.Probe) bool {
		return p.Status != 0 && p.Status/100 != 3 && len(p.Redirects) == 0 && folderOf(p.URL) == wellKnown
	})
}
