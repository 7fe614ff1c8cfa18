package discover

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// A caller names a domain or a URL. Only its answer shows the kind of a URL. If a format reads the
// answer, the URL is a document, which is read in place with its links. Otherwise it is a directory, with
// the places below it. It is a server if the answer has a sign of one: no message is posted without.

// sign is what an answer to a GET tells about a server.
type sign int

const (
	noSign sign = iota
	// hint is an answer that other programs than servers give too. For a URL that a person typed it is
	// enough, if no document was found below the URL.
	hint
	// proof is an answer that only servers for agents give.
	proof
)

// Entry returns the place that is the URL of a target, or nil if the caller named a domain alone. Its
// formats are those of the place, if it is one.
func (eng *Engine) Entry(t resolve.Target, plan []places.Candidate) *places.Candidate {
	switch u := t.URL(); {
	case !t.HasURL():
		return nil
	case t.Server || eng.Opts.Network.Local[t.Host()] != nil:
		return &places.Candidate{URL: u, Live: true}
	default:
		if i := slices.IndexFunc(plan, func(c places.Candidate) bool { return c.URL == u && !c.Aside }); i >= 0 {
			own := plan[i]
			own.Page, own.After, own.Unless, own.Else = true, nil, nil, ""
			own.Conventional, own.Beside = false, false // the caller has named the document
			return &own
		}
		return &places.Candidate{URL: u, Page: true, Accept: places.AnyAccept, Limits: parse.Limits{}.WithDefaults()}
	}
}

// Order returns the targets that a target is asked as, one after the other, until one is found. The path
// "/" alone is rarely a document, so if no prober speaks with servers, its domain comes first. A server
// under development that the caller has allowed is often at the root of its host, so that URL follows its
// domain.
func (eng *Engine) Order(t resolve.Target) []resolve.Target {
	switch atRoot := t.Base == "" && !t.Server; {
	case atRoot && t.Tail == "/" && len(eng.Opts.Live) == 0:
		return []resolve.Target{t.Directory(), t}
	case atRoot && t.Tail == "" && eng.isOwnServer(t):
		root := t
		root.Tail = "/"
		return []resolve.Target{t, root}
	}
	return []resolve.Target{t}
}

// EntryIn returns the outcome at the URL of a target, or nil.
func EntryIn(t resolve.Target, done []*Outcome) *Outcome {
	i := slices.IndexFunc(done, func(o *Outcome) bool { return o.Candidate.IsChosen() && o.Candidate.URL == t.URL() })
	if i < 0 {
		return nil
	}
	return done[i]
}

// NamedBy returns the target that a Site is about: the URL itself if it is a document or a server, and
// otherwise the directory or the domain.
func NamedBy(t resolve.Target, done []*Outcome) resolve.Target {
	if o := EntryIn(t, done); t.Server || o != nil && o.Probe.Verdict == wayfind.VerdictFound {
		return t
	}
	return t.Directory()
}

// askEntry asks the URL of the target, and returns the rest of the plan: nothing if the URL is a document,
// or if the caller knows that it is a server.
func (r *run) askEntry(ctx context.Context, plan []*places.Candidate) (rest []*places.Candidate, s sign) {
	entry := r.engine.Entry(r.key.Target, r.plan)
	if entry == nil {
		return plan, noSign
	}
	if entry.Live {
		r.askServer(ctx)
		return nil, noSign
	}
	if r.outcome(entry.URL) == nil { // robots.txt may have been asked for its rules
		r.waves(ctx, []*places.Candidate{entry})
	}
	o := r.outcome(entry.URL)
	if o == nil { // the budget has no request for it
		return plan, noSign
	}
	if o.Probe.Verdict == wayfind.VerdictFound {
		return nil, noSign
	}
	if s = r.signOf(o); s == proof {
		r.askServer(ctx)
	}
	return slices.DeleteFunc(plan, func(c *places.Candidate) bool { return c.URL == entry.URL }), s
}

// isDirectory reports whether a document was found below the URL of the target. Well-known places of the
// domain are below the path "/" only.
func (r *run) isDirectory() bool {
	return slices.ContainsFunc(r.done, func(o *Outcome) bool {
		c := o.Candidate
		return o.Probe.Verdict == wayfind.VerdictFound && !c.Robots && c.From == "" && strings.HasPrefix(c.URL, r.site.Origin+r.site.Base+"/")
	})
}

