package discover

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/formats/robots"
	"github.com/wayfindhq/wayfind/internal/run/fairshare"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/run/pausable"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/internal/web/gate"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security"
)

// Session is the state that the requests of one call share. It does not change once the requests
// have begun.
type Session struct {
	Engine  *Engine
	budget  *fetch.Budget      // of retries
	Work    *pausable.Context  // of the whole call; nil: the context of the request alone
	share   *fairshare.Stay    // in the memory that calls hold
	within  context.Context    // of a renewal in the background; nil: the context of the request
	domain  string             // the domain that waits for a parser and for room
	callers *fetch.Callers     // ends when the last caller has left; nil: no caller can leave
	Books   *rulebooks         // robots rules, each asked for once
	pins    EntryPins          // documents of the previous Site
	lease   *gate.Lease        // of the fleet; nil: no agreement with other processes
	visits  *cache.Visits      // content of the store of Options; nil: it is asked for each URL
	arena   *cache.FoldedArena // of the absences that the call finds
	glance  *gate.Glance       // at the pauses of the plan; nil: each URL is looked at
	home    string             // the host that the call is about
	typed   string             // the origin of the target, if the places are those of site; else ""
	border  *border            // of the site; nil: redirects to other sites are followed
	site    string             // the origin of the site's own host, if it is not that of the target
	Led     bool               // a document of another site named the URL of the call
	Foreign *atomic.Int64      // requests to other sites that the call may still make
	Files   *atomic.Int64      // requests left for documents that belong to others
	opening *fetch.Opening     // of the wave; nil: its requests do not wait for one of them
	sent    *atomic.Int64      // counts requests on connections; nil: not counted
	renewed string             // a URL that the call has asked again already, or empty
	stored  bool               // only stored answers are used, fresh or not
	pace    *sitePace          // of requests to the site; nil: it states none

	// Credential is sent with requests to its origin. Partition identifies the caller whose answers
	// are kept apart. Both are zero for public answers.
	Credential []fetch.AuthPart
	Partition  string
}

// retryBudget is the number of retries in one call, over all its requests.
const retryBudget = 6

// errCrowded is the cause if others wait for the memory that the call holds.
var errCrowded = errors.New("the site took long, and others waited for the memory that the call held")

// crowded returns the error of a call that had to end because others waited.
func crowded(url string) error {
	return wayfind.NewError("resolve", url, wayfind.CodeCrowded, errCrowded)
}

// orCrowded returns the error of a request, or crowded if that is the cause of the early end of its
// call.
func (s *Session) orCrowded(url string, err error) error {
	if err == nil || !s.share.Asked() {
		return err
	}
	if _, reason := verdict.OfError(err); reason != string(wayfind.CodeDeadline) {
		return err
	}
	return crowded(url)
}

// errTimeUp is the cause of the end of a call by Options.Timeout.
var errTimeUp = errors.New("the time of the call was over")

// TimeUp implements gate.Limit. A request that was under way when Options.Timeout ended the call is one
// that the site has not answered: with a short Options.Timeout, a site that never answers would
// otherwise be asked again and again.
func (s *Session) TimeUp(err error) error {
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok || pausable.Cause(s.Work) != errTimeUp {
		return nil
	}
	return wayfind.NewError(e.Op, e.URL, wayfind.CodeTimeout, e.Err)
}

// errForeign is the error if the call has made as many requests to other sites as it may.
var errForeign = errors.New("too many requests to other sites")

// mayAsk counts a request to another site than the site of the call. Without this limit, a site
// whose places all redirect could direct many requests to others. Answers of a cache are counted as
// well, so that the limit does not depend on it.
func (s *Session) mayAsk(u *url.URL) error {
	if s.home == "" || s.home == u.Hostname() || s.Engine.SameSite(s.home, u.Hostname()) || s.Foreign.Add(-1) >= 0 {
		return nil
	}
	return errForeign
}

// anonymous returns the session without the caller's credential, for answers that belong to the
// origin.
func (s *Session) anonymous() *Session {
	if s.Partition == "" {
		return s
	}
	own := *s
	own.Credential, own.Partition = nil, ""
	return &own
}

