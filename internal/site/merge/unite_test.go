package merge_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// said is the reading of one source for a merge: of a format with its name, whose only place is
// /<name>.
type said struct {
	name      string
	authority wayfind.Authority
	trust     wayfind.Trust
	service   wayfind.Service
}

var mergedAt = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// merge merges readings in the given order of the plan. Arrival is shuffled.
func mergeOf(t *testing.T, list ...said) *wayfind.Site {
	t.Helper()
	target := resolve.Target{Origin: "https://example.com"}
	var formats []*parse.Format
	for _, s := range list {
		formats = append(formats, format(s.name, parse.Location{Path: "/" + s.name}))
	}
	plan := places.Plan(target, formats)
	var arrived []*merge.Outcome
	for i, s := range list {
		authority := s.authority
		if authority == "" {
			authority = wayfind.AuthorityNative
		}
		ref := []wayfind.Ref{{Source: plan[i].URL}}
		s.service.Sources = ref
		s.service.Capabilities = slices.Clone(s.service.Capabilities)
		for j := range s.service.Capabilities {
			s.service.Capabilities[j].Sources = ref
		}
		s.service.Interfaces = slices.Clone(s.service.Interfaces)
		for j := range s.service.Interfaces {
			s.service.Interfaces[j].Sources = ref
		}
		arrived = append(arrived, &merge.Outcome{
			Candidate: &plan[i], FreshUntil: mergedAt.Add(time.Hour), Probe: wayfind.Probe{URL: plan[i].URL, Verdict: wayfind.VerdictFound},
			Readings: []reading.Located{reading.Made(formats[i], wayfind.Source{Format: s.name, URL: plan[i].URL, SHA256: s.name, Authority: authority, Trust: s.trust},
				&parse.Reading{Services: []wayfind.Service{s.service}})},
		})
	}
	rand.Shuffle(len(arrived), func(i, j int) { arrived[i], arrived[j] = arrived[j], arrived[i] })
	return merge.Site(merge.Input{Target: target, Plan: plan, Outcomes: arrived, Now: mergedAt})
}

func call(id, method, url string) wayfind.Capability {
	return wayfind.Capability{ID: id, Kind: wayfind.KindOperation, Invocation: &wayfind.Invocation{Protocol: "http", Method: method, URL: url}}
}

func templateCall(id, method, template string) wayfind.Capability {
	return wayfind.Capability{ID: id, Kind: wayfind.KindOperation, Invocation: &wayfind.Invocation{Protocol: "http", Method: method, Template: template}}
}

func service(capabilities ...wayfind.Capability) wayfind.Service {
	return wayfind.Service{Capabilities: capabilities}
}

func keysOf(site *wayfind.Site) []string {
	var keys []string
	for _, c := range site.Capabilities() {
		keys = append(keys, c.Key)
	}
	return keys
}

