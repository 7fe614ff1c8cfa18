package inspect

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/web/capture"
)

// The types of HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/). Sizes and times that are
// not known are -1. Fields that begin with "_" are not of the standard, which permits them.
type harFile struct {
	Log harLog `json:"log"`
}

type harLog struct {
	Version string     `json:"version"`
	Creator harName    `json:"creator"`
	Pages   []harPage  `json:"pages"`
	Entries []harEntry `json:"entries"`
	Comment string     `json:"comment,omitempty"`
}

type harName struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type harPage struct {
	Started time.Time      `json:"startedDateTime"`
	ID      string         `json:"id"`
	Title   string         `json:"title"`
	Timings harPageTimings `json:"pageTimings"`
}

type harPageTimings struct {
	OnContentLoad float64 `json:"onContentLoad"`
	OnLoad        float64 `json:"onLoad"`
}

type harEntry struct {
	Page     string      `json:"pageref,omitempty"`
	Started  time.Time   `json:"startedDateTime"`
	Time     float64     `json:"time"`
	Request  harRequest  `json:"request"`
	Response harResponse `json:"response"`
	Cache    harCache    `json:"cache"`
	Timings  harTimings  `json:"timings"`
	Server   string      `json:"serverIPAddress,omitempty"`
	Comment  string      `json:"comment,omitempty"`
	// FromCache is as browsers write it: the store that the answer is from.
	FromCache string `json:"_fromCache,omitempty"`
	// Verdict is the verdict on the place.
	Verdict string `json:"_verdict,omitempty"`
}

type harRequest struct {
	Method      string     `json:"method"`
	URL         string     `json:"url"`
	HTTPVersion string     `json:"httpVersion"`
	Cookies     []harField `json:"cookies"`
	Headers     []harField `json:"headers"`
	Query       []harField `json:"queryString"`
	PostData    *harPost   `json:"postData,omitempty"`
	HeadersSize float64    `json:"headersSize"`
	BodySize    float64    `json:"bodySize"`
}

type harPost struct {
	MimeType string `json:"mimeType"`
	Text     string `json:"text"`
	Comment  string `json:"comment,omitempty"`
}

type harResponse struct {
	Status      int        `json:"status"`
	StatusText  string     `json:"statusText"`
	HTTPVersion string     `json:"httpVersion"`
	Cookies     []harField `json:"cookies"`
	Headers     []harField `json:"headers"`
	Content     harContent `json:"content"`
	RedirectURL string     `json:"redirectURL"`
	HeadersSize float64    `json:"headersSize"`
	BodySize    float64    `json:"bodySize"`
	// Error is as browsers write it: the reason why there is no answer.
	Error string `json:"_error,omitempty"`
}

type harContent struct {
	Size     float64 `json:"size"`
	MimeType string  `json:"mimeType"`
	Text     string  `json:"text,omitempty"`
	Encoding string  `json:"encoding,omitempty"`
	Comment  string  `json:"comment,omitempty"`
}

type harField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type harCache struct {
	Before *harCached `json:"beforeRequest,omitempty"`
}

type harCached struct {
	Expires    string `json:"expires,omitempty"`
	LastAccess string `json:"lastAccess"`
	ETag       string `json:"eTag"`
	HitCount   int    `json:"hitCount"`
}

// harTimings are in milliseconds. Connect includes SSL.
type harTimings struct {
	Blocked float64 `json:"blocked"`
	DNS     float64 `json:"dns"`
	Connect float64 `json:"connect"`
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
	SSL     float64 `json:"ssl"`
}

// harCut is the comment of a truncated body.
var harCut = fmt.Sprintf("only the first %d bytes are kept", capture.MaxBody)

