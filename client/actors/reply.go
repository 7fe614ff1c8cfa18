package actors

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/parse"
)

// The prototype's statuses of a message, in lower case. Other statuses are passed on.
const (
	StatusPending   = "pending"
	StatusCompleted = "completed"
	StatusFailed    = "failed"
)

// Limits of text of an agent that is shown or sent back, in code points.
const (
	maxProblem = 200 // the same limit as for a diagnostic
	maxWord    = 64  // a status, the type of an event
	maxETag    = 1 << 10
)

// Reply is the known state of a message. Its strings are cleaned text of a
// stranger.
type Reply struct {
	// MessageID identifies the message in Retrieve, Wait, Stream and Cancel.
	MessageID string
	// Status is the status that the agent states, in lower case: StatusPending,
	// StatusCompleted, StatusFailed or any other word; "" if the agent states none. For a 202
	// and for an empty answer it is StatusPending.
	Status string
	// Data is the answer: the member "data" if the document has a status and that member,
	// otherwise the whole document. If an event is not JSON, Data is a JSON string. Data is
	// nil if there is no answer. Likely secrets are removed (secret.Redact), unless
	// Options.AllowSecrets is set.
	Data parse.Raw
	// ETag is the validator for Retrieve; "" if there is none.
	ETag string
	// Unchanged is true if nothing has changed since the ETag in the request. The other fields
	// then contain no news.
	Unchanged bool
}

// Pending reports whether the answer is not complete yet.
func (r *Reply) Pending() bool { return r.Status == StatusPending }

// Problem is an agent's description of its own error (RFC 9457 §3.1), cleaned and
// cut to 200 characters each. It is the cause of errors about answers.
type Problem struct {
	// Status is the status of the response.
	Status int
	// Title and Detail are "" if the agent does not state them. Detail also contains the
	// messages of other JSON formats of errors.
	Title, Detail string
}

// Error returns a description in one line.
func (p *Problem) Error() string {
	words := []string{fmt.Sprintf("the agent answers %d", p.Status)}
	for _, text := range []string{p.Title, p.Detail} {
		if text != "" {
			words = append(words, strconv.Quote(text))
		}
	}
	return strings.Join(words, ", ")
}

// readReply reads a successful answer and closes it.
func (a *Actor) readReply(resp *http.Response, id string) (*Reply, error) {
	defer resp.Body.Close()
	r := &Reply{MessageID: id, ETag: etagOf(resp.Header)}
	if resp.StatusCode == http.StatusNotModified {
		r.Unchanged = true
		return r, nil
	}
	body, err := readAll(resp)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(body)) == 0 {
		r.Status = StatusPending
		return r, nil
	}
	if err := r.fill(body, a.options.AllowSecrets); err != nil {
		return nil, invalid(resp.Request.URL.String(), codeOf(err), "%w", err)
	}
	if r.Status == "" && resp.StatusCode == http.StatusAccepted {
		r.Status = StatusPending // RFC 9110 §15.3.3
	}
	return r, nil
}

// fill reads a document about a message.
func (r *Reply) fill(body []byte, allowSecrets bool) error {
	root, err := (&parse.Input{Body: body}).JSON()
	if err != nil {
		return err
	}
	data := root
	if status, ok := root.Get("status").Str(); ok {
		status = line(status, maxWord)
		r.Status = strings.ToLower(status)
		if inner := root.Get("data"); inner.Exists() {
			data = inner
		}
	}
	clean, err := secret.Veil(nil).ShowJSON(data.Raw(), purposeOf(allowSecrets))
	r.Data = bytes.Clone(clean)
	return err
}

// readAll reads a body, whose size the Client limits (4 MiB).
func readAll(resp *http.Response) ([]byte, error) {
	body, err := io.ReadAll(resp.Body)
	if _, ok := errors.AsType[*wayfind.Error](err); err != nil && !ok {
		return nil, wayfind.NewError("actors", resp.Request.URL.String(), wayfind.CodeTruncated, err)
	}
	return body, err
}

// etagOf returns the validator of an answer; "" if it could not be sent back.
func etagOf(header http.Header) string {
	etag := header.Get("ETag")
	if secret.Veil(nil).Show(etag, secret.Line, maxETag) != etag {
		return ""
	}
	return etag
}

func codeOf(err error) wayfind.Code {
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		return e.Code
	}
	return wayfind.CodeSchema
}

// failure returns the error for an unsuccessful answer, and closes the answer.
func failure(resp *http.Response) *wayfind.Error {
	defer resp.Body.Close()
	as := func(code wayfind.Code) *wayfind.Error {
		return wayfind.NewError("actors", resp.Request.URL.String(), code, problem(resp))
	}
	if resp.StatusCode/100 == 3 {
		return as(wayfind.CodeRedirectLocation) // Client.HTTP follows no redirect
	}
	switch v, reason := verdict.OfStatus(resp.StatusCode, resp.Header, false); {
	case v == wayfind.VerdictAbsent:
		return as(wayfind.CodeAbsent)
	case v == wayfind.VerdictThrottled:
		wait, ok := fetch.RetryAfter(resp.Header, time.Now())
		if !ok {
			wait = verdict.ThrottleFirst
		}
		e := as(wayfind.CodeNotBefore)
		e.NotBefore = time.Now().Add(wait)
		return e
	case !v.Answered() && v.Kind() != nil:
		return as(wayfind.Code(reason)).WithKind(v.Kind())
	}
	return as(wayfind.CodeStatus)
}

// problem reads an agent's description of its error: a problem document, or one of the formats
// of the framework ("text", {"error": "text"}, {"error": {"message": "text"}}).
func problem(resp *http.Response) *Problem {
	p := &Problem{Status: resp.StatusCode}
	body, err := readAll(resp)
	if err != nil {
		return p
	}
	root, err := (&parse.Input{Body: body}).JSON()
	if err != nil {
		return p
	}
	p.Title = words(root.Get("title"))
	for _, n := range []parse.Node{root.Get("detail"), root, root.Get("error"), root.Get("error").Get("message")} {
		if p.Detail == "" {
			p.Detail = words(n)
		}
	}
	return p
}

// words returns a text of a problem. Members of another type are ignored (RFC 9457 §3.1).
func words(n parse.Node) string {
	text, _ := n.Str()
	return line(text, maxProblem)
}

// line cleans a text of one line, removes secrets from it and cuts it.
func line(s string, most int) string {
	return secret.Veil(nil).Show(s, secret.StoredLine, most)
}

// purposeOf returns the purpose of data of a peer.
func purposeOf(allowSecrets bool) secret.Purpose {
	if allowSecrets {
		return secret.Lines
	}
	return secret.StoredLines
}
