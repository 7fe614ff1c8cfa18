package pins

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/resolve/diff"
	"github.com/wayfindhq/wayfind/security/cards"
)

const pinOrigin = "https://shop.example"

// pinSite returns a Site of two documents, each with one capability.
func pinSite(change ...func(*wayfind.Site)) *wayfind.Site {
	at := func(u string) []wayfind.Ref { return []wayfind.Ref{{Source: pinOrigin + u}} }
	tool := func(key, u string) wayfind.Capability {
		return wayfind.Capability{Key: key, ID: key, Kind: wayfind.KindTool, Description: "Does " + key, Sources: at(u), Digest: "digest of " + key}
	}
	s := &wayfind.Site{Origin: pinOrigin, ResolvedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Sources: []wayfind.Source{{Format: "adp", URL: pinOrigin + "/a"}, {Format: "awp", URL: pinOrigin + "/b"}},
		Probes:  []wayfind.Probe{{URL: pinOrigin + "/a", Verdict: wayfind.VerdictFound}, {URL: pinOrigin + "/b", Verdict: wayfind.VerdictFound}},
		Services: []wayfind.Service{
			{ID: "adp", Version: "1.2", Sources: at("/a"), Capabilities: []wayfind.Capability{tool("adp:pay", "/a"), tool("adp:find", "/a")}},
			{ID: "awp", Sources: at("/b"), Capabilities: []wayfind.Capability{tool("awp:sort", "/b")}},
		}}
	s.Services[0].Capabilities[0].Aliases = []string{"old:pay"}
	for _, f := range change {
		f(s)
	}
	return s
}

// pay returns the capability that the tests change.
func pay(s *wayfind.Site) *wayfind.Capability { return &s.Services[0].Capabilities[0] }

