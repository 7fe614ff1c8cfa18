package cache_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// credentialFields are fields in which APIs, proxies and meshes take or pass on who asks.
func credentialFields() []string {
	return strings.Fields(`X-Figma-Token Circle-Token PLAID-SECRET PLAID-CLIENT-ID xi-api-key Fastly-Key JOB-TOKEN X-Postmark-Server-Token
		X-MBX-APIKEY X-CMC_PRO_API_KEY X-Algolia-API-Key X-Algolia-Application-Id X-Api-Token X-CSRF-Token X-User-Token X-Typesense-Api-Key
		X-Consul-Token DD-APPLICATION-KEY X-N8N-API-KEY X-Sentry-Token X-Parse-Session-Token X-Client-Secret X-TrackerToken X-Honeycomb-Team
		Authorization Cookie Proxy-Authorization X-Api-Key X-Amz-Security-Token X-Forwarded-User X-Remote-User X-Auth-Request-Email Remote-User
		X-Ms-Client-Principal X-Goog-Authenticated-User-Email Cf-Access-Jwt-Assertion Cf-Access-Client-Id Ssl-Client-Cert X-Client-Cert
		X-Forwarded-Client-Cert X-Amzn-Oidc-Data Impersonate-User Impersonate-Group Sudo X-Gitlab-Token OpenAI-Organization OpenAI-Project
		Stripe-Account X-Shopify-Storefront-Access-Token X-Tenant-Id X-Org-Id X-Account-Id X-User-Id User-Id Login Password X-Pin Signature
		Signature-Input DPoP X-Hub-Signature Payment-Signature X-Payment Agent-Id X-Session Session X-Device-Id Apikey Key Token Secret Uid
		Client Access-Token Baggage X-Forwarded-For Forwarded X-Real-Ip From True-Client-Ip Cf-Connecting-Ip Sec-WebSocket-Protocol
		X-Goog-User-Project X-Goog-Iap-Jwt-Assertion Authentication X-Forwarded-Access-Token X-Forwarded-Email X-Forwarded-Groups
		X-Forwarded-Preferred-Username X-Emby-Token X-Plex-Token X-Twitch-Client Client-Id X-Riot-Token Bearer X-WP-Nonce X-XSRF-Token
		X-Requested-By X-Username X-Role X-Roles X-Scopes X-Workspace X-Workspace-Id X-Team-Id X-Project-Id X-Profile-Id X-Subscriber
		X-Company X-Namespace X-Realm X-Visitor-Id X-Guest-Id X-Store X-Shop X-Datadog-Api-Key Sec-Ch-Token`)
}

// A field that carries who asks keeps answers apart, in no list or in one: in a store in memory, on a
// disk, in Redis, and for another process. A store that others read gets none of them.
func TestCallersAreKeptApartByAnyField(t *testing.T) {
	fields := credentialFields()
	far := openRedis(t, testkit.StartRedis(t), "")
	synctest.Test(t, func(t *testing.T) {
		disk := openDisk(t)
		defer disk.Close()
		memory := func() cache.Store {
			s := newMemory(t)
			t.Cleanup(func() { _ = s.Close() })
			return s
		}
		for name, open := range map[string]func() *member{
			"memory":        func() *member { return begin(nil, memory(), account()) },
			"disk":          func() *member { return beginBy(nil, nil, disk, account()) },
			"redis":         func() *member { return beginBy(nil, nil, far, account()) },
			"redis, strict": func() *member { return begin(nil, far, account()) },
			"layers":        func() *member { return beginBy(nil, memory(), far, account()) },
		} {
			own, other := open(), open() // the other one is a process of its own
			for _, field := range fields {
				url := home + "?" + field
				for i, who := range []string{"alice", "bob", "bob", ""} {
					if got := askWith(t, []*member{own, other}[i%2], url, field, who); got != who {
						t.Errorf("%s, %s: %q reads the account of %q", name, field, who, got)
					}
				}
			}
			own.end()
			other.end()
		}
	})
}

