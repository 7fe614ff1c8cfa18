package client_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/internal/formats/agentsmd"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/pins"
)

// These are the facts that a caller gets about a site without bad intent.

// oneEndpoint is an AI Discovery document with one capability.
func oneEndpoint(path string) string {
	return `{"aiendpoint":"1.0","service":{"name":"n","description":"d","category":["search"]},
		"capabilities":[{"id":"x","description":"d","endpoint":"` + path + `","method":"GET"}],"auth":{"type":"none"}}`
}

// A capability that two formats describe is described by the best reading of
// it, whichever key is asked: a required parameter is not lost because another
// document need not list any (AI Discovery §3.3: params are optional).
func TestTheBestReadingDescribesACapabilityOfTwoFormats(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{
			"/.well-known/ai": oneEndpoint("/x"), "/openapi.json": oneOperation("/x"), "/llms.txt": linking("https://shop.example/openapi.json")})
		c := internet.Client()
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"aidiscovery:x", "openapi:openapi/getX"} {
			d, err := c.Describe(t.Context(), site, key)
			if err != nil {
				t.Fatal(err)
			}
			if params := d.Capability.Params; len(params) != 1 || params[0].Name != "q" || params[0].Required == nil || !*params[0].Required {
				t.Errorf("%s: parameters %+v", key, params)
			}
		}
	})
}

