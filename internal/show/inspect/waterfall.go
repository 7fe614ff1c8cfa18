package inspect

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
)

// maxAsked is the maximum number of answers whose notes are kept.
const maxAsked = 20

// waterfallRoutes adds the URLs of the view Waterfall. The parts themselves are sent with the
// events.
func (i *Inspector) waterfallRoutes(mux *http.ServeMux) {
	mux.Handle("GET /waterfall", answer(func(*http.Request, struct{}) ([]Asked, error) { return i.Asked(), nil }))
	mux.Handle("GET /waterfall/message", answer(func(r *http.Request, _ struct{}) (*Message, error) { return i.messageOf(r) }))
	mux.HandleFunc("GET /har", i.serveHAR)
}

// Asked contains the statements of a complete answer about its places, in addition to the parts
// of the work.
type Asked struct {
	// Part is the ID of the part that returned the answer.
	Part  int    `json:"part"`
	Notes []Note `json:"notes"`
}

// Note is the outcome at one place.
type Note struct {
	URL     string   `json:"url"`
	Formats []string `json:"formats,omitempty"`
	// Verdict is the verdict in words, and When the condition for it. Document is yes, no or
	// unknown, for whether there is a document.
	Verdict  string `json:"verdict,omitempty"`
	When     string `json:"when,omitempty"`
	Document string `json:"document,omitempty"`
	// Reason is the code of the exact cause, and Error its text, which may contain text of the
	// site.
	Reason string `json:"reason,omitempty"`
	Error  string `json:"error,omitempty"`
	Status string `json:"status,omitempty"`
	From   string `json:"from,omitempty"`
	// Since is the time at which a cached answer was received. Until is the time until which it
	// is valid.
	Since  time.Time `json:"since,omitzero"`
	Until  time.Time `json:"until,omitzero"`
	Remote string    `json:"remote,omitempty"`
	// Why is the reason why a request was sent; empty if none was.
	Why string `json:"why,omitempty"`
	// Robots is true if robots.txt asks crawlers not to request the place.
	Robots bool `json:"robots,omitempty"`
}

// Asked returns the notes of the answers so far, the oldest first.
func (i *Inspector) Asked() []Asked {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]Asked{}, i.asked...)
}

// resolve asks the target, and stores the notes of the answer.
func (i *Inspector) resolve(ctx context.Context, refresh bool) (*wayfind.Site, error) {
	ask := i.Client.Resolve
	if refresh {
		ask = i.Client.Refresh
	}
	var trace client.Trace
	before := i.Watch.count()
	site, err := ask(client.WithTrace(ctx, &trace), i.Target)
	if site == nil {
		return nil, err
	}
	asked := Asked{Part: i.Watch.resolved(before), Notes: notesOf(site, &trace)}
	i.mu.Lock()
	defer i.mu.Unlock()
	for n := range asked.Notes {
		asked.Notes[n].explain(refresh, i.lastNote(asked.Notes[n].URL), site.ResolvedAt)
	}
	if len(i.asked) == maxAsked {
		i.asked = append(i.asked[:0:0], i.asked[1:]...)
	}
	i.asked = append(i.asked, asked)
	return site, err
}

// lastNote returns the newest note about a URL, or nil. The lock must be held.
func (i *Inspector) lastNote(url string) *Note {
	for _, asked := range slices.Backward(i.asked) {
		if n := slices.IndexFunc(asked.Notes, func(n Note) bool { return n.URL == url && n.Verdict != verdictText(wayfind.VerdictSkipped) }); n >= 0 {
			return &asked.Notes[n]
		}
	}
	return nil
}

// explain states why a request was sent, by the note of the answer before.
func (n *Note) explain(refresh bool, before *Note, now time.Time) {
	confirmed := originText(cache.FromValidated, "")
	switch {
	case n.From != originText(cache.FromNetwork, "") && n.From != confirmed:
		return
	case refresh:
		n.Why = "you chose \u201cAsk again\u201d"
	case before == nil && n.From == confirmed:
		n.Why = "the stored answer was not fresh any more"
	case before == nil:
		n.Why = "no usable answer was stored"
	case !before.Until.IsZero() && !before.Until.After(now):
		n.Why = "the answer before was fresh until " + before.Until.UTC().Format("2006-01-02 15:04:05 UTC")
	default:
		n.Why = "the answer before was not kept: its header forbids it, it was removed, or it belonged to another caller"
	}
}

// notesOf joins the probes of an answer with the facts about the source of each.
func notesOf(site *wayfind.Site, trace *client.Trace) []Note {
	facts := map[string]*client.Fetch{}
	for n := range trace.Fetches {
		facts[trace.Fetches[n].URL] = &trace.Fetches[n]
	}
	list := []Note{}
	for n := range site.Probes {
		p := &site.Probes[n]
		note := noteOf(p)
		if f := facts[p.URL]; f != nil {
			note.origin(f, site.ResolvedAt)
			delete(facts, p.URL)
		} else if trace.FromMemory {
			note.From, note.Since = originText(cache.FromMemory, ""), site.ResolvedAt
		}
		list = append(list, note)
	}
	for n := range trace.Fetches { // documents that were read in addition to the places
		if f := &trace.Fetches[n]; facts[f.URL] == f {
			note := noteOf(&wayfind.Probe{URL: f.URL, Verdict: f.Verdict, Status: f.Status, FreshUntil: f.FreshUntil})
			note.origin(f, site.ResolvedAt)
			list = append(list, note)
		}
	}
	return list
}

func noteOf(p *wayfind.Probe) Note {
	n := Note{URL: shownURL(p.URL), Formats: p.Formats, Verdict: verdictText(p.Verdict), Reason: p.Reason, Error: p.Error,
		Status: statusText(p.Status), Until: p.FreshUntil, Robots: p.RobotsDisallowed}
	for _, row := range verdict.Rows() {
		if row.Verdict == p.Verdict {
			n.When, n.Document = row.When(), row.Means()
		}
	}
	return n
}

// origin adds the source of an answer. An answer of this call has no Since.
func (n *Note) origin(f *client.Fetch, now time.Time) {
	n.From, n.Remote = originText(f.From, f.Stale), f.Remote
	if f.From != "" && f.From != cache.FromNetwork && f.From != cache.FromValidated {
		n.Since = now.Add(-f.Age)
	}
}

// originText returns the source of an answer, or "" if there is none.
func originText(from, stale string) string {
	if from == "" {
		return ""
	}
	return humanize.Origin(from, stale)
}

// statusText returns a status with its name in HTTP.
func statusText(status int) string {
	if status == 0 {
		return ""
	}
	return strings.TrimSpace(strconv.Itoa(status) + " " + cmp.Or(http.StatusText(status), "(no standard status)"))
}

// verdictText returns a verdict in words.
func verdictText(v wayfind.Verdict) string { return strings.ReplaceAll(string(v), "_", " ") }

// shownURL returns a URL in the form of the parts, without secrets.
func shownURL(u string) string { return secret.Veil(nil).Show(u, secret.Event, 0) }
