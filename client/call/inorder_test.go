package call_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// flights is a site whose document is one of Agent Web Protocol.
type flights struct {
	*sniffer
	box    *tools.Box
	caller func(*call.Options) *call.Caller
}

// action is an action without inputs.
func action(id, method string) string {
	return fmt.Sprintf(`{"id": %q, "description": "Does %s.", "auth_required": false, "inputs": {}, "outputs": {}, "endpoint": "/api/%s", "method": %q}`, id, id, id, method)
}

// newFlights returns a site with the actions search (GET), book (POST) and pay (POST). more are
// members of its document.
func newFlights(t *testing.T, more string, api http.HandlerFunc) *flights {
	t.Helper()
	return newFlightsOf(t, "GET", more, api)
}

// newFlightsOf is newFlights with a method of search.
func newFlightsOf(t *testing.T, search, more string, api http.HandlerFunc) *flights {
	t.Helper()
	doc := `{"awp_version": "0.2", "domain": "fly.example", "intent": "Flights", "auth": {"type": "none"}, "actions": [` +
		action("search", search) + "," + action("book", "POST") + "," + action("pay", "POST") + `]` + more + `}`
	net, f := clienttest.New(t), &flights{sniffer: &sniffer{}}
	net.Host("fly.example", f.watch("fly.example", clienttest.Pages{"/agent.json": doc}, api))
	c := net.Client()
	box, err := tools.Load(t.Context(), c, []string{"fly.example"}, nil)
	if err != nil || box.Len() != 3 {
		t.Fatal(err, box.Skipped())
	}
	f.box = box
	f.caller = func(o *call.Options) *call.Caller {
		caller, err := call.New(c, o)
		if err != nil {
			t.Fatal(err)
		}
		return caller
	}
	return f
}

func (f *flights) targets() (list []string) {
	for _, r := range f.calls() {
		list = append(list, r.target)
	}
	return list
}

// A dependent call is never sent before its prerequisite is called, however often it is tried. A
// prerequisite whose schema cannot be met does not keep it back for ever: three calls with invalid
// arguments are enough, and the person and the model are told.
func TestADependentCallIsNeverSentFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFlights(t, `, "dependencies": {"book": ["search"], "pay": ["book"]}`, okay)
		y := &yes{verdict: call.AllowOnce}
		c := f.caller(&call.Options{Confirm: y.confirm})
		try := func(tool, arguments string, want call.Code) *call.Result {
			t.Helper()
			res, err := c.Call(t.Context(), f.box, tool, []byte(arguments))
			wantCode(t, res, err, want)
			return res
		}
		for range 20 {
			try("book", `{}`, call.OutOfOrder)
			try("pay", `{}`, call.OutOfOrder)
		}
		for range 3 {
			try("book", `{}`, call.OutOfOrder)
			try("search", `[`, call.InvalidArguments)
		}
		if len(f.calls()) != 0 || y.count() != 0 {
			t.Fatalf("%q were sent, %d questions", f.targets(), y.count())
		}
		res := try("book", `{}`, made)
		if told := fmt.Sprint(y.asked[0].Stated); !strings.Contains(told, "search") || !strings.Contains(res.Model.Prompt(), "did not succeed") {
			t.Errorf("%s, %s", told, res.Model.Prompt())
		}
		time.Sleep(call.Lately + time.Second)
		try("search", `[`, call.InvalidArguments)
		try("book", `{}`, call.OutOfOrder)
	})
}

