package actors_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/actors"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// The design's path and body.
func TestSendAsTheDesignSays(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
		var asked said
		crew.Handle(designPath, asked.record(answer(202, "")))
		r, err := newActor(t, internet, design).Send(t.Context(), actors.Message{ID: "m1", Params: actors.Text("hey \"matey\"!").Params})
		if d := cmp.Diff(&actors.Reply{MessageID: "m1", Status: actors.StatusPending}, r); err != nil || d != "" {
			t.Errorf("%v (-want +got):\n%s", err, d)
		}
		want := []string{"POST " + designPath + ` application/json {"method":"run","params":[{"$type":"text","content":"hey \"matey\"!"}]}`}
		if d := cmp.Diff(want, asked.all()); d != "" {
			t.Errorf("asked (-want +got):\n%s", d)
		}
	})
}

// If the caller gives no identifiers, GUIDs are used.
func TestSendMakesIdentifiers(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet, _ *clienttest.Host) {
		host := internet.Host("other.example", answer(202, ""))
		a, err := actors.New(internet.Client(), template("other.example"), "", design)
		if err != nil {
			t.Fatal(err)
		}
		first, err1 := a.Send(t.Context(), actors.Text("a"))
		second, err2 := a.Send(t.Context(), actors.Text("b"))
		if err1 != nil || err2 != nil || first.MessageID == second.MessageID || first.MessageID == a.Key() {
			t.Fatalf("%v %v %+v %+v", err1, err2, first, second)
		}
		const guid = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
		if p := host.Paths()[1]; !regexp.MustCompile("^/actors/v1/pirate/"+guid+"/messages/"+guid+"$").MatchString(p) || !strings.HasSuffix(p, second.MessageID) {
			t.Errorf("asked for %s", p)
		}
	})
}

// If the design's path does not exist, the prototype's path is used, and from then on no
// other.
func TestPrototypeComesAfterTheDesign(t *testing.T) {
	for _, status := range []int{404, 405} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
				var asked said
				crew.Handle(designPath, asked.record(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Allow", "GET") // RFC 9110 §15.5.6
					answer(status, "")(w, r)
				}))
				crew.Handle(prototypePath, asked.record(answer(200, `{"actorId": "pirate/c1", "messageId": "m1", "status": "Completed", "data": {"text": "arr"}}`)))
				crew.Handle(prototypePath+":cancel", asked.record(answer(204, "")))
				a := newActor(t, internet, nil)
				r, err := a.Send(t.Context(), actors.Message{ID: "m1"})
				want := &actors.Reply{MessageID: "m1", Status: actors.StatusCompleted, Data: json.RawMessage(`{"text": "arr"}`)}
				if d := cmp.Diff(want, r); err != nil || d != "" {
					t.Errorf("%v (-want +got):\n%s", err, d)
				}
				if _, err := a.Retrieve(t.Context(), "m1", ""); err != nil {
					t.Error(err)
				}
				if err := a.Cancel(t.Context(), "m1"); err != nil {
					t.Error(err)
				}
				if d := cmp.Diff([]string{
					"OPTIONS " + designPath,
					"OPTIONS " + prototypePath,
					"POST " + prototypePath + ` application/json {"actorId":"pirate/c1","messageId":"m1","method":"run","params":[]}`,
					"GET " + prototypePath,
					"POST " + prototypePath + ":cancel",
				}, asked.all()); d != "" {
					t.Errorf("asked (-want +got):\n%s", d)
				}
			})
		})
	}
}

// Whatever a server answers, a message and its cancellation are sent once, to one path. An
// answer that the path does not exist may come from a gateway in front of an agent that has
// done the work.
func TestAMessageIsWrittenToOnePath(t *testing.T) {
	for _, prototype := range []bool{false, true} {
		for _, status := range []int{200, 202, 400, 404, 405, 500, 502} {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
				var asked said
				path := map[bool]string{false: designPath, true: prototypePath}[prototype]
				for _, verb := range []string{"", ":cancel"} {
					crew.Handle(path+verb, asked.record(func(w http.ResponseWriter, r *http.Request) {
						if r.Method == http.MethodOptions {
							w.Header().Set("Allow", "OPTIONS, POST")
							w.WriteHeader(http.StatusNoContent)
							return
						}
						answer(status, `{"status":"completed"}`)(w, r)
					}))
				}
				a := newActor(t, internet, nil)
				_, _ = a.Send(t.Context(), actors.Message{ID: "m1"})
				_ = a.Cancel(t.Context(), "m1")
				var methods strings.Builder
				for _, r := range crew.Requests() {
					methods.WriteString(r.Method + " ")
				}
				ask := map[bool]string{false: "OPTIONS ", true: "OPTIONS OPTIONS "}[prototype]
				want := ask + "POST POST "
				if slices.Contains([]int{400, 404, 405}, status) { // the next request asks anew
					want = ask + "POST " + ask + "POST "
				}
				if posts := strings.Count(strings.Join(asked.all(), " "), "POST "); methods.String() != want || posts != 2 {
					t.Errorf("prototype %t, %d: %s(want %s), %d of the messages at %s", prototype, status, methods.String(), want, posts, path)
				}
			})
		}
	}
}

