package diff_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/resolve/diff"
)

func service(key string) diff.Change { return diff.Change{Kind: "service", Key: key} }
func capability(key string) diff.Change {
	return diff.Change{Kind: "capability", Key: key}
}

func changed(key string, class diff.Class, field, before, after string) diff.Change {
	c := diff.Change{Kind: "capability", Key: key, Class: class, Field: field}
	if before != "" {
		c.Old = json.RawMessage(before)
	}
	if after != "" {
		c.New = json.RawMessage(after)
	}
	return c
}

// compare checks the whole difference, and the difference in the other direction, which must be
// its mirror image.
func compare(t *testing.T, old, now *wayfind.Site, want diff.Result) {
	t.Helper()
	got := diff.Sites(old, now)
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("Sites (-want +got):\n%s", diff)
	}
	back := diff.Sites(now, old)
	mirror := &diff.Result{Added: want.Removed, Removed: want.Added, Unknown: want.Unknown}
	for _, c := range want.Changed {
		c.Old, c.New = c.New, c.Old
		mirror.Changed = append(mirror.Changed, c)
	}
	if diff := cmp.Diff(mirror, back); diff != "" {
		t.Errorf("Sites the other way round (-want +got):\n%s", diff)
	}
	for _, s := range []*wayfind.Site{old, now} {
		if d := diff.Sites(s, s); !d.Empty() || d.Unknown != nil {
			t.Errorf("a Site differs from itself: %+v", d)
		}
	}
}

func TestDiffNil(t *testing.T) {
	compare(t, nil, nil, diff.Result{})
	compare(t, nil, &wayfind.Site{}, diff.Result{})
	compare(t, nil, mergedSite(), diff.Result{Added: []diff.Change{
		service("adp"), service("awp"), capability("adp:read"), capability("adp:send"), capability("awp:sort"),
	}})
}

// The order of services, capabilities and probes does not matter.
func TestDiffOrder(t *testing.T) {
	turned := mergedSite()
	slices.Reverse(turned.Services)
	slices.Reverse(turned.Probes)
	slices.Reverse(turned.Sources)
	for i := range turned.Services {
		slices.Reverse(turned.Services[i].Capabilities)
	}
	compare(t, mergedSite(), turned, diff.Result{})
	if diff := cmp.Diff(diff.Sites(nil, mergedSite()), diff.Sites(nil, turned)); diff != "" {
		t.Errorf("another order, another difference:\n%s", diff)
	}
}

func TestDiffAddedAndRemoved(t *testing.T) {
	a, b, c := call("adp:a", "a", adpURL), call("adp:b", "b", adpURL), call("adp:c", "c", adpURL)
	compare(t, adpSite(a, b), adpSite(b, c), diff.Result{
		Added: []diff.Change{capability("adp:c")}, Removed: []diff.Change{capability("adp:a")},
	})
}

// If a document has been removed, the difference contains everything that only this document
// contained. What two documents contain remains, without the parts that were merged into it.
func TestDiffDocumentGone(t *testing.T) {
	for _, v := range []wayfind.Verdict{
		wayfind.VerdictAbsent, wayfind.VerdictSoft404, wayfind.VerdictUnrecognised, wayfind.VerdictOtherFormat, wayfind.VerdictFound,
	} {
		compare(t, mergedSite(), adpOnly(v), diff.Result{
			Removed: []diff.Change{service("awp"), capability("awp:sort")},
			Changed: []diff.Change{
				changed("adp:send", diff.ClassEffects, "effects", `{"destructive":true}`, ""),
				changed("adp:send", diff.ClassTerms, "price", `"1 EUR"`, ""),
			},
		})
	}
	compare(t, mergedSite(), awpOnly(wayfind.VerdictAbsent), diff.Result{
		Removed: []diff.Change{service("adp"), capability("adp:read")},
		Changed: []diff.Change{
			changed("awp:send", diff.ClassIdentity, "key", `"adp:send"`, `"awp:send"`),
			changed("awp:send", diff.ClassText, "description", `"adp:send"`, `"awp:send"`),
		},
	})
}

