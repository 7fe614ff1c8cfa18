package inspect

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/resolve/diff"
	"github.com/wayfindhq/wayfind/security/pins"
)

// mostPast is the maximum number of earlier answers of the session that are kept.
const mostPast = 10

// pastAnswer is an earlier answer of the session.
type pastAnswer struct {
	number int
	site   *wayfind.Site
}

// remember stores the present answer before another one replaces it. The lock must be held.
func (i *Inspector) remember() {
	if i.site == nil {
		return
	}
	i.past = append(i.past, pastAnswer{i.state.Answer, i.site})
	if len(i.past) > mostPast {
		i.past = i.past[1:]
	}
}

// others returns all states with which the answer can be compared: the earlier answers of the
// session, the newest first, and then the states in Options.
func (i *Inspector) others() (list []Other) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, p := range slices.Backward(i.past) {
		n := strconv.Itoa(p.number)
		list = append(list, Other{Name: "answer-" + n, Title: "answer " + n + " of this session, of " + clock(p.site.ResolvedAt), Site: p.site})
	}
	return append(list, i.Options.Others...)
}

// otherState is a state in the list of the page.
type otherState struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// comparison contains the changes from another state to the answer.
type comparison struct {
	// With is the name of the other state, and States are all states.
	With   string       `json:"with,omitempty"`
	States []otherState `json:"states"`
	// Risk is the risk of all changes together, and Verdict a sentence about them.
	Risk    string `json:"risk,omitempty"`
	Verdict string `json:"verdict"`
	// Things are the things that differ, the riskiest first.
	Things []changedThing `json:"things,omitempty"`
	// Lists are differences that cannot be shown by fields.
	Lists []changedList `json:"lists,omitempty"`
}

// changedThing is a service or a capability that differs.
type changedThing struct {
	Kind string `json:"kind"`
	// Key is foreign text.
	Key string `json:"key"`
	// Change is "added", "removed", "changed" …
	Change string `json:"change"`
	// Text is a further text, which contains foreign text.
	Text    string         `json:"text,omitempty"`
	Risk    string         `json:"risk"`
	Reasons []diff.Reason  `json:"reasons,omitempty"`
	Fields  []changedField `json:"fields,omitempty"`
}

// changedField is a field before and after the change; "" means no value.
type changedField struct {
	Class string `json:"class"`
	Field string `json:"field"`
	Old   string `json:"old,omitempty"`
	New   string `json:"new,omitempty"`
}

// changedList is a list of keys or URLs, with a title of ours.
type changedList struct {
	Title string   `json:"title"`
	Items []string `json:"items"`
}

// compareRoutes adds the URLs of the view Compare.
func (i *Inspector) compareRoutes(mux *http.ServeMux) {
	mux.Handle("GET /compare", answer(func(r *http.Request, _ struct{}) (*comparison, error) {
		return i.compare(r.Context(), r.FormValue("with"))
	}))
}