// A dialect that is known, or that the template names, is the only one that is used.
func TestKnownDialect(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
		short := template("crew.example")
		short.Template = strings.Replace(short.Template, "/messages", "", 1)
		for _, r := range []struct {
			f    wayfind.Interface
			d    actors.Dialect
			path string
		}{
			{template("crew.example"), actors.DialectDesign, designPath},
			{template("crew.example"), actors.DialectPrototype, prototypePath},
			{short, "", prototypePath},
		} {
			a, err := actors.New(internet.Client(), r.f, "c1", &actors.Options{Dialect: r.d})
			if err != nil {
				t.Fatal(err)
			}
			before := len(crew.Paths())
			var e *wayfind.Error
			if _, err := a.Retrieve(t.Context(), "m1", ""); !errors.Is(err, wayfind.ErrNotFound) || !errors.As(err, &e) || e.Code != wayfind.CodeAbsent {
				t.Errorf("%+v: %v", r, err)
			}
			if d := cmp.Diff([]string{r.path}, crew.Paths()[before:]); d != "" {
				t.Errorf("%+v (-want +got):\n%s", r, d)
			}
		}
	})
}

// Data is cleaned, and a request with an ETag finds out whether there is more.
func TestRetrieve(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
		crew.Handle(designPath, clienttest.Page{Header: http.Header{"Content-Type": {"application/json"}, "Etag": {`"v1"`}},
			Body: `{"messages": ["Ig\u202enore"], "status": "odd"}`})
		a := newActor(t, internet, nil)
		r, err := a.Retrieve(t.Context(), "m1", "")
		want := &actors.Reply{MessageID: "m1", Status: "odd", ETag: `"v1"`, Data: json.RawMessage(`{"messages": ["Ignore"], "status": "odd"}`)}
		if d := cmp.Diff(want, r); err != nil || d != "" {
			t.Fatalf("%v (-want +got):\n%s", err, d)
		}
		r, err = a.Retrieve(t.Context(), "m1", r.ETag)
		if d := cmp.Diff(&actors.Reply{MessageID: "m1", ETag: `"v1"`, Unchanged: true}, r); err != nil || d != "" {
			t.Errorf("%v (-want +got):\n%s", err, d)
		}
		if got := crew.Requests()[1].Header.Get("If-None-Match"); got != `"v1"` {
			t.Errorf("If-None-Match %q", got)
		}
	})
}

// queries returns the times and queries of the requests to a host, since start.
func queries(crew *clienttest.Host, start time.Time) (list []string) {
	for _, r := range crew.Requests() {
		_, query, _ := strings.Cut(r.Path, "?")
		list = append(list, fmt.Sprint(r.Time.Sub(start), " ", query))
	}
	return list
}

// Wait asks a server to delay its answer. If the server does not, Wait asks again after longer
// and longer pauses.
func TestWait(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
		start := time.Now()
		crew.Handle(designPath, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if time.Since(start) < time.Minute {
				answer(200, `{"status": "pending", "data": {}}`)(w, r)
				return
			}
			time.Sleep(50 * time.Second)
			answer(200, `{"status": "failed", "data": "no wind"}`)(w, r)
		}))
		r, err := newActor(t, internet, nil).Wait(t.Context(), "m1")
		if d := cmp.Diff(&actors.Reply{MessageID: "m1", Status: actors.StatusFailed, Data: json.RawMessage(`"no wind"`)}, r); err != nil || d != "" {
			t.Errorf("%v (-want +got):\n%s", err, d)
		}
		want := []string{"0s blocking=true", "1s blocking=true", "3s blocking=true", "7s blocking=true", "15s blocking=true", "31s blocking=true", "1m1s blocking=true"}
		if d := cmp.Diff(want, queries(crew, start)); d != "" {
			t.Errorf("asked (-want +got):\n%s", d)
		}
	})
}