func TestSameCall(t *testing.T) {
	for name, row := range map[string]struct {
		a, b wayfind.Capability
		same bool
	}{
		"same URL":                       {call("x", "GET", "https://example.com/a"), call("y", "GET", "https://example.com/a"), true},
		"case, port and slash":           {call("x", "get", "https://EXAMPLE.com:443/a/"), call("y", "GET", "https://example.com/a#top"), true},
		"names of variables":             {templateCall("x", "GET", "https://example.com/a/{id}"), templateCall("y", "GET", "https://example.com/a/{product}"), true},
		"another method":                 {call("x", "GET", "https://example.com/a"), call("y", "POST", "https://example.com/a"), false},
		"another path":                   {call("x", "GET", "https://example.com/a"), call("x", "GET", "https://example.com/b"), false},
		"case of the path":               {call("x", "GET", "https://example.com/a"), call("x", "GET", "https://example.com/A"), false},
		"another query":                  {call("x", "GET", "https://example.com/a?b=1"), call("x", "GET", "https://example.com/a?b=2"), false},
		"a variable is no text":          {templateCall("x", "GET", "https://example.com/{a}"), call("y", "GET", "https://example.com/a"), false},
		"query variables are parameters": {templateCall("x", "GET", "https://example.com/s{?q}"), templateCall("x", "GET", "https://example.com/s{?id}"), false},
		"a query that is listed":         {templateCall("x", "GET", "https://example.com/s{?q}"), call("x", "GET", "https://example.com/s"), true},
		"a query that is written out":    {templateCall("x", "GET", "https://example.com/s?q={q}"), templateCall("x", "GET", "https://example.com/s{?q}"), false},
		"a fixed query is no parameter":  {templateCall("x", "GET", "https://example.com/s?kind=a&q={q}"), call("x", "GET", "https://example.com/s"), false},
		"beside a fixed query":           {templateCall("x", "GET", "https://example.com/s?kind=a&q={q}"), call("x", "GET", "https://example.com/s?kind=a"), true},
		"behind a variable":              {templateCall("x", "GET", "https://example.com/{a}{?q}"), templateCall("y", "GET", "https://example.com/{b}"), true},
		"reserved expansion":             {templateCall("x", "GET", "https://example.com/f/{+path}"), templateCall("x", "GET", "https://example.com/f/{id}"), false},
		"an expression is no variable":   {templateCall("x", "GET", "https://example.com/a{?q}"), templateCall("x", "GET", "https://example.com/a{x}"), false},
		"the same name proves nothing":   {wayfind.Capability{ID: "x", Name: "Send"}, wayfind.Capability{ID: "x", Name: "Send"}, false},
	} {
		site := mergeOf(t, said{name: "a", service: service(row.a)}, said{name: "b", service: service(row.b)})
		if n := len(keysOf(site)); (n == 1) != row.same {
			t.Errorf("%s: %v, want one: %v", name, keysOf(site), row.same)
		}
	}
}

// A call without query parameters is not merged with one of several calls that have different
// parameters, nor with two calls that one document lists separately.
func TestSameCallOfSeveral(t *testing.T) {
	q, id, plain := templateCall("q", "GET", "https://example.com/s{?q}"), templateCall("id", "GET", "https://example.com/s{?id}"), call("plain", "GET", "https://example.com/s")
	for name, row := range map[string]struct {
		sources []said
		want    int
	}{
		"different queries":     {[]said{{name: "a", service: service(q)}, {name: "b", service: service(id)}, {name: "c", service: service(plain)}}, 3},
		"both in one document":  {[]said{{name: "a", service: service(q, plain)}, {name: "b", service: service(plain)}}, 2},
		"three that are one":    {[]said{{name: "a", service: service(q)}, {name: "b", service: service(plain)}, {name: "c", service: service(q)}}, 1},
		"two queries, no plain": {[]said{{name: "a", service: service(q, id)}, {name: "b", service: service(q, id)}}, 2},
	} {
		if keys := keysOf(mergeOf(t, row.sources...)); len(keys) != row.want {
			t.Errorf("%s: %v, want %d", name, keys, row.want)
		}
	}
}

func TestMergedCapability(t *testing.T) {
	yes, no := true, false
	a := call("send", "POST", "https://example.com/send")
	a.Description, a.Effects = "Send it", &wayfind.Effects{Idempotent: &yes}
	b := call("mail_send", "POST", "https://example.com/send")
	b.Description, b.Price, b.Effects = "Send an email", "$1", &wayfind.Effects{Idempotent: &no, NeedsConfirmation: &yes}
	b.Deprecated = true
	a.Suspicious, b.Suspicious = []string{"override", "secrecy"}, []string{"delimiter", "override"}
	site := mergeOf(t,
		said{name: "low", authority: wayfind.AuthorityLinked, service: service(b)},
		said{name: "high", service: service(a)})
	_, got := site.Capability("low:mail_send")
	if got == nil || got.Key != "high:send" {
		t.Fatalf("keys %v; the better source leads and the other key is an alias", keysOf(site))
	}
	if got.Description != "Send it" || got.Price != "$1" || !got.Deprecated || *got.Effects.Idempotent || !*got.Effects.NeedsConfirmation {
		t.Errorf("merged %+v, effects %+v", got, got.Effects)
	}
	if want := []string{"delimiter", "override", "secrecy"}; !slices.Equal(want, got.Suspicious) {
		t.Errorf("suspicious for %v, want %v", got.Suspicious, want)
	}
	if len(got.Alternatives) != 1 || got.Alternatives[0].Description != "Send an email" || len(got.Sources) != 2 {
		t.Errorf("alternatives %v, sources %v", got.Alternatives, got.Sources)
	}
	var fields []string
	for _, c := range site.Conflicts {
		fields = append(fields, c.Subject+" "+c.Field)
	}
	if d := cmp.Diff([]string{"high:send description", "high:send effects"}, fields); d != "" {
		t.Errorf("conflicts (-want +got):\n%s", d)
	}
}

