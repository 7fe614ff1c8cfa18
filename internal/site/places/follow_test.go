package places_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/parse"
)

// At most three indexes are nested, for any limit of Follow for documents.
func TestIndexesLeadThreeDeep(t *testing.T) {
	doc, list := format("doc"), format("list")
	list.Index = true
	links := []parse.Link{{URLs: []string{"https://a.example/doc"}, Format: "doc"}, {URLs: []string{"https://a.example/list"}, Format: "list"}}
	formats := []*parse.Format{doc, list}
	rows := []struct {
		name  string
		from  places.Candidate
		index bool
		want  string // the followed links, with depth and indexes
		deep  int
	}{
		{"from a document at a place", places.Candidate{}, false, "doc 1 0, list 1 0", 0},
		{"from a document as far as documents go", places.Candidate{Depth: 2}, false, "list 3 0", 0},
		{"from an index at a place", places.Candidate{}, true, "doc 1 1, list 1 1", 0},
		{"from the second index", places.Candidate{Depth: 1, Indexes: 1}, true, "doc 1 2, list 1 2", 0},
		{"from the third", places.Candidate{Depth: 1, Indexes: 2}, true, "doc 1 3", 1},
		{"from a fourth that was none by its link", places.Candidate{Depth: 1, Indexes: 3}, true, "", 2},
		{"from the card in a third", places.Candidate{Depth: 1, Indexes: 3}, false, "doc 2 3", 1},
		{"from an index inside an index", *new(places.Candidate).Inside(1), true, "doc 1 2, list 1 2", 0},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			more, _, deep := places.Follow(&r.from, r.index, 2, links, formats)
			var got []string
			for _, c := range more {
				got = append(got, strings.Join([]string{c.URL[strings.LastIndexByte(c.URL, '/')+1:], string(rune('0' + c.Depth)), string(rune('0' + c.Indexes))}, " "))
			}
			if d := cmp.Diff(r.want, strings.Join(got, ", ")); d != "" || deep != r.deep {
				t.Errorf("%d deep, followed (-want +got):\n%s", deep, d)
			}
		})
	}
	if more, _, deep := places.Follow(&places.Candidate{}, true, -1, links, formats); len(more) != 0 || deep != 0 {
		t.Errorf("nothing is to be followed: %v, %d", more, deep)
	}
}

// Links to the document's own origin come first, and each group is in the order of the
// document.
func TestTheOwnOriginComesFirst(t *testing.T) {
	var links []parse.Link
	for _, u := range []string{"https://mcp.a.example/1", "https://a.example/2", "https://b.example/3", "https://A.example/4"} {
		links = append(links, parse.Link{URLs: []string{u}})
	}
	more, _, _ := places.Follow(&places.Candidate{URL: "https://a.example/.well-known/x"}, true, 2, links, []*parse.Format{format("x")})
	var got []string
	for _, c := range more {
		got = append(got, c.URL)
	}
	want := []string{"https://a.example/2", "https://A.example/4", "https://mcp.a.example/1", "https://b.example/3"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("order (-want +got):\n%s", d)
	}
}

// Places come first, and links share the rest.
func TestBudget(t *testing.T) {
	candidates := func(names string) (list []*places.Candidate) {
		for name := range strings.FieldsSeq(names) {
			c := &places.Candidate{URL: name}
			if name[0] == 'l' {
				c.From = "x"
			}
			list = append(list, c)
		}
		return list
	}
	named := func(list []*places.Candidate) string {
		var names []string
		for _, c := range list {
			names = append(names, c.URL)
		}
		return strings.Join(names, " ")
	}
	rows := []struct {
		left                            int
		ready, waiting, now, wait, none string
		after                           int
	}{
		{9, "p1 l1 p2 l2", "", "p1 p2 l1 l2", "", "", 5},
		{3, "l1 l2 p1 p2", "", "p1 p2 l1", "", "l2", 0},
		{3, "l1 l2 p1", "p2", "p1 l1", "l2", "", 1},
		{3, "l1 l2 l3 p1", "p2", "p1 l1", "l2", "l3", 1},
		{2, "l1 l2", "p2", "l1 l2", "", "", 0}, // no request could make p2 ready
		{1, "p1 p2 l1", "p3", "p1", "", "p2 l1", 0},
		{0, "l1", "p1", "", "", "l1", 0},
	}
	for _, r := range rows {
		b := places.Budget{Left: r.left}
		now, wait, none := b.Take(candidates(r.ready), candidates(r.waiting))
		if d := cmp.Diff([]string{r.now, r.wait, r.none}, []string{named(now), named(wait), named(none)}); d != "" || b.Left != r.after {
			t.Errorf("%+v: %d left (-want +got):\n%s", r, b.Left, d)
		}
	}
}

// Spellings of one URL are one key, and other URLs are not.
func TestSpellingsOfOneURLAreOneKey(t *testing.T) {
	key := func(ref string) string {
		u, err := url.Parse(ref)
		if err != nil {
			t.Fatal(err)
		}
		return places.Key(u)
	}
	for _, ref := range []string{"https://A.EXAMPLE/x~y?q=A", "https://a.example/%78%7ey?q=A#part", "https://a.example/x%7Ey?q=%41"} {
		if want := "https://a.example/x~y?q=A"; key(ref) != want {
			t.Errorf("%s is %s, want %s", ref, key(ref), want)
		}
	}
	if key("https://a.example/x%2fy") != key("https://a.example/x%2Fy") || key("https://a.example") != key("https://a.example/") {
		t.Error("two spellings of one URL are two keys")
	}
	if key("https://a.example/x%2Fy") == key("https://a.example/x/y") || key("https://a.example/x") == key("https://a.example/X") {
		t.Error("two URLs are one key")
	}
}

// A URL that is its own key is not read.
func TestKeyOfIsTheKeyOfTheURL(t *testing.T) {
	for _, ref := range []string{
		"https://a.example/.well-known/agent-card.json", "https://a.example/X_y~z/", "https://a.example", "https://a.example/", "https:///x",
		"https://A.example/x", "https://a.example:8443/x", "https://a.example:x/y", "https://a.example/x?y", "https://a.example/x#y", "https://a.example/%41",
		"https://u@a.example/x", "HTTPS://a.example/x", "https://a_b.example/x", "https://[::1]/x", "https://a.example//x/../y", "https://a.example/é", "mailto:a",
	} {
		want := ref
		if u, err := url.Parse(ref); err == nil {
			want = places.Key(u)
		}
		if got := places.KeyOf(ref); got != want {
			t.Errorf("KeyOf(%q) = %q, want %q", ref, got, want)
		}
	}
}