// background returns the session for a request for which no caller waits. No caller can leave it,
// and it has retries of its own. Its part in the lease lasts until ctx ends.
func (s *Session) background(ctx context.Context) *Session {
	own := *s
	own.budget, own.Work, own.callers = fetch.NewBudget(retryBudget), nil, nil
	within, quit := context.WithCancel(ctx)
	own.within, own.share = within, s.Engine.Opts.Limits.Bytes.Open(s.domain, nil, quit)
	own.visits, own.arena, own.glance, own.opening = s.Engine.Layers.Visits(), new(cache.FoldedArena), nil, nil
	context.AfterFunc(ctx, func() {
		own.share.Close()
		own.visits.Close()
	})
	if s.lease != nil {
		own.lease = s.lease.Again()
		context.AfterFunc(ctx, own.lease.Leave)
	}
	return &own
}

// Turn implements cache.Turns.
func (s *Session) Turn(ctx context.Context) (turn cache.Turn, since uint64) {
	return s.lease.Turn(ctx, s.left())
}

// directives returns a request's directives to the cache.
func (s *Session) directives(candidate *places.Candidate, refresh bool) string {
	switch {
	case s.isOffline():
		return "only-if-cached, max-stale"
	case refresh && candidate.Aside:
		return fmt.Sprintf("max-age=%.0f", verdict.RefreshAside.Seconds())
	case refresh:
		return "no-cache"
	}
	return ""
}

// directivesAt is directives for a URL. A document of the caller is there even offline.
func (s *Session) directivesAt(u *url.URL, candidate *places.Candidate, refresh bool) string {
	if _, own := s.Engine.givenFor(candidate, u); own {
		return ""
	}
	return s.directives(candidate, refresh)
}

// isOffline reports whether no request may be sent.
func (s *Session) isOffline() bool { return s.stored || s.Engine.Opts.Offline }

// left returns a channel that is closed when the last caller has left; nil if no caller can leave.
func (s *Session) left() <-chan struct{} {
	if s.callers == nil {
		return nil
	}
	return s.callers.Done()
}

// Ask requests one candidate and reads the answer. refresh asks again even if the answers are
// fresh. If that fails, known and fresh answers are used all the same. Ask never fails: the outcome
// contains the error.
func (s *Session) Ask(ctx context.Context, candidate *places.Candidate, refresh bool) *Outcome {
	o := s.AskOnce(ctx, candidate, refresh)
	if !refresh || !verdict.Held(o.Probe.Verdict) {
		return o
	}
	return s.orKnown(ctx, candidate, o)
}

// orKnown returns a known answer in place of the outcome of a refresh that failed.
func (s *Session) orKnown(ctx context.Context, candidate *places.Candidate, o *Outcome) *Outcome {
	known := s.AskOnce(ctx, candidate, false) // the gate lets no request through now
	if !known.Probe.Verdict.Answered() {
		return o
	}
	known.Diagnostics = append(known.Diagnostics, ruleRefreshFailed.Diagnostic(candidate.URL,
		"it could not be asked again (%s); this is an earlier answer", o.Probe.Verdict))
	return known
}

// AskOnce is Ask without a second attempt.
func (s *Session) AskOnce(ctx context.Context, candidate *places.Candidate, refresh bool) *Outcome {
	eng, o := s.Engine, newOutcome(candidate)
	o.Private = s.Partition != ""
	start := eng.Opts.Clock.Now()
	u, err := candidate.Parse()
	if err != nil {
		o.fail(wayfind.NewError("resolve", candidate.URL, wayfind.CodeHostSyntax, nil))
		return o
	}
	t := &candidateFetch{
		Session: s, candidate: candidate, entries: o.first[:0], directives: s.directivesAt(u, candidate, refresh), most: eng.most(candidate),
		once: asksOnce(candidate),
		walk: fetch.Walk{URL: u, Redirects: candidate.Limits.Redirects, SameSiteOnly: candidate.Limits.SameSiteOnly, Sites: eng.Opts.Policy.SuffixList},
	}
	if failure, ok := eng.failures.recall(t); ok && !refresh {
		t.walk.Chain = failure.chain
		t.digest(o, failure.err)
		o.FreshUntil, o.Probe.FreshUntil = failure.Until, failure.Until
		o.Fact = t.fact(o, start)
		return o
	}
	err = s.orCrowded(candidate.URL, t.run(ctx))
	if t.doc = DocumentOf(t.entry); err == nil && !t.leads {
		t.files(ctx, refresh)
	}
	if errors.Is(err, errForeign) {
		o := Skipped(candidate, resolve.ReasonForeign)
		o.Probe.Redirects = t.walk.Chain
		return o
	}
	if s.isOffline() && t.entry == nil {
		return Skipped(candidate, string(wayfind.CodeOffline))
	}
	t.digest(o, err)
	if err != nil {
		eng.failures.remember(t, err, o.FreshUntil)
	}
	t.holdAbsence(ctx, o)
	o.Fact = t.fact(o, start)
	t.log(ctx, o)
	return o
}