// serveHAR serves the requests and answers so far as a HAR file.
func (i *Inspector) serveHAR(w http.ResponseWriter, _ *http.Request) {
	raw, err := i.HAR()
	if err != nil {
		reply(w, http.StatusInternalServerError, failure{err.Error()})
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="wayfind.har"`)
	_, _ = w.Write(raw) // the reader may have left
}

// HAR returns the requests and answers so far as a HAR 1.2 file, without secrets. It has an entry
// for each exchange that has ended, and for each answer from a store.
func (i *Inspector) HAR() ([]byte, error) {
	log := harLog{Version: "1.2", Creator: harName{"wayfind", cmp.Or(i.Version, "unknown")}, Pages: []harPage{}, Entries: []harEntry{},
		Comment: "Credentials, cookies and likely secrets are left out. Of each body the beginning is kept."}
	parts, _, _ := i.Watch.Since(0)
	slices.SortFunc(parts, func(a, b Part) int { return a.ID - b.ID })
	root, asked := map[int]int{}, map[int]bool{} // the outermost part of each part; the requests with an exchange
	byID := map[int]*Part{}
	for n := range parts {
		p := &parts[n]
		byID[p.ID], root[p.ID] = p, p.ID
		if around := root[p.Within]; around != 0 {
			root[p.ID] = around
		}
		if p.Kind == client.EventExchange {
			asked[p.Within] = true
		}
	}
	for n := range parts {
		p := &parts[n]
		switch {
		case p.Within == 0:
			log.Pages = append(log.Pages, harPage{Started: i.Watch.at(p.BeginMs), ID: pageID(p.ID), Title: strings.TrimSpace(p.Kind + " " + p.Target), Timings: harPageTimings{-1, -1}})
		case p.EndMs == nil:
		case p.Kind == client.EventExchange:
			if e, ok := i.exchanged(p, byID[p.Within]); ok {
				e.Page = pageID(root[p.ID])
				log.Entries = append(log.Entries, e)
			} else {
				log.Comment += " " + p.Target + " has no entry: its message is not kept."
			}
		case p.Kind == client.EventRequest && !asked[p.ID] && p.From != "":
			if e, ok := i.storedEntry(p); ok {
				e.Page = pageID(root[p.ID])
				log.Entries = append(log.Entries, e)
			}
		}
	}
	slices.SortStableFunc(log.Entries, func(a, b harEntry) int { return a.Started.Compare(b.Started) })
	return json.MarshalIndent(harFile{log}, "", " ")
}

func pageID(part int) string { return fmt.Sprintf("run_%d", part) }

// exchanged returns the entry of an exchange. ok is false if its message is not kept.
func (i *Inspector) exchanged(p, around *Part) (e harEntry, ok bool) {
	m, _, _ := i.Watch.message(p.ID)
	if m == nil {
		return e, false
	}
	e = entryOf(m, i.Watch.at(p.BeginMs))
	e.Response.Error, e.Response.BodySize = p.Error, float64(p.Bytes)
	e.Response.Content.Size = float64(max(p.Bytes, int64(len(m.Answer.Body))))
	if around != nil {
		e.Verdict = around.Verdict
		if around.Bytes > 0 {
			e.Response.Content.Size = float64(around.Bytes)
		}
	}
	t := harTimings{DNS: -1, Connect: -1, SSL: -1}
	for _, s := range p.Stages {
		switch s.Name {
		case "queue":
			t.Blocked = s.Ms
		case "dns":
			t.DNS = s.Ms
		case "connect":
			t.Connect = s.Ms + max(t.Connect, 0)
		case "tls":
			t.SSL, t.Connect = s.Ms, s.Ms+max(t.Connect, 0)
		case "wait":
			t.Wait = s.Ms
		case "read":
			t.Receive = s.Ms
		}
	}
	e.Timings, e.Time = t, t.sum()
	return e, true
}

func (t *harTimings) sum() (ms float64) {
	for _, part := range []float64{t.Blocked, t.DNS, t.Connect, t.Send, t.Wait, t.Receive} {
		ms += max(part, 0)
	}
	return ms
}

// storedEntry returns the entry of an answer that a store had.
func (i *Inspector) storedEntry(p *Part) (e harEntry, ok bool) {
	if i.Documents == nil {
		return e, false
	}
	x := i.Documents.lookup(p.Target)
	if x == nil || x.Failure != nil {
		return e, false
	}
	m := &capture.Message{Method: http.MethodGet, URL: p.Target, Status: x.Status, Answer: storedSide(x)}
	e = entryOf(m, i.Watch.at(p.BeginMs))
	e.FromCache, e.Verdict, e.Comment = p.From, p.Verdict, "no request was sent: a store had the answer"
	e.Response.Content.Size = float64(len(x.Body))
	e.Cache.Before = &harCached{LastAccess: e.Started.Format(time.RFC3339Nano), ETag: x.Header.Get("Etag"), HitCount: 1, Expires: x.Header.Get("Expires")}
	e.Timings = harTimings{Blocked: -1, DNS: -1, Connect: -1, SSL: -1}
	return e, true
}

// entryOf returns an entry without times.
func entryOf(m *capture.Message, started time.Time) harEntry {
	e := harEntry{Started: started, Server: hostAlone(m.Remote)}
	proto := cmp.Or(m.Proto, "unknown")
	e.Request = harRequest{Method: m.Method, URL: m.URL, HTTPVersion: proto, Cookies: []harField{}, Headers: harFields(m.Request.Header), Query: queryOf(m.URL), HeadersSize: -1, BodySize: float64(len(m.Request.Body))}
	if len(m.Request.Body) > 0 {
		text, _ := harBody(m.Request.Body)
		e.Request.PostData = &harPost{MimeType: m.Request.Header.Get("Content-Type"), Text: text}
		if m.Request.Cut {
			e.Request.PostData.Comment, e.Request.BodySize = harCut, -1
		}
	}
	e.Response = harResponse{
		Status: m.Status, StatusText: http.StatusText(m.Status), HTTPVersion: proto, Cookies: []harField{}, Headers: harFields(m.Answer.Header),
		RedirectURL: m.Answer.Header.Get("Location"), HeadersSize: -1, BodySize: -1,
		Content: harContent{Size: float64(len(m.Answer.Body)), MimeType: cmp.Or(m.Answer.Header.Get("Content-Type"), "x-unknown")},
	}
	e.Response.Content.Text, e.Response.Content.Encoding = harBody(m.Answer.Body)
	if m.Answer.Cut {
		e.Response.Content.Comment = harCut
	}
	return e
}

// harBody returns a body as text, or else in base64.
func harBody(body []byte) (text, encoding string) {
	if utf8.Valid(body) {
		return string(body), ""
	}
	return base64.StdEncoding.EncodeToString(body), "base64"
}

func harFields(h http.Header) []harField {
	list := []harField{}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[name] {
			list = append(list, harField{name, v})
		}
	}
	return list
}

func queryOf(address string) []harField {
	list := []harField{}
	u, err := url.Parse(address)
	if err != nil {
		return list
	}
	query := u.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		for _, v := range query[name] {
			list = append(list, harField{name, v})
		}
	}
	return list
}

func hostAlone(remote string) string {
	if host, _, err := net.SplitHostPort(remote); err == nil {
		return host
	}
	return remote
}
