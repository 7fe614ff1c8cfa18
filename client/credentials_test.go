package client_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/security"
)

// The credential of a caller goes only to the endpoint that the caller approved: not to documents,
// not to the target of a redirect, and into no store. Its answer is not shared with other callers.
func TestACredentialGoesToTheApprovedEndpointOnly(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.OnlyDiscovery(false) // a credential is sent, and messages are posted
		v := &vault{}
		token := v.take(drawn(95, 32))
		shop := names(internet, "example.com", "https://api.other.example.net/mcp", "https://moved.example.org/mcp")
		endpoint := internet.Host("api.other.example.net", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		moved := internet.Host("moved.example.org", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://api.other.example.net/mcp", http.StatusTemporaryRedirect)
		}))
		far := newFarStore()
		p := &talker{answer: post}
		c := newClient(t, internet, live(p), shared(far), func(o *client.Options) {
			o.Approve = func(_ context.Context, r security.ApprovalRequest) error {
				if r.Endpoint == "https://moved.example.org/mcp" || r.Endpoint == "https://api.other.example.net/mcp" {
					return nil
				}
				return errors.New("not approved: " + r.Endpoint)
			}
		})
		ctx := client.WithCredential(t.Context(), security.Bearer("https://api.other.example.net", token))
		site, err := c.Resolve(ctx, "example.com")
		if err != nil {
			t.Fatal(err)
		}
		p.want(t, "by Resolve", nil)
		d, err := c.Describe(ctx, site, site.Services[0].ID)
		if err != nil || len(d.Service.Capabilities) != 1 {
			t.Fatalf("%v, %+v", err, d)
		}
		redirected := *site
		redirected.Services = slices.Clone(site.Services)
		redirected.Services[0].Interfaces = site.Services[0].Interfaces[1:]
		if _, err := c.Describe(ctx, &redirected, site.Services[0].ID); !errors.Is(err, wayfind.ErrUnreachable) {
			t.Errorf("an endpoint that redirects: %v", err)
		}
		synctest.Wait()
		var got []string
		for _, h := range []*clienttest.Host{shop, endpoint, moved} {
			for _, r := range h.Requests() {
				if strings.Contains(strings.Join(slices.Concat(r.Header["Authorization"], r.Header["Cookie"]), " "), token) {
					got = append(got, r.Method+" "+r.Host+r.Path)
				}
			}
		}
		if d := cmp.Diff([]string{"POST api.other.example.net/mcp"}, got); d != "" {
			t.Errorf("the credential went to (-want +got):\n%s", d)
		}
		if n := len(moved.Requests()); n != 1 {
			t.Errorf("the endpoint that redirects was asked %d times", n)
		}
		v.shown(t, "the far store", far.dump())
		v.value(t, "the Site", site)
		v.value(t, "the Detail", d)
		again, err := c.Resolve(t.Context(), "example.com")
		if err != nil || len(ids(again)) != 0 {
			t.Errorf("what the credential brought is in the Site: %v, %+v", err, ids(again))
		}
	})
}

// post asks an endpoint over the Client's HTTP; anything but a 200 is a failure.
func post(ctx context.Context, r *client.LiveRequest) (*client.LiveAnswer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL.String(), strings.NewReader("{}"))
	if err != nil {
		return nil, err
	}
	resp, err := r.HTTP.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, errors.New("the endpoint answers " + resp.Status)
	}
	return offer(0, "private"), nil
}
