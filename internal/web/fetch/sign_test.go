package fetch

import (
	"crypto/ed25519"
	"crypto/tls"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/internal/web/websign"
	"github.com/wayfindhq/wayfind/security"
)

// signing returns an option with the keys of an agent, with changes.
func signing(t testing.TB, change func(*Signing)) func(*Options) {
	t.Helper()
	s, err := websign.New(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)), "https://bot.example.com")
	if err != nil {
		t.Fatal(err)
	}
	return func(o *Options) {
		o.Signing = Signing{Signer: s, Identity: []string{"X-Api-Key"}}
		if change != nil {
			change(&o.Signing)
		}
	}
}

// inbox keeps the headers of the requests to a site, and answers the first with a status
// and header fields, all others with 200.
type inbox struct {
	mu     sync.Mutex
	got    []http.Header
	status int
	fields [][2]string
	always bool
}

func (i *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.got = append(i.got, r.Header)
	if i.status == 0 || len(i.got) > 1 && !i.always {
		return
	}
	for _, f := range i.fields {
		w.Header().Set(f[0], f[1])
	}
	w.WriteHeader(i.status)
}

// signatures returns the values of Signature, "" for a request without the fields.
func (i *inbox) signatures(t *testing.T) (list []string) {
	t.Helper()
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, h := range i.got {
		fields := [...]string{h.Get("Signature"), h.Get("Signature-Input"), h.Get("Signature-Agent")}
		if (fields[0] == "") != (fields[1] == "") || (fields[0] == "") != (fields[2] == "") {
			t.Errorf("a request has a part of the fields: %q", fields)
		}
		list = append(list, fields[0])
	}
	return list
}

func TestEachRequestAndEachHopHasASignatureOfItsOwn(t *testing.T) {
	for _, proto := range []string{"http/1.1", "h2"} {
		w := newWorld(t)
		var first, second inbox
		first.status, first.fields = 302, [][2]string{{"Location", "https://www.example.com/b"}}
		w.site("shop.example.com", ip1, first.ServeHTTP, proto)
		w.site("www.example.com", "93.184.216.40", second.ServeHTTP, proto)
		stack := w.stack(signing(t, nil))
		walk := &Walk{URL: mustURL(t, site), Redirects: 2}
		for done := false; !done; {
			resp, err := stack.Do(t.Context(), &Ask{URL: walk.Final()})
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if done, err = walk.Next(resp.StatusCode, resp.Header["Location"]); err != nil {
				t.Fatal(err)
			}
		}
		get(t, t.Context(), stack, "https://www.example.com/b")
		seen := map[string]bool{}
		for _, s := range append(first.signatures(t), second.signatures(t)...) {
			seen[s] = true
		}
		if len(seen) != 3 || seen[""] {
			t.Errorf("%s: 3 requests have the signatures %v", proto, seen)
		}
	}
}

func TestNoRequestOverHTTPIsSigned(t *testing.T) {
	w := newWorld(t)
	var plain inbox
	server := &http.Server{Handler: &plain}
	l := w.listenAt(netip.MustParseAddrPort("127.0.0.1:3000"))
	t.Cleanup(func() { _ = server.Close() })
	go func() { _ = server.Serve(l) }()
	c := w.conns(func(o *Options) {
		signing(t, func(s *Signing) { s.Identified = true })(o)
		o.Policy = &security.Guard{AllowDev: []string{"http://127.0.0.1:3000"}}
	})
	get(t, t.Context(), c, "http://127.0.0.1:3000/")
	if got := plain.signatures(t); len(got) != 1 || got[0] != "" {
		t.Errorf("the signatures are %q", got)
	}
}

