// Package discover asks the places of a domain, reads the answers, follows their links and keeps
// the results. Package client passes its options as plain values, and calls this package.
package discover

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/flight"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/run/panics"
	"github.com/wayfindhq/wayfind/internal/run/pausable"
	"github.com/wayfindhq/wayfind/internal/site/live"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/web/capture"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/internal/web/gate"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// Engine asks the places of domains for all calls of a Client. It holds the state that the calls
// share and no state of a single call.
type Engine struct {
	Opts    Options
	ByName  map[string]*parse.Format
	headers headers

	dev        []fetch.AuthPart // of each request to their origins
	DevSecrets secret.Veil      // their values

	Cache    *cache.Engine
	Layers   *cache.Layered // nil without Options.Store
	leases   *gate.Leases
	layout   *places.Layout
	Gate     *gate.Gate
	Sites    *siteCache
	failures *failureTable
	turns    turnsOf
	declined declined
	Live     *live.Endpoints

	steps     fetch.Step // below the gate, for discovery: body, retry, conns
	Conns     *fetch.Conns
	liveCalls *fetch.Conns    // for requests of Client.HTTP
	certified fetch.Certified // for requests with a certificate

	Reader *reading.Reader
	Worked atomic.Uint64 // the steps of work on documents

	Crowded  atomic.Uint64 // the calls that ended early because others waited for memory
	answered atomic.Int64  // the time of the last answer, in nanoseconds of Unix; 0 if there was none

	hidden hidden // of targets
	given  given

	base   context.Context
	Closed atomic.Bool
}

// New makes the Engine of a Client. Its work in the background ends with base. After an error,
// nothing is left open.
func New(base context.Context, o Options) (*Engine, error) {
	eng := &Engine{Opts: o, base: base, layout: places.NewLayout(o.Formats), ByName: map[string]*parse.Format{}}
	eng.headers.agent = []string{o.Network.UserAgent}
	eng.dev, eng.DevSecrets = devParts(o.DevCredentials)
	for _, f := range o.Formats {
		eng.ByName[f.Name] = f
	}
	eng.Reader = &reading.Reader{
		Formats: o.Formats, MaxBytes: o.Limits.MaxBytes, Strict: o.Strict, Digests: o.Trust.Pins != nil,
		Panicked: func(err error, stack []byte) { panics.Log(o.Logger, err, stack) },
	}
	var err error
	if eng.Sites, err = newSiteCache(o.Clock, o.Limits.Sites); err != nil {
		return nil, errors.Join(err, o.Memory.Close())
	}
	eng.failures = newFailureTable(o.Clock)
	eng.connect()
	eng.Live = live.New(live.Options{
		Probers: o.Live, Formats: eng.ByName, Reader: eng.Reader, Gate: eng.Gate, Clock: o.Clock, Logger: o.Logger,
	})
	return eng, nil
}

// heard remembers that a site has answered.
func (eng *Engine) heard(resp *http.Response) {
	if resp != nil {
		eng.answered.Store(eng.Opts.Clock.Now().UnixNano())
	}
}

// Answered returns the time of the last answer of a site; zero if there was none.
func (eng *Engine) Answered() time.Time {
	if n := eng.answered.Load(); n != 0 {
		return time.Unix(0, n).UTC()
	}
	return time.Time{}
}

// Close closes the parts in the reverse order of their creation.
func (eng *Engine) Close() error {
	eng.Live.Close()
	err := errors.Join(eng.Cache.Close(), eng.leases.Close(), eng.Conns.Close(), eng.liveCalls.Close(), eng.certified.Close())
	if eng.Layers != nil {
		err = errors.Join(err, eng.Layers.Close())
	}
	eng.failures.table.Close()
	eng.Sites.Close()
	return errors.Join(err, eng.Opts.Memory.Close())
}

// connect composes the steps of a request: cache, gate, body, retry, conns. The Client's own memory
// comes before the caller's store, if there is one.
func (eng *Engine) connect() {
	o := &eng.Opts
	store, others := o.Memory, cache.ObligationStore(nil) // memory has no obligations that the gate lacks
	if o.Store != nil {
		eng.Layers = cache.NewLayered(o.Memory, o.Store, o.Logger)
		store, others = eng.Layers, eng.Layers
	}
	eng.Conns = fetch.NewConns(o.Network)
	eng.steps = fetch.NewBody(fetch.NewRetry(fetch.NewCrowd(eng.observing(eng.Conns))))
	interactive := o.Network
	interactive.Interactive = true
	eng.liveCalls, eng.certified.Options = fetch.NewConns(interactive), interactive
	eng.Gate = gate.New(others, &gate.Options{
		Clock: o.Clock, View: o.View, Judge: o.cooldown, Logger: o.Logger, Reasons: []string{ReasonAbsent},
	})
	eng.Cache = cache.NewEngine(store, &cache.Options{
		Now: o.Lab.Now, View: o.View, Allow: o.allowed, Failed: wayfind.ErrUnreachable,
		StaleIfError: cache.Retention, StrictFloor: o.Lab.StrictFloor,
		MaxBody: max(cache.DefaultMaxBody, eng.most(&places.Candidate{}).Limit), Logger: o.Logger,
		IdentityFields: o.IdentityFields,
	})
	eng.leases = gate.NewLeases(eng.Layers, o.Clock, o.Timeout, o.View)
}

