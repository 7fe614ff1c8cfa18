package client_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/pins"
)

func withPins(p *pins.Set, policy client.PinPolicy) func(*client.Options) {
	return func(o *client.Options) { o.Trust.Pins, o.Trust.PinPolicy = p, policy }
}

// pinCodes are the codes of diagnostics about pins.
func pinCodes(diags []wayfind.Diagnostic) (codes []string) {
	for _, d := range diags {
		if strings.HasPrefix(d.Code, "pin.") {
			codes = append(codes, d.Code)
		}
	}
	return codes
}

// A definition that changed after a person reviewed it is refused or reported, with the changes. A
// hidden character is a change, another order of members is not.
func TestAChangedDefinitionIsRefusedOrReported(t *testing.T) {
	const host = "shop.example"
	page := manifest(host, "/agent/pay")
	pay := detail("pay", "/pay")
	for _, r := range []struct {
		name            string
		page, detail    string
		resolve, report string // the expected message; "": none
	}{
		{"nothing", page, pay, "", ""},
		{"order and blanks", strings.Replace(page, `"name": "pay", "description": "Do the thing called pay"`, `"description" :"Do the thing called pay","name":"pay"`, 1), " " + pay, "", ""},
		{"description", strings.Replace(page, "Do the thing", "Do anything", 1), pay, "adp:pay differs from its pin: text (description)", ""},
		{"hidden character", strings.Replace(page, "Do the thing", "Do the thi\u200bng", 1), pay, "adp:pay differs from its pin: its definition changed in a part that the model does not show", ""},
		{"another place", strings.Replace(page, "/agent/pay", "/agent/pay2", 1), pay, "adp:pay differs from its pin: endpoint (detailUrls)", ""},
		{"gone", manifest(host, "/agent/other"), pay, "adp:pay was pinned and is gone", ""},
		{"detail", page, detail("pay", "/pay-more"), "", "adp:pay differs from its pin: its definition"},
	} {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host(host, clienttest.Pages{wellKnown: page, "/agent/pay": pay})
				pins := pinAll(t, internet, host, "adp:pay")
				now := clienttest.New(t)
				now.Host(host, clienttest.Pages{wellKnown: r.page, "/agent/pay": r.detail, "/agent/pay2": r.detail, "/agent/other": r.detail})
				for _, policy := range []client.PinPolicy{client.PinRefuse, client.PinWarn} {
					c := newClient(t, now, withPins(pins, policy))
					site, err := c.Resolve(t.Context(), host)
					if site == nil || len(site.Services) == 0 {
						t.Fatal(err)
					}
					checkPinned(t, policy, r.resolve, err, site.Diagnostics)
					if again, errAgain := c.Resolve(t.Context(), host); !errors.Is(errAgain, wayfind.ErrRefused) != (err == nil) || again != site {
						t.Errorf("from memory: %v", errAgain)
					}
					if r.name == "gone" {
						continue
					}
					d, err := c.Describe(t.Context(), site, "adp:pay")
					if d == nil {
						t.Fatal(err)
					}
					checkPinned(t, policy, r.resolve+r.report, err, d.Diagnostics)
					if refused := err != nil; refused && (d.Source != nil || d.Capability.Invocation != nil) {
						t.Errorf("what was refused is given out: %+v", d.Capability)
					}
				}
			})
		})
	}
}

// pinAll pins the current definitions of a host, with the detail document of a key.
func pinAll(t *testing.T, internet *clienttest.Internet, host, key string) *pins.Set {
	t.Helper()
	var own *pins.Set
	c := newClient(t, internet, withPins(&pins.Set{}, client.PinRefuse))
	site, err := c.Resolve(t.Context(), host)
	if err != nil {
		t.Fatal(err)
	}
	d, err := c.Describe(t.Context(), site, key)
	if err != nil {
		t.Fatal(err)
	}
	if own, err = own.WithDetail(site, d); err != nil {
		t.Fatal(err)
	}
	pin := own.All()[0]
	if len(pin.Digest()) != 64 || len(pin.Detail) != 64 || pin.Digest() == pin.Detail {
		t.Fatalf("digests %q and %q", pin.Digest(), pin.Detail)
	}
	return own
}