// The URL of an endpoint does not identify an operation if there are many operations behind it.
func TestOneEndpointManyOperations(t *testing.T) {
	url := "https://example.com/graphql"
	site := mergeOf(t,
		said{name: "a", service: service(call("one", "POST", url), call("two", "POST", url))},
		said{name: "b", service: service(call("three", "POST", url))})
	if d := cmp.Diff([]string{"a:one", "a:two", "b:three"}, keysOf(site)); d != "" {
		t.Errorf("keys (-want +got):\n%s", d)
	}
}

func TestRelated(t *testing.T) {
	lazy := wayfind.Capability{ID: "send", Kind: wayfind.KindOperation, Lazy: true}
	site := mergeOf(t, said{name: "a", service: service(lazy)},
		said{name: "b", service: service(call("send", "POST", "https://example.com/send"), call("read", "GET", "https://example.com/read"))})
	for key, want := range map[string][]string{"a:send": {"b:send"}, "b:send": {"a:send"}, "b:read": nil} {
		if _, c := site.Capability(key); !slices.Equal(c.Related, want) {
			t.Errorf("%s is related to %v, want %v", key, c.Related, want)
		}
	}
}

func keyed(name string) *wayfind.Auth {
	return &wayfind.Auth{
		Schemes:      map[string]wayfind.Scheme{"key": {Kind: wayfind.SchemeAPIKey, Name: name}},
		Requirements: [][]wayfind.Requirement{{{Scheme: "key"}}},
	}
}

func TestAuthOfOneInterface(t *testing.T) {
	none := &wayfind.Auth{Schemes: map[string]wayfind.Scheme{"none": {Kind: wayfind.SchemeNone}}, Requirements: [][]wayfind.Requirement{{{Scheme: "none"}}}}
	unknown := &wayfind.Auth{Unknown: true}
	alternatives := &wayfind.Auth{
		Schemes:      map[string]wayfind.Scheme{"key": {Kind: wayfind.SchemeAPIKey, Name: "A"}, "key~2": {Kind: wayfind.SchemeAPIKey, Name: "B"}},
		Requirements: [][]wayfind.Requirement{{{Scheme: "key"}}, {{Scheme: "key~2"}}},
	}
	rows := []struct {
		name       string
		a, b, want *wayfind.Auth
		conflict   bool
	}{
		{"required beats none", none, keyed("A"), keyed("A"), true},
		{"whoever says it", keyed("A"), none, keyed("A"), true},
		{"unknown never loosens", keyed("A"), unknown, keyed("A"), false},
		{"nor does silence", unknown, keyed("A"), keyed("A"), false},
		{"two schemes are alternatives", keyed("A"), keyed("B"), alternatives, true},
		{"agreement", keyed("A"), keyed("A"), keyed("A"), false},
	}
	for _, r := range rows {
		with := func(auth *wayfind.Auth) wayfind.Service {
			return wayfind.Service{Interfaces: []wayfind.Interface{{Protocol: "http", URL: "https://example.com/api", Auth: auth}}}
		}
		site := mergeOf(t, said{name: "a", service: with(r.a)}, said{name: "b", service: with(r.b)})
		for i := range site.Services {
			f := site.Services[i].Interfaces[0]
			if d := cmp.Diff(r.want, f.Auth); d != "" {
				t.Errorf("%s, service %d (-want +got):\n%s", r.name, i, d)
			}
			if len(f.Sources) != 2 {
				t.Errorf("%s: an interface of two sources has %v", r.name, f.Sources)
			}
		}
		if (len(site.Conflicts) == 1) != r.conflict {
			t.Errorf("%s: conflicts %v", r.name, site.Conflicts)
		}
	}
	// Another interface is another matter.
	apart := func(url string, auth *wayfind.Auth) wayfind.Service {
		return wayfind.Service{Interfaces: []wayfind.Interface{{Protocol: "http", URL: url, Auth: auth}}}
	}
	site := mergeOf(t, said{name: "a", service: apart("https://example.com/1", none)}, said{name: "b", service: apart("https://example.com/2", keyed("A"))})
	if d := cmp.Diff(none, site.Services[0].Interfaces[0].Auth); d != "" || len(site.Conflicts) != 0 {
		t.Errorf("auth crossed interfaces: %s%v", d, site.Conflicts)
	}
}