// A document that is missing once is not a change, neither when it disappears nor when it
// returns.
func TestDiffDocumentMissing(t *testing.T) {
	for _, v := range wayfind.Verdicts() {
		if v.Answered() && v != wayfind.VerdictMalformed {
			continue
		}
		compare(t, mergedSite(), adpOnly(v), diff.Result{Unknown: []string{"awp", "awp:send", "awp:sort"}})
		compare(t, mergedSite(), awpOnly(v), diff.Result{Unknown: []string{"adp", "adp:read", "adp:send"}})
	}
	compare(t, mergedSite(), adpOnly("of a later version"), diff.Result{Unknown: []string{"awp", "awp:send", "awp:sort"}})
}

// The remaining documents are compared.
func TestDiffDocumentMissingAndChange(t *testing.T) {
	now := adpOnly(wayfind.VerdictUnreachable)
	send := &now.Services[0].Capabilities[0]
	send.Invocation.URL = "https://elsewhere.example/send"
	send.Effects = &wayfind.Effects{ReadOnly: new(true)} // less cautious: the other reading is missing
	compare(t, mergedSite(), now, diff.Result{
		Changed: []diff.Change{changed("adp:send", diff.ClassEndpoint, "invocation",
			`{"protocol":"http","method":"POST","url":"https://example.com/send"}`,
			`{"protocol":"http","method":"POST","url":"https://elsewhere.example/send"}`)},
		Unknown: []string{"awp", "awp:send", "awp:sort"},
	})
	now = awpOnly(wayfind.VerdictThrottled)
	now.Services[0].Capabilities[0].Effects.Destructive = new(false)
	compare(t, mergedSite(), now, diff.Result{
		Changed: []diff.Change{changed("awp:send", diff.ClassEffects, "effects", `{"destructive":true}`, `{"destructive":false}`)},
		Unknown: []string{"adp", "adp:read", "adp:send"},
	})
}

// A place that was not asked causes no difference, because its format was disabled. A fallback
// that is no longer needed, and a link that was removed, cause one.
func TestDiffNotAsked(t *testing.T) {
	t.Run("format switched off", func(t *testing.T) {
		now := adpOnly(wayfind.VerdictAbsent)
		now.Probes = now.Probes[:1]
		compare(t, mergedSite(), now, diff.Result{Unknown: []string{"awp", "awp:send", "awp:sort"}})
	})
	t.Run("fallback", func(t *testing.T) {
		at := func(url string, ids ...string) *wayfind.Site {
			s := &wayfind.Site{Origin: origin}
			found(s, "aidiscovery", url, wayfind.AuthorityNative)
			service := wayfind.Service{ID: "aidiscovery", Sources: from(url)}
			for _, id := range ids {
				service.Capabilities = append(service.Capabilities, call("aidiscovery:"+id, id, url))
			}
			s.Services = []wayfind.Service{service}
			return s
		}
		old := at(origin+"/ai", "a", "b")
		probed(old, origin+"/.well-known/ai", wayfind.VerdictAbsent)
		now := at(origin+"/.well-known/ai", "b")
		compare(t, old, now, diff.Result{Removed: []diff.Change{capability("aidiscovery:a")}})
		probed(now, origin+"/ai", wayfind.VerdictSkipped)
		compare(t, old, now, diff.Result{Removed: []diff.Change{capability("aidiscovery:a")}})
	})
	linked := func(v wayfind.Verdict) *wayfind.Site {
		s := adpSite(call("adp:a", "a", adpURL))
		if v != wayfind.VerdictFound {
			s = &wayfind.Site{Origin: origin}
			probed(s, adpURL, v)
		}
		return s
	}
	old := linked(wayfind.VerdictFound)
	found(old, "openapi", specURL, wayfind.AuthorityLinked)
	old.Services = append(old.Services, wayfind.Service{
		ID: "openapi:openapi", Sources: from(specURL), Capabilities: []wayfind.Capability{call("openapi:openapi/x", "x", specURL)},
	})
	t.Run("link gone", func(t *testing.T) {
		compare(t, old, linked(wayfind.VerdictFound), diff.Result{
			Removed: []diff.Change{service("openapi:openapi"), capability("openapi:openapi/x")},
		})
	})
	t.Run("link not seen", func(t *testing.T) {
		compare(t, old, linked(wayfind.VerdictUnreachable), diff.Result{
			Unknown: []string{"adp", "adp:a", "openapi:openapi", "openapi:openapi/x"},
		})
	})
}