// checkPinned compares the result of a call with the expected message.
func checkPinned(t *testing.T, policy client.PinPolicy, want string, err error, diags []wayfind.Diagnostic) {
	t.Helper()
	if want == "" {
		if err != nil || pinCodes(diags) != nil {
			t.Errorf("%v, %v", err, pinCodes(diags))
		}
		return
	}
	if d := cmp.Diff([]string{"pin.mismatch"}, pinCodes(diags)); d != "" {
		t.Errorf("diagnostics:\n%s", d)
	}
	if policy == client.PinWarn {
		if err != nil {
			t.Error(err)
		}
		return
	}
	var e *wayfind.Error
	var p *pins.Error
	if !errors.Is(err, wayfind.ErrRefused) || !errors.As(err, &e) || e.Code != wayfind.CodePinMismatch || !errors.As(err, &p) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// brokenPins give the codes of pins.
func brokenPins(t *testing.T, internet *clienttest.Internet, seen codes) {
	mine := newSigner(t, "mine")
	keys := mine.public(t).pinned(t, "https://pins.example.com")
	card := canonicalCard("pins.example.com", "")
	older := strings.NewReplacer(`"version":"1"`, `"version":"0"`, `"description":"d"`, `"description":"e"`).Replace(card)
	internet.Host("pins.example.com", nil).Handle(a2a.Path, clienttest.Sequence(
		clienttest.Page{Body: mine.sign(t, card, card, "")}, clienttest.Page{Body: mine.sign(t, older, older, "")}))
	site, err := newClient(t, internet, readA2A, withKeys(keys)).Resolve(t.Context(), "pins.example.com")
	if err != nil {
		t.Fatal(err)
	}
	var set *pins.Set
	if set, err = set.With(site); err != nil {
		t.Fatal(err)
	}
	if site, err = newClient(t, internet, readA2A, withKeys(keys), withPins(set, client.PinWarn)).Resolve(t.Context(), "pins.example.com"); err != nil {
		t.Fatal(err)
	}
	seen.add(site.Diagnostics)

	const other = "more.example.com"
	host := internet.Host(other, clienttest.Pages{wellKnown: manifest(other, "/agent/pay")})
	if site, err = newClient(t, internet).Resolve(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if set, err = (*pins.Set)(nil).With(site); err != nil {
		t.Fatal(err)
	}
	seen.add(ofVersion1(t, internet, other, site).Diagnostics)
	host.Handle(wellKnown, clienttest.Page{Status: 503}).Handle("/agent.json", page(strings.ReplaceAll(oneAction("/other"), "shop.example", other)))
	if site, err = internet.Client(withPins(set, client.PinRefuse)).Resolve(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	seen.add(site.Diagnostics)
}

// ofVersion1 is a site that was pinned by a file of version 1.
func ofVersion1(t *testing.T, internet *clienttest.Internet, host string, site *wayfind.Site) *wayfind.Site {
	t.Helper()
	set, err := (*pins.Set)(nil).With(site, "adp:pay")
	if err != nil {
		t.Fatal(err)
	}
	text, err := set.Encode()
	if err != nil {
		t.Fatal(err)
	}
	first := strings.NewReplacer("wayfind-pins/2", "wayfind-pins/1", `"site":`, `"detail":"d","site":`).Replace(string(text))
	if set, err = pins.Parse([]byte(first)); err != nil {
		t.Fatal(err)
	}
	again, err := newClient(t, internet, withPins(set, client.PinWarn)).Resolve(t.Context(), host)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// A document that is missing once is no change.
func TestADocumentMissingOnceIsNoChange(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		const host = "shop.example"
		site := internet.Host(host, clienttest.Pages{wellKnown: manifest(host, "/agent/pay"), "/agent/pay": detail("pay", "/pay")})
		c := newClient(t, internet, withPins(pinAll(t, internet, host, "adp:pay"), client.PinRefuse))
		site.Handle(wellKnown, clienttest.Page{Status: 503})
		got, err := c.Resolve(t.Context(), host)
		if !errors.Is(err, wayfind.ErrUnreachable) || got.Probes[0].Verdict != wayfind.VerdictUnreachable || pinCodes(got.Diagnostics) != nil {
			t.Errorf("%v, %v, %+v", err, pinCodes(got.Diagnostics), got.Probes)
		}
	})
}

// A signed card of an older version is genuine, and reported all the same.
func TestARollbackOfASignedCardIsReported(t *testing.T) {
	mine := newSigner(t, "mine")
	keys := mine.public(t).pinned(t, "https://shop.example.com")
	card := func(version string) string {
		plain := strings.Replace(canonicalCard("shop.example.com", ""), `"version":"1"`, fmt.Sprintf(`"version":%q`, version), 1)
		return mine.sign(t, plain, plain, "")
	}
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example.com", nil).Handle(a2a.Path, clienttest.Sequence(
			clienttest.Page{Body: card("1.10.0")}, clienttest.Page{Body: card("1.10.0")}, clienttest.Page{Body: card("1.9.3")}, clienttest.Page{Body: card("1.11.0")}))
		site, err := newClient(t, internet, readA2A, withKeys(keys)).Resolve(t.Context(), "shop.example.com")
		if err != nil {
			t.Fatal(err)
		}
		var set *pins.Set
		if set, err = set.With(site); err != nil {
			t.Fatal(err)
		}
		for _, want := range [][]string{nil, {"pin.rollback"}, nil} {
			c := newClient(t, internet, readA2A, withKeys(keys), withPins(set, client.PinRefuse))
			site, err := c.Resolve(t.Context(), "shop.example.com")
			if d := cmp.Diff(want, pinCodes(site.Diagnostics)); d != "" || errors.Is(err, wayfind.ErrRefused) != (want != nil) {
				t.Errorf("%s: %v\n%s", site.Services[0].Version, err, d)
			}
			if site.Sources[0].Authority != wayfind.AuthorityVerified {
				t.Errorf("authority %s", site.Sources[0].Authority)
			}
		}
	})
}

