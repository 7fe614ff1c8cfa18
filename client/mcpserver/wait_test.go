package mcpserver_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/mcpserver"
)

// jobs is a service whose operation begins work that takes a time.
type jobs struct {
	mu           sync.Mutex
	begun, looks int
	takes        time.Duration
	since        time.Time
	fails        int    // looks that are answered with 503
	says         string // the answer of the operation
}

func (j *jobs) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/.well-known/ai-plugin.json":
		_, _ = fmt.Fprintf(w, plugin, "jobs.example")
	case "/openapi.json":
		_, _ = io.WriteString(w, operations("POST /api/job begin"))
	case "/api/job":
		j.begun++
		j.since = time.Now()
		w.Header().Set("Location", "/state/1")
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, j.says)
	case "/state/1":
		if j.looks++; j.fails > 0 {
			j.fails--
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if time.Since(j.since) < j.takes {
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, `{"status":"running"}`)
			return
		}
		_, _ = io.WriteString(w, `{"room":7}`)
	default:
		http.NotFound(w, r)
	}
}

// inJobs runs a test with a host that agrees to everything.
func inJobs(t *testing.T, j *jobs, how *call.Options, test func(w *world)) {
	t.Helper()
	inWorld(t, plain, nil, func(w *world) {
		w.internet.Host("jobs.example", j)
		w.serve(&mcpserver.Options{Domains: []string{"jobs.example"}, Allow: []string{"*"}}, how)
		test(w)
	})
}

// names returns the names of the tools that a host lists.
func (w *world) namesOf(s *mcp.ClientSession) (names []string) {
	w.Helper()
	list, err := s.ListTools(w.Context(), nil)
	if err != nil {
		w.Fatal(err)
	}
	for _, t := range list.Tools {
		names = append(names, t.Name)
	}
	return names
}

// handleIn returns the handle in a text.
func handleIn(text string) string {
	_, rest, _ := strings.Cut(text, "with this handle: ")
	return strings.Fields(rest + " -")[0]
}

// A short work is waited for, with progress.
func TestACallWaitsForWorkThatGoesOn(t *testing.T) {
	eras(t, func(t *testing.T, legacy bool) {
		j := &jobs{takes: 30 * time.Second, fails: 1}
		inJobs(t, j, nil, func(w *world) {
			var told []string
			s := w.connect(legacy, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
				told = append(told, req.Params.Message)
			}})
			w.listed(s)
			res, err := s.CallTool(w.Context(), wanting("begin", "t1"))
			if err != nil || res.IsError || !strings.Contains(res.Content[0].(*mcp.TextContent).Text, `{"room":7}`) {
				w.Errorf("%v, %+v", err, res)
			}
			if len(told) < 3 || told[0] != "The work at jobs.example goes on." || j.begun != 1 {
				w.Errorf("%q, begun %d", told, j.begun)
			}
		})
	})
}

// Work that outlasts the patience of a host leaves a handle. wayfind_wait, which is then listed, waits again,
// also after the bridge was started anew, and begins nothing.
func TestWorkThatOutlastsAHostLeavesAHandle(t *testing.T) {
	eras(t, func(t *testing.T, legacy bool) {
		j := &jobs{takes: 3 * time.Minute}
		inJobs(t, j, &call.Options{TicketKey: []byte(strings.Repeat("k", 32))}, func(w *world) {
			s := w.connect(legacy, nil)
			if w.listed(s); slices.Contains(w.namesOf(s), "wayfind_wait") {
				w.Error("wayfind_wait is listed without need")
			}
			began := time.Now()
			got := w.ask(s, "begin", `{}`)
			if w.wants(got, "The work goes on at the service; it has not ended. Do not call the tool again."); time.Since(began) != 50*time.Second {
				w.Error(time.Since(began))
			}
			if !slices.Contains(w.namesOf(w.connect(legacy, nil)), "wayfind_wait") { // a host may keep its list for a while
				w.Error("wayfind_wait is not listed")
			}
			handle := handleIn(got)
			got = w.ask(s, "wayfind_wait", `{"handle":"`+handle+`"}`)
			w.wants(got, "The work goes on")
			if strings.Contains(got, "Data of") {
				w.Error(got)
			}
			handle = handleIn(got)
			w.serve(&mcpserver.Options{Domains: []string{"jobs.example"}}, &call.Options{TicketKey: []byte(strings.Repeat("k", 32))})
			again := w.connect(legacy, nil)
			w.wants(w.ask(again, "wayfind_wait", `{"handle":"`+handle+`"}`), "The work goes on")
			w.wants(w.ask(again, "wayfind_wait", `{"handle":"`+handle+`"}`), `{"room":7}`)
			if j.begun != 1 {
				w.Errorf("begun %d times", j.begun)
			}
			looks := j.looks
			for _, foreign := range []string{"", "x", handle[:len(handle)-8], handle + "AAAA", strings.Repeat("A", 100)} {
				w.wants(w.ask(again, "wayfind_wait", `{"handle":"`+foreign+`"}`), "The handle is not one of this server")
			}
			w.serve(&mcpserver.Options{Domains: []string{"jobs.example"}}, nil) // with another key
			w.wants(w.ask(w.connect(legacy, nil), "wayfind_wait", `{"handle":"`+handle+`"}`), "The handle is not one of this server")
			if j.looks != looks || j.begun != 1 {
				w.Errorf("%d looks, begun %d times", j.looks-looks, j.begun)
			}
		})
	})
}

// What a call says of itself stays beside the failure of a look, and the failure is gone once a look succeeds.
func TestAFailedLookIsToldUntilOneSucceeds(t *testing.T) {
	const failed = "503 from jobs.example"
	for fails, want := range map[int]bool{1: false, 1000: true} {
		j := &jobs{takes: time.Hour, fails: fails, says: "begun"}
		inJobs(t, j, nil, func(w *world) {
			s := w.connect(true, nil)
			w.listed(s)
			got := w.ask(s, "begin", `{}`)
			w.wants(got, "The work goes on at the service")
			w.wants(got, "The answer is not what its media type says.")
			if strings.Contains(got, failed) != want {
				w.Errorf("%d looks fail: %q", fails, got)
			}
		})
	}
}