// The same bytes at another of their places are the same document.
func TestDiffAlsoAt(t *testing.T) {
	const second = origin + "/.well-known/agent.json"
	old := adpOnly(wayfind.VerdictAbsent)
	old.Sources[0].AlsoAt = []string{second}
	moved := &wayfind.Site{Origin: origin}
	found(moved, "adp", second, wayfind.AuthorityNative)
	probed(moved, adpURL, wayfind.VerdictUnreachable)
	read := call("adp:read", "read", second)
	moved.Services = []wayfind.Service{{ID: "adp", Name: "Mail", Sources: from(second), Capabilities: []wayfind.Capability{read}}}
	got := diff.Sites(old, moved)
	if diff := cmp.Diff(&diff.Result{Removed: []diff.Change{capability("adp:send")}}, got); diff != "" {
		t.Errorf("Sites (-want +got):\n%s", diff)
	}
}

// Sites without probes are compared as they are.
func TestDiffWithoutProbes(t *testing.T) {
	now := adpOnly(wayfind.VerdictUnreachable)
	now.Probes = nil
	got := diff.Sites(mergedSite(), now)
	if len(got.Removed) != 2 || got.Unknown != nil {
		t.Errorf("no probes: %+v", got)
	}
	now = adpOnly(wayfind.VerdictUnreachable)
	now.Origin = "https://other.example"
	if got := diff.Sites(mergedSite(), now); len(got.Removed) != 2 || got.Unknown != nil {
		t.Errorf("another origin: %+v", got)
	}
}

// If a key changes because of other services in the Site, only the key is a change.
func TestDiffKeys(t *testing.T) {
	t.Run("suffix", func(t *testing.T) {
		old := adpOnly(wayfind.VerdictAbsent)
		found(old, "adp", specURL, wayfind.AuthorityNative)
		old.Services = append(old.Services, wayfind.Service{
			ID: "adp~2", Sources: from(specURL), Capabilities: []wayfind.Capability{call("adp:send~2", "send", specURL)},
		})
		now := &wayfind.Site{Origin: origin}
		found(now, "adp", specURL, wayfind.AuthorityNative)
		probed(now, adpURL, wayfind.VerdictUnreachable)
		c := call("adp:send", "send", specURL)
		c.Description = "adp:send~2"
		now.Services = []wayfind.Service{{ID: "adp", Sources: from(specURL), Capabilities: []wayfind.Capability{c}}}
		got := diff.Sites(old, now)
		want := []diff.Change{changed("adp:send", diff.ClassIdentity, "key", `"adp:send~2"`, `"adp:send"`)}
		if diff := cmp.Diff(want, got.Changed); diff != "" {
			t.Errorf("changed (-want +got):\n%s", diff)
		}
	})
	t.Run("united", func(t *testing.T) {
		apart := mergedSite()
		send := &apart.Services[0].Capabilities[0]
		second := send.Alternatives[0]
		send.Aliases, send.Alternatives, send.Sources, send.Effects, send.Price = nil, nil, from(adpURL), nil, ""
		apart.Services[1].Capabilities = append(apart.Services[1].Capabilities, second)
		compare(t, apart, mergedSite(), diff.Result{Changed: []diff.Change{
			changed("adp:send", diff.ClassEffects, "effects", "", `{"destructive":true}`),
			changed("adp:send", diff.ClassTerms, "price", "", `"1 EUR"`),
		}})
	})
}