// account answers with the value of the field that the query names.
func account() *origin {
	return &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
		return response(200, req.Header.Get(req.URL.RawQuery), "Cache-Control", "max-age=600"), nil
	}}
}

// askWith asks with a field, or without it if its value is empty.
func askWith(t *testing.T, rt http.RoundTripper, url, field, value string) string {
	t.Helper()
	if value == "" {
		return get(t, rt, url).Body
	}
	return get(t, rt, url, field, value).Body
}

// ordinaryClients are programs with the fields that they send. A field with * has another value in
// each request. Those before the bar identify the caller.
func ordinaryClients() map[string]string {
	return map[string]string{
		"net/http":               "| User-Agent Accept-Encoding",
		"curl":                   "| User-Agent Accept",
		"wget":                   "| User-Agent Accept Accept-Encoding Connection",
		"requests":               "| User-Agent Accept-Encoding Accept Connection",
		"httpx, aiohttp":         "| Accept Accept-Encoding Connection User-Agent",
		"undici":                 "| Accept Accept-Language Sec-Fetch-Mode User-Agent Accept-Encoding",
		"axios":                  "| Accept User-Agent Accept-Encoding Connection",
		"Chrome, a page":         "Cookie | User-Agent Accept Accept-Encoding Accept-Language Cache-Control Sec-Ch-Ua Sec-Ch-Ua-Mobile Sec-Ch-Ua-Platform Sec-Fetch-Dest Sec-Fetch-Mode Sec-Fetch-Site Sec-Fetch-User Upgrade-Insecure-Requests Priority Dnt Sec-Gpc Referer",
		"Chrome, fetch":          "| Origin Referer Accept Accept-Encoding Accept-Language Sec-Ch-Ua Sec-Ch-Ua-Mobile Sec-Ch-Ua-Platform Sec-Fetch-Dest Sec-Fetch-Mode Sec-Fetch-Site Priority User-Agent",
		"Chrome, storage access": "| Sec-Fetch-Storage-Access Origin Accept User-Agent",
		"Firefox":                "Cookie | User-Agent Accept Accept-Language Accept-Encoding Connection Upgrade-Insecure-Requests Sec-Fetch-Dest Sec-Fetch-Mode Sec-Fetch-Site Sec-Fetch-User Priority Te",
		"Safari":                 "Cookie | User-Agent Accept Accept-Language Accept-Encoding Sec-Fetch-Dest Sec-Fetch-Mode Sec-Fetch-Site Priority",
		"jQuery, htmx":           "| X-Requested-With Accept Hx-Request Hx-Current-Url* Hx-Target Hx-Trigger",
		"go-github":              "Authorization | Accept User-Agent X-Github-Api-Version Accept-Encoding",
		"octokit":                "Authorization | Accept User-Agent X-Github-Api-Version",
		"gh":                     "Authorization | Accept User-Agent Time-Zone Graphql-Features Content-Type",
		"python-gitlab":          "Private-Token | User-Agent Accept",
		"Stripe":                 "Authorization Stripe-Account | User-Agent X-Stripe-Client-User-Agent X-Stripe-Client-Telemetry* Stripe-Version Idempotency-Key*",
		"OpenAI":                 "Authorization Openai-Organization Openai-Project | User-Agent Accept X-Stainless-Lang X-Stainless-Package-Version X-Stainless-Os X-Stainless-Arch X-Stainless-Runtime X-Stainless-Runtime-Version X-Stainless-Retry-Count* X-Stainless-Timeout",
		"Anthropic":              "X-Api-Key | Anthropic-Version Anthropic-Beta User-Agent Accept X-Stainless-Lang X-Stainless-Retry-Count* X-Stainless-Async",
		"AWS":                    "Authorization* X-Amz-Security-Token | X-Amz-Date* X-Amz-Content-Sha256 Amz-Sdk-Invocation-Id* Amz-Sdk-Request* User-Agent X-Amz-User-Agent",
		"Google Cloud":           "Authorization X-Goog-User-Project | User-Agent X-Goog-Api-Client X-Goog-Request-Params X-Goog-Gcs-Idempotency-Token*",
		"Azure":                  "Authorization | User-Agent X-Ms-Client-Request-Id* X-Ms-Return-Client-Request-Id X-Ms-Version X-Ms-Date* Traceparent*",
		"Slack":                  "Authorization | User-Agent Accept Content-Type",
		"Notion":                 "Authorization | Notion-Version User-Agent",
		"client-go":              "Authorization Impersonate-User | Accept User-Agent Accept-Encoding Kubectl-Command Kubectl-Session*",
		"npm":                    "Authorization | User-Agent Npm-Command Npm-Scope Npm-Session* Npm-In-Ci Pacote-Version Pacote-Req-Type Pacote-Pkg-Id* Accept Accept-Encoding",
		"pip, uv":                "| User-Agent Accept Accept-Encoding Cache-Control",
		"Docker":                 "Authorization | User-Agent Accept Docker-Distribution-Api-Version",
		"OpenTelemetry":          "| Traceparent* Tracestate* Baggage* User-Agent Accept-Encoding",
		"Istio":                  "| X-B3-Traceid* X-B3-Spanid* X-B3-Parentspanid* X-B3-Sampled X-Request-Id* X-Envoy-Attempt-Count X-Envoy-Expected-Rq-Timeout-Ms* User-Agent",
		"Datadog, Sentry":        "| X-Datadog-Trace-Id* X-Datadog-Parent-Id* X-Datadog-Sampling-Priority X-Datadog-Tags* Sentry-Trace* Baggage* User-Agent",
		"X-Ray, Google":          "| X-Amzn-Trace-Id* X-Cloud-Trace-Context* User-Agent",
		"MCP":                    "Authorization Mcp-Session-Id | Accept Content-Type Mcp-Protocol-Version Last-Event-Id User-Agent",
		"A2A":                    "| A2a-Version A2a-Extensions Accept User-Agent",
		"behind a proxy":         "X-Forwarded-User | X-Forwarded-For* X-Forwarded-Proto X-Forwarded-Host X-Real-Ip* Forwarded* Via User-Agent",
		"behind Cloudflare":      "| Cf-Ray* Cf-Connecting-Ip* Cf-Ipcountry Cf-Visitor Cdn-Loop X-Forwarded-For* User-Agent",
		"weather.gov, OSM":       "| User-Agent From Accept Feature-Flags",
		"OData, WebDAV":          "| Odata-Version Odata-Maxversion Prefer Depth User-Agent Consistencylevel",
		"JSON:API with a tenant": "X-Tenant-Id | Accept Content-Type X-Client-Version X-App-Version User-Agent",
	}
}

