package call_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
)

// TestEachCallIsOneLineOfTheLog reads the log of calls with every outcome.
func TestEachCallIsOneLineOfTheLog(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var log bytes.Buffer
		s := newShop(t, shopDocument, nil, func(o *client.Options) {
			o.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelInfo}))
		})
		log.Reset()
		c := s.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm})
		for _, k := range []struct {
			tool, args string
			want       map[string]any // nil: the member is not there
		}{
			{"listOrders", `{"q":"private"}`, map[string]any{
				"level": "INFO", "msg": "call", "protocol": "http", "method": "GET", "domain": "shop.example", "host": "shop.example", "status": 200.0, "attempts": 1.0, "code": nil,
			}},
			{"dropOrder", `{"id":"..","q":"private"}`, map[string]any{"code": "invalid_arguments", "attempts": 0.0, "domain": "shop.example"}},
			{"private", `{}`, map[string]any{"code": "not_found_tool", "operation": nil, "domain": nil}},
		} {
			_, _ = c.Call(t.Context(), s.box, k.tool, []byte(k.args))
			line := log.String()
			log.Reset()
			if strings.Count(line, "\n") != 1 || strings.Contains(line, "private") {
				t.Fatalf("%s: %s", k.tool, line)
			}
			var got map[string]any
			if err := json.Unmarshal([]byte(line), &got); err != nil {
				t.Fatal(err)
			}
			for name, want := range k.want {
				if got[name] != want {
					t.Errorf("%s: %s is %v, want %v", k.tool, name, got[name], want)
				}
			}
			if _, ok := got["duration"]; !ok {
				t.Errorf("%s: there is no duration", k.tool)
			}
		}
	})
}

// TestASavedHandleIsOpenedForTheSameToolOnly saves the handles of work and of a page, and opens
// them with other Callers.
func TestASavedHandleIsOpenedForTheSameToolOnly(t *testing.T) {
	bubble(t, func(t *testing.T) {
		polls := 0
		s := newShop(t, shopDocument, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			switch {
			case r.Method == http.MethodPost:
				w.Header().Set("Location", "/api/jobs/7?ticket=private")
				w.WriteHeader(http.StatusAccepted)
			case r.URL.Path == "/api/jobs/7":
				polls++
				_, _ = io.WriteString(w, `{"status":"done"}`)
			default:
				w.Header().Set("Link", `</api/orders?q=private2>; rel="next"`)
				_, _ = io.WriteString(w, `{"orders":["`+r.URL.Query().Get("q")+`"]}`)
			}
		})
		key := bytes.Repeat([]byte("k"), 32)
		options := func(key []byte) *call.Options {
			return &call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm, TicketKey: key, Principal: func(ctx context.Context) string { return principal(ctx) }}
		}
		first, second := s.caller(options(key)), s.caller(options(key))
		res, err := first.Call(t.Context(), s.box, "newOrder", []byte(`{"reason":"x"}`))
		if wantCode(t, res, err, made); res.Program.Handle == nil {
			t.Fatalf("%+v", res)
		}
		saved, err := res.Program.Handle.Save()
		if err != nil || strings.Contains(string(saved), "private") || !strings.Contains(string(saved), `"domain":"shop.example"`) {
			t.Fatalf("%s, %v", saved, err)
		}

		h, err := second.Open(t.Context(), s.box, saved)
		if err != nil {
			t.Fatal(err)
		}
		res, err = second.Wait(t.Context(), h)
		if wantCode(t, res, err, made); string(res.Model.JSON) != `{"status":"done"}` || polls != 1 {
			t.Errorf("%s after %d polls", res.Model.JSON, polls)
		}
		if again, err := h.Save(); err != nil || bytes.Equal(again, saved) {
			t.Errorf("saved again: %s, %v", again, err)
		}

		changed := edited(t, s.box, `"newOrder"`, `"newOrders"`)
		for name, open := range map[string]func() error{
			"another key":        func() error { _, err := s.caller(options(nil)).Open(t.Context(), s.box, saved); return err },
			"another user":       func() error { _, err := second.Open(as(t, "bob"), s.box, saved); return err },
			"another definition": func() error { _, err := second.Open(t.Context(), changed, saved); return err },
			"another domain": func() error {
				_, err := second.Open(t.Context(), s.box, bytes.ReplaceAll(saved, []byte("shop.example"), []byte("shop.evil")))
				return err
			},
			"nothing": func() error { _, err := second.Open(t.Context(), s.box, nil); return err },
			"expired": func() error {
				time.Sleep(8 * 24 * time.Hour)
				_, err := second.Open(t.Context(), s.box, saved)
				return err
			},
		} {
			if name != "expired" {
				wantRefused(t, name, open())
				continue
			}
			defer func() { wantRefused(t, name, open()) }()
		}

		res, err = first.Call(t.Context(), s.box, "listOrders", []byte(`{"q":"private"}`))
		wantCode(t, res, err, made)
		page := res.Program.Next
		if page == nil {
			t.Fatalf("there is no next page: %s, %v", res.Model.Next, res.Program.Unplaced)
		}
		if saved, err = page.Save(); err != nil || strings.Contains(string(saved), "private") {
			t.Fatalf("%s, %v", saved, err)
		}
		if page, err = second.Open(t.Context(), s.box, saved); err != nil {
			t.Fatal(err)
		}
		res, err = second.Call(t.Context(), s.box, page.Tool, page.Arguments)
		if wantCode(t, res, err, made); string(res.Model.JSON) != `{"orders":["private2"]}` {
			t.Errorf("%s", res.Model.JSON)
		}
	})
}

func wantRefused(t *testing.T, name string, err error) {
	t.Helper()
	if e, ok := errors.AsType[*call.Error](err); !ok || e.Code != call.Refused && e.Code != call.NotFoundTool {
		t.Errorf("%s: %v", name, err)
	}
}

// TestACallIsRefusedOnceAClientShutsDown calls a tool after Shutdown has begun.
func TestACallIsRefusedOnceAClientShutsDown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, shopDocument, func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(5 * time.Second)
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{}`)
		})
		c := s.caller(nil)
		answered := make(chan error)
		go func() {
			_, err := c.Call(context.Background(), s.box, "listOrders", nil)
			answered <- err
		}()
		time.Sleep(time.Second)
		ended := make(chan error)
		go func() { ended <- s.client.Shutdown(context.Background()) }()
		time.Sleep(time.Second)
		res, err := c.Call(t.Context(), s.box, "listOrders", nil)
		wantCode(t, res, err, call.Refused)
		if err := <-answered; err != nil {
			t.Errorf("the call under way: %v", err)
		}
		if err := <-ended; err != nil {
			t.Errorf("Shutdown: %v", err)
		}
	})
}