// The merged bytes are equal for any order of arrival, in a thousand runs.
func TestMergeBytes(t *testing.T) {
	list := func() []said {
		var all []said
		for i := range 6 {
			s := service(call(fmt.Sprintf("c%d", i%2), "GET", fmt.Sprintf("https://example.com/%d", i%3)), call("x", "POST", "https://example.com/x"),
				wayfind.Capability{ID: "lazy", Lazy: true})
			s.Interfaces = []wayfind.Interface{{Protocol: "http", URL: "https://example.com", Auth: keyed(fmt.Sprint(i % 3))}}
			s.Extensions = map[string]json.RawMessage{"b": json.RawMessage("1"), "a": json.RawMessage("2")}
			all = append(all, said{name: fmt.Sprintf("f%d", i), authority: []wayfind.Authority{wayfind.AuthorityProse, wayfind.AuthorityNative}[i%2], service: s})
		}
		return all
	}
	want, err := json.Marshal(mergeOf(t, list()...))
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		got, err := json.Marshal(mergeOf(t, list()...))
		if err != nil || string(got) != string(want) {
			t.Fatalf("the bytes differ (%v):\n%s\n%s", err, want, got)
		}
	}
}

// A source of lower rank may tighten, and not add; a document of another site
// joins nothing.
func TestWeakAndForeignSources(t *testing.T) {
	with := func(auth *wayfind.Auth) wayfind.Service {
		s := service(call("x", "GET", "https://example.com/x"))
		s.Interfaces = []wayfind.Interface{{Protocol: "http", URL: "https://example.com"}}
		s.Auth = auth
		return s
	}
	none := &wayfind.Auth{Schemes: map[string]wayfind.Scheme{"none": {Kind: wayfind.SchemeNone}}, Requirements: [][]wayfind.Requirement{{{Scheme: "none"}}}}
	authOf := func(site *wayfind.Site) *wayfind.Auth { return site.Services[0].Interfaces[0].Auth }

	site := mergeOf(t, said{name: "own", service: with(keyed("A"))}, said{name: "weak", authority: wayfind.AuthoritySynthetic, service: with(keyed("B"))})
	if _, c := site.Capability("weak:x"); c.Key != "own:x" || authOf(site) != nil && len(authOf(site).Requirements) != 1 || c.Auth != nil && len(c.Auth.Requirements) != 1 {
		t.Errorf("a synthetic source adds a way in: %+v, %+v", c.Auth, authOf(site))
	}
	site = mergeOf(t, said{name: "own", service: with(none)}, said{name: "weak", authority: wayfind.AuthoritySynthetic, service: with(keyed("B"))})
	if d := cmp.Diff(keyed("B"), authOf(site)); d != "" {
		t.Errorf("a synthetic source may tighten (-want +got):\n%s", d)
	}
	site = mergeOf(t, said{name: "own", service: with(none)}, said{name: "foreign", trust: wayfind.TrustCrossSite, service: with(keyed("B"))})
	if _, c := site.Capability("foreign:x"); c.Key != "foreign:x" || authOf(site) != nil || len(site.Conflicts) != 0 {
		t.Errorf("a document of another site joined: %+v, %v", authOf(site), site.Conflicts)
	}
}