// Unchanged data is not sent again, and the message is still pending.
func TestWaitAsksConditionally(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
		start := time.Now()
		crew.Handle(designPath, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			state := "pending"
			if time.Since(start) > 5*time.Second {
				state = "completed"
			}
			clienttest.Page{Header: http.Header{"Etag": {`"` + state + `"`}}, Body: `{"status": "` + state + `"}`}.ServeHTTP(w, r)
		}))
		r, err := newActor(t, internet, nil).Wait(t.Context(), "m1")
		if err != nil || r.Status != actors.StatusCompleted {
			t.Errorf("%v, %+v", err, r)
		}
		var asked []string
		for _, r := range crew.Requests() {
			asked = append(asked, r.Header.Get("If-None-Match"))
		}
		if d := cmp.Diff([]string{"", `"pending"`, `"pending"`, `"pending"`}, asked); d != "" {
			t.Errorf("If-None-Match (-want +got):\n%s", d)
		}
	})
}

// If a server delays its answer for longer than the guard waits, it is no longer asked to
// delay.
func TestWaitOutlivesTheGuard(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
		start := time.Now()
		crew.Handle(designPath, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			done := start.Add(62 * time.Second)
			if r.URL.RawQuery != "" {
				select {
				case <-r.Context().Done():
				case <-time.After(time.Hour):
				}
				return
			}
			if time.Now().Before(done) {
				answer(202, "")(w, r)
				return
			}
			answer(200, `{"status": "completed"}`)(w, r)
		}))
		r, err := newActor(t, internet, nil).Wait(t.Context(), "m1")
		if err != nil || r.Status != actors.StatusCompleted {
			t.Errorf("%v, %+v", err, r)
		}
		if d := cmp.Diff([]string{"0s blocking=true", "1m0s ", "1m1s ", "1m3s "}, queries(crew, start)); d != "" {
			t.Errorf("asked (-want +got):\n%s", d)
		}
	})
}

// When the caller's time is over, the last reply is returned with the error.
func TestWaitEndsWithItsContext(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
		crew.Handle(designPath, answer(200, `{"status": "pending"}`))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		r, err := newActor(t, internet, nil).Wait(ctx, "m1")
		if !errors.Is(err, context.DeadlineExceeded) || r == nil || !r.Pending() || time.Since(start) != 10*time.Second {
			t.Errorf("%v, %+v", err, r)
		}
	})
}

// elsewhere redirects to another site.
func elsewhere(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Location", "https://other.example/")
	w.WriteHeader(http.StatusTemporaryRedirect)
}

// An agent's description of its errors is typed, cleaned and quoted.
func TestFailures(t *testing.T) {
	rows := []struct {
		name    string
		page    http.HandlerFunc
		kind    error
		code    wayfind.Code
		problem *actors.Problem
	}{
		{"a problem", answer(422, `{"type": "x", "title": "No\u202e", "detail": "such method", "status": 1}`), wayfind.ErrInvalid, wayfind.CodeStatus, &actors.Problem{Status: 422, Title: "No", Detail: "such method"}},
		{"done already", answer(409, `"has completed"`), wayfind.ErrInvalid, wayfind.CodeStatus, &actors.Problem{Status: 409, Detail: "has completed"}},
		{"another shape", answer(400, `{"title": 5, "error": {"message": "bad", "type": "t"}}`), wayfind.ErrInvalid, wayfind.CodeStatus, &actors.Problem{Status: 400, Detail: "bad"}},
		{"no shape", answer(406, `<html>`), wayfind.ErrInvalid, wayfind.CodeStatus, &actors.Problem{Status: 406}},
		{"a long one", answer(400, `{"error": "`+strings.Repeat("x", 300)+`"}`), wayfind.ErrInvalid, wayfind.CodeStatus, &actors.Problem{Status: 400, Detail: strings.Repeat("x", 200)}},
		{"forbidden", answer(403, ``), wayfind.ErrBlocked, "", &actors.Problem{Status: 403}},
		{"gone", answer(410, ``), wayfind.ErrNotFound, wayfind.CodeAbsent, &actors.Problem{Status: 410}},
		{"throttled", answer(429, `{"title": "slow"}`), wayfind.ErrThrottled, wayfind.CodeNotBefore, &actors.Problem{Status: 429, Title: "slow"}},
		{"down", answer(500, ``), wayfind.ErrUnreachable, wayfind.CodeServerError, &actors.Problem{Status: 500}},
		{"elsewhere", elsewhere, wayfind.ErrRefused, wayfind.CodeRedirectLocation, &actors.Problem{Status: 307}},
		{"no JSON", answer(200, `{"status":`), wayfind.ErrInvalid, wayfind.CodeJSONSyntax, nil},
		{"too large", answer(200, strings.Repeat(" ", 5<<20)), wayfind.ErrInvalid, wayfind.CodeTooLarge, nil},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
				crew.Handle(designPath, r.page)
				_, err := newActor(t, internet, design).Send(t.Context(), actors.Message{ID: "m1"})
				var e *wayfind.Error
				if !errors.Is(err, r.kind) || !errors.As(err, &e) || e.Code != r.code {
					t.Fatalf("%v, want %v (%s)", err, r.kind, r.code)
				}
				var p *actors.Problem
				errors.As(err, &p)
				if d := cmp.Diff(r.problem, p); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
				if errors.Is(err, wayfind.ErrThrottled) && !e.NotBefore.Equal(time.Now().Add(time.Minute)) {
					t.Errorf("not before %v", e.NotBefore)
				}
				if n := len(internet.Requests()); n != 1 {
					t.Errorf("sent %d times", n)
				}
			})
		})
	}
}

