package actors_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/actors"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

const (
	designPath    = "/actors/v1/pirate/c1/messages/m1"
	prototypePath = "/actors/v1/pirate/c1/m1"
)

// design are the options for a server with the design's dialect: no request finds it out.
var design = &actors.Options{Dialect: actors.DialectDesign}

// template returns the interface of the agent "pirate" at a host.
func template(host string) wayfind.Interface {
	return wayfind.Interface{Protocol: actors.Protocol, Template: "https://" + host + "/actors/v1/pirate/{actorKey}/messages/{messageId}"}
}

// inBubble runs a test with virtual time, its own Internet and a host crew.example that
// answers 404. A goroutine that is left waiting fails the test.
func inBubble(t *testing.T, test func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		internet := clienttest.New(t)
		test(t, internet, internet.Host("crew.example", nil))
	})
}

// newActor returns the conversation "c1" with the pirate at crew.example.
func newActor(t *testing.T, internet *clienttest.Internet, opts *actors.Options) *actors.Actor {
	t.Helper()
	a, err := actors.New(internet.Client(), template("crew.example"), "c1", opts)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// said records the requests to a host: the method, the target, and the body of a POST.
type said struct {
	mu   sync.Mutex
	list []string
}

// record answers with next, and records the requests.
func (s *said) record(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.list = append(s.list, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", r.Method, r.RequestURI, r.Header.Get("Content-Type"), body)))
		s.mu.Unlock()
		next(w, r)
	}
}

func (s *said) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list
}

// answer sends a status and JSON.
func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}
