package call_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// movable is a shop at example.com, which leads to www.example.com once it has moved.
type movable struct {
	*shop
	moved atomic.Bool
}

func newMovable(t *testing.T, doc string) *movable {
	s := &movable{shop: &shop{t: t, net: clienttest.New(t), sniffer: &sniffer{}}}
	at := func(host string) http.Handler {
		return s.watch(host, clienttest.Pages{"/openapi.json": doc, "/.well-known/ai-plugin.json": strings.ReplaceAll(plugin, "shop.example", host)}, okay)
	}
	own := at("example.com")
	s.net.Host("example.com", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.moved.Load() {
			http.Redirect(w, r, "https://www.example.com"+r.URL.Path, http.StatusMovedPermanently)
			return
		}
		own.ServeHTTP(w, r)
	})).TLS(ask)
	s.net.Host("www.example.com", at("www.example.com")).TLS(ask)
	s.client = s.net.Client()
	return s
}

// at reads the site, and checks the host at which it is.
func (s *movable) at(host string) {
	s.t.Helper()
	site, err := s.client.Refresh(s.t.Context(), "example.com")
	if err != nil || site.Host != host {
		s.t.Fatalf("%v, at %q", err, site.Host)
	}
	if s.box, err = tools.Load(s.t.Context(), s.client, []string{"example.com"}, nil); err != nil || s.box.Len() == 0 {
		s.t.Fatal(err, s.box.Skipped())
	}
}

// Grants and client certificates for the name are not used at the site's own host. Those for that host
// are.
func TestGrantsOfTheNameDoNotMove(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newMovable(t, mutualDocument)
		s.moved.Store(true)
		s.at("www.example.com")
		cert := clientCertificate(t, "ann", time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
		for origin, want := range map[string]call.Code{"https://example.com": call.CredentialRefused, "https://www.example.com": made} {
			c := s.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm,
				Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
					if q.Origin != "https://www.example.com" {
						t.Errorf("a credential of %s is asked for", q.Origin)
					}
					to := call.Binding{Origin: origin, Proof: call.ProofPerson}
					if q.Name == "head" {
						return call.Key("s3cret", to), nil
					}
					return call.Certificate(cert, to), nil
				}})
			for _, tool := range []string{"own", "both"} {
				before := len(s.calls())
				res, err := c.Call(t.Context(), s.box, tool, nil)
				if wantCode(t, res, err, want); (len(s.calls()) > before) != (want == made) {
					t.Errorf("%s for %s: %d requests", tool, origin, len(s.calls())-before)
				}
			}
		}
	})
}

// A ticket and an agreement for the session, given for a tool of the name, do not hold when the site is at
// another host.
func TestTicketsOfTheNameDoNotMove(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newMovable(t, shopDocument)
		s.at("")
		args, asked := []byte(`{"reason":"x"}`), 0
		verdict := call.AllowSession
		c := s.caller(&call.Options{Confirm: func(context.Context, *call.Question) (call.Answer, error) {
			asked++
			return call.Answer{Verdict: verdict}, nil
		}})
		for range 2 {
			res, err := c.Call(t.Context(), s.box, "newOrder", args)
			wantCode(t, res, err, made)
		}
		preview, err := c.DryRun(t.Context(), s.box, "newOrder", args)
		if err != nil || asked != 1 {
			t.Fatal(err, asked)
		}
		verdict = call.Later
		fresh := s.caller(&call.Options{TicketKey: []byte(ticketKey)})
		ticket, err := fresh.Call(t.Context(), s.box, "newOrder", args)
		wantCode(t, ticket, err, call.ConfirmationRequired)
		here := len(s.calls())
		s.moved.Store(true)
		s.at("www.example.com")
		res, err := c.Call(t.Context(), s.box, "newOrder", args)
		if wantCode(t, res, err, call.ConfirmationRequired); asked != 2 {
			t.Errorf("asked %d times; %+v", asked, preview.Decision)
		}
		res, err = fresh.CallConfirmed(t.Context(), s.box, "newOrder", args, ticket.Program.Ticket)
		wantReason(t, "the ticket of the name", res, err, call.ConfirmationRequired, "for another call")
		if len(s.calls()) != here {
			t.Errorf("sent %+v", s.calls()[here:])
		}
	})
}
