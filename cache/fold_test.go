package cache

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// no is a finished entry whose URL is a part of its key, as an Engine makes
// them.
func no(status int, h, request http.Header, body string, rules Rules) *Entry {
	const url = "https://example.com/.well-known/agent"
	e := newEntry(&call{key: "view\n\nGET\n" + url, url: url, ask: &Ask{Header: request, Partition: request.Get("X-Partition")}},
		&http.Response{StatusCode: status, Header: h}, []byte(body),
		&exchange{sent: t0().Add(-time.Second), received: t0(), mono: 7 * time.Second, remote: netip.MustParseAddrPort("[2001:db8::1]:443")}, false)
	NewEngine(unusedStore{}, nil).finish(rules, e)
	return e
}

// A folded entry is restored in full, with the fields for decisions and its Note. So is the
// remainder of a response that must not be stored.
func TestFold(t *testing.T) {
	remembered := &TestRules{Lifetimes: func(*Entry, Lifetime) Lifetime {
		return Lifetime{For: time.Hour, Source: "negative", Remembered: true}
	}}
	reading := &TestRules{Reads: func(e *Entry) any { return e.Status }}
	for name, e := range map[string]*Entry{
		"bare":         no(404, http.Header{}, nil, "", nil),
		"gone":         no(410, header("Date", at(0), "Age", "60", "Cache-Control", "max-age=600, stale-if-error=60"), nil, "gone", nil),
		"vary":         no(404, header("Vary", "Accept, Foo", "Link", "</a>", "Link", "</b>"), header("Accept", "text/plain"), "no", nil),
		"remembered":   no(404, header("Date", at(-time.Hour), "Age", "60"), nil, "no", remembered),
		"attached":     no(404, header("Content-Type", "text/html"), nil, strings.Repeat("x", maxFolded), reading),
		"of a caller":  no(404, header("Set-Cookie", "a=b"), header("Authorization", "x", "X-Partition", "p"), "no", nil),
		"husk":         no(404, header("Cache-Control", "no-store", "Date", at(0)), nil, "secret", remembered).withoutBody(),
		"fromThere":    fromThere(t, no(404, header("Date", at(0)), nil, "no", nil)),
		"to be shared": no(404, header("Cache-Control", "s-maxage=5, max-age=9"), nil, "no", nil).forShared(),
	} {
		t.Run(name, func(t *testing.T) {
			f := (*FoldedArena)(nil).fold(e)
			if f == nil {
				t.Fatal("it is not folded")
			}
			got := f.Entry(e.Key)
			if got.Folded() != f {
				t.Error("the entry has lost its small form")
			}
			got = got.copied()
			if diff := cmp.Diff(e, got, cmp.AllowUnexported(Entry{}, control{}), cmpopts.IgnoreFields(Entry{}, "hit"), cmpopts.EquateEmpty(), cmp.Comparer(func(a, b netip.AddrPort) bool { return a == b })); diff != "" {
				t.Errorf("(-before +after)\n%s", diff)
			}
		})
	}
}

// fromThere is an entry that another process has written down.
func fromThere(t *testing.T, e *Entry) *Entry {
	t.Helper()
	data, err := (&Variants{Entries: []*Entry{e}}).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	v, err := UnmarshalVariants(data)
	if err != nil {
		t.Fatal(err)
	}
	return v.Entries[0]
}

// An entry that differs, or that could not be restored exactly, is not folded.
func TestFoldNot(t *testing.T) {
	wrong := no(404, nil, nil, "no", nil)
	wrong.Digest[0]++
	elsewhere := no(404, nil, nil, "no", nil)
	elsewhere.URL = "https://example.net/"
	for name, e := range map[string]*Entry{
		"a document":         no(200, nil, nil, "x", nil),
		"a refusal":          no(403, nil, nil, "x", nil),
		"a large body":       no(404, nil, nil, strings.Repeat("x", maxFolded+1), nil),
		"Vary: *":            no(404, header("Vary", "*"), nil, "", nil),
		"another digest":     wrong,
		"a URL of its own":   elsewhere,
		"status of 4 digits": no(1404, nil, nil, "", nil),
	} {
		if (*FoldedArena)(nil).fold(e) != nil {
			t.Errorf("%s is folded", name)
		}
	}
}

// A changed copy of an entry does not keep the folded form of the original.
func TestFoldOfCopies(t *testing.T) {
	e := no(404, header("Cache-Control", "max-age=60", "Etag", `"1"`), nil, "no", nil)
	e.folded = (*FoldedArena)(nil).fold(e)
	resp := &http.Response{StatusCode: 304, Header: header("Cache-Control", "max-age=600")}
	v := &Variants{Entries: []*Entry{e}}
	for name, c := range map[string]*Entry{
		"freshen":    e.freshen(asking(nil), resp, &exchange{}, false, false),
		"husk":       e.withoutBody(),
		"forShared":  e.forShared(),
		"fromShared": v.fromShared().Entries[0],
		"detached":   v.detached().Entries[0],
		"Restore":    Restore(*e),
	} {
		if c.Folded() != nil {
			t.Errorf("%s keeps the small form", name)
		}
	}
}

// Folded entries that share an arena are as separate as entries without one.
func TestFoldedArena(t *testing.T) {
	var arena FoldedArena
	all := map[*Folded]time.Duration{}
	for i := range 3*foldedTogether + 1 {
		e := no(404, http.Header{}, nil, "no", nil)
		e.mono = time.Duration(i)
		all[arena.fold(e)] = e.mono
	}
	if len(all) != 3*foldedTogether+1 {
		t.Errorf("%d small forms", len(all))
	}
	for f, mono := range all {
		if got := f.Entry("view\n\nGET\nhttps://example.com/.well-known/agent"); got.mono != mono || got.Status != 404 {
			t.Errorf("%v is %v with status %d", mono, got.mono, got.Status)
		}
	}
}