// ErrClosed returns the error of calls after Close.
func ErrClosed(op string) error {
	return wayfind.NewError(op, "", "", nil).WithKind(wayfind.ErrClosed)
}

// most returns the limit on a body at the place: the largest that a format accepts there.
func (eng *Engine) most(candidate *places.Candidate) (most wayfind.TooLarge) {
	switch {
	case candidate.Canary:
		return eng.Reader.Most()
	case candidate.Keys:
		return wayfind.TooLarge{Of: "bytes", Limit: candidate.Limits.Bytes}
	}
	readers := candidate.Formats
	if len(readers) == 0 {
		readers = eng.Opts.Formats
	}
	for _, f := range readers {
		if limit := eng.Reader.Limit(f); limit.Limit > most.Limit {
			most = limit
		}
	}
	return most
}

// SameSite reports whether two hosts are one site for this Client.
func (eng *Engine) SameSite(hostA, hostB string) bool {
	return eng.Opts.Policy.SuffixList.SameSite(hostA, hostB)
}

// Domain returns the registrable domain of a host for this Client, or the host if it has no
// registrable domain.
func (eng *Engine) Domain(host string) string {
	domain, _ := eng.Opts.Policy.SuffixList.RegistrableDomain(host)
	return cmp.Or(domain, host)
}

// outcomeOf returns the result of f, or the outcome of its panic, because no caller above the
// goroutine of one place could recover it.
func (eng *Engine) outcomeOf(candidate *places.Candidate, f func() *Outcome) *Outcome {
	o, err := panics.Try(panics.NewGuard(eng.Opts.Logger, "resolve", candidate.URL), func() (*Outcome, error) { return f(), nil })
	if err != nil {
		o = newOutcome(candidate)
		o.fail(err)
		o.FreshUntil = eng.Opts.Clock.Now()
		o.Probe.FreshUntil = o.FreshUntil
	}
	return o
}

// devAuth returns the credentials of every request, followed by those of one request, which replace
// them.
func (eng *Engine) devAuth(own []fetch.AuthPart) []fetch.AuthPart {
	if len(eng.dev) == 0 {
		return own
	}
	return append(slices.Clone(eng.dev), own...)
}

// devTo reports whether a credential of every request goes to the origin of a URL.
func (eng *Engine) devTo(u *url.URL) bool {
	return slices.ContainsFunc(eng.dev, func(p fetch.AuthPart) bool { return p.Fits(u) })
}

// Place returns the place of a document: the requested and the final URL, with this Client's rule
// for sites.
func (eng *Engine) Place(requested, final *url.URL) reading.At {
	return reading.At{Sites: eng.Opts.Policy.SuffixList, Requested: requested, Final: final}
}

// PlaceOf returns the place of an outcome's document.
func (eng *Engine) PlaceOf(o *Outcome) reading.At {
	requested, err := url.Parse(o.Candidate.URL)
	if err != nil {
		requested = &url.URL{}
	}
	final := requested
	if n := len(o.Probe.Redirects); n > 0 {
		if u, err := url.Parse(o.Probe.Redirects[n-1]); err == nil {
			final = u
		}
	}
	at := o.asOf(eng.Place(requested, final), o.FreshUntil)
	at.From = o.typed
	return at
}

// probersOf returns the probers for the URL of a target.
func (eng *Engine) probersOf(t resolve.Target) []live.Prober {
	switch {
	case eng.Opts.Listed:
		return nil
	case !t.Server:
		return eng.Opts.Live
	}
	return slices.DeleteFunc(slices.Clone(eng.Opts.Live), func(p live.Prober) bool { return p.Protocol() != mcpProtocol })
}

// mcpProtocol is the protocol of a target with resolve.ServerPrefix.
const mcpProtocol = "mcp"