// An empty value of the better source does not hide a requirement. A weak source neither removes a
// requirement nor adds one.
func TestSilenceHidesNothingAndWeakSourcesLoosenNothing(t *testing.T) {
	unknown := &wayfind.Auth{Unknown: true}
	none := &wayfind.Auth{Schemes: map[string]wayfind.Scheme{"none": {Kind: wayfind.SchemeNone}}, Requirements: [][]wayfind.Requirement{{{Scheme: "none"}}}}
	yes, no := true, false
	with := func(auth *wayfind.Auth, effects *wayfind.Effects) wayfind.Service {
		c := call("x", "GET", "https://example.com/x")
		c.Effects = effects
		s := service(c)
		s.Auth = auth
		s.Interfaces = []wayfind.Interface{{Protocol: "http", URL: "https://example.com"}}
		return s
	}
	needed := func(site *wayfind.Site) (*wayfind.Auth, *wayfind.Auth) {
		s, c := site.Capability("a:x")
		capability, face := c.Auth, s.Interfaces[0].Auth
		if capability == nil {
			capability = s.Auth
		}
		if face == nil {
			face = s.Auth
		}
		return capability, face
	}
	for _, b := range []said{{name: "b", service: with(keyed("A"), nil)}, {name: "b", authority: wayfind.AuthoritySynthetic, service: with(keyed("A"), nil)}} {
		capability, face := needed(mergeOf(t, said{name: "a", service: with(unknown, nil)}, b))
		if d := cmp.Diff(keyed("A"), capability) + cmp.Diff(keyed("A"), face); d != "" {
			t.Errorf("what is needed is lost behind silence (%s):\n%s", b.authority, d)
		}
	}
	lax := &wayfind.Effects{ReadOnly: &yes, NeedsConfirmation: &no, Destructive: &yes}
	site := mergeOf(t, said{name: "a", service: with(unknown, nil)}, said{name: "b", authority: wayfind.AuthoritySynthetic, service: with(none, lax)})
	capability, face := needed(site)
	if d := cmp.Diff(unknown, capability) + cmp.Diff(unknown, face); d != "" {
		t.Errorf("a synthetic source says that nothing is needed, and is believed:\n%s", d)
	}
	_, c := site.Capability("a:x")
	if d := cmp.Diff(&wayfind.Effects{Destructive: &yes}, c.Effects); d != "" {
		t.Errorf("effects of a synthetic source (-want +got):\n%s", d)
	}
}

// An ambiguous source is left out of a merge; it does not undo it.
func TestAmbiguousSource(t *testing.T) {
	x := func(id string) wayfind.Capability { return call(id, "GET", "https://example.com/x") }
	site := mergeOf(t, said{name: "a", service: service(x("x"))}, said{name: "b", service: service(x("y"))},
		said{name: "c", authority: wayfind.AuthoritySynthetic, service: service(x("p"), x("q"))})
	if d := cmp.Diff([]string{"a:x", "c:p", "c:q"}, keysOf(site)); d != "" {
		t.Errorf("keys (-want +got):\n%s", d)
	}
}

// An effect that a document states overrides an effect that follows from the method.
func TestExplicitEffects(t *testing.T) {
	yes, no := true, false
	a, b := call("x", "POST", "https://example.com/x"), call("y", "POST", "https://example.com/x")
	a.Effects = &wayfind.Effects{Idempotent: &yes}
	b.Effects = &wayfind.Effects{Idempotent: &no, ReadOnly: &no, Defaulted: []string{"idempotent", "readOnly"}}
	for _, order := range [][]wayfind.Capability{{a, b}, {b, a}} {
		site := mergeOf(t, said{name: "a", service: service(order[0])}, said{name: "b", service: service(order[1])})
		want := &wayfind.Effects{Idempotent: &yes, ReadOnly: &no, Defaulted: []string{"readOnly"}}
		if d := cmp.Diff(want, site.Services[0].Capabilities[0].Effects); d != "" {
			t.Errorf("effects (-want +got):\n%s", d)
		}
	}
}

