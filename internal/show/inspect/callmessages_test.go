package inspect

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/tools"
)

// exchanges returns the messages of the exchanges with an origin.
func exchanges(i *Inspector, origin string) (list []*Message) {
	all, _, _ := i.Watch.Since(0)
	for _, p := range all {
		if p.Kind == client.EventExchange && p.Target == origin {
			list = append(list, i.Message(p.ID, ""))
		}
	}
	return list
}

func TestTheMessagesOfACallHaveNoCredential(t *testing.T) {
	var calls counter
	i := inspected(t, calls.ServeHTTP, vault)
	load(t, i)
	in := CallInput{Tool: "secured", Arguments: `{}`, Ticket: previewed(t, i, "secured", `{}`).Ticket}
	if _, err := i.Send(t.Context(), in); err != nil || len(calls.made()) != 1 {
		t.Fatal(err, calls.made())
	}
	list := exchanges(i, "https://shop.example")
	if len(list) != 1 {
		t.Fatalf("%d messages", len(list))
	}
	m := list[0]
	if n := slices.IndexFunc(m.Request.Header, func(f Field) bool { return f.Name == "X-Key" && f.Value == "REDACTED" }); n < 0 {
		t.Errorf("the request: %+v", m.Request)
	}
	if !strings.Contains(m.Body.Text, `"key": "REDACTED"`) {
		t.Errorf("the answer repeats the credential: %+v", m.Body)
	}
	if !strings.Contains(m.Curl, "X-Key: REDACTED") || m.CurlNote == "" {
		t.Errorf("curl: %s (%s)", m.Curl, m.CurlNote)
	}
	told, _ := json.Marshal(m)
	har, err := i.HAR()
	if err != nil || bytes.Contains(append(told, har...), []byte("s3cret")) {
		t.Errorf("%v: %s\n%s", err, told, har)
	}
}

func TestTheMessageOfACallHasTheBodyOfItsRequest(t *testing.T) {
	var calls counter
	i := inspected(t, calls.ServeHTTP)
	load(t, i)
	in := CallInput{Tool: "newOrder", Arguments: `{"what":"lamp"}`}
	in.Ticket = previewed(t, i, in.Tool, in.Arguments).Ticket
	if _, err := i.Send(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	list := exchanges(i, "https://shop.example")
	if len(list) != 1 || list[0].Request.Method != "POST" || list[0].Request.Body == nil || list[0].Request.Body.Text != in.Arguments ||
		!strings.Contains(list[0].Curl, `--data-raw '{"what":"lamp"}'`) {
		t.Errorf("%+v", list)
	}
}

func TestTheHARFileIsADownload(t *testing.T) {
	i := inspected(t, http.NotFound)
	w := httptest.NewRecorder()
	i.routes(nil).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/har", nil))
	if !strings.HasPrefix(w.Header().Get("Content-Disposition"), "attachment") || !json.Valid(w.Body.Bytes()) {
		t.Errorf("%v %s", w.Header(), w.Body)
	}
}

func TestTheOldestMessagesFallOut(t *testing.T) {
	i := inspected(t, http.NotFound)
	load(t, i)
	all, _, _ := i.Watch.Since(0)
	first := i.Watch.order[0]
	m, _, _ := i.Watch.message(first)
	if m == nil {
		t.Fatal("the first exchange has no message")
	}
	i.Watch.mu.Lock()
	i.Watch.size = maxMessages
	i.Watch.mu.Unlock()
	i.Watch.keep(len(all), m)
	if got := i.Message(first, ""); got.Request != nil || !strings.Contains(got.Note, "not kept any longer") {
		t.Errorf("%+v", got)
	}
	if got, _, _ := i.Watch.message(len(all)); got != m {
		t.Error("the newest message fell out")
	}
}

func TestTheHistoryHasTheCallsOfTheSession(t *testing.T) {
	var calls counter
	i := inspected(t, calls.ServeHTTP)
	load(t, i)
	for _, in := range []CallInput{{Tool: "listOrders", Arguments: `{"customer id":"7"}`}, {Tool: "newOrder", Arguments: `{"what":7}`}} {
		if _, err := i.Send(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	rows := i.history.rows()
	if len(rows) != 2 || rows[0].Tool != "newOrder" || !rows[0].Failed || !strings.Contains(rows[0].Result, "invalid arguments") || rows[1].Result != "200 OK" || rows[1].Failed || rows[1].At.IsZero() {
		t.Fatalf("%+v", rows)
	}
	made, err := i.history.one("1")
	if err != nil || made.Tool != "listOrders" || made.Arguments != `{"customer id":"7"}` || made.Outcome.Status != http.StatusOK {
		t.Errorf("%+v %v", made, err)
	}
	for range maxCalls {
		i.history.add(called{Called: Called{Tool: "more"}, outcome: &Outcome{Work: "5"}})
	}
	if _, err := i.history.one("1"); err == nil || len(i.history.rows()) != maxCalls {
		t.Errorf("%d calls are kept, and the first: %v", len(i.history.rows()), err)
	}
	i.history.waited("5", &Outcome{Status: http.StatusOK})
	if got := i.history.rows()[0].Result; got != "200 OK" {
		t.Errorf("the work that was waited for: %q", got)
	}
}

func TestToolsComeBeforePromptsAndResources(t *testing.T) {
	var sorts []string
	for _, kind := range []wayfind.Kind{wayfind.KindTool, wayfind.KindPrompt, wayfind.KindResource, wayfind.KindOperation} {
		sorts = append(sorts, sortOf(&tools.Tool{Capability: &wayfind.Capability{Kind: kind}}))
	}
	if want := []string{"tool", "prompt", "resource", "tool"}; !slices.Equal(append(sorts, sortOf(&tools.Tool{Agent: true})), append(want, "agent")) {
		t.Errorf("%q", sorts)
	}
}