// A dependent action is not sent, and no person is asked about it, before this principal has
// called its prerequisites lately (AWP §11). Nothing is called by itself.
func TestPrerequisitesAreCalledFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		fails := false
		f := newFlights(t, `, "dependencies": {"book": ["search"], "pay": ["book", "search"]}`, func(w http.ResponseWriter, r *http.Request) {
			if w.Header().Set("Content-Type", "application/json"); fails {
				w.WriteHeader(http.StatusInternalServerError)
			}
			_, _ = io.WriteString(w, `{}`)
		})
		y, who := &yes{verdict: call.AllowOnce}, "ann"
		c := f.caller(&call.Options{Confirm: y.confirm, Principal: func(context.Context) string { return who }})
		try := func(tool string, want call.Code, detail string) {
			t.Helper()
			res, err := c.Call(t.Context(), f.box, tool, nil)
			wantCode(t, res, err, want)
			if detail != "" && !strings.Contains(res.Model.Prompt(), detail) {
				t.Errorf("%s: %s", tool, res.Model.Prompt())
			}
		}
		try("pay", call.OutOfOrder, "first call book and search")
		try("book", call.OutOfOrder, "first call search")
		if fails = true; len(f.calls()) != 0 || y.count() != 0 {
			t.Fatalf("%q were sent, %d questions", f.targets(), y.count())
		}
		try("pay", call.OutOfOrder, "first call book and search")
		fails = false
		try("search", made, "")
		try("book", made, "")
		who = "bob"
		try("book", call.OutOfOrder, "")
		who = "ann"
		try("pay", made, "")
		time.Sleep(call.Lately + time.Second)
		try("book", call.OutOfOrder, "")
		try("search", made, "")
		try("book", made, "")
		if err := c.Forget("ann"); err != nil {
			t.Fatal(err)
		}
		try("book", call.OutOfOrder, "")
		if preview, err := c.DryRun(t.Context(), f.box, "book", nil); err != nil || len(preview.DependsOn) != 1 {
			t.Errorf("a preview sends nothing: %+v, %v", preview, err)
		}
		loose := f.caller(&call.Options{Confirm: y.confirm, AllowAnyOrder: true})
		res, err := loose.Call(t.Context(), f.box, "pay", nil)
		wantCode(t, res, err, made)
	})
}

// The statement of a site alone makes no call impossible: a circle of prerequisites, and one that
// no tool can run, are told and keep nothing back.
func TestACircleOfPrerequisitesIsTold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFlights(t, `, "dependencies": {"search": ["pay"], "pay": ["book"], "book": ["search", "nothing"]}`, okay)
		c := f.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm})
		for _, tool := range []string{"search", "book", "pay"} {
			res, err := c.Call(t.Context(), f.box, tool, nil)
			wantCode(t, res, err, made)
		}
		book, err := f.box.Tool("book")
		if err != nil || book.First() != nil {
			t.Fatal(err, book.Stated())
		}
		for _, want := range []string{"The site wants search to run before this, and this before that, so the order is not known.", `The site wants "nothing" to run first, which is no tool here.`} {
			if !slices.Contains(book.Stated(), want) || !strings.Contains(book.Description(), want) {
				t.Errorf("%q lacks %s", book.Stated(), want)
			}
		}
	})
}

// A prerequisite that was called keeps nothing back, whatever its outcome: else a failure, a
// person who says no, or an answer that is lost, would make the dependent call impossible for ever.
// A person and the model are told which one did not succeed. Invalid arguments are no call.
func TestAPrerequisiteThatFailsKeepsNothingBack(t *testing.T) {
	const told = "The site wants search to run first; that did not succeed."
	for _, row := range []struct {
		name    string
		search  string // its method
		verdict call.Verdict
		answers func(w http.ResponseWriter)
		want    call.Code
		told    bool
	}{
		{"a failure", "GET", call.AllowOnce, func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadRequest) }, call.UpstreamError, true},
		{"a person who says no", "POST", call.Deny, nil, call.Denied, true},
		{"a person elsewhere", "POST", call.Later, nil, call.ConfirmationRequired, true},
		{"a credential that is missing", "GET", call.AllowOnce, func(w http.ResponseWriter) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
		}, call.CredentialMissing, true},
		{"an answer that is lost", "POST", call.AllowOnce, func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, call.OutcomeUnknown, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				f := newFlightsOf(t, row.search, `, "dependencies": {"book": ["search"]}`, func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/api/search" {
						row.answers(w)
					} else {
						okay(w, r)
					}
				})
				y := &yes{verdict: row.verdict}
				c := f.caller(&call.Options{Confirm: y.confirm})
				res, err := c.Call(t.Context(), f.box, "search", []byte(`[`))
				wantCode(t, res, err, call.InvalidArguments)
				res, err = c.Call(t.Context(), f.box, "book", nil)
				wantCode(t, res, err, call.OutOfOrder)
				res, err = c.Call(t.Context(), f.box, "search", nil)
				wantCode(t, res, err, row.want)
				y.verdict = call.AllowOnce
				res, err = c.Call(t.Context(), f.box, "book", nil)
				wantCode(t, res, err, made)
				if asked := y.asked[len(y.asked)-1]; strings.Contains(res.Model.Prompt(), told) != row.told || slices.Contains(asked.Stated, told) != row.told {
					t.Errorf("%q, %s", asked.Stated, res.Model.Prompt())
				}
			})
		})
	}
}