func pinned(t *testing.T, keys ...string) *Set {
	t.Helper()
	var none *Set
	p, err := none.With(pinSite(), keys...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A pin that was made before pins had digests is still valid.
func TestPinWithoutDigest(t *testing.T) {
	old, err := (*Set)(nil).With(pinSite(func(s *wayfind.Site) { pay(s).Digest = "" }), "adp:pay")
	if err != nil {
		t.Fatal(err)
	}
	if report := old.Check(pinSite()); !report.Empty() {
		t.Errorf("a digest where there was none is a mismatch: %+v", report)
	}
}

// The text of a mismatch is printable and short, regardless of the change.
func TestPinMismatchIsShort(t *testing.T) {
	m := Mismatch{Key: "k"}
	for range maxShown + 992 {
		m.Changes = append(m.Changes, diff.Change{Class: "contract", Field: "input/\x1b[2J\u202e"})
	}
	report := &Report{Mismatches: slices.Repeat([]Mismatch{m}, maxShown+92)}
	for want, got := range map[string]string{"and 992 more": m.String(), "and 92 more": (&Error{report}).Error()} {
		if strings.ContainsAny(got, "\x1b\u202e") || !strings.HasSuffix(got, want) || len(got) > 10_000 {
			t.Errorf("%d bytes, want the end %q: %.500q", len(got), want, got)
		}
	}
	if one := (Mismatch{Key: "k", Changes: m.Changes[:maxShown]}).String(); strings.Contains(one, "more") {
		t.Errorf("%q", one)
	}
}

// Each change of a definition is reported, by field if the model has the field.
func TestEachChangeOfADefinitionIsTold(t *testing.T) {
	signed := func(s *wayfind.Site) {
		s.Sources[0].Signatures = []wayfind.Signature{{Status: cards.Valid, KeySource: cards.KeyPinned}}
	}
	unreachable := func(s *wayfind.Site) {
		s.Sources, s.Services = s.Sources[1:], s.Services[1:]
		s.Probes[0].Verdict = wayfind.VerdictUnreachable
	}
	for _, r := range []struct {
		name   string
		keys   []string
		change func(*wayfind.Site)
		want   []string
	}{
		{"nothing", nil, func(*wayfind.Site) {}, nil},
		{"description", []string{"adp:pay"}, func(s *wayfind.Site) { pay(s).Description, pay(s).Digest = "Pays all", "x" },
			[]string{"adp:pay differs from its pin: text (description)"}},
		{"by alias", []string{"old:pay"}, func(s *wayfind.Site) { pay(s).Description = "Pays all" },
			[]string{"adp:pay differs from its pin: text (description)"}},
		{"a hidden character", nil, func(s *wayfind.Site) { pay(s).Digest = "x" },
			[]string{"adp:pay differs from its pin: its definition changed in a part that the model does not show"}},
		{"no digest any more", nil, func(s *wayfind.Site) { pay(s).Digest = "" },
			[]string{"adp:pay differs from its pin: its definition has no digest any more"}},
		{"annotation and schema", nil, func(s *wayfind.Site) {
			pay(s).Effects, pay(s).Input = &wayfind.Effects{Destructive: new(true)}, []byte(`{"type":"object"}`)
		}, []string{"adp:pay differs from its pin: contract (input), effects (effects)"}},
		{"another one", []string{"adp:pay"}, func(s *wayfind.Site) { s.Services[0].Capabilities[1].Digest = "x" }, nil},
		{"one more", nil, func(s *wayfind.Site) {
			s.Services[1].Capabilities = append(s.Services[1].Capabilities, wayfind.Capability{Key: "awp:new", Sources: s.Services[1].Sources})
		}, nil},
		{"auth of the service", []string{"adp:pay"}, func(s *wayfind.Site) { s.Services[0].Auth = &wayfind.Auth{Unknown: true} },
			[]string{"adp differs from its pin: auth (auth)"}},
		{"gone", []string{"adp:pay"}, func(s *wayfind.Site) { s.Services[0].Capabilities = s.Services[0].Capabilities[1:] },
			[]string{"adp:pay was pinned and is gone"}},
		{"a document could not be asked", nil, unreachable, nil},
		{"under another key", []string{"adp:pay"}, func(s *wayfind.Site) {
			pay(s).Key, pay(s).Aliases = "new:pay", []string{"adp:pay", "old:pay"}
		}, []string{"adp:pay differs from its pin: identity (key)"}},
		{"in another service", []string{"adp:pay"}, func(s *wayfind.Site) {
			s.Services[1].Capabilities = append(s.Services[1].Capabilities, *pay(s))
			s.Services[0].Capabilities = nil
		}, nil},
		{"under another key, by its place", []string{"adp:pay"}, func(s *wayfind.Site) { pay(s).Key, pay(s).Aliases = "adp:pay~2", nil },
			[]string{"adp:pay~2 differs from its pin: identity (key)"}},
		{"a newer version", []string{"adp:pay"}, func(s *wayfind.Site) { s.Services[0].Version = "1.10" }, nil},
		{"an older version", []string{"adp"}, func(s *wayfind.Site) { s.Services[0].Version = "1.1.9" },
			[]string{"adp differs from its pin: its version went back from 1.2 to 1.1.9"}},
	} {
		var none *Set
		pins, err := none.With(pinSite(signed), r.keys...)
		if err != nil {
			t.Fatal(err)
		}
		now := pinSite(signed, r.change)
		report := pins.Check(now)
		var got []string
		for _, m := range report.Mismatches {
			got = append(got, m.String())
		}
		if d := cmp.Diff(r.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", r.name, d)
		}
		if report.Documents != nil {
			t.Errorf("%s: documents %v", r.name, report.Documents)
		}
		if r.name == "one more" && (len(report.Added) != 1 || report.Added[0].Key != "awp:new") {
			t.Errorf("added %+v", report.Added)
		}
		if r.name == "a document could not be asked" && len(report.Unknown) == 0 {
			t.Error("nothing is unknown")
		}
		if again := pins.Check(pinSite(signed)); !again.Empty() {
			t.Errorf("%s: the same Site differs: %+v", r.name, again)
		}
	}
	below := pinSite(func(s *wayfind.Site) { s.Base, pay(s).Description = "/shop", "Pays all" })
	if report := pinned(t, "adp:pay").Check(below); report.Empty() {
		t.Error("a path in the target gets around the pins")
	}
	elsewhere := &wayfind.Site{Origin: pinOrigin, Base: "/shop", Probes: []wayfind.Probe{{URL: pinOrigin + "/shop/a", Verdict: wayfind.VerdictAbsent}}}
	if report := pinned(t).Check(elsewhere); !report.Empty() || len(report.Unknown) == 0 {
		t.Errorf("what was not asked is told as gone: %+v", report)
	}
	other := pinSite(func(s *wayfind.Site) { s.Sources[0].SHA256, s.Sources[1].SHA256 = "x", "y" })
	if report := pinned(t, "adp:pay").Check(other); !report.Empty() || !slices.Equal(report.Documents, []string{pinOrigin + "/a"}) {
		t.Errorf("the bytes of a document alone: %+v", report)
	}
	// For an unsigned document an older version is an ordinary change.
	if report := pinned(t, "adp").Check(pinSite(func(s *wayfind.Site) { s.Services[0].Version = "1.1" })); !report.Empty() {
		t.Errorf("%+v", report)
	}
	if report := pinned(t).Check(&wayfind.Site{Origin: "https://else.example"}); !report.Empty() {
		t.Errorf("another origin: %+v", report)
	}
}

// The cost of a comparison is proportional to the Site, regardless of the number of pins.
func TestPins_Growth(t *testing.T) {
	site := func(n int) *wayfind.Site {
		return pinSite(func(s *wayfind.Site) {
			for i := range n {
				c := *pay(s)
				c.Key, c.Aliases = fmt.Sprint("adp:", i), nil
				s.Services[0].Capabilities = append(s.Services[0].Capabilities, c)
			}
		})
	}
	cost := func(n int, each bool) float64 {
		s := site(n)
		var keys []string
		for _, c := range s.Capabilities() {
			if each {
				keys = append(keys, c.Key)
			}
		}
		var none *Set
		pins, err := none.With(s, keys...)
		if err != nil {
			t.Fatal(err)
		}
		return testkit.Allocated(func() { pins.Check(s) })
	}
	for _, each := range []bool{false, true} {
		cost(20, each) // costs of the first run
		if small, large := cost(50, each), cost(500, each); large > 15*small {
			t.Errorf("each %t: %.0f bytes for 50 capabilities, %.0f for 500", each, small, large)
		}
	}
}

// A definition that was merged from two documents is compared with each of them that is
// present.
func TestEachSourceOfADefinitionIsCompared(t *testing.T) {
	merge := func(s *wayfind.Site) {
		alternative := s.Services[1].Capabilities[0]
		pay(s).Alternatives = []wayfind.Capability{alternative}
		pay(s).Aliases = append(pay(s).Aliases, alternative.Key)
		pay(s).Sources = append(pay(s).Sources, alternative.Sources...)
		s.Services[1].Capabilities = nil
	}
	var none *Set
	pins, err := none.With(pinSite(merge), "awp:sort")
	if err != nil {
		t.Fatal(err)
	}
	alone := func(digest string) *wayfind.Site {
		return pinSite(func(s *wayfind.Site) {
			s.Sources, s.Services = s.Sources[1:], s.Services[1:]
			s.Probes[0].Verdict = wayfind.VerdictThrottled
			s.Services[0].Capabilities[0].Digest = digest
		})
	}
	if report := pins.Check(alone("digest of awp:sort")); !report.Empty() {
		t.Errorf("a document is missing once: %+v", report)
	}
	if report := pins.Check(alone("x")); len(report.Mismatches) != 1 || report.Mismatches[0].Source != pinOrigin+"/b" {
		t.Errorf("the other one changed: %+v", report)
	}
}

// The detail document is part of the pinned definition.
func TestTheDetailIsPartOfAPin(t *testing.T) {
	site := pinSite()
	detail := func(digest string) *wayfind.Detail {
		own := *pay(site)
		own.Digest = digest
		return &wayfind.Detail{Capability: &own, Service: &site.Services[0], Source: &wayfind.Source{URL: pinOrigin + "/pay"}}
	}
	pins, err := pinned(t).WithDetail(site, detail("d1"))
	if err != nil || !pins.CheckDetail(site, detail("d1")).Empty() {
		t.Fatal(err)
	}
	report := pins.CheckDetail(site, detail("d2"))
	if len(report.Mismatches) != 1 || report.Mismatches[0].Source != pinOrigin+"/pay" || report.Mismatches[0].Now != "d2" {
		t.Errorf("%+v", report)
	}
	known := detail("")
	known.Source = nil
	if !pins.CheckDetail(site, known).Empty() || !pinned(t).CheckDetail(site, detail("d2")).Empty() {
		t.Error("what was not read, or not pinned, differs")
	}
}

// Pins never change. A key is pinned once, also if its name differs.
func TestPinsWithWithout(t *testing.T) {
	whole := pinned(t)
	more, err := whole.With(pinSite(), "adp:pay", "old:pay", "awp")
	if err != nil {
		t.Fatal(err)
	}
	keys := func(p *Set) (list []string) {
		for _, pin := range p.All() {
			list = append(list, pin.Key+"|"+pin.Digest())
		}
		return list
	}
	if d := cmp.Diff([]string{"|", "adp:pay|digest of adp:pay", "awp|"}, keys(more)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"|"}, keys(whole)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"|", "awp|"}, keys(more.Without(pinOrigin, "adp:pay"))); d != "" {
		t.Error(d)
	}
	if list := more.Without(pinOrigin).All(); len(list) != 0 {
		t.Error(list)
	}
	if _, err := whole.With(pinSite(), "no:such"); code(err) != wayfind.CodeUnknownKey {
		t.Error(err)
	}
	if _, err := whole.With(nil, "adp:pay"); code(err) != wayfind.CodeSchema {
		t.Error(err)
	}
	if _, err := whole.With(&wayfind.Site{}); code(err) != wayfind.CodeSchema {
		t.Error(err)
	}
	if _, err := whole.WithDetail(pinSite(), &wayfind.Detail{}); code(err) != wayfind.CodeNoDetail {
		t.Error(err)
	}
	if !whole.Check(nil).Empty() || !whole.CheckDetail(pinSite(), nil).Empty() {
		t.Error("nothing differs from what was pinned")
	}
}