// observing makes connections report each exchange to Observe.
func (eng *Engine) observing(conns *fetch.Conns) fetch.Step {
	if eng.Opts.Observe == nil {
		return conns
	}
	return &exchanges{engine: eng, conns: conns}
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
		r := &run{engine: eng, session: a, key: key, site: key.Target, emit: emit, plan: eng.Plan(key.Target), budget: places.Budget{Left: eng.Opts.Limits.Budget}}
		a.glance = eng.glance(r.plan)
		if to == nil {
			a.pace = eng.pace(key.Target, eng.KnownPace(key.Target), PaceTime)
		} else {
			a.sent = &to.Sent
			if a.pace = eng.pace(key.Target, to.Every, to.Patience); a.pace != nil {
				a.pace.taken = &to.turned
			}
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
		r.ask(seen)
		r.keys(seen)
		if len(eng.Opts.Live) > 0 && !eng.Opts.Offline {
			r.endpoints(seen)
		}
		result := r.result()
		result.Err = eng.withSibling(work, key.Target, result.Err)
		result.Leader = leader
		if a.pace == nil {
			eng.keepPace(key.Target, result.Site)
		}
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

// Landed returns the error of a flight. If the flight panicked, it returns the same error that
// other callers get.
func (eng *Engine) Landed(url string, err error) error {
	p, ok := errors.AsType[*flight.PanicError](err)
	if !ok {
		return err
	}
	e := panics.NewGuard(eng.Opts.Logger, "resolve", "flight").ErrorOf(p.Value, p.Stack)
	e.URL = secret.Message{}.URL(url)
	return e
}

// HTTP returns a client for a canonical origin. The requests are part of the call of a session. If
// it is nil, each request is a call of its own.
func (eng *Engine) HTTP(origin string, s *Session) *http.Client {
	return &http.Client{
		Transport:     &OneOrigin{engine: eng, session: s, origin: origin},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// tapped prepares an Ask so that its Message is collected. It replaces the body of the Ask.
func (eng *Engine) tapped(take func(*capture.Message), a *fetch.Ask, call bool) *message {
	m := &message{take: take, call: call, told: capture.Message{Method: a.Method, URL: a.URL.String()}}
	if a.Method == "" {
		m.told.Method = http.MethodGet
	}
	identity := eng.Opts.IdentityFields
	if identity == nil {
		identity = cache.IdentityFields()
	}
	for _, name := range append(slices.Clone(identity), "Signature") {
		m.hidden = append(m.hidden, http.CanonicalHeaderKey(name))
	}
	for i := range a.Auth {
		m.hide(&a.Auth[i], a.URL)
	}
	for _, name := range m.hidden {
		for _, v := range a.Header[name] {
			m.veil = m.veil.And(v)
		}
	}
	if a.Body != nil && a.Body != http.NoBody {
		a.Body = &tappedBody{a.Body, m}
		if again := a.GetBody; again != nil {
			a.GetBody = func() (io.ReadCloser, error) {
				body, err := again()
				m.restart()
				return &tappedBody{body, m}, err
			}
		}
	}
	return m
}

// Observe reports the beginning of a part of the work to the observer.
func (eng *Engine) Observe(ctx context.Context, e Event) (within context.Context, part Part[Event]) {
	return Observing(ctx, eng.Opts.Observe, e)
}

// parsing waits for a free parser for work of a size on documents of a domain. leave returns the
// parser. If ctx has ended, the call needs no parser.
func (eng *Engine) parsing(ctx context.Context, domain string, size int64, pause func() func()) (leave func()) {
	parser := eng.Opts.Limits.Parsers.Open(domain, pause)
	_ = parser.TakeFor(ctx, 1, size, nil)
	return parser.Close
}

// robotsNotes returns the rules for this Client in the robots.txt of the site, which is the last among
// some outcomes, or nil if there is no robots.txt.
func (eng *Engine) robotsNotes(w *fuel.Counter, done []*Outcome) *merge.Robots {
	var rules *Outcome
	for _, o := range done {
		if o.Candidate.Robots {
			rules = o
		}
	}
	if rules == nil {
		return nil
	}
	notes := &merge.Robots{Policies: ownPolicies(w, rules, eng.Opts.Robots.Token, eng.Reader), Forbids: rules.Forbids}
	if rules.rules != nil {
		notes.Steps = rules.rules.Steps
	}
	if unreachableRules(rules) && rules.Probe.Verdict != wayfind.VerdictSkipped {
		d := ruleRobotsUnreachable.Diagnostic(rules.Candidate.URL, "robots.txt could not be asked for (%s); a crawler would take that for a no", rules.Probe.Verdict)
		d.Spec = &wayfind.SpecRef{Title: "RFC 9309", Section: ruleRobotsUnreachable.Section}
		notes.Diagnostics = []wayfind.Diagnostic{d}
	}
	return notes
}

// NewSession begins a call about a host. Its requests end with ctx, with Options.Timeout, and with
// end, which must be called. refresh asks again for robots rules that are fresh.
func (eng *Engine) NewSession(ctx context.Context, home string, refresh bool) (s *Session, end func()) {
	work, cancel := pausable.WithTimeoutCause(ctx, eng.Opts.Timeout, errTimeUp)
	s = &Session{Engine: eng, Work: work, budget: fetch.NewBudget(retryBudget), Books: &rulebooks{refresh: refresh, of: map[string]func() *Outcome{}}, home: home, domain: eng.Domain(home), Foreign: new(atomic.Int64), Files: new(atomic.Int64), visits: eng.Layers.Visits(), arena: new(cache.FoldedArena)}
	s.Foreign.Store(int64(eng.Opts.Limits.Foreign))
	s.Files.Store(maxFiles)
	s.share = eng.Opts.Limits.Bytes.Open(s.domain, work, func() {
		if work.Err() == nil {
			eng.Crowded.Add(1)
		}
		work.End(errCrowded)
	})
	return s, func() {
		cancel()
		s.share.Close()
		s.visits.Close()
	}
}

// joinLease takes part in the lease of an origin. l is nil if there is no other process to agree
// with. leave ends the participation.
func (eng *Engine) joinLease(origin string) (l *gate.Lease, leave func()) {
	if eng.Layers == nil || eng.Opts.Offline {
		return nil, func() {}
	}
	l = eng.leases.Join(origin)
	return l, l.Leave
}

// Merge makes the Site of some outcomes, with this Client's own diagnostics. pinned is the error of
// a Site that differs from its pins. ended is the error if w ended the work early, as in
// merge.SiteWithin.
func (eng *Engine) Merge(w *fuel.Counter, in merge.Input, outcomes []*Outcome) (site *wayfind.Site, pinned, ended error) {
	in.Outcomes, in.Cautions = Merged(outcomes), eng.cautions(outcomes)
	if in.Judgement == nil {
		in.Judgement = merge.Judge(in.Target.Origin, in.Host, in.Outcomes)
	}
	if eng.Opts.Trust.Pins != nil {
		in.Pins = func(site *wayfind.Site) []wayfind.Diagnostic {
			report, _ := eng.Opts.Trust.Pins.CheckContext(w.Context(), site) // it ends with the merge
			pinned = eng.Opts.Trust.Refuse("resolve", site.Origin, report)
			return sitePins(site, report)
		}
	}
	_ = w.Do(func() { in.Robots = eng.robotsNotes(w, outcomes) }) // if the call ends here, so does the merge
	site, ended = merge.SiteWithin(w, in)
	eng.Worked.Add(uint64(w.Steps()))
	return site, pinned, ended
}

// cautions returns the Site's diagnostics on the caller's choices.
func (eng *Engine) cautions(done []*Outcome) (diags []wayfind.Diagnostic) {
	diags = slices.Clone(eng.Opts.Unsafe)
	for _, host := range eng.mixedAmong(done) {
		diags = append(diags, ruleMixed.Diagnostic("https://"+host,
			"the name has addresses that the policy refuses beside those that it allows; only these were used"))
	}
	return diags
}

// mixedAmong returns the hosts of some outcomes, redirects included, whose name has addresses that
// the policy refuses (Policy.AllowMixedDNS), in order and each once.
func (eng *Engine) mixedAmong(done []*Outcome) []string {
	if !eng.Opts.Policy.AllowMixedDNS {
		return nil
	}
	var found []string
	for _, o := range done {
		for _, ref := range append([]string{o.Candidate.URL}, o.Probe.Redirects...) {
			u, err := url.Parse(ref)
			if err == nil && !slices.Contains(found, u.Host) && (eng.Conns.Mixed(u.Host) || eng.liveCalls.Mixed(u.Host)) {
				found = append(found, u.Host)
			}
		}
	}
	return found
}

// Counted does work on a document when a parser is free for the domain. It ends when ctx ends. Then
// it returns an error, and the results of f must not be used. pause is called while it waits. f
// must not wait for anything.
func (eng *Engine) Counted(ctx context.Context, domain string, pause func() func(), f func(*fuel.Counter)) error {
	return eng.counted(ctx, domain, usualSize, pause, f)
}

func (eng *Engine) counted(ctx context.Context, domain string, size int64, pause func() func(), f func(*fuel.Counter)) error {
	defer eng.parsing(ctx, domain, size, pause)()
	w := fuel.Under(ctx)
	err := w.Do(func() { f(w) })
	eng.Worked.Add(uint64(w.Steps()))
	return err
}