// Ordinary programs that repeat a request get the stored answer. Those that do not are one that signs
// each request anew, one with Baggage, whose members may say who asks, and two behind proxies, which
// pass on the address of whoever asks.
func TestOrdinaryClientsShareTheirAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clients := ordinaryClients()
		tr := newTransport(t, always(200, "x", "Cache-Control", "max-age=600"), nil)
		var lost []string
		for name, fields := range clients {
			for n := range 2 {
				req := newRequest(t.Context(), home+"?"+strconv.Quote(name))
				for field := range strings.FieldsSeq(strings.Replace(fields, "|", "", 1)) {
					value := "x"
					if field, varies := strings.CutSuffix(field, "*"); varies {
						value = fmt.Sprint(n)
						if field == "Baggage" && strings.Contains(name, "Sentry") {
							value = fmt.Sprintf("sentry-trace_id=%d,sentry-sample_rand=0.%d,sentry-sampled=true,sentry-environment=prod,sentry-public_key=k", n, n)
						}
						req.Header.Set(field, value)
						continue
					}
					if field == "Cache-Control" {
						value = "max-age=600"
					}
					req.Header.Set(field, value)
				}
				if got := do(t, tr, req); n > 0 && got.From != cache.FromMemory {
					lost = append(lost, name)
				}
			}
		}
		slices.Sort(lost)
		if want := []string{"AWS", "OpenTelemetry", "behind Cloudflare", "behind a proxy"}; len(clients) != 40 || !slices.Equal(lost, want) {
			t.Errorf("of %d clients, these share nothing: %q", len(clients), lost)
		}
	})
}