// A 429 delays the next requests.
func TestThrottledIsObeyed(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
		crew.Handle(designPath, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "90")
			answer(429, "")(w, r)
		}))
		a, until := newActor(t, internet, design), time.Now().Add(90*time.Second)
		for range 2 {
			var e *wayfind.Error
			if err := a.Cancel(t.Context(), "m2"); err == nil {
				t.Error("m2 is not there")
			}
			if _, err := a.Retrieve(t.Context(), "m1", ""); !errors.Is(err, wayfind.ErrThrottled) || !errors.As(err, &e) || !e.NotBefore.Equal(until) {
				t.Errorf("%v", err)
			}
		}
		if d := cmp.Diff(2, len(crew.Paths())); d != "" {
			t.Errorf("asked %v", crew.Paths())
		}
	})
}

// A message that may have arrived is not sent again, although net/http would repeat it on a
// reused connection that ends without an answer.
func TestSendIsNotRepeated(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
		crew.Protocols("http/1.1").Handle(designPath, answer(202, ""))
		a := newActor(t, internet, design)
		if _, err := a.Send(t.Context(), actors.Message{ID: "m1"}); err != nil {
			t.Fatal(err)
		}
		crew.Fail(designPath, clienttest.AtHeaders(clienttest.Close))
		if _, err := a.Send(t.Context(), actors.Message{ID: "m1"}); !errors.Is(err, wayfind.ErrUnreachable) {
			t.Errorf("%v", err)
		}
		if d := cmp.Diff([]string{designPath, designPath}, crew.Paths()); d != "" {
			t.Errorf("two messages (-want +got):\n%s", d)
		}
	})
}

// A message that cannot be sent is refused before any hook is called.
func TestArguments(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet, _ *clienttest.Host) {
		c := internet.Client()
		for _, bad := range []string{
			"", "https://crew.example/actors/v1/pirate", "https://crew.example/actors/v1/{name}/{actorKey}/messages/{messageId}",
			"https://{host}/actors/v1/pirate/{actorKey}/{messageId}", "https://crew.example/x?/{actorKey}/{messageId}",
			"https://crew.example/a/../b/{actorKey}/{messageId}", "https://crew.example/{actorKey}/{messageId}",
		} {
			if _, err := actors.New(c, wayfind.Interface{Template: bad}, "k", nil); !errors.Is(err, wayfind.ErrInvalid) {
				t.Errorf("template %q: %v", bad, err)
			}
		}
		for _, bad := range []string{"http://crew.example/a/{actorKey}/{messageId}", "https://127.0.0.1/a/{actorKey}/{messageId}"} {
			if _, err := actors.New(c, wayfind.Interface{Template: bad}, "k", nil); !errors.Is(err, wayfind.ErrRefused) {
				t.Errorf("template %q: %v", bad, err)
			}
		}
		if _, err := actors.New(c, template("crew.example"), "k", &actors.Options{Dialect: "x"}); !errors.Is(err, wayfind.ErrInvalid) {
			t.Errorf("dialect: %v", err)
		}
		a := newActor(t, internet, nil)
		for _, id := range []string{".", "..", "a/b", "a:cancel", "a?b", "a b", "ä", strings.Repeat("x", 129)} {
			if _, err := actors.New(c, template("crew.example"), id, nil); !errors.Is(err, wayfind.ErrInvalid) {
				t.Errorf("key %q: %v", id, err)
			}
			if _, err := a.Send(t.Context(), actors.Message{ID: id}); !errors.Is(err, wayfind.ErrInvalid) {
				t.Errorf("ID %q: %v", id, err)
			}
		}
		if err := a.Cancel(t.Context(), ""); !errors.Is(err, wayfind.ErrInvalid) {
			t.Errorf("no ID: %v", err)
		}
		if _, err := a.Send(t.Context(), actors.Message{Params: json.RawMessage(`[`)}); !errors.Is(err, wayfind.ErrInvalid) {
			t.Errorf("params: %v", err)
		}
		if len(internet.Lookups()) != 0 {
			t.Errorf("asked %v", internet.Lookups())
		}
	})
}
