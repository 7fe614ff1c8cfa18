// Package describe completes the definitions of a Site. It requests the documents and asks the live
// servers that a capability or a service names, after the caller has approved.
package describe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/provenance"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/syntax/contract"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/pins"
)

// describeIn describes one key of a batch.
func (s *batch) describeIn(ctx context.Context, key string) (*Contract, error) {
	if s.engine.Closed.Load() {
		return nil, discover.ErrClosed("describe")
	}
	site := s.site
	before, err := s.known(key)
	if err != nil {
		return nil, err
	}
	if s.ended != nil {
		return &Contract{Detail: before}, endedDescribe(key, s.ended)
	}
	report := s.report.Of(site, key)
	if err := s.engine.Opts.Trust.Refuse("describe", key, report); err != nil {
		before.Diagnostics = discover.PinDiagnostics(report)
		return &Contract{Detail: before}, err
	}
	made, err := s.describe(ctx, key)
	if made == nil || err != nil {
		return made, err
	}
	detail := made.Detail
	var more *pins.Report
	if ended := s.engine.Counted(ctx, s.engine.Domain(urlref.Host(site.Origin)), nil, func(w *fuel.Counter) {
		more, _ = s.engine.Opts.Trust.Pins.CheckDetailContext(w.Context(), site, detail)
	}); ended != nil {
		return &Contract{Detail: before}, endedDescribe(key, ended)
	}
	if err := s.engine.Opts.Trust.Refuse("describe", key, more); err != nil {
		before.Diagnostics = discover.PinDiagnostics(more)
		return &Contract{Detail: before}, err
	}
	detail.Diagnostics = slices.Concat(detail.Diagnostics, discover.PinDiagnostics(report), discover.PinDiagnostics(more))
	return made, nil
}

// known returns a Site's definition of a key.
func (s *batch) known(key string) (*wayfind.Detail, error) {
	detail := &wayfind.Detail{}
	service, capability := s.find(key)
	if capability != nil {
		own := *capability
		detail.Capability = &own
	} else if service = s.site.Service(key); service == nil {
		return nil, unknownKey(s.site, key)
	}
	own := *service
	detail.Service = &own
	return detail, nil
}

// describe is Describe without a check of the pins.
func (s *batch) describe(ctx context.Context, key string) (*Contract, error) {
	detail, err := s.known(key)
	if err != nil {
		return nil, err
	}
	d := &describer{Engine: s.engine, batch: s, detail: detail, key: key}
	if capability := detail.Capability; capability != nil {
		d.from = d.sourcePlace(capability.Sources)
		if err = d.describeOwn(ctx); err == nil {
			err = d.supplement(ctx)
		}
	} else {
		d.from = d.sourcePlace(detail.Service.Sources)
		err = d.describeService(ctx)
	}
	if err == nil {
		d.noteRobots(ctx)
	}
	if len(d.carried) > 0 && repeats(d.carried, err, d.detail) {
		d.detail, _ = s.known(key)
		err = wayfind.NewError("describe", key, wayfind.CodeSecret, errRepeats)
	}
	if s.engine.Closed.Load() {
		return nil, discover.ErrClosed("describe")
	}
	return d.contract(), err
}

// describer is the state of one Describe. It completes its detail.
type describer struct {
	*discover.Engine
	*batch
	detail *wayfind.Detail
	key    string     // of the described thing
	from   reading.At // of the document that names it
	format *parse.Format
	// outcome is the answer that the request was read from. Both are nil if the whole definition
	// was read.
	outcome *discover.Outcome
	request *contract.Request
	full    bool // the request is not enough
	place   bool // Resolve asks the places of a domain: see Places
	// carried are the credentials of the requests, for which the result is searched.
	carried []security.Credential
}

// begin begins requests of the describer. They end with ctx, and with end, which must be called.
func (d *describer) begin(ctx context.Context) (a *discover.Session, end func()) {
	a, end = d.NewSession(ctx, urlref.Host(d.site.Origin), false)
	if d.first == nil {
		d.first = a
	}
	a.Books, a.Foreign, a.Files = d.first.Books, d.first.Foreign, d.first.Files
	if a.Led = d.isLed(); d.place {
		a.KeepPace(d.site.Origin, discover.PaceTime)
	}
	return a, end
}

// isLed reports whether another site led to the described thing.
func (d *describer) isLed() bool {
	return d.from.Foreign || d.from.Final != nil && !d.SameSite(urlref.Host(d.site.Origin), d.from.Final.Hostname())
}

