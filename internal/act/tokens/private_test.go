package tokens_test

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/act/tokens"
)

const (
	privateAPI    = "https://api.corp.internal"
	privateIssuer = "https://login.corp.internal"
)

// inCompany runs a test in a bubble with an API and its issuer on a private network, and
// with another API on the Internet that names the same issuer.
func inCompany(t *testing.T, names []string, test func(t *testing.T, keeper *tokens.Keeper, login *clienttest.OAuth)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		net, login := clienttest.New(t), &clienttest.OAuth{Issuer: privateIssuer}
		inside := netip.MustParsePrefix("10.0.0.0/8")
		open := func(*http.Request) []string { return nil }
		net.Host("login.corp.internal", login).At(netip.MustParseAddr("10.1.2.3"))
		net.Host("api.corp.internal", login.Protect(privateAPI, open, http.NotFoundHandler())).At(netip.MustParseAddr("10.1.2.4"))
		net.Host("api.example.com", login.Protect(apiOrigin, open, http.NotFoundHandler()))
		c := net.Client(func(o *client.Options) {
			o.Policy.AllowCIDR, o.Policy.AllowNames = []netip.Prefix{inside}, names
		})
		test(t, tokens.NewKeeper(c, nil), login)
	})
}

// robot returns a request of a client for itself, at the named issuer; "" for no named issuer.
func robot(resource, issuer string) *tokens.Request {
	r := &tokens.Request{
		Config:   &tokens.Config{Grant: tokens.ClientCredentials, Issuer: issuer, ClientID: "robot"},
		Resource: resource,
		Approve:  func(context.Context, *url.URL) error { return nil },
		Agree:    func(context.Context, []string) error { return nil },
	}
	if issuer != "" {
		r.ClientSecret = "s3cret"
	}
	return r
}

func TestAnIssuerOfAPrivateNetworkGivesTokensIfTheOperatorNamesIt(t *testing.T) {
	inCompany(t, []string{"*.corp.internal"}, func(t *testing.T, keeper *tokens.Keeper, login *clienttest.OAuth) {
		if token, err := keeper.Token(t.Context(), robot(privateAPI, privateIssuer)); err != nil || token == nil {
			t.Errorf("there is no token: %v", err)
		}
	})
	inCompany(t, []string{"api.corp.internal"}, func(t *testing.T, keeper *tokens.Keeper, login *clienttest.OAuth) {
		if _, err := keeper.Token(t.Context(), robot(privateAPI, privateIssuer)); !errors.Is(err, wayfind.ErrRefused) || len(login.Requests()) > 0 {
			t.Errorf("an issuer that AllowNames does not name: %v", err)
		}
	})
}

func TestASiteOfTheInternetCannotNameAnIssuerOfAPrivateNetwork(t *testing.T) {
	inCompany(t, []string{"*.corp.internal"}, func(t *testing.T, keeper *tokens.Keeper, login *clienttest.OAuth) {
		if _, err := keeper.Token(t.Context(), robot(apiOrigin, "")); !errors.Is(err, wayfind.ErrRefused) || len(login.Requests()) > 0 {
			t.Errorf("the site of a stranger led there: %v", err)
		}
	})
}
