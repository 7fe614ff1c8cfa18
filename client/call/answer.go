package call

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/wayfindhq/wayfind/internal/act/callresult"
	"github.com/wayfindhq/wayfind/internal/act/tokens"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
)

// answer is the answer to a request.
type answer struct {
	status int
	header http.Header
	proof  tokens.Proof // of the request
	body   []byte
	// broken is the reason why the body could not be read to its end; nil if it was.
	broken error
	// heard is true if a part of the body was passed to a hook.
	heard bool
}

// read reads a body. It stops when the listener of the request wants no more of it.
func (a *answer) read(resp *http.Response, q *request, s *sent) {
	body := io.LimitReader(resp.Body, maxBody+1)
	var l *listener
	if q.listen != nil {
		now := *s // a copy, because a listener may keep it
		l = q.listen(&now, resp)
	}
	if l == nil {
		a.body, a.broken = io.ReadAll(body)
		return
	}
	chunk := make([]byte, 4<<10)
	for done := false; !done && a.broken == nil; {
		n, err := body.Read(chunk)
		a.body = append(a.body, chunk[:n]...)
		done = n > 0 && l.feed(chunk[:n])
		a.heard = l.heard
		if !done {
			a.broken = err
		}
	}
	if errors.Is(a.broken, io.EOF) {
		a.broken = nil
	}
	if l.failed != nil {
		a.broken = fail(Refused, l.failed, "the program failed while it read the answer")
	}
}

// rates returns the numbers of remaining calls in the answer.
func (a *answer) rates() []callresult.Rate {
	return callresult.Rates(a.header, fetch.Sent(a.header, time.Now()))
}