// Scopes of one scheme add up: the fewer would loosen the other.
func TestScopesAddUp(t *testing.T) {
	with := func(scopes ...string) wayfind.Capability {
		c := call("x", "GET", "https://example.com/x")
		c.Auth = &wayfind.Auth{Schemes: map[string]wayfind.Scheme{"o": {Kind: wayfind.SchemeOAuth2}}, Requirements: [][]wayfind.Requirement{{{Scheme: "o", Scopes: scopes}}}}
		return c
	}
	site := mergeOf(t, said{name: "a", service: service(with("admin"))}, said{name: "b", service: service(with("read"))})
	if d := cmp.Diff([][]wayfind.Requirement{{{Scheme: "o", Scopes: []string{"admin", "read"}}}}, site.Services[0].Capabilities[0].Auth.Requirements); d != "" {
		t.Errorf("requirements (-want +got):\n%s", d)
	}
}

// Many services of one document that share an interface do not carry each
// other's references.
func TestSharedInterfaceStaysSmall(t *testing.T) {
	target := resolve.Target{Origin: "https://example.com"}
	f := format("f", parse.Location{Path: "/f"})
	plan := places.Plan(target, []*parse.Format{f})
	var services []wayfind.Service
	for i := range 500 {
		pointer := []wayfind.Ref{{Source: plan[0].URL, Pointer: fmt.Sprintf("/%d", i)}}
		services = append(services, wayfind.Service{ID: fmt.Sprint(i), Interfaces: []wayfind.Interface{{Protocol: "http", URL: "https://example.com/v1", Sources: pointer}}})
	}
	site := merge.Site(merge.Input{Target: target, Plan: plan, Now: mergedAt, Outcomes: []*merge.Outcome{{Candidate: &plan[0], Probe: wayfind.Probe{URL: plan[0].URL, Verdict: wayfind.VerdictFound},
		Readings: []reading.Located{reading.Made(f, wayfind.Source{URL: plan[0].URL}, &parse.Reading{Services: services})}}}})
	for i := range site.Services {
		if n := len(site.Services[i].Interfaces[0].Sources); n != 1 {
			t.Fatalf("service %d has %d references for its interface", i, n)
		}
	}
}

// Interfaces are identified by protocol, URL and tenant. A card that lists one URL for several
// bindings or versions is not merged there, because the other source may mean any of them.
func TestInterfacesOfSeveralBindings(t *testing.T) {
	at := func(transport, version, tenant string) wayfind.Interface {
		return wayfind.Interface{Protocol: "a2a", URL: "https://example.com/a2a", Transport: transport, Versions: []string{version}, Tenant: tenant}
	}
	card := func(list ...wayfind.Interface) wayfind.Service { return wayfind.Service{Interfaces: list} }
	both := card(at("JSONRPC", "1.0", ""), at("HTTP+JSON", "0.3", ""))
	site := mergeOf(t, said{name: "new", service: both}, said{name: "old", service: both})
	for _, s := range site.Services {
		var got []string
		for _, f := range s.Interfaces {
			got = append(got, f.Transport+" "+f.Versions[0])
		}
		if d := cmp.Diff([]string{"JSONRPC 1.0", "HTTP+JSON 0.3"}, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", s.ID, d)
		}
	}
	site = mergeOf(t, said{name: "new", service: card(at("JSONRPC", "1.0", "a"))}, said{name: "old", service: card(at("", "0.3", "b"))})
	if f := site.Services[1].Interfaces[0]; f.Transport != "" || len(f.Versions) != 1 {
		t.Errorf("another tenant's interface was joined: %+v", f)
	}
	site = mergeOf(t, said{name: "new", service: card(at("JSONRPC", "1.0", "a"))}, said{name: "old", service: card(at("", "0.3", "a"))})
	if f := site.Services[1].Interfaces[0]; f.Transport != "JSONRPC" || len(f.Versions) != 2 {
		t.Errorf("the same interface was not joined: %+v", f)
	}
}