func TestARequestWithACredentialIsSignedOnlyIfThatIsAskedFor(t *testing.T) {
	bearer := []AuthPart{{Origin: "https://shop.example.com", Field: "Authorization", Value: "Bearer x"}}
	query := []AuthPart{{Origin: "https://shop.example.com", In: InQuery, Field: "key", Value: "x"}}
	elsewhere := []AuthPart{{Origin: "https://other.example.com", Field: "Authorization", Value: "Bearer x"}}
	certificate := func(o *Options) { o.UnsafeTLS = &tls.Config{Certificates: []tls.Certificate{{}}} }
	for name, tt := range map[string]struct {
		ask    Ask
		change func(*Options)
		signed bool
	}{
		"none":                            {Ask{}, nil, true},
		"a token":                         {Ask{Auth: bearer}, nil, false},
		"a key in the query":              {Ask{Auth: query}, nil, false},
		"a token for another site":        {Ask{Auth: elsewhere}, nil, true},
		"a field that identifies":         {Ask{Header: http.Header{"X-Api-Key": {"x"}}}, nil, false},
		"another field":                   {Ask{Header: http.Header{"X-Other": {"x"}}}, nil, true},
		"a certificate":                   {Ask{}, certificate, false},
		"a token, asked for":              {Ask{Auth: bearer}, func(o *Options) { o.Signing.Identified = true }, true},
		"a signature of the caller's own": {Ask{Header: http.Header{"Signature-Input": {"a=()"}, "Signature": {"a=:AA==:"}, "Signature-Agent": {"a=\"x\""}}}, nil, false},
	} {
		w := newWorld(t)
		var in inbox
		w.site("shop.example.com", ip1, in.ServeHTTP)
		c := w.conns(func(o *Options) {
			signing(t, nil)(o)
			if tt.change != nil {
				tt.change(o)
			}
		})
		get(t, t.Context(), c, site, tt.ask)
		got := in.signatures(t)
		if len(got) != 1 || strings.HasPrefix(got[0], "sig1=:") != tt.signed {
			t.Errorf("%s: the signatures are %q", name, got)
		}
	}
}

func TestAnAnswerThatAsksForASignatureGetsItOnce(t *testing.T) {
	const wish = `ask=("@authority" "signature-agent";key="ask");nonce="of-the-site";tag="web-bot-auth"`
	for name, tt := range map[string]struct {
		status   int
		fields   [][2]string
		always   bool
		ask      Ask
		requests int
	}{
		"403":                       {403, [][2]string{{"Accept-Signature", wish}}, false, Ask{}, 2},
		"429":                       {429, [][2]string{{"Accept-Signature", wish}}, false, Ask{}, 2},
		"403 for ever":              {403, [][2]string{{"Accept-Signature", wish}}, true, Ask{}, 2},
		"403 without a wish":        {403, nil, true, Ask{}, 1},
		"401":                       {401, [][2]string{{"Accept-Signature", wish}}, true, Ask{}, 1},
		"a wish that none fulfils":  {403, [][2]string{{"Accept-Signature", `a=("@status")`}}, true, Ask{}, 1},
		"at most once":              {403, [][2]string{{"Accept-Signature", wish}}, true, Ask{Once: true}, 1},
		"with a credential":         {403, [][2]string{{"Accept-Signature", wish}}, true, Ask{Auth: []AuthPart{{Origin: "https://shop.example.com", Field: "Authorization", Value: "x"}}}, 1},
		"without a budget":          {403, [][2]string{{"Accept-Signature", wish}}, true, Ask{Budget: NewBudget(0)}, 1},
		"429 with a time, not now":  {429, [][2]string{{"Accept-Signature", wish}, {"Retry-After", "60"}}, true, Ask{}, 1},
		"429 with a time, a moment": {429, [][2]string{{"Accept-Signature", wish}, {"Retry-After", "1"}}, false, Ask{}, 2},
	} {
		w := newWorld(t)
		in := inbox{status: tt.status, fields: tt.fields, always: tt.always}
		w.site("shop.example.com", ip1, in.ServeHTTP)
		got := get(t, t.Context(), w.stack(signing(t, nil)), site, tt.ask)
		if len(in.signatures(t)) != tt.requests {
			t.Errorf("%s: %d requests, want %d", name, len(in.got), tt.requests)
			continue
		}
		if want := tt.requests == 2 && !tt.always; (got.Status == 200) != want {
			t.Errorf("%s: the answer is %+v", name, got)
		}
		if second := in.got[len(in.got)-1].Get("Signature-Input"); tt.requests == 2 && (!strings.HasPrefix(second, `ask=("@authority" "signature-agent";key="ask");`) || !strings.Contains(second, `;nonce="of-the-site";`)) {
			t.Errorf("%s: the second request has %s", name, second)
		}
	}
}

func TestARetriedRequestFollowsOneWishOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		in := inbox{status: 429, fields: [][2]string{{"Retry-After", "1"}, {"Accept-Signature", `ask=("@authority");nonce="of-the-site"`}}, always: true}
		w.site("shop.example.com", ip1, in.ServeHTTP)
		get(t, t.Context(), w.stack(signing(t, nil)), site)
		asked := 0
		for _, h := range in.got {
			if strings.Contains(h.Get("Signature-Input"), "of-the-site") {
				asked++
			}
		}
		if asked != 1 || len(in.got) != 1+int(retryAfterBudget/time.Second) {
			t.Errorf("%d of %d requests followed the wish", asked, len(in.got))
		}
	})
}