// describeOwn completes a capability by its detail document.
func (d *describer) describeOwn(ctx context.Context) error {
	capability := d.detail.Capability
	switch {
	case !capability.Lazy:
		return nil
	case len(capability.DetailURLs) == 0:
		return d.undocumented()
	}
	name, _, _ := strings.Cut(capability.Key, ":")
	if d.format = d.ByName[name]; d.format == nil || d.format.Detail == nil {
		return wayfind.NewError("describe", capability.Key, wayfind.CodeNoFormat, fmt.Errorf("no format %q that reads detail documents is switched on", name))
	}
	o, err := d.inTurn(ctx, capability.DetailURLs, func(a *discover.Session, u *url.URL) (*discover.Outcome, error) { return d.answer(ctx, a, u) })
	if err != nil {
		return err
	}
	if err := d.checkDigest(o); err != nil {
		return err
	}
	if err := d.readDetail(ctx, o); err != nil || capability.Artifact == nil {
		return err
	}
	return d.content(ctx, o)
}

// undocumented returns the error for a definition without a detail document.
func (d *describer) undocumented() error {
	return wayfind.NewError("describe", d.key, wayfind.CodeNoDetail, errors.New("its document names no detail document that could be asked for"))
}

// inTurn requests documents one after another, the next one if the last was absent, and returns the
// first answer that can be read.
func (d *describer) inTurn(ctx context.Context, urls []string, ask func(*discover.Session, *url.URL) (*discover.Outcome, error)) (*discover.Outcome, error) {
	a, end := d.begin(ctx)
	defer end()
	var last error
	for _, ref := range urls {
		u, err := d.approved(ctx, ref, reads())
		if err != nil {
			return nil, err
		}
		o, err := ask(a, u)
		if err != nil {
			return nil, err
		}
		d.told(o.Fact)
		switch {
		case o.Probe.Verdict == wayfind.VerdictAbsent:
			last = wayfind.NewError("describe", ref, wayfind.CodeAbsent, nil)
		case o.Doc == nil || o.Doc.Input() == nil || !verdict.Readable(o.Probe.Verdict) && !d.isFile(o):
			return nil, Unanswered(o)
		default:
			return o, nil
		}
	}
	return nil, last
}

// detailCandidate returns a candidate that may be redirected only within its site, because an
// approval of it is for that site.
func detailCandidate(f *parse.Format, u string) *places.Candidate {
	limits := f.Limits.WithDefaults()
	limits.SameSiteOnly = true
	return &places.Candidate{URL: u, Formats: []*parse.Format{f}, Accept: places.AcceptOf(f), Limits: limits, Depth: 1, Detail: true}
}

// sourcePlace returns the place where a definition was read. If the Site does not know its source,
// nothing is near.
func (d *describer) sourcePlace(sources []wayfind.Ref) reading.At {
	at := d.Place(&url.URL{}, &url.URL{})
	at.Foreign = true
	if len(sources) == 0 {
		return at
	}
	requested, err := d.Opts.Policy.ParseURL(sources[0].Source, nil)
	if err != nil {
		return at
	}
	at.Requested, at.Final, at.From = requested, requested, discover.TypedURL(requested, d.site.Asked(), d.site.Origin)
	source := d.site.Source(sources[0].Source)
	if source == nil {
		return at
	}
	at.Foreign = source.Trust == wayfind.TrustCrossSite
	if final, err := d.Opts.Policy.ParseURL(source.FinalURL, nil); err == nil {
		at.Final = final
	}
	return at
}

// readDetail reads the answer with the format and completes the capability.
func (d *describer) readDetail(ctx context.Context, o *discover.Outcome) error {
	// If the details come from the document that lists them, it is a whole document.
	about := o.Diagnostics
	if o.Doc.Whole(d.format) {
		if o.Candidate.URL != d.from.Requested.String() {
			return unfit(o, errors.New("it is a whole document, not one about a capability"))
		}
		about = o.Doc.Common(about)
	}
	r, err := d.readOf(ctx, o, parse.Subject{Service: d.detail.Service, Capability: d.detail.Capability})
	if err != nil {
		return unfit(o, err)
	}
	located, diags := d.linked(o, r)
	d.detail.Source = &located.Source
	d.detail.Diagnostics = slices.Concat(about, diags)
	found := firstCapability(located)
	switch {
	case found == nil || r.Unusable != "":
		return unfit(o, errors.New(cmp.Or(r.Unusable, "it describes no capability")))
	case r.Broken:
		e := unfit(o, errors.New("it breaks a MUST of its specification"))
		e.Code = wayfind.CodeStrict
		return e
	}
	return d.working(ctx, o.Candidate.URL, func(w *fuel.Counter) {
		merge.Complete(w, d.detail.Service, d.detail.Capability, found, located.Source.Trust == wayfind.TrustCrossSite)
		d.siteCalls(w).Tighten(w, d.detail.Service, d.detail.Capability)
	})
}