// A plugin describes the authentication of the API that its link leads to. A requirement overrides
// none, two ways are alternatives, and a disagreement is reported. Requirements of an operation
// itself are kept.
func TestAuthOfTheLinkingDocument(t *testing.T) {
	bearer := &wayfind.Auth{Schemes: map[string]wayfind.Scheme{"token": {Kind: wayfind.SchemeHTTP, HTTPScheme: "bearer"}},
		Requirements: [][]wayfind.Requirement{{{Scheme: "token"}}}}
	none := &wayfind.Auth{Schemes: map[string]wayfind.Scheme{"none": {Kind: wayfind.SchemeNone}}, Requirements: [][]wayfind.Requirement{{{Scheme: "none"}}}}
	unknown := &wayfind.Auth{Unknown: true}
	key := &wayfind.Auth{Schemes: map[string]wayfind.Scheme{"key": {Kind: wayfind.SchemeAPIKey, In: "header", Name: "X-Key"}},
		Requirements: [][]wayfind.Requirement{{{Scheme: "key"}}}}
	rows := []struct {
		name          string
		plugin, api   *wayfind.Auth
		operation     *wayfind.Auth
		want, wantOp  *wayfind.Auth
		wantConflicts int
	}{
		{"only the plugin says", bearer, unknown, nil, bearer, nil, 0},
		{"only the description says", unknown, bearer, nil, bearer, nil, 0},
		{"agree", bearer, bearer, none, bearer, none, 1},
		{"only the operation says", bearer, unknown, key, bearer, key, 0},
		{"the operation does not say", bearer, unknown, unknown, bearer, bearer, 0},
		{"the operation needs more", none, none, key, none, key, 1},
		{"the description says none", bearer, none, nil, bearer, nil, 1},
		{"the plugin says none", none, bearer, nil, bearer, nil, 1},
	}
	for _, r := range rows {
		site := merge.Site(merge.Input{Target: resolve.Target{Origin: "https://example.com"}, Outcomes: linked(r.plugin, r.api, r.operation), Now: mergedAt})
		api := site.Services[1]
		if d := cmp.Diff([]*wayfind.Auth{r.want, r.wantOp}, []*wayfind.Auth{api.Auth, api.Capabilities[0].Auth}); d != "" {
			t.Errorf("%s (-want +got):\n%s", r.name, d)
		}
		if len(site.Conflicts) != r.wantConflicts {
			t.Errorf("%s: conflicts %+v", r.name, site.Conflicts)
		}
	}
}

// linked are the outcomes of a plugin and of the description it links to.
func linked(plugin, api, operation *wayfind.Auth) []*merge.Outcome {
	outcome := func(name string, from string, s wayfind.Service) *merge.Outcome {
		u := "https://example.com/" + name
		s.Sources = []wayfind.Ref{{Source: u}}
		return &merge.Outcome{
			Candidate: &places.Candidate{URL: u, From: from, Auth: from != ""}, FreshUntil: mergedAt.Add(time.Hour),
			Probe: wayfind.Probe{URL: u, Verdict: wayfind.VerdictFound},
			Readings: []reading.Located{reading.Made(format(name), wayfind.Source{Format: name, URL: u, SHA256: name, Authority: wayfind.AuthorityNative},
				&parse.Reading{Services: []wayfind.Service{s}})},
		}
	}
	return []*merge.Outcome{
		outcome("plugin", "", wayfind.Service{Auth: plugin}),
		outcome("spec", "https://example.com/plugin", wayfind.Service{Auth: api, Capabilities: []wayfind.Capability{{ID: "x", Auth: operation}}}),
	}
}