// An unknown field says anything: its values are variants. Their answers leave the process only if
// Vary names each such field, and then with digests of the values. A shared cache by RFC 9111 alone
// also keeps what is public, for everyone.
func TestAnUnknownFieldLeavesTheProcessByVaryOnly(t *testing.T) {
	for name, row := range map[string]struct {
		opts   *cache.Options
		header []string
		kept   bool   // by the far store
		bob    string // what bob gets, who has another value
	}{
		"nothing":              {nil, nil, false, "for bob"},
		"public":               {nil, []string{"Cache-Control", "public"}, false, "for bob"},
		"strict":               {strict(), nil, false, "for bob"},
		"strict, s-maxage":     {strict(), []string{"Cache-Control", "s-maxage=600"}, false, "for bob"},
		"strict, public":       {strict(), []string{"Cache-Control", "public"}, true, "for alice"},
		"Vary":                 {nil, []string{"Vary", "Accept, X-Acme, X-Other"}, true, "for bob"},
		"Vary with one of two": {nil, []string{"Vary", "X-Acme"}, false, "for bob"},
		"Harmless":             {&cache.Options{Harmless: []string{"x-acme", "X-OTHER"}}, nil, true, "for alice"},
		"Harmless, Identity":   {&cache.Options{Harmless: []string{"x-acme", "X-OTHER"}, IdentityFields: []string{"X-Acme"}}, nil, false, "for bob"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				far := &varying{serialised: newSerialised()}
				tr := newTransportOver(t, far, sees("X-Acme", append([]string{"Cache-Control", "max-age=600"}, row.header...)...), row.opts)
				get(t, tr, home, "X-Acme", "alice", "X-Other", "1")
				if got := get(t, tr, home, "X-Acme", "bob", "X-Other", "1").Body; got != row.bob {
					t.Errorf("bob gets %q, want %q", got, row.bob)
				}
				if got := len(far.saved()) > 0; got != row.kept {
					t.Errorf("the far store was given %q", far.saved())
				}
				if said := fmt.Sprint(far.on); strings.Contains(said, "alice") || strings.Contains(said, "bob") {
					t.Errorf("the far store was given the values %s", said)
				}
			})
		})
	}
}

// varying is a shared store that notes the request fields of its entries.
type varying struct {
	*serialised
	on []cache.VaryField
}

func (s *varying) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	for _, e := range v.Entries {
		s.on = append(s.on, e.Vary...)
	}
	return s.serialised.Save(ctx, key, v, retain)
}

// With Rules, as a Client has them, not even Vary lets the answer to an unknown field leave the
// process: the word of a site does not separate callers.
func TestWithRulesAnUnknownFieldStaysInTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := newSerialised()
		tr := cache.By(newTransportOver(t, far, sees("X-Acme", "Cache-Control", "public, max-age=600", "Vary", "X-Acme"), nil), &cache.TestRules{})
		get(t, tr, home, "X-Acme", "alice")
		if saved := far.saved(); len(saved) > 0 {
			t.Errorf("the far store was given %q", saved)
		}
	})
}