// working does counted work on the content of a document at a URL.
func (d *describer) working(ctx context.Context, url string, f func(*fuel.Counter)) error {
	if ended := d.Counted(ctx, d.Domain(urlref.Host(d.site.Origin)), nil, f); ended != nil {
		return endedDescribe(url, ended)
	}
	return nil
}

// endedDescribe returns the error of a Describe whose context ended its work.
func endedDescribe(about string, ended error) error {
	return wayfind.NewError("describe", about, wayfind.CodeCanceled, ended)
}

// read reads a document about a subject with the format.
func (d *describer) read(ctx context.Context, o *discover.Outcome, subject parse.Subject) (r *reading.Detail, err error) {
	ended := d.working(ctx, o.Candidate.URL, func(w *fuel.Counter) { r, err = d.Reader.Detail(w, o.Doc, d.format, subject) })
	if ended != nil {
		return nil, ended
	}
	return r, err
}

// readOf reads a definition, or only its request.
func (d *describer) readOf(ctx context.Context, o *discover.Outcome, subject parse.Subject) (r *reading.Detail, err error) {
	if !d.requestOnly() {
		return d.read(ctx, o, subject)
	}
	d.outcome = o
	ended := d.working(ctx, o.Candidate.URL, func(w *fuel.Counter) { r, d.request, err = d.Reader.Request(w, o.Doc, d.format, subject) })
	if ended != nil {
		return nil, ended
	}
	return r, err
}

// Unanswered returns the error of a detail document that could not be fetched.
func Unanswered(o *discover.Outcome) *wayfind.Error {
	code, kind := codeOf(o), o.Probe.Verdict.Kind()
	if cause, ok := errors.AsType[*wayfind.Error](o.Err); ok {
		kind = cmp.Or(kind, cause.Kind)
	}
	if o.Probe.Reason == string(wayfind.CodeOffline) {
		code = wayfind.CodeOffline
	}
	e := wayfind.NewError("describe", o.Candidate.URL, code, o.Cause())
	if o.Probe.Verdict == wayfind.VerdictThrottled {
		e.NotBefore = o.FreshUntil
	}
	return e.WithKind(cmp.Or(kind, wayfind.ErrUnreachable))
}

// linkedPlace returns the place of a document that another one names. Trust is measured from the
// other document.
func (d *describer) linkedPlace(o *discover.Outcome) reading.At {
	at := d.PlaceOf(o)
	at.From, at.Foreign, at.Linked = d.from.Anchor(), d.from.Foreign, true
	return at
}

// linked returns a reading of a document that another one names, and the diagnostics about it.
func (d *describer) linked(o *discover.Outcome, r *reading.Detail) (reading.Located, []wayfind.Diagnostic) {
	at := d.linkedPlace(o)
	located := r.At(at)
	located.Source.From, located.Source.Private = d.named(at.Requested.String()), o.Private
	return located, append(o.Doc.Spared(at, at.Diagnostics(r.Diagnostics)), provenance.Keyring{Pinned: d.Opts.Trust.Keys}.Verify(o.Doc, at, &located)...)
}

// codeOf returns the finer cause of a verdict, if it is one of the codes.
func codeOf(o *discover.Outcome) wayfind.Code {
	if e, ok := errors.AsType[*wayfind.Error](o.Err); ok && e.Code != "" {
		return e.Code
	}
	if o.Probe.Verdict == wayfind.VerdictOtherFormat {
		return wayfind.CodeSchema
	}
	return wayfind.Code(o.Probe.Reason)
}

func firstCapability(r reading.Located) *wayfind.Capability {
	for i := range r.Services {
		if len(r.Services[i].Capabilities) > 0 {
			return &r.Services[i].Capabilities[0]
		}
	}
	return nil
}

func unknownKey(site *wayfind.Site, key string) error {
	e := wayfind.NewError("describe", site.Origin, wayfind.CodeUnknownKey, nil)
	var keys []string
	for _, capability := range site.Capabilities() {
		keys = append(keys, capability.Key)
	}
	for i := range site.Services {
		keys = append(keys, site.Services[i].ID)
	}
	switch near := text.NearestKey(key, keys); {
	case near != "":
		e.Err = fmt.Errorf("no capability or service %q; did you mean %q?", key, near)
	default:
		e.Err = fmt.Errorf("no capability or service %q", key)
	}
	return e
}

// unfit returns the error of a document that is not about the service.
func unfit(o *discover.Outcome, err error) *wayfind.Error {
	code := wayfind.CodeSchema
	if errors.Is(err, wayfind.ErrInternal) {
		code = wayfind.CodePanic
	}
	return wayfind.NewError("describe", o.Candidate.URL, code, err)
}