// compare compares the answer with another state, or with the first one if name is "".
func (i *Inspector) compare(ctx context.Context, name string) (*comparison, error) {
	site, _, err := i.newest()
	if err != nil {
		return nil, err
	}
	others := i.others()
	c := &comparison{States: []otherState{}}
	for _, o := range others {
		c.States = append(c.States, otherState{o.Name, humanize.Text(o.Title)})
	}
	if len(others) == 0 {
		c.Verdict = "There is nothing to compare with yet: ask again, or start with --against or --pins."
		return c, nil
	}
	at := slices.IndexFunc(others, func(o Other) bool { return name == "" || o.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("%w: there is no such state", errInput)
	}
	c.With = others[at].Name
	if others[at].Pins != nil {
		err = c.addPins(ctx, others[at].Pins, site)
	} else {
		err = c.addSites(ctx, others[at].Site, site)
	}
	slices.SortStableFunc(c.Things, func(a, b changedThing) int { return cmp.Compare(rankOf(a.Risk), rankOf(b.Risk)) })
	return c, err
}

// addSites compares two Sites.
func (c *comparison) addSites(ctx context.Context, old, now *wayfind.Site) error {
	d, err := diff.SitesContext(ctx, old, now)
	if err != nil {
		return err
	}
	all, err := diff.OfContext(ctx, slices.Concat(d.Added, d.Removed, d.Changed)...)
	if err != nil {
		return err
	}
	c.grade(all, d.Empty())
	c.addThings("added", d.Added)
	c.addThings("removed", d.Removed)
	c.addThings("changed", d.Changed)
	c.addList("Not known, because a document could not be asked", d.Unknown)
	return nil
}

// addThings adds changes of one kind, and groups the changes of one thing.
func (c *comparison) addThings(change string, list []diff.Change) {
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].Key == list[0].Key && list[n].Kind == list[0].Kind {
			n++
		}
		thing := changedThing{Kind: string(list[0].Kind), Key: printable(list[0].Key), Change: change}
		thing.grade(diff.Of(list[:n]...))
		thing.addFields(list[:n])
		c.Things = append(c.Things, thing)
		list = list[n:]
	}
}

func (t *changedThing) grade(g diff.Grade) { t.Risk, t.Reasons = string(g.Risk), g.Reasons }

func (t *changedThing) addFields(list []diff.Change) {
	for _, change := range list {
		if change.Field != "" {
			t.Fields = append(t.Fields, changedField{string(change.Class), change.Field, valueText(change.Old), valueText(change.New)})
		}
	}
}

// addPins compares a Site with pins.
func (c *comparison) addPins(ctx context.Context, set *pins.Set, site *wayfind.Site) error {
	report, err := set.CheckContext(ctx, site)
	if err != nil {
		return err
	}
	grades := diff.Grade{Risk: diff.Equal}
	for _, m := range report.Mismatches {
		thing := changedThing{Kind: "pinned", Key: printable(m.Key), Change: pinChange(m), Text: printable(m.String())}
		g := m.Grade()
		thing.grade(g)
		thing.addFields(m.Changes)
		c.Things = append(c.Things, thing)
		if rankOf(string(g.Risk)) < rankOf(string(grades.Risk)) {
			grades.Risk = g.Risk
		}
	}
	c.grade(grades, report.Empty())
	var added []string
	for _, a := range report.Added {
		added = append(added, string(a.Kind)+" "+a.Key)
	}
	c.addList("New, and not pinned", added)
	c.addList("Documents with other bytes", report.Documents)
	c.addList("Pinned, and could not be seen", report.Unknown)
	c.addList("Pinned by an earlier version, which covers less", report.Older)
	c.addList("Pinned without a digest, which covers less", report.Undigested)
	return nil
}

func pinChange(m pins.Mismatch) string {
	switch {
	case m.Removed:
		return "removed"
	case m.Rollback():
		return "went back to an older version"
	case m.Elsewhere:
		return "comes from another document"
	}
	return "changed"
}

func (c *comparison) addList(title string, items []string) {
	if len(items) == 0 {
		return
	}
	l := changedList{Title: title}
	for _, s := range items {
		l.Items = append(l.Items, printable(s))
	}
	c.Lists = append(c.Lists, l)
}

// grade sets the risk, and a sentence about the risk of the changes.
func (c *comparison) grade(g diff.Grade, same bool) {
	c.Risk = string(g.Risk)
	switch {
	case same:
		c.Risk, c.Verdict = "", "Nothing changed."
	case g.Risk == diff.Equal:
		c.Verdict = "Something changed, and it may do and ask for the same."
	case g.Risk == diff.Safer:
		c.Verdict = "It may do or ask for less, and for nothing more."
	case g.Risk == diff.Riskier:
		c.Verdict = "It may do or ask for more, and for nothing less."
	default:
		c.Verdict = "It is another thing, or more in one way and less in another."
	}
}

// rankOf returns 0 for the riskiest.
func rankOf(risk string) int {
	return strings.Index("incomparable riskier safer equal", risk)
}