// read reads an answer for all waiting callers, so only Close ends it.
func (s *Session) read(res *reading.Response) (doc *reading.Contents) {
	eng := s.Engine
	size := int64(len(res.Body))
	if err := s.counted(eng.base, size, func(w *fuel.Counter) { doc = eng.Reader.Read(w, res) }); err != nil {
		return reading.Abandoned(res, err)
	}
	return doc
}

// locate returns the reading of a document at a place, with the header fields that its answer has
// now. If readings is false, it returns only the things beside the document. The error means that
// the Client was closed meanwhile.
func (s *Session) locate(doc *reading.Contents, at reading.At, header http.Header, readings bool) (l located, err error) {
	l.diags = doc.DiagnosticsAt(at)
	if !(readings && doc.Read()) && !doc.HasBeside() && !s.Engine.Reader.BesideChanged(doc, header) {
		return l, nil
	}
	return s.locateCounted(doc, at, header, readings)
}

func (s *Session) locateCounted(doc *reading.Contents, at reading.At, header http.Header, readings bool) (l located, err error) {
	err = s.counted(s.Engine.base, sizeOf(doc), func(w *fuel.Counter) {
		at.Work = w
		l.diags = doc.DiagnosticsAt(at)
		if readings {
			l.readings, l.diags = doc.At(at)
		}
		var diags []wayfind.Diagnostic
		l.beside, diags = s.Engine.Reader.Beside(doc, at, header)
		l.diags = append(l.diags, diags...)
	})
	return l, err
}

// HTTP implements live.Call.
func (s *Session) HTTP(origin string) *http.Client { return s.Engine.HTTP(origin, s) }

// own reports whether a URL belongs to the site that the call is about and no other site led the
// call there.
func (s *Session) own(u *url.URL) bool {
	return !s.Led && (s.home == u.Hostname() || s.Engine.SameSite(s.home, u.Hostname()))
}

// Lane implements live.Call.
func (s *Session) Lane(u *url.URL) gate.Lane {
	if s.own(u) {
		return gate.Own
	}
	return gate.Led
}

// robotsCandidate returns the place of an origin's rules.
func (s *Session) robotsCandidate(origin string) *places.Candidate {
	f := s.Engine.ByName[places.RobotsFormat]
	return &places.Candidate{
		URL: origin + robots.Path, Formats: []*parse.Format{f}, Robots: true,
		Accept: f.Locations[0].Accept, Limits: f.Limits.WithDefaults(),
	}
}

// RulesOf requests the rules of an origin, once for all callers of the run.
func (s *Session) RulesOf(ctx context.Context, origin string) *Outcome {
	books := s.Books
	books.mu.Lock()
	once := books.of[origin]
	if once == nil {
		once = sync.OnceValue(func() *Outcome {
			return s.anonymous().Ask(ctx, s.robotsCandidate(origin), books.refresh)
		})
		books.of[origin] = once
	}
	books.mu.Unlock()
	return once()
}

// obey returns the reason why a URL must not be requested under RobotsEnforce, or nil.
func (s *Session) obey(ctx context.Context, u *url.URL) error {
	o := s.RulesOf(ctx, security.Origin(u))
	switch {
	case o.Probe.Reason == resolve.ReasonForeign:
		return errForeign // no other site is asked without its rules
	case o.Probe.Verdict == wayfind.VerdictSkipped:
		return o.Err // the time ran out, or the caller left
	case unreachableRules(o) && ofHost(o):
		return o.Err // a request for the URL would fail the same way
	case unreachableRules(o):
		e := wayfind.NewError("robots", u.String(), wayfind.CodeRobotsUnreachable, whyNoRules(o))
		if verdict.Held(o.Probe.Verdict) && o.FreshUntil.After(s.Engine.Opts.Clock.Now()) {
			e.NotBefore = o.FreshUntil // the site named a time, or is being left alone
		}
		return e
	case o.Forbids(u.String()):
		return wayfind.NewError("robots", u.String(), wayfind.CodeRobots, errors.New("robots.txt asks not to go there"))
	}
	return nil
}

// Counted does work on a document for a call.
func (s *Session) Counted(ctx context.Context, f func(*fuel.Counter)) error {
	return s.counted(ctx, usualSize, f)
}

// counted is Counted for documents of the given size.
func (s *Session) counted(ctx context.Context, size int64, f func(*fuel.Counter)) error {
	return s.Engine.counted(ctx, s.domain, size, s.Work.Pause, f)
}