// userKey finds the user of a call in its context.
type userKey struct{}

// One Client, two users: an approval of one is not valid for the other.
func TestApprovalsAreOfOneUser(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("api.far.example.net", "/a")})
		far := internet.Host("api.far.example.net", clienttest.Pages{"/a": detail("a", "/x")})
		var approvals pins.Approvals
		var asked security.ApprovalRequest
		c := newClient(t, internet, func(o *client.Options) {
			o.Approve = func(ctx context.Context, r security.ApprovalRequest) error {
				asked = r
				user, _ := ctx.Value(userKey{}).(string)
				return approvals.For(user)(ctx, r)
			}
		})
		alice, bob := context.WithValue(t.Context(), userKey{}, "alice"), context.WithValue(t.Context(), userKey{}, "bob")
		site, err := c.Resolve(alice, "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		describe := func(ctx context.Context) error {
			_, err := c.Describe(ctx, site, "adp:a")
			return err
		}
		if err := describe(alice); !errors.Is(err, wayfind.ErrRefused) || far.Dials() != 0 {
			t.Fatalf("%v, %d dials", err, far.Dials())
		}
		approvals.Grant("alice", asked, 0)
		if err := describe(alice); err != nil {
			t.Error(err)
		}
		dials := len(far.Requests())
		if err := describe(bob); !errors.Is(err, wayfind.ErrRefused) || len(far.Requests()) != dials {
			t.Errorf("bob: %v, %d requests", err, len(far.Requests()))
		}
	})
}