// A field that selects a representation makes variants, also in a store that others read, whatever
// Vary says. A long value is kept as a digest, and no value can be taken for one.
func TestAFieldThatSelectsMakesVariants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := &varying{serialised: newSerialised()}
		tr := newTransportOver(t, far, sees("X-Forwarded-Host", "Cache-Control", "max-age=600"), nil)
		long := strings.Repeat("x", 200)
		want(t, "none", get(t, tr, home), result{200, "for ", cache.FromNetwork, ""})
		for _, host := range []string{"a.example", "evil.example", long} {
			want(t, host, get(t, tr, home, "X-Forwarded-Host", host), result{200, "for " + host, cache.FromNetwork, ""})
			want(t, host, get(t, tr, home, "X-Forwarded-Host", host), result{200, "for " + host, "disk", ""})
		}
		kept := "digest:none"
		for _, f := range far.on {
			if len(f.Value) > 128 {
				t.Errorf("the store was given a value of %d bytes", len(f.Value))
			}
			if strings.HasPrefix(f.Value, "digest:") {
				kept = f.Value
			}
		}
		want(t, "a value like a digest", get(t, tr, home, "X-Forwarded-Host", kept), result{200, "for " + kept, cache.FromNetwork, ""})
		want(t, "none again", get(t, tr, home), result{200, "for ", "disk", ""})
	})
}

// A digest of a value has the key of the store, so that a value is not found by trying.
func TestDigestsOfValuesHaveTheKeyOfTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := map[string]bool{}
		for _, secret := range []string{"one", "other"} {
			far := &varying{serialised: newSerialised()}
			tr := newTransportOver(t, keyedStore{far, secret}, sees("X-Acme", "Cache-Control", "max-age=600", "Vary", "X-Acme"), nil)
			get(t, tr, home, "X-Acme", "4711")
			for _, f := range far.on {
				seen[f.Value] = true
			}
		}
		if len(seen) != 2 {
			t.Errorf("two stores have the values %v", seen)
		}
	})
}

// If a field that is not known has another value in each request, its answers are for nobody: they
// are not kept for ten minutes, and the cache says so. One repeated value shows that it is not so.
func TestOneTimeValuesAreNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		tr := newTransport(t, always(200, "x", "Cache-Control", "max-age=36000"), &cache.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		n := 0
		next := func() (status string) {
			n++
			resp, err := tr.RoundTrip(newRequest(t.Context(), home+"?"+strconv.Itoa(n), "X-Acme", strconv.Itoa(n)))
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			return resp.Header.Get("Cache-Status")
		}
		for range 31 {
			if got := next(); !strings.Contains(got, "stored") {
				t.Fatalf("request %d: %s", n, got)
			}
		}
		get(t, tr, home, "X-Acme", "7") // it was there before
		for range 30 {
			if got := next(); !strings.Contains(got, "stored") {
				t.Fatalf("request %d: %s", n, got)
			}
		}
		for range 3 {
			if got := next(); strings.Contains(got, "stored") || !strings.Contains(got, "detail=unknown-field:x-acme") {
				t.Errorf("request %d: %s", n, got)
			}
		}
		want(t, "what was kept", get(t, tr, home+"?3", "X-Acme", "3"), result{200, "x", cache.FromMemory, ""})
		get(t, tr, home+"?else")
		want(t, "without the field", get(t, tr, home+"?else"), result{200, "x", cache.FromMemory, ""})
		get(t, tr, "https://other.example/", "X-Acme", "0")
		want(t, "another origin", get(t, tr, "https://other.example/", "X-Acme", "0"), result{200, "x", cache.FromMemory, ""})
		if got := tr.Stats().OneTime; got != 3 {
			t.Errorf("%d answers are counted", got)
		}
		if got := strings.Count(log.String(), "x-acme"); got != 1 {
			t.Errorf("the log has %d warnings: %s", got, log.String())
		}
		time.Sleep(10 * time.Minute)
		if got := next(); !strings.Contains(got, "stored") {
			t.Errorf("after ten minutes: %s", got)
		}
	})
}

