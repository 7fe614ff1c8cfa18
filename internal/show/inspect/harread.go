package inspect

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/web/capture"
)

// maxEntries is the maximum number of entries of a HAR file that are shown. Each has two parts.
const maxEntries = maxParts/2 - 100

// ReadHAR reads a HAR file of any program, and returns its requests as a Watch. Credentials,
// cookies and likely secrets are left out, as they are if wayfind sends a request.
func ReadHAR(raw []byte) (*Watch, error) {
	var file harFile
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("it is no HAR file: %w", err)
	}
	log := &file.Log
	switch {
	case log.Version == "" && log.Entries == nil:
		return nil, errors.New("it is no HAR file: it has no log")
	case log.Version != "" && !strings.HasPrefix(log.Version, "1."):
		return nil, fmt.Errorf("it is a HAR file of version %q, and only 1.1 and 1.2 are read", log.Version)
	case len(log.Entries) == 0:
		return nil, errors.New("the HAR file has no entry")
	case len(log.Entries) > maxEntries:
		return nil, fmt.Errorf("the HAR file has %d entries, and at most %d are shown", len(log.Entries), maxEntries)
	}
	slices.SortStableFunc(log.Entries, func(a, b harEntry) int { return a.Started.Compare(b.Started) })
	w := NewWatch()
	w.start = log.Entries[0].Started
	runs := map[string]int{}
	leads := map[string]string{} // from the URL of a redirect's target to the URL that redirects
	for n := range log.Entries {
		e := &log.Entries[n]
		run := runs[e.Page]
		if run == 0 {
			run = w.add(Part{Kind: kindLog, Target: titleOf(log.Pages, e.Page), BeginMs: inMs(e.Started.Sub(w.start))})
			runs[e.Page] = run
		}
		w.addEntry(e, run, leads)
	}
	return w, nil
}

// kindLog is the Kind of a part that contains the entries of a page of a HAR file.
const kindLog = "log"

func titleOf(pages []harPage, id string) string {
	for _, p := range pages {
		if p.ID == id {
			return cmp.Or(p.Title, p.ID)
		}
	}
	return id
}

// addEntry adds the parts and the message of an entry.
func (w *Watch) addEntry(e *harEntry, run int, leads map[string]string) {
	m := messageOfEntry(e)
	shown := secret.Message{Private: true}
	begin := inMs(e.Started.Sub(w.start))
	end := begin + max(e.Time, e.Timings.sum(), 0)
	request := Part{Within: run, Kind: client.EventRequest, Target: m.URL, Method: m.Method, BeginMs: begin, EndMs: &end, Status: statusText(m.Status),
		From: cmp.Or(e.FromCache, cache.FromNetwork), Verdict: shown.URL(e.Verdict), Error: shown.URL(e.Response.Error), RedirectedFrom: leads[m.URL]}
	if e.Response.Content.Size > 0 {
		request.Bytes = int64(e.Response.Content.Size)
	}
	if to := e.Response.RedirectURL; to != "" {
		if base, err := url.Parse(m.URL); err == nil {
			base.User = nil
			if u, err := base.Parse(shown.URL(to)); err == nil && u.String() != m.URL {
				leads[u.String()] = m.URL
			}
		}
	}
	id := w.add(request)
	exchange := request
	exchange.Within, exchange.Kind, exchange.RedirectedFrom, exchange.Attempt = id, client.EventExchange, "", 1
	exchange.Bytes = int64(max(e.Response.BodySize, 0))
	t := e.Timings
	for _, s := range []Stage{{"queue", t.Blocked}, {"dns", t.DNS}, {"connect", max(t.Connect, 0) - max(t.SSL, 0)}, {"tls", t.SSL}, {"wait", max(t.Send, 0) + max(t.Wait, 0)}, {"read", t.Receive}} {
		if s.Ms > 0 {
			exchange.Stages = append(exchange.Stages, s)
		}
	}
	exchange.Reused = t.Connect < 0 && e.FromCache == ""
	w.keep(w.add(exchange), m)
	if p := &w.parts[run-1]; p.EndMs == nil || *p.EndMs < end {
		p.EndMs = &end
	}
}

// add adds a part that has ended.
func (w *Watch) add(p Part) (id int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p.ID = len(w.parts) + 1
	w.parts = append(w.parts, p)
	w.changed(p.ID)
	return p.ID
}

// messageOfEntry returns the message of an entry, without secrets.
func messageOfEntry(e *harEntry) *capture.Message {
	shown := secret.Message{Private: true}
	for _, f := range e.Request.Headers {
		if isIdentity(f.Name) {
			shown.Veil = shown.Veil.AndField(f.Value)
		}
	}
	m := &capture.Message{Method: e.Request.Method, URL: shown.URL(e.Request.URL), Status: max(e.Response.Status, 0), Remote: e.Server}
	switch v := strings.ToUpper(e.Response.HTTPVersion); {
	case m.Status == 0:
	case strings.HasPrefix(v, "HTTP/2"), v == "H2":
		m.Proto = "HTTP/2"
	case v != "UNKNOWN":
		m.Proto = shown.URL(e.Response.HTTPVersion)
	}
	var sent, got string
	if p := e.Request.PostData; p != nil {
		sent = p.Text
		m.Request.Header = http.Header{"Content-Type": {p.MimeType}}
	}
	got = e.Response.Content.Text
	if e.Response.Content.Encoding == "base64" {
		if plain, err := base64.StdEncoding.DecodeString(got); err == nil {
			got = string(plain)
		}
	}
	setSide(&m.Request, e.Request.Headers, sent, shown)
	setSide(&m.Answer, e.Response.Headers, got, shown)
	m.Answer.Cut = m.Answer.Cut || e.Response.Content.Comment == harCut
	m.Request.Cut = m.Request.Cut || e.Request.PostData != nil && e.Request.PostData.Comment == harCut
	return m
}

// isIdentity reports whether a request field identifies a caller.
func isIdentity(name string) bool {
	return slices.ContainsFunc(cache.IdentityFields(), func(own string) bool { return strings.EqualFold(own, name) })
}

// setSide sets the fields and the beginning of the body of one side.
func setSide(s *capture.Side, list []harField, body string, shown secret.Message) {
	header := http.Header{}
	for _, f := range list {
		if strings.HasPrefix(f.Name, ":") {
			continue // HTTP/2: the method and the URL
		}
		v := secret.RecordedMark
		if !isIdentity(f.Name) {
			v = shown.Field(f.Name, f.Value)
		}
		header.Add(f.Name, v)
	}
	kind := cmp.Or(header.Get("Content-Type"), s.Header.Get("Content-Type"))
	if _, _, err := mime.ParseMediaType(kind); err != nil {
		kind = ""
	}
	s.Header = header
	searched := body[:min(len(body), capture.Searched)]
	s.SetBody(shown.Body(kind, searched), len(searched) < len(body))
}
