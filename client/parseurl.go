package client

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/show/served"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security"
)

// ParseURL requests one document and returns the result of Parse with the details of all
// capabilities that the document has (ParseOptions.Full). It is for publishers who check their
// latest change. The request goes through the same guard and limits as all others and, if they
// apply, obeys the rules of robots.txt. Each call requests the document again, with a conditional
// request if there is a validator, and without the pause of the document's format. All formats look
// at the document, whatever its location. ParseURL respects the demands of the site (Retry-After)
// and an absence that a Resolve of this Client must remember.
//
// ParseURL also judges the header of the answer: ParseResult.Caching says what clients do with it,
// and each rule that it breaks is a diagnostic with a code "served.…".
//
// A document that no format reads is a result, as with Parse. Errors are *wayfind.Error: ErrInvalid
// with Op "target" for a URL that is not https or has no public host, otherwise the kinds of
// Resolve if no document came, for example ErrNotFound for a 404.
func (c *Client) ParseURL(ctx context.Context, rawURL string) (*ParseResult, error) {
	leave, err := c.enter("parse")
	if err != nil {
		return nil, err
	}
	defer leave()
	u, err := c.targetURL(rawURL)
	if err != nil {
		return nil, err
	}
	target := resolve.Target{Origin: security.Origin(u)}
	if err := ctx.Err(); err != nil {
		return nil, discover.CutShort(target, err)
	}
	a, end := c.engine.NewSession(ctx, u.Hostname(), true)
	defer end()
	o := a.AskOnce(a.Work, places.Alone(target, c.engine.Opts.Formats, u), true)
	traced(ctx)(o.Fact)
	switch {
	case c.engine.Closed.Load():
		return nil, discover.ErrClosed("parse")
	case !delivered(o):
		return nil, undelivered(ctx, target, o)
	}
	var result *ParseResult
	ended := a.Counted(ctx, func(w *fuel.Counter) {
		c.readAlone(w, o)
		result = resultOf(w, target, &o.Outcome, o.Doc, c.engine.Opts.Clock.Now())
		if o.Doc != nil {
			result.complete(w, c.engine.Reader, c.engine.PlaceOf(o), o.Doc)
		}
		c.judgeServed(result, o)
	})
	if ended != nil {
		return nil, discover.CutShort(target, ended)
	}
	return result, nil
}

// judgeServed says what clients do with the answer of a document, and which rules its
// header breaks. How a page that no format reads is served is nothing to agents.
func (c *Client) judgeServed(result *ParseResult, o *discover.Outcome) {
	list := c.engine.Opts.Formats
	i := slices.IndexFunc(list, func(f *parse.Format) bool { return f.Name == result.Format })
	if i < 0 || len(o.Entries) == 0 {
		return
	}
	e := o.Entries[len(o.Entries)-1]
	result.Caching = served.Caching(e.Header)
	broken := served.Judge(&served.Answer{
		URL: o.Candidate.URL, Format: list[i], Dialect: result.Dialect,
		Header: e.Header, SetsCookie: e.SetsCookie, Redirects: len(o.Probe.Redirects), Size: len(e.Body), Decoded: e.Decoded(),
	})
	if len(broken) > 0 {
		result.Diagnostics = append(result.Diagnostics, broken...)
		result.Site.Diagnostics = result.Diagnostics
	}
}

// targetURL parses a URL from a caller; its error is the error of a target.
func (c *Client) targetURL(rawURL string) (*url.URL, error) {
	u, err := c.engine.Opts.Policy.ParseURL(rawURL, nil)
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok {
		if err == nil {
			u = c.engine.HideURL(u)
		}
		return u, err
	}
	refused := e.WithKind(wayfind.ErrInvalid)
	refused.Op = "target"
	if e.Code == wayfind.CodeUserinfo {
		refused.URL = "" // it may hold a password
	}
	return nil, refused
}

// delivered reports whether a document came, usable or not.
func delivered(o *discover.Outcome) bool {
	v, status := o.Probe.Verdict, o.Probe.Status
	return v.Unreadable() ||
		v.Answered() && (status == http.StatusOK || status == http.StatusNonAuthoritativeInfo)
}

// undelivered returns the error if no document came: the error of a Resolve with the same outcome
// at its only place.
func undelivered(ctx context.Context, target resolve.Target, o *discover.Outcome) error {
	switch o.Probe.Reason {
	case string(wayfind.CodeOffline):
		return discover.Offline("parse", o.Candidate.URL)
	case string(wayfind.CodeCrowded):
		return o.Err
	case string(wayfind.CodeDeadline):
		return discover.CutShort(target, cmp.Or(ctx.Err(), context.DeadlineExceeded))
	}
	err := merge.Failure(&wayfind.Site{Origin: target.Origin}, []*merge.Outcome{&o.Outcome})
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		e.URL = o.Candidate.URL
		e.Err = cmp.Or(e.Err, o.Cause())
		if o.Probe.Verdict == wayfind.VerdictAbsent {
			e.Code = wayfind.CodeAbsent
		}
	}
	return err
}

// readAlone reads a detail document by itself, as Parse does. Discovery has no use for such a
// document, but its publisher does.
func (c *Client) readAlone(w *fuel.Counter, o *discover.Outcome) {
	if o.Doc == nil {
		return
	}
	alone := c.engine.Reader.Alone(w, o.Doc)
	if alone == o.Doc {
		return
	}
	_, before := o.Doc.At(reading.At{Requested: &url.URL{}})
	more := outcomeAlone(alone, c.engine.PlaceOf(o), c.engine.Opts.Trust.Keys)
	o.Diagnostics = append(o.Diagnostics, more.Diagnostics[len(before):]...)
	o.Doc = alone
	o.Readings, o.Err = more.Readings, more.Err
	o.Probe.Verdict, o.Probe.Reason = more.Probe.Verdict, more.Probe.Reason
	verdict.Explain(&o.Probe, more.Err)
}
