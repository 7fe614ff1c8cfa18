package client_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"text/tabwriter"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// A row is a set-up in one state, and what a Client makes of it.
type webRow struct {
	setup, state string
	expected     string
	got          string   // found, part, found-what (where nothing is published), or the kind of the error
	text         string   // of the error
	found, want  int      // documents
	curl         int      // documents that a client gets that follows every redirect
	hint         bool     // another name of the site is in a text
	requests     int      // of the first call
	again        int      // of the second
	repeated     []string // of these, URLs whose answers were to be kept
	foreign      []string // requests of both to other sites
}

func (r *webRow) key() string { return r.setup + " " + r.state }

// isRight reports whether a Client answers as expected.
func (r *webRow) isRight() bool {
	for want := range strings.SplitSeq(r.expected, "|") {
		switch want {
		case "found":
			if (r.got == want || r.got == "part") && r.found > 0 && r.found >= r.curl || r.curl == 0 && r.got == "nothing" {
				return true
			}
		case "hint":
			if r.got != "refused" && r.found == 0 && r.hint {
				return true
			}
		default:
			if r.got == want {
				return true
			}
		}
	}
	return false
}

// curl counts the published documents that a client gets that asks for each, one at a time, and
// follows redirects.
func (p *play) curl() (n int) {
	if !p.published() {
		return 0
	}
	gaveUp, giveUp := context.WithCancel(context.Background())
	giveUp() // at once, if there is no answer
	for _, f := range p.Pub {
		at := &url.URL{Scheme: "https", Host: p.apex, Path: f.Path}
		for range 10 {
			if at.Scheme != "https" || !slices.Contains(p.names(), at.Host) || !p.isTrusted(at.Host) {
				break
			}
			w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(gaveUp, http.MethodGet, at.String(), nil)
			r.Header.Set("Accept", "*/*")
			p.answer(w, r)
			to, err := at.Parse(w.Header().Get("Location"))
			if w.Code < 300 || w.Code > 399 || err != nil {
				if w.Code == http.StatusOK && isDocument(w) {
					n++
				}
				break
			}
			at = to
		}
	}
	return n
}

// isDocument reports whether an answer has the body of a file of the table.
func isDocument(w *httptest.ResponseRecorder) bool {
	body := strings.TrimSpace(w.Body.String())
	return w.Header().Get("Content-Encoding") != "" || strings.HasPrefix(body, "{") || strings.HasPrefix(body, "# ")
}

// ask resolves the bare name twice.
func (p *play) ask(t *testing.T, opts *client.Options) webRow {
	t.Helper()
	row := webRow{setup: p.ID, state: p.state, expected: p.expected(p.state), curl: p.curl()}
	if p.published() {
		row.want = len(p.Pub)
	}
	opts.Formats = formats.All()
	c, err := client.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	site, err := c.Resolve(ctx, p.apex)
	row.read(p, site, err)
	first := p.taken()
	_, _ = c.Resolve(ctx, p.apex) // its requests are the result
	again := p.taken()
	row.requests, row.again = len(first), len(again)
	row.foreign = slices.DeleteFunc(slices.Concat(first, again), func(u string) bool {
		host, _, _ := strings.Cut(u, "/")
		return host == p.apex || host == p.www
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.led {
		row.repeated = slices.DeleteFunc(again, func(u string) bool { return p.expired[u] })
	}
	return row
}

// read fills in the results of a call.
func (r *webRow) read(p *play, site *wayfind.Site, err error) {
	texts := []string{}
	if site != nil {
		for _, d := range site.Diagnostics {
			texts = append(texts, d.Message)
		}
		for _, f := range p.Pub[:r.want] {
			if slices.ContainsFunc(site.Sources, func(s wayfind.Source) bool {
				return slices.ContainsFunc(append([]string{s.URL, s.FinalURL}, s.AlsoAt...), func(u string) bool { return strings.HasSuffix(u, f.Path) })
			}) {
				r.found++
			}
		}
	}
	switch {
	case err != nil:
		r.got, r.text = kindName(err), err.Error()
		texts = append(texts, r.text)
	case r.want == 0:
		r.got = "found-what"
	case r.found < r.want:
		r.got = "part"
	default:
		r.got = "found"
	}
	other := p.ID + ".newbrand.com"
	if p.redirects() {
		other = p.www
	}
	r.hint = slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, other) })
}

// kindName is the word of the table for the kind of an error.
func kindName(err error) string {
	for name, kind := range map[string]error{
		"nothing": wayfind.ErrNotFound, "blocked": wayfind.ErrBlocked, "throttled": wayfind.ErrThrottled,
		"unreachable": wayfind.ErrUnreachable, "refused": wayfind.ErrRefused, "invalid": wayfind.ErrInvalid,
	} {
		if errors.Is(err, kind) {
			return name
		}
	}
	return err.Error()
}

// All set-ups of hosting, in all states: a Client tells the site from the wall in front of it, finds
// what is published, and asks no host but those of the set-up. The short form takes one row of three.
func TestTheOrdinaryWeb(t *testing.T) {
	testkit.Large(t)
	texts := readHostings(t)
	var rows []webRow
	n := 0
	for _, s := range texts.Setups {
		for _, state := range s.states() {
			if n++; n%testkit.Size(3, 1) != 0 {
				continue
			}
			t.Run(s.ID+" "+state, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					internet := clienttest.New(t).OnlyDiscovery(true)
					p := newPlay(texts, s, state, "")
					row := p.ask(t, p.onInternet(internet))
					rows = append(rows, row)
					for _, l := range internet.Lookups() {
						if !slices.Contains(p.names(), strings.TrimSuffix(l.Name, ".")) {
							t.Errorf("%s was looked up", l.Name)
						}
					}
				})
			})
		}
	}
	judgeRows(t, rows)
}

// judgeRows fails the test with a table of the rows that are wrong, but for those that are expected
// to be, and counts the others.
func judgeRows(t *testing.T, rows []webRow) {
	t.Helper()
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "set-up\tstate\texpected\tgot\tdocuments\trequests\tagain\terror")
	right, wrong := 0, 0
	for _, r := range rows {
		if r.isRight() {
			right++
		}
		if len(r.repeated) > 0 {
			t.Errorf("%s: the second call asks again for %v", r.key(), r.repeated)
		}
		if len(r.foreign) > 0 {
			t.Errorf("%s: asked of other sites: %v", r.key(), r.foreign)
		}
		if !r.isRight() {
			wrong++
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d of %d\t%d\t%d\t%.160s\n", r.setup, r.state, r.expected, r.got, r.found, max(r.want, r.curl), r.requests, r.again, cmp.Or(r.text, "-"))
		}
	}
	_ = w.Flush()
	t.Logf("%d of %d rows are right", right, len(rows))
	if wrong > 0 {
		t.Errorf("%d rows are wrong:\n%s", wrong, table.String())
	}
}