// A file contains the same pins after a round trip. The error for a corrupt file contains the
// line, and the file is never overwritten.
func TestPinsFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pins.json")
	none, err := Load(name)
	if err != nil || none.All() != nil && len(none.All()) != 0 {
		t.Fatal(none.All(), err)
	}
	pins, err := pinned(t).With(pinSite(), "adp:pay")
	if err != nil {
		t.Fatal(err)
	}
	if err := pins.Save(name); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	loaded, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(pins.All(), loaded.All()); d != "" {
		t.Errorf("after a round trip (-want +got):\n%s", d)
	}
	if err := loaded.Save(name); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Dir(name))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	for _, r := range []struct{ old, new, want string }{
		{`{"key":"adp:pay","pinnedAt"`, `{"Key2":"adp:pay","pinnedAt"`, "line 3: pins[1]: "},
		{`{"key":"adp:pay","pinnedAt"`, `{"key":"adp:none","pinnedAt"`, "line 3: pins[1]: its site does not have adp:none"},
		{`{"key":"adp:pay","pinnedAt"`, `{"pinnedAt"`, "line 3: pins[1]: it is pinned a second time"},
		{`{"key":"adp:pay","pinnedAt"`, `{"key":7,"pinnedAt"`, "line 3: pins[1]: "},
		{"wayfind-pins/2", "wayfind-pins/3", `line 1: the schema is "wayfind-pins/3"`},
		{"wayfind-pins/2", "wayfind-pins/0", `line 1: the schema is "wayfind-pins/0"`},
		{`"wayfind-pins/2"`, `2`, `line 1: the schema is ""`},
		{`{"schema": "wayfind-pins/2", `, `{`, `line 1: the schema is ""`},
		{`{"schema"`, "\x00\xff", "pins.json"},
		{`"origin":"https://shop.example"`, `"origin":"http://shop.example"`, "line 2: pins[0]: "},
		{`"pins": [`, `"pins": {`, "line 2"},
		{`]}`, ``, "line "},
		{`"pins": [`, `"more": 1, "pins": [`, `line 1: nothing is known of a member "more"`},
	} {
		bad := strings.Replace(string(text), r.old, r.new, 1)
		if err := os.WriteFile(name, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Load(name)
		if code(err) != wayfind.CodeStored || got != nil || !strings.Contains(err.Error(), r.want) || !strings.Contains(err.Error(), "pins.json") {
			t.Errorf("%s: %v, want %s", r.new, err, r.want)
		}
		if err := pins.Save(name); code(err) != wayfind.CodeStored {
			t.Errorf("%s: saved over it: %v", r.new, err)
		}
		if after, err := os.ReadFile(name); err != nil || string(after) != bad {
			t.Errorf("%s: the file was changed", r.new)
		}
	}
	if err := pins.Save(filepath.Join(name, "x")); code(err) != wayfind.CodeStored {
		t.Error(err)
	}
}

// To read any file returns pins that are the same after writing and reading, or an error.
func FuzzParsePins(f *testing.F) {
	var none *Set
	pins, err := none.With(pinSite(), "adp:pay")
	if err != nil {
		f.Fatal(err)
	}
	seed, err := pins.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add([]byte(`{"schema": "wayfind-pins/1", "pins": []}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		testkit.BoundAllocs(t, len(data), 1000, 32<<10, func() { _, _ = Parse(data) })
		pins, err := Parse(data)
		if err != nil {
			if code(err) != wayfind.CodeStored || pins != nil {
				t.Fatalf("%v", err)
			}
			return
		}
		text, err := pins.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(text)
		if err != nil || len(again.All()) != len(pins.All()) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