// The numbers of a trace in Baggage are no difference, and every other member of it is one. If Vary
// names the field, its answer is for one request.
func TestBaggageIsComparedWithoutTheNumbersOfATrace(t *testing.T) {
	for _, row := range []struct {
		vary, first, second string
		shared              bool
	}{
		{"", "sentry-trace_id=1,a=b", "sentry-trace_id=2, a=b", true},
		{"", "sentry-trace_id=1", "sentry-sampled=true", true},
		{"", "sentry-trace_id=1,user=alice", "sentry-trace_id=1,user=bob", false},
		{"", "sentry-replay_id=1", "sentry-replay_id=2", false},
		{"", "sentry-trace_id2=1", "sentry-trace_id2=2", false},
		{"", "sentry-trace_id=1", "", false},
		{"Baggage", "sentry-trace_id=1,a=b", "sentry-trace_id=2,a=b", false},
		{"Baggage", "a=b", "a=b", true},
	} {
		synctest.Test(t, func(t *testing.T) {
			tr := newTransport(t, always(200, "x", "Cache-Control", "max-age=600", "Vary", row.vary), nil)
			askWith(t, tr, home, "Baggage", row.first)
			header := []string{"Baggage", row.second}
			if row.second == "" {
				header = nil
			}
			if got := get(t, tr, home, header...).From == cache.FromMemory; got != row.shared {
				t.Errorf("%q and %q share: %v", row.first, row.second, got)
			}
		})
	}
}

// A stranger who sends many values of a field costs another caller one request, and no more: an answer
// to a value that comes again is kept.
func TestAStrangerDoesNotEndTheCachingOfAField(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := sees("X-Acme", "Cache-Control", "max-age=36000")
		tr := newTransport(t, o, nil)
		n := 0
		strangers := func() {
			for range 100 {
				n++
				get(t, tr, home+"?"+strconv.Itoa(n), "X-Acme", "stranger "+strconv.Itoa(n))
			}
		}
		get(t, tr, home+"?before", "X-Acme", "carol")
		strangers()
		for i, from := range []string{cache.FromNetwork, cache.FromNetwork, cache.FromMemory, cache.FromMemory} {
			strangers()
			want(t, "request "+strconv.Itoa(i), get(t, tr, home, "X-Acme", "alice"), result{200, "for alice", from, ""})
		}
		for _, from := range []string{cache.FromNetwork, cache.FromMemory} {
			want(t, "a value from before", get(t, tr, home+"?after", "X-Acme", "carol"), result{200, "for carol", from, ""})
		}
	})
}

// A field that is not known, and that a RoundTripper below adds, may carry who asks: the answer is
// for its caller alone.
func TestAnUnknownFieldThatIsAddedBelowIsSeen(t *testing.T) {
	for field, kept := range map[string]bool{"X-Acme": false, "X-Acme-Token": false, "Traceparent": true} {
		synctest.Test(t, func(t *testing.T) {
			o, n := sees(field, "Cache-Control", "max-age=600"), 0
			tr := newTransport(t, roundTrip(func(req *http.Request) (*http.Response, error) {
				n++
				own := req.Clone(req.Context())
				own.Header.Set(field, fmt.Sprint(n))
				resp, err := o.RoundTrip(own)
				if err == nil {
					resp.Request = own
				}
				return resp, err
			}), nil)
			get(t, tr, home)
			if got := get(t, tr, home).From == cache.FromMemory; got != kept {
				t.Errorf("%s: the second answer is from memory: %v", field, got)
			}
		})
	}
}

// Callers with different values do not wait for each other, and callers with the same one do.
func TestCallersWithOtherValuesDoNotWait(t *testing.T) {
	for _, field := range []string{"X-Acme", "X-Region"} {
		synctest.Test(t, func(t *testing.T) {
			o := slow(say(200, "x", "Cache-Control", "max-age=60"))
			d := together(t, newTransport(t, o, nil), 20, func(i int) []string { return []string{field, fmt.Sprint(i % 4)} })
			if d != time.Second {
				t.Errorf("%s: the slowest took %v", field, d)
			}
			wantCount(t, field, o, 4)
		})
	}
}

// docs/CACHING.md has each class with its fields and their source.
func TestTheFieldsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/CACHING.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range cache.FieldRows() {
		if !strings.Contains(string(text), row) {
			t.Errorf("docs/CACHING.md lacks this row:\n%s", row)
		}
	}
}
