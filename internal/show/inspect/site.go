package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// siteView is the list of everything in an answer. The full content of one item is a detail,
// which the page requests.
type siteView struct {
	// Answer is the number of the answer in the session.
	Answer int    `json:"answer"`
	Origin string `json:"origin"`
	// Host is the site's own host, if the places were asked there.
	Host    string `json:"host,omitempty"`
	Base    string `json:"base,omitempty"`
	Summary string `json:"summary"`
	// ResolvedAt and FreshUntil are copied from the Site.
	ResolvedAt string  `json:"resolvedAt"`
	FreshUntil string  `json:"freshUntil"`
	Groups     []group `json:"groups"`
	Items      []item  `json:"items"`
}

// group is the items of one sort.
type group struct {
	Sort  sort   `json:"sort"`
	Title string `json:"title"`
	Count int    `json:"count"`
}

// sort is the list of the Site that contains an item.
type sort string

// The sorts, in the order of the page.
const (
	sortService    sort = "service"
	sortCapability sort = "capability"
	sortConflict   sort = "conflict"
	sortDiagnostic sort = "diagnostic"
	sortPolicy     sort = "policy"
	sortSource     sort = "source"
	sortListed     sort = "listed"
	sortProbe      sort = "probe"
)

// item is a row of the list.
type item struct {
	// Sort and Index identify its detail.
	Sort  sort `json:"sort"`
	Index int  `json:"index"`
	// Name and Text are foreign text.
	Name string `json:"name"`
	Text string `json:"text,omitempty"`
	// Mark is a word of ours: a severity, a verdict, an authority.
	Mark string `json:"mark,omitempty"`
	// Notes are warnings in our own words.
	Notes []string `json:"notes,omitempty"`
}

// siteRoutes adds the URLs of the view Site.
func (i *Inspector) siteRoutes(mux *http.ServeMux) {
	mux.Handle("GET /site", answer(func(*http.Request, struct{}) (*siteView, error) {
		site, number, err := i.newest()
		if err != nil {
			return nil, err
		}
		view := viewSite(site)
		view.Answer = number
		return view, nil
	}))
	mux.Handle("GET /site/detail", answer(func(r *http.Request, _ struct{}) (*detail, error) {
		site, err := i.listed(r)
		if err != nil {
			return nil, err
		}
		index, err := strconv.Atoi(r.FormValue("index"))
		if err != nil {
			return nil, fmt.Errorf("%w: the index is no number", errInput)
		}
		return i.detail(site, sort(r.FormValue("sort")), index)
	}))
	mux.Handle("GET /site/document", answer(func(r *http.Request, _ struct{}) (*documentView, error) {
		site, err := i.listed(r)
		if err != nil {
			return nil, err
		}
		return i.document(site, r.FormValue("url")), nil
	}))
}

// errReplaced is the error for an item of an earlier answer.
var errReplaced = errors.New("there is another answer now")

// listed returns the answer that the page has listed. It is an error if there is a newer
// answer, because a position in a list is only valid for one answer.
func (i *Inspector) listed(r *http.Request) (*wayfind.Site, error) {
	site, number, err := i.newest()
	if err == nil && r.FormValue("answer") != strconv.Itoa(number) {
		err = errReplaced
	}
	return site, err
}

// viewSite lists the content of a Site.
func viewSite(site *wayfind.Site) *siteView {
	lists := listsOf(site)
	v := &siteView{Origin: site.Origin, Host: site.Host, Base: site.Base, ResolvedAt: clock(site.ResolvedAt), FreshUntil: clock(site.FreshUntil), Summary: summary(site)}
	for _, l := range lists {
		v.Groups = append(v.Groups, group{l.sort, l.title, len(l.items)})
		for n, it := range l.items {
			it.Sort, it.Index = l.sort, n
			v.Items = append(v.Items, it)
		}
	}
	return v
}

// list is one list of a Site.
type list struct {
	sort  sort
	title string
	items []item
}

func listsOf(site *wayfind.Site) []list {
	lists := []list{{sort: sortService, title: "Services"}, {sort: sortCapability, title: "Capabilities"}, {sort: sortConflict, title: "Conflicts"},
		{sort: sortDiagnostic, title: "Diagnostics"}, {sort: sortPolicy, title: "Policies"}, {sort: sortSource, title: "Documents read"},
		{sort: sortListed, title: "Listed, and not read"}, {sort: sortProbe, title: "Places asked"}}
	add := func(s sort, it item) {
		at := slices.IndexFunc(lists, func(l list) bool { return l.sort == s })
		it.Text = humanize.OneLine(it.Text, 140)
		lists[at].items = append(lists[at].items, it)
	}
	for n := range site.Services {
		s := &site.Services[n]
		add(sortService, item{Name: cmp.Or(s.Name, s.ID), Text: s.Description, Notes: notes(humanize.SuspicionNote(s.Suspicious))})
	}
	disputed := map[string]bool{}
	for _, c := range site.Conflicts {
		disputed[c.Subject] = true
		add(sortConflict, item{Name: c.Subject, Text: c.Message, Mark: c.Field})
	}
	for _, c := range site.Capabilities() {
		about := ""
		if disputed[c.Key] {
			about = "[sources disagree]"
		}
		add(sortCapability, item{Name: c.Key, Text: cmp.Or(c.Description, c.Title, c.Name), Mark: kindWord(c.Kind),
			Notes: notes(about, humanize.TrustNote(c.Trust), humanize.RobotsNote(c.RobotsDisallowed), humanize.SuspicionNote(c.Suspicious))})
	}
	for _, d := range site.Diagnostics {
		add(sortDiagnostic, item{Name: d.Code, Text: d.Message, Mark: humanize.Severity(d.Severity)})
	}
	for _, p := range site.Policies {
		add(sortPolicy, item{Name: p.Kind, Text: humanize.Policy(p)})
	}
	for n := range site.Sources {
		s := &site.Sources[n]
		add(sortSource, item{Name: s.URL, Text: humanize.Format(s.Format, s.Version, s.Dialect), Mark: string(s.Authority), Notes: notes(humanize.TrustNote(s.Trust))})
	}
	for _, d := range humanize.Listed(site) {
		add(sortListed, item{Name: cmp.Or(d.URL, d.Identifier), Text: cmp.Or(d.Title, d.MediaType), Notes: notes(humanize.TrustNote(d.Trust))})
	}
	for _, p := range site.Probes {
		add(sortProbe, item{Name: p.URL, Text: cmp.Or(p.Reason, p.Format), Mark: string(p.Verdict), Notes: notes(humanize.RobotsNote(p.RobotsDisallowed))})
	}
	return lists
}

// kindWord returns a kind as a person writes it.
func kindWord(k wayfind.Kind) string { return strings.ReplaceAll(string(k), "_", " ") }

// notes returns the texts that are not empty.
func notes(all ...string) (list []string) {
	for _, n := range all {
		if n = strings.Trim(n, " []"); n != "" {
			list = append(list, n)
		}
	}
	return list
}

// summary returns a text with the numbers of things that a Site offers.
func summary(site *wayfind.Site) string {
	capabilities := 0
	for range site.Capabilities() {
		capabilities++
	}
	return fmt.Sprintf("services: %d, capabilities: %d, documents read: %d, places asked: %d",
		len(site.Services), capabilities, len(site.Sources), len(site.Probes))
}

func clock(t time.Time) string {
	if t.IsZero() {
		return "not known"
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}