// askServer asks the URL of the target in the protocols of Options.Live. The outcome replaces that of the
// GET. Without a prober, the URL stays what the GET has shown, with a reason.
func (r *run) askServer(ctx context.Context) {
	place := &places.Candidate{URL: r.key.Target.URL(), Live: true}
	i := slices.IndexFunc(r.done, func(o *Outcome) bool { return o.Candidate.Page && o.Candidate.URL == place.URL })
	var o *Outcome
	switch probers := r.engine.probersOf(r.key.Target); {
	case len(probers) == 0 && i >= 0:
		own := *r.done[i]
		own.Probe.Reason = string(wayfind.CodeServer)
		if own.Probe.Verdict.Unreadable() { // such as a stream of events
			own.Probe.Verdict, own.Probe.Error, own.Err = wayfind.VerdictEndpointLike, "", nil
		}
		o = &own
	case len(probers) == 0:
		o = Skipped(place, string(wayfind.CodeServer))
	case r.engine.Opts.Offline:
		o = Skipped(place, string(wayfind.CodeOffline))
	default:
		r.budget.Left--
		r.emit(Skipped(place, string(wayfind.CodeDeadline))) // as long as there is no answer
		o = r.target(ctx, place, probers)
	}
	if i >= 0 {
		r.done[i] = o
	} else {
		r.done = append(r.done, o)
	}
	r.emit(o)
}

// unspoken returns the error of a target whose URL may be that of a server that was not asked.
func (r *run) unspoken(err error) error {
	e, ok := errors.AsType[*wayfind.Error](err)
	o := EntryIn(r.key.Target, r.done)
	if !ok || o == nil || !errors.Is(err, wayfind.ErrNotFound) && !errors.Is(err, wayfind.ErrBlocked) {
		return err
	}
	own := *e
	switch {
	case o.Probe.Reason == string(wayfind.CodeServer):
		own.URL, own.Code, own.Err = o.Probe.URL, wayfind.CodeServer, errors.New("the URL is that of a server, and no prober speaks with it")
	case !o.Candidate.Live && (isRefused(o.Probe.Status) || o.Probe.Status == http.StatusUnauthorized):
		own.Err = fmt.Errorf("the URL answers %d to a GET, as a server may; if it is an MCP server, %q names it", o.Probe.Status, resolve.ServerPrefix+o.Probe.URL)
	default:
		return err
	}
	return &own
}

// isRefused reports whether a status refuses a GET, but may accept other methods or types.
func isRefused(status int) bool {
	return status == http.StatusMethodNotAllowed || status == http.StatusNotAcceptable
}

// signOf returns what the answer of the entry tells about a server.
func (r *run) signOf(o *Outcome) sign {
	if len(o.Entries) == 0 {
		return noSign
	}
	e := o.Entries[len(o.Entries)-1]
	header := http.Header(e.Header)
	switch {
	case e.Status == http.StatusUnauthorized && namesResource(header),
		e.Status == http.StatusOK && fetch.IsEventStream(header),
		e.Status/100 == 4 && (hasMCPField(header) || isMessage(e.Body)):
		return proof
	case isRefused(e.Status), r.key.Target.Tail == "/" && r.key.Target.Base == "", r.engine.isOwnServer(r.key.Target):
		return hint
	}
	return noSign
}

// isOwnServer reports whether a target is at a server under development that the caller has allowed, and
// may be asked as a server. No stranger receives the message, so any answer but a document is a hint:
// frameworks answer 404 to a GET where only POST has a handler.
func (eng *Engine) isOwnServer(t resolve.Target) bool {
	return slices.Contains(eng.Opts.Policy.AllowDev, t.Origin) && len(eng.probersOf(t)) > 0
}

// namesResource reports whether a challenge names the metadata of a protected resource (RFC 9728 §5.1).
func namesResource(header http.Header) bool {
	return slices.ContainsFunc(header["Www-Authenticate"], func(v string) bool {
		return strings.Contains(strings.ToLower(v), "resource_metadata")
	})
}

// hasMCPField reports whether a header has a field of MCP, such as Mcp-Session-Id.
func hasMCPField(header http.Header) bool {
	for name := range header {
		if strings.HasPrefix(name, "Mcp-") {
			return true
		}
	}
	return false
}

// isMessage reports whether a body is a message of JSON-RPC 2.0, or a text that asks for the field of a
// session of MCP, as servers of its SDK for Go send it.
func isMessage(body []byte) bool {
	if bytes.Contains(bytes.ToLower(body), []byte("mcp-session-id")) {
		return true
	}
	if !bytes.Contains(body, []byte("jsonrpc")) {
		return false
	}
	doc, err := jsonscan.Scan(body)
	if err != nil {
		return false
	}
	version, _ := doc.Root().Get("jsonrpc").Str()
	return version == "2.0"
}
