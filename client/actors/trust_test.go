package actors_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/actors"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/security"
)

// An agent on another site than the document that names it is contacted only if the caller
// approves.
func TestAnotherSiteNeedsApproval(t *testing.T) {
	own := []wayfind.Ref{{Source: "https://crew.example/agents/v1"}}
	other := []wayfind.Ref{{Source: "https://shop.example/agents/v1"}}
	rows := []struct {
		name     string
		trust    wayfind.Trust
		sources  []wayfind.Ref
		document string // "-": no hook is called
	}{
		{"the caller's own word", "", nil, "-"},
		{"same origin", wayfind.TrustSameOrigin, own, "-"},
		{"one of the sources is of the site", wayfind.TrustSameSite, append(other, own...), "-"},
		{"cross site", wayfind.TrustCrossSite, other, "https://shop.example"},
		{"needs approval", wayfind.TrustNeedsApproval, other, "https://shop.example"},
		{"a word that no source bears out", wayfind.TrustSameOrigin, other, "https://shop.example"},
		{"a document about another site", wayfind.TrustCrossSite, own, "https://crew.example"},
		{"a source that is none", wayfind.TrustSameOrigin, []wayfind.Ref{{Source: "x"}}, ""},
		{"cross site, no source", wayfind.TrustCrossSite, nil, ""},
		{"nobody knows", "", own, "https://crew.example"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
				crew.Handle(designPath, answer(200, `{"status": "completed"}`))
				f := template("crew.example")
				f.Trust, f.Sources = r.trust, r.sources
				var asked []security.ApprovalRequest
				no := errors.New("not today")
				verdicts := []error{no, nil}
				opts := &actors.Options{Approve: func(_ context.Context, request security.ApprovalRequest) error {
					asked = append(asked, request)
					return verdicts[len(asked)-1]
				}}
				with := func(o *actors.Options) error {
					a, err := actors.New(internet.Client(), f, "c1", o)
					if err != nil {
						t.Fatal(err)
					}
					_, err = a.Retrieve(t.Context(), "m1", "")
					return err
				}
				if r.document == "-" {
					if err := with(nil); err != nil {
						t.Errorf("%v", err)
					}
					return
				}
				var e *wayfind.Error
				if err := with(nil); !errors.Is(err, wayfind.ErrRefused) || !errors.As(err, &e) || e.Code != wayfind.CodeCrossSite {
					t.Errorf("without Approve: %v", err)
				}
				if err := with(opts); !errors.Is(err, wayfind.ErrRefused) || !errors.Is(err, no) {
					t.Errorf("refused: %v", err)
				}
				if n := len(internet.Lookups()); n != 0 {
					t.Errorf("%d look-ups before anybody approved", n)
				}
				if err := with(opts); err != nil {
					t.Errorf("approved: %v", err)
				}
				want := security.ApprovalRequest{DocumentOrigin: r.document, Endpoint: "https://crew.example/actors/v1/pirate", Purpose: "actors",
					Domain: "crew.example", Protocol: actors.Protocol, Methods: []string{"GET", "POST"}}
				if r.document != "" {
					want.Document = r.sources[0].Source
				}
				want.Digest = fmt.Sprintf("%x", sha256.Sum256([]byte(f.Template)))
				if d := cmp.Diff([]security.ApprovalRequest{want, want}, asked); d != "" {
					t.Errorf("asked (-want +got):\n%s", d)
				}
			})
		})
	}
}

