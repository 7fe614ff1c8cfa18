package call_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/internal/act/uuid"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

const year = 365 * 24 * time.Hour

// later is a year, or a month in the short form: a bubble runs each timer of that time.
func later() time.Duration { return time.Duration(testkit.Size(30, 365)) * 24 * time.Hour }

// A year later the agreement for a session and the login are still valid, the token is
// renewed, and a ticket has expired.
func TestAClockGoesForwardByAYear(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m, did := protected(t)
		m.oauth.DPoP = true
		logins, y := 0, &yes{verdict: call.AllowSession}
		cfg := &call.OAuthConfig{Grant: call.DeviceCode, ClientID: "app", Device: func(context.Context, string, string) error { logins++; return nil }}
		c := m.caller(cfg, func(o *call.Options) { o.Confirm = y.confirm })
		unattended := m.caller(cfg, func(o *call.Options) { o.Confirm = nil })
		args := []byte(`{"reason":"x"}`)
		res, err := c.Call(t.Context(), m.box, "write", args)
		wantCode(t, res, err, made)
		ticket, err := unattended.Call(t.Context(), m.box, "write", args)
		wantCode(t, ticket, err, call.ConfirmationRequired)
		time.Sleep(later())
		res, err = c.Call(t.Context(), m.box, "write", args)
		wantCode(t, res, err, made)
		res, err = unattended.CallConfirmed(t.Context(), m.box, "write", args, ticket.Program.Ticket)
		wantReason(t, "an old ticket", res, err, call.ConfirmationRequired, "the ticket has expired")
		if logins != 1 || y.count() != 1 || len(*did) != 2 || m.oauth.Count("refresh_token") != 1 || m.oauth.Reused() != 0 {
			t.Errorf("%d logins, %d questions, %d renewals, made %q", logins, y.count(), m.oauth.Count("refresh_token"), *did)
		}
	})
}

// If a clock is set back by a year, no ticket and no key is valid for longer. The second
// bubble begins at the time of the first one.
func TestAClockGoesBackByAYear(t *testing.T) {
	args, ticket := []byte(`{"reason":"x"}`), ""
	for _, ahead := range []time.Duration{later(), 0} {
		bubble(t, func(t *testing.T) {
			s := newShop(t, shopDocument, nil)
			time.Sleep(ahead)
			c := s.caller(&call.Options{TicketKey: []byte(ticketKey)})
			if ticket != "" {
				res, err := c.CallConfirmed(t.Context(), s.box, "newOrder", args, ticket)
				wantReason(t, "a ticket of a year to come", res, err, call.ConfirmationRequired, "the ticket has expired")
			}
			res, err := c.Call(t.Context(), s.box, "newOrder", args)
			wantCode(t, res, err, call.ConfirmationRequired)
			ticket = res.Program.Ticket
			if len(s.calls()) != 0 {
				t.Errorf("%+v", s.calls())
			}
			res, err = c.CallConfirmed(t.Context(), s.box, "newOrder", args, ticket)
			wantCode(t, res, err, made)
			res, err = c.Call(t.Context(), s.box, "newOrder", args)
			wantCode(t, res, err, call.ConfirmationRequired)
			ticket = res.Program.Ticket // nobody has used it
		})
	}
	bubble(t, func(t *testing.T) {
		s := newShop(t, shopDocument, nil)
		box := loadAWP(t, s, `{"id": "pay", "description": "Pays", "endpoint": "/api/pay", "method": "POST", "auth_required": false,
			"inputs": {"reason": {"type": "string", "required": true}}, "idempotency": {"supported": true, "key_field": "request_id", "window": "24h"}}`, okay)
		c := s.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm})
		res, err := c.Resume(t.Context(), box, box.Tools()[0].Name, args, uuid.V7(time.Now().Add(year)))
		if wantCode(t, res, err, call.Refused); len(s.calls()) != 0 {
			t.Errorf("%+v", s.calls())
		}
	})
}

// The times of a service are read relative to its own clock. If it refuses proofs because of
// the local clock, the call ends soon. The clock is far ahead, because a bubble begins in
// 2000, and Unix times are recognized by their size.
func TestTheClockOfAServiceIsYearsOff(t *testing.T) {
	for _, off := range []time.Duration{10 * year, 30 * year} {
		bubble(t, func(t *testing.T) {
			s := newShop(t, shopDocument, func(w http.ResponseWriter, _ *http.Request) {
				now := time.Now().Add(off)
				w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
				w.Header().Set("X-RateLimit-Limit", "10")
				w.Header().Set("X-RateLimit-Remaining", "0")
				w.Header().Set("X-RateLimit-Reset", fmt.Sprint(now.Add(time.Minute).Unix()))
				w.WriteHeader(http.StatusTooManyRequests)
			})
			before := time.Now()
			res, err := s.caller(nil).Call(t.Context(), s.box, "listOrders", nil)
			wantCode(t, res, err, call.Throttled)
			if at := res.Model.NotBefore; at.Before(before) || at.After(before.Add(2*time.Minute)) {
				t.Errorf("%v: not before %v, now it is %v", off, at, before)
			}
		})
		bubble(t, func(t *testing.T) {
			m, did := protected(t)
			m.oauth.DPoP = true
			m.api.Handle("/api/read", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Date", time.Now().Add(off).UTC().Format(http.TimeFormat))
				w.Header().Set("WWW-Authenticate", `DPoP error="invalid_dpop_proof", error_description="iat"`)
				w.WriteHeader(http.StatusUnauthorized)
			}))
			res, err := m.caller(machine()).Call(t.Context(), m.box, "read", nil)
			wantCode(t, res, err, call.CredentialRefused)
			n := 0
			for _, path := range m.api.Paths() {
				if strings.HasPrefix(path, "/api/read") {
					n++
				}
			}
			if n > 2 || len(*did) != 0 || len(m.forms()) > 2 {
				t.Errorf("%d requests, %d for tokens", n, len(m.forms()))
			}
		})
	}
}
