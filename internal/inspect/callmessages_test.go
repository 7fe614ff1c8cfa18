package inspect

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
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
