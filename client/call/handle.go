package call

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/parse"
)

// The shortest and the longest pause between two polls for work in progress.
const (
	firstPoll = time.Second
	mostPoll  = 30 * time.Second
)

// Handle represents work that goes on after a call, for [Caller.Wait], or the next page of an
// answer, for [Caller.Call]. [Handle.Save] keeps it for later and for other processes.
type Handle struct {
	// URL is the URL of the state of the work, on the origin of the call.
	URL string `json:"url,omitempty"`
	// NotBefore is the earliest time of the first poll; zero if the service named none.
	NotBefore time.Time `json:"notBefore,omitzero"`
	// Tool and Arguments are the arguments of Call for the next page; nil for work that goes on.
	Tool      string `json:"-"`
	Arguments []byte `json:"-"`

	look func(ctx context.Context) (*Result, error)
	seal func() ([]byte, error)
}

// reader reads the answer to a poll.
type reader func(s sent, a *answer) (*Result, error)

// workKind is the way in which the state of work is requested.
type workKind string

const (
	workHTTP   workKind = "http"   // by a GET of a URL
	workActors workKind = "actors" // by a GET of the URL of a message
	workTask   workKind = "task"   // by the identifier of a task of A2A
)

// failedWork is the error of work that has ended with a failure, as the service says.
func failedWork(detail string) *Error {
	e := fail(UpstreamError, nil, detail)
	e.ended = true
	return e
}

// sameOrigin returns a reference as a URL on the origin of a request; "" if it is on another
// origin.
func sameOrigin(m *message, ref string) string {
	if ref == "" {
		return ""
	}
	u, err := m.url.Parse(ref)
	if err != nil || u.Scheme+"://"+u.Host != m.origin || u.User != nil {
		return ""
	}
	return u.String()
}

// working reports whether the status in a JSON answer means that the work goes on.
func working(body []byte) bool {
	root, err := (&parse.Input{Body: body}).JSONObject()
	if err != nil {
		return false
	}
	for _, name := range []string{"status", "state"} {
		word, _ := root.Get(name).Str()
		if slices.Contains([]string{"pending", "running", "queued", "in_progress", "processing", "accepted", "submitted", "working"}, strings.ToLower(word)) {
			return true
		}
	}
	return false
}

// filled puts members of an answer into a template. It returns "" if a member is missing.
func filled(template string, body []byte) string {
	t, ok := parse.ParseTemplate(template)
	if !ok || len(t.Names()) == 0 {
		return template
	}
	root, err := (&parse.Input{Body: body}).JSONObject()
	if err != nil {
		return ""
	}
	for _, name := range t.Names() {
		value, isText := root.Get(name).Str()
		if !isText {
			value = string(root.Get(name).Raw())
		}
		if value == "" || value == "." || value == ".." || len(value) > 256 {
			return ""
		}
		template = strings.ReplaceAll(template, "{"+name+"}", url.PathEscape(value))
	}
	return template
}