// A credential is sent in its field, to its origin. A credential in the request itself is not
// sent.
func TestCredentials(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
		crew.Handle(designPath, answer(200, `{"status": "completed"}`))
		f := template("crew.example")
		f.Auth = &wayfind.Auth{Schemes: map[string]wayfind.Scheme{"key": {Kind: "http"}}}
		var given security.Credential
		var refusal error
		var asked []security.CredentialRequest
		a, err := actors.New(internet.Client(), f, "c1", &actors.Options{
			Credentials: func(_ context.Context, r security.CredentialRequest) (security.Credential, error) {
				asked = append(asked, r)
				return given, refusal
			}})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []security.Credential{{}, security.Bearer("https://crew.example", "t"), {Origin: "https://crew.example", Field: "x-api-key", Value: "k"}} {
			given = c
			if _, err := a.Retrieve(t.Context(), "m1", ""); err != nil {
				t.Errorf("%v: %v", c, err)
			}
		}
		var sent [][2]string
		for _, r := range crew.Requests() {
			sent = append(sent, [2]string{r.Header.Get("Authorization"), r.Header.Get("X-Api-Key")})
		}
		if d := cmp.Diff([][2]string{{}, {"Bearer t", ""}, {"", "k"}}, sent); d != "" {
			t.Errorf("sent (-want +got):\n%s", d)
		}
		if d := cmp.Diff(security.CredentialRequest{Origin: "https://crew.example", Purpose: "actors", Schemes: f.Auth.Schemes}, asked[0]); d != "" {
			t.Errorf("asked (-want +got):\n%s", d)
		}
		before := len(crew.Requests())
		for _, c := range []security.Credential{
			security.Bearer("https://other.example", "t"), security.Bearer("https://crew.example", "a\nb"),
			{Origin: "https://crew.example", Field: "Host", Value: "x"}, {Origin: "https://crew.example", Field: "Cookie", Value: "x"},
		} {
			given = c
			var e *wayfind.Error
			if _, err := a.Retrieve(t.Context(), "m1", ""); !errors.Is(err, wayfind.ErrRefused) || !errors.As(err, &e) || e.Code != wayfind.CodeCredential {
				t.Errorf("%v: %v", c, err)
			}
		}
		refusal = errors.New("no key")
		if _, err := a.Retrieve(t.Context(), "m1", ""); !errors.Is(err, refusal) || !errors.Is(err, wayfind.ErrRefused) {
			t.Errorf("%v", err)
		}
		if n := len(crew.Requests()); n != before {
			t.Errorf("%d requests with what must not be sent", n-before)
		}
	})
}

// client.WithCredential applies to one origin, and discovery does not use it.
func TestWithCredential(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
		other := internet.Host("other.example", nil)
		c := internet.Client()
		ctx := client.WithCredential(t.Context(), security.Bearer("https://crew.example", "t"))
		get := func(ctx context.Context, origin string) {
			t.Helper()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+"/talk", nil)
			if err != nil {
				t.Fatal(err)
			}
			own := req.Clone(ctx)
			own.Header.Set("Authorization", "Bearer of-the-request")
			if resp, err := c.HTTP(origin).Do(own); !errors.Is(err, wayfind.ErrRefused) {
				t.Errorf("a request with a credential of its own: %v, %v", resp, err)
			}
			resp, err := c.HTTP(origin).Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if err := resp.Body.Close(); err != nil {
				t.Error(err)
			}
		}
		get(ctx, "https://crew.example")
		get(ctx, "https://other.example")
		get(client.WithCredential(ctx, security.Credential{}), "https://crew.example")
		if _, err := c.Resolve(ctx, "crew.example"); !errors.Is(err, wayfind.ErrNotFound) {
			t.Errorf("%v", err)
		}
		if _, err := c.Search(ctx, "crew.example", "q"); !errors.Is(err, wayfind.ErrNotFound) {
			t.Errorf("%v", err)
		}
		var sent []string
		for _, r := range append(crew.Requests(), other.Requests()...) {
			if auth := r.Header.Get("Authorization"); auth != "" {
				sent = append(sent, r.Host+r.Path+" "+auth)
			}
		}
		if d := cmp.Diff([]string{"crew.example/talk Bearer t"}, sent); d != "" {
			t.Errorf("sent (-want +got):\n%s", d)
		}
	})
}

// The Client defines what a site is: with its own list, one site may become two.
func TestTheSuffixListOfTheClientDecides(t *testing.T) {
	list, err := security.ParseSuffixList(strings.NewReader("com\ncrew.com\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		list *security.SuffixList
		asks bool
	}{"bundled": {nil, false}, "own": {list, true}} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet, _ *clienttest.Host) {
				near := internet.Host("near.crew.com", nil).Handle(designPath, answer(200, `{"status": "completed"}`))
				f := template(near.Name())
				f.Trust, f.Sources = wayfind.TrustSameSite, []wayfind.Ref{{Source: "https://far.crew.com/agents/v1"}}
				c := internet.Client(func(o *client.Options) { o.Policy.SuffixList = row.list })
				a, err := actors.New(c, f, "c1", nil)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := a.Retrieve(t.Context(), "m1", ""); errors.Is(err, wayfind.ErrRefused) != row.asks {
					t.Errorf("without an approval: %v", err)
				}
			})
		})
	}
}