// An approval covers the documents that were read under it: describing one operation of an approved
// description needs no new approval.
func TestAnApprovalCoversItsLaterDocuments(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": `{"schema_version":"v1","name_for_human":"T","name_for_model":"t",
			"description_for_human":"h","description_for_model":"m","auth":{"type":"none"},"api":{"type":"openapi","url":"https://other.example/openapi.json"},
			"logo_url":"https://shop.example/l.png","contact_email":"a@shop.example","legal_info_url":"https://shop.example/legal"}`})
		internet.Host("other.example", clienttest.Pages{"/openapi.json": strings.ReplaceAll(oneOperation("/x"), "shop.example", "other.example")})
		var approvals pins.Approvals
		var last security.ApprovalRequest
		c := internet.Client(func(o *client.Options) {
			o.Approve = func(ctx context.Context, r security.ApprovalRequest) error {
				last = r
				return approvals.For("alice")(ctx, r)
			}
		})
		ctx := t.Context()
		site, err := c.Resolve(ctx, "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Describe(ctx, site, "aiplugin"); !errors.Is(err, wayfind.ErrRefused) {
			t.Fatalf("without approval: %v", err)
		}
		approvals.Grant("alice", last, 0)
		d, err := c.Describe(ctx, site, "aiplugin")
		if err != nil {
			t.Fatal(err)
		}
		for _, capability := range site.With(d).Capabilities() {
			if _, err := c.Describe(ctx, site.With(d), capability.Key); err != nil {
				t.Errorf("%s: %v", capability.Key, err)
			}
		}
	})
}

// robots.txt applies to Describe as it does to Resolve (agents.md §6: robots.txt takes precedence).
func TestRobotsApplyToDescribe(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/robots.txt": "User-agent: *\nDisallow: /v1/\n",
			wellKnown: manifest("shop.example", "/detail/send"), "/detail/send": detail("send", "/v1/send")})
		c := internet.Client()
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		d, err := c.Describe(t.Context(), site, "adp:send")
		if err != nil {
			t.Fatal(err)
		}
		if !d.Capability.RobotsDisallowed {
			t.Errorf("%s is not marked, and robots.txt disallows it", d.Capability.Invocation.URL)
		}
	})
}

// A domain that redirects everything to another one without documents has
// nothing, and no policy of the caller had to refuse anything.
func TestAnAliasDomainHasNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://new.example"+r.URL.Path, http.StatusMovedPermanently)
		}))
		internet.Host("new.example", nil)
		if _, err := internet.Client().Resolve(t.Context(), "shop.example"); !errors.Is(err, wayfind.ErrNotFound) {
			t.Error(err)
		}
	})
}

// The error names the destination of an alias, but only if all places redirect to it. A redirect
// that a format forbids decides nothing else.
func TestTheErrorNamesTheDestinationOfAnAlias(t *testing.T) {
	away := func(path string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if path == "" || r.URL.Path == path {
				http.Redirect(w, r, "https://new.example"+r.URL.Path, http.StatusMovedPermanently)
				return
			}
			http.NotFound(w, r)
		})
	}
	for name, c := range map[string]struct {
		path   string
		change func(*client.Options)
		kind   error
		leads  bool
	}{
		"everything": {"", nil, wayfind.ErrNotFound, true},
		"one place":  {"/.well-known/agents.md", nil, wayfind.ErrNotFound, false},
		"nothing else": {"", func(o *client.Options) {
			o.Formats = []*parse.Format{agentsmd.Format()}
			o.Robots.Mode = client.RobotsIgnore
		}, wayfind.ErrNotFound, true},
		"another format": {"", func(o *client.Options) { o.Formats = []*parse.Format{adp.Format()} }, wayfind.ErrNotFound, true},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", away(c.path))
				internet.Host("new.example", nil)
				var changes []func(*client.Options)
				if c.change != nil {
					changes = append(changes, c.change)
				}
				_, err := internet.Client(changes...).Resolve(t.Context(), "shop.example")
				if !errors.Is(err, c.kind) || strings.Contains(err.Error(), "redirects to \"new.example\"") != c.leads {
					t.Error(err)
				}
			})
		})
	}
}

// An agent may be at the root of its host: /v1/card is asked for there as well
// as below a base path.
func TestACardMayBeAtTheRoot(t *testing.T) {
	card := `{"protocolVersion":"0.3.0","name":"n","description":"d","url":"https://shop.example/a2a","version":"1","capabilities":{},
		"defaultInputModes":["text"],"defaultOutputModes":["text"],"skills":[{"id":"s","name":"S","description":"d","tags":["x"]}]}`
	for _, target := range []string{"shop.example", "https://shop.example/"} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("shop.example", clienttest.Pages{"/v1/card": card})
			site, err := internet.Client().Resolve(t.Context(), target)
			if err != nil || len(site.Services) != 1 {
				t.Errorf("%s: %v", target, err)
			}
		})
	}
}

// The places of a card may have the metadata of an agent instead ("an
// equivalent metadata shape (or a subset)").
func TestPlacesOfCardsMayHaveMetadata(t *testing.T) {
	const metadata = `{"name":"pirate","description":"d","version":"1.4.2","instructions":"Talk","model":"m","metadata":{}}`
	for path, target := range map[string]string{
		"/.well-known/agent-card": "shop.example", "/.well-known/agent-card.json": "shop.example", "/bot/v1/card": "https://shop.example/bot",
	} {
		t.Run(path, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", clienttest.Pages{path: metadata})
				site, err := internet.Client().Resolve(t.Context(), target)
				if err != nil || len(site.Services) != 1 {
					t.Error(err)
				}
			})
		})
	}
}

// An answer within ten seconds is an answer (AI Discovery §2.2).
func TestAnAnswerWithinTenSecondsIsAnAnswer(t *testing.T) {
	for _, d := range []time.Duration{6 * time.Second, 9 * time.Second} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("shop.example", clienttest.Pages{"/.well-known/ai": oneEndpoint("/x")}).
				Fail("/.well-known/ai", clienttest.Delay(d))
			if _, err := internet.Client().Resolve(t.Context(), "shop.example"); err != nil {
				t.Errorf("after %v: %v", d, err)
			}
		})
	}
}

// Describing one operation reports the faults of that operation and of the document, and no faults
// of other operations.
func TestDescribingOneOperationReportsNoFaultsOfOthers(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/llms.txt": linking("https://shop.example/openapi.json"),
			"/openapi.json": `{"openapi":"3.0.1","info":{"title":"T","version":"1"},"servers":[{"url":"https://shop.example"}],"paths":{
			"/good":{"get":{"operationId":"good","responses":{"200":{"description":"OK"}}}},
			"/bad":{"get":{"operationId":"bad","responses":{}}}}}`})
		c := internet.Client()
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if len(said(site, "openapi")) == 0 {
			t.Fatal("nothing is wrong with the bad one")
		}
		d, err := c.Describe(t.Context(), site, "openapi:openapi/good")
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range d.Diagnostics {
			t.Errorf("%s at %s", d.Code, d.Pointer)
		}
	})
}

// The faults of the described operation, and of the document, are reported once.
func TestDiagnosticsOfAnOperationAreReportedOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/llms.txt": linking("https://shop.example/openapi.json"),
			"/openapi.json": `{"openapi":"3.0.1","info":{"title":"T"},"servers":[{"url":"https://shop.example"}],"paths":{
			"/bad":{"get":{"operationId":"bad","responses":{}}},"/worse":{"get":{"operationId":"worse","responses":{}}}}}`})
		c := internet.Client()
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		d, err := c.Describe(t.Context(), site, "openapi:openapi/bad")
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, d := range d.Diagnostics {
			said = append(said, d.Code+" "+d.Pointer)
		}
		if want := []string{"openapi.missing /info", "openapi.responses /paths/~1bad/get"}; !slices.Equal(slices.Sorted(slices.Values(said)), want) {
			t.Errorf("%q, want %q", said, want)
		}
	})
}

// A document that breaks a MUST of its specification is read with an error, so
// that Strict refuses it.
func TestABrokenMustIsAnError(t *testing.T) {
	const ai, adp = "/.well-known/ai", "/.well-known/agent"
	edit := func(doc, old, now string) string {
		if !strings.Contains(doc, old) {
			t.Fatalf("no %s in %s", old, doc)
		}
		return strings.Replace(doc, old, now, 1)
	}
	good, long := oneEndpoint("/x"), strings.Repeat("x", 301)
	for name, doc := range map[string]struct{ place, body string }{
		"§3.1 aiendpoint":                 {ai, edit(good, `"1.0"`, `"next"`)},
		"§3.1 unknown member":             {ai, edit(good, `"aiendpoint"`, `"other":1,"aiendpoint"`)},
		"§3.2 name":                       {ai, edit(good, `"name":"n"`, `"name":"`+long+`"`)},
		"§3.2 description":                {ai, edit(good, `"name":"n","description":"d"`, `"name":"n","description":"`+long+`"`)},
		"§3.3 description":                {ai, edit(good, `"id":"x","description":"d"`, `"id":"x","description":"`+long+`"`)},
		"§3.3 method outside the set":     {ai, edit(good, `"GET"`, `"OPTIONS"`)},
		"§3.3 method in lower case":       {ai, edit(good, `"GET"`, `"get"`)},
		"§3.3 returns":                    {ai, edit(good, `"method"`, `"returns":"`+long+`","method"`)},
		"§3.4 auth.type":                  {ai, edit(good, `{"type":"none"}`, `{"type":"digest"}`)},
		"§3.6 requests_per_minute":        {ai, edit(good, `"auth"`, `"rate_limits":{"requests_per_minute":1.5},"auth"`)},
		"Agent Discovery §2 spec_version": {adp, edit(manifest("shop.example", "/a"), `"1.0"`, `"2.0"`)},
		"Agent Discovery §2 description":  {adp, edit(manifest("shop.example", "/a"), "A service for tests.", "short")},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := client.Parse(t.Context(), []byte(doc.body), &client.ParseOptions{URL: "https://shop.example" + doc.place, ContentType: "application/json", Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != wayfind.VerdictMalformed {
				t.Errorf("Strict accepts it: %s", r.Verdict)
			}
		})
	}
}

// A call is the same whether a document writes its query into the template or
// lists it as parameters, so that two readings of it are one capability.
func TestAQueryInTheTemplateIsTheSameCall(t *testing.T) {
	for _, path := range []string{"/x", "/x{?q}", "/x{?q,page}", "/x?q={q}", "/x?q={q}&page={page}", "/x{?q}{&page}"} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("shop.example", clienttest.Pages{
				"/.well-known/ai": oneEndpoint(path), "/openapi.json": oneOperation("/x"), "/llms.txt": linking("https://shop.example/openapi.json")})
			c := internet.Client()
			site, err := c.Resolve(t.Context(), "shop.example")
			if err != nil {
				t.Fatal(err)
			}
			if n := countCapabilities(site); n != 1 {
				t.Errorf("%s: %d capabilities, want 1", path, n)
			}
			for _, key := range []string{"aidiscovery:x", "openapi:openapi/getX"} {
				d, err := c.Describe(t.Context(), site, key)
				if err != nil {
					t.Fatal(err)
				}
				i := slices.IndexFunc(d.Capability.Params, func(p wayfind.Param) bool { return p.Name == "q" })
				if i < 0 || d.Capability.Params[i].In != "query" {
					t.Errorf("%s, %s: parameters %+v", path, key, d.Capability.Params)
				}
			}
		})
	}
	for _, path := range []string{"/x/{q}", "/x?kind=a", "/x{/q}", "/y{?q}"} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("shop.example", clienttest.Pages{
				"/.well-known/ai": oneEndpoint(path), "/openapi.json": oneOperation("/x"), "/llms.txt": linking("https://shop.example/openapi.json")})
			site, err := internet.Client().Resolve(t.Context(), "shop.example")
			if err != nil {
				t.Fatal(err)
			}
			if n := countCapabilities(site); n != 2 {
				t.Errorf("%s: %d capabilities, want 2: another call", path, n)
			}
		})
	}
}

func countCapabilities(site *wayfind.Site) (n int) {
	for range site.Capabilities() {
		n++
	}
	return n
}
