package fetch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
)

const (
	// maxUnprocessed bounds how often one request is sent again because the server has not
	// processed it, as in browsers.
	maxUnprocessed = 6
	// maxCrowded bounds how often one request is sent again because the server could not bear it
	// beside others: from 32 at a time to one. maxAlone is the bound if the server bears all others.
	maxCrowded = 5
	maxAlone   = 1

	// crowdTime is the time for which a limit is remembered after its last sign, and maxCrowds the
	// number of origins whose limits are.
	crowdTime = 10 * time.Minute
	maxCrowds = 1024
)

// NewCrowd returns a Step that sends as many requests to an origin at a time as the origin bears. At
// first there is no limit. When a server shows that it has too many, by 429, 503, REFUSED_STREAM,
// GOAWAY or a reset, half as many are sent, and one more after each round of good answers. The limit
// is remembered for ten minutes.
//
// GET and HEAD are sent again without a retry of the [Budget] if the server states that it has not
// processed them (RFC 9113 §8.7), and if it has answered other requests while it refused this one
// with 503 or a reset. After a 503, that is 100 ms later at the earliest. A 429 is an answer and is
// not repeated here, nor is a request with [Ask.Once] that the server may have processed.
func NewCrowd(next Step) Step {
	return &crowds{next: next, of: map[server]*crowd{}}
}

type crowds struct {
	next Step
	mu   sync.Mutex
	of   map[server]*crowd
}

// server identifies the server of a URL.
type server struct{ scheme, host string }

// crowd is the requests to one origin. The lock of crowds guards it.
type crowd struct {
	limit    int // 0: no limit
	refuses  int // so many at a time were too many; the limit stays below
	inFlight int
	good     int  // answers since the limit changed
	answered bool // the origin has answered one of the requests
	epoch    int  // grows with each lower limit, so that one burst lowers it once
	refused  *Ask // the first request that was refused since then
	several  bool // others were refused, too, before an answer
	line     []*turn
	until    time.Time // when the limit is forgotten
}

// turn waits to be sent. If it is again, it has been refused before, and is only sent if the origin
// answers others.
type turn struct {
	again   bool
	granted chan bool
	epoch   int
}

// sign is what a result shows about the crowd.
type sign int

const (
	signNone        sign = iota // an answer, or a failure with another cause
	signUnprocessed             // the server has not processed the request
	signCrowded                 // it was refused or cut off
	signThrottled               // 429
)

// Do implements Step.
func (s *crowds) Do(ctx context.Context, a *Ask) (*http.Response, error) {
	idempotent := a.method() == http.MethodGet || a.Method == http.MethodHead
	if !idempotent || a.URL == nil {
		return s.next.Do(ctx, a)
	}
	c, epoch, t := s.join(server{a.URL.Scheme, a.URL.Host})
	if t != nil {
		if !s.wait(ctx, c, t) {
			return nil, withURL(callerError(ctx, opHeaders), a.URL)
		}
		epoch = t.epoch
	}
	for n := 0; ; n++ {
		repeats := a.repeats
		resp, err := s.next.Do(ctx, a)
		shown := signOf(resp, err)
		over := ctx.Err() != nil || a.hasLeft() || a.Once && shown != signUnprocessed
		if shown == signCrowded && err == nil && a.counted {
			over = over || repeats >= maxRetries // as for each other 5xx
		}
		if err == nil && shown == signCrowded && !over {
			release(resp) // the others may need its connection while this one waits
		}
		next := s.leave(c, a, result{shown, epoch, n, over, resp != nil && resp.ProtoMajor < 2})
		refused := time.Now()
		if next == nil || !s.wait(ctx, c, next) {
			return resp, err
		}
		if err == nil && !s.pause(ctx, c, retryFloor-time.Since(refused)) {
			return resp, err
		}
		epoch, a.repeats = next.epoch, repeats
		if shown == signCrowded && err == nil {
			a.repeats++ // a 5xx was repeated: it is one of the retries that it permits
		}
	}
}

// release reads the body of an answer into memory, so that its connection is free. A body that is long or
// takes long is cut.
func release(resp *http.Response) {
	limit := time.AfterFunc(readOutTime, func() { _ = resp.Body.Close() })
	defer limit.Stop()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	_ = resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
}

// join adds a request to the crowd of an origin. t is nil if it can be sent at once.
func (s *crowds) join(to server) (c *crowd, epoch int, t *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	c = s.of[to]
	if c == nil {
		if len(s.of) >= maxCrowds {
			s.forget(now)
		}
		c = &crowd{}
		s.of[to] = c
	} else if c.isIdle() && now.After(c.until) {
		*c = crowd{}
	}
	if c.limit == 0 || c.inFlight < c.limit && len(c.line) == 0 {
		c.inFlight++
		return c, c.epoch, nil
	}
	t = &turn{granted: make(chan bool, 1)}
	c.line = append(c.line, t)
	return c, 0, t
}

// isIdle reports whether no request is sent or waits.
func (c *crowd) isIdle() bool { return c.inFlight == 0 && len(c.line) == 0 }

// forget removes origins without requests: those whose limit has ended or, if there are none, all.
func (s *crowds) forget(now time.Time) {
	before := len(s.of)
	for at, c := range s.of {
		if c.isIdle() && now.After(c.until) {
			delete(s.of, at)
		}
	}
	if len(s.of) < before {
		return
	}
	for at, c := range s.of {
		if c.isIdle() {
			delete(s.of, at)
		}
	}
}

// wait waits for a turn. It returns false if ctx ends first, or if the turn is not granted.
func (s *crowds) wait(ctx context.Context, c *crowd, t *turn) bool {
	select {
	case ok := <-t.granted:
		return ok
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case ok := <-t.granted:
		if ok {
			c.inFlight--
		}
	default:
		c.line = slices.DeleteFunc(c.line, func(other *turn) bool { return other == t })
	}
	c.pump()
	return false
}

// pause delays a turn: an answer is not asked for again at once, though others were answered
// meanwhile. It returns false if ctx ends first.
func (s *crowds) pause(ctx context.Context, c *crowd, left time.Duration) bool {
	if left <= 0 {
		return true
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.inFlight--
	c.pump()
	return false
}

// result is the result of sending a request.
type result struct {
	sign
	epoch int  // of its crowd when it was sent
	n     int  // how often it was sent before
	over  bool // it must not be sent again
	// few is true for HTTP/1.1, which sends few requests at a time: there a refusal before any
	// answer has another cause than the crowd, and is not worth the wait for the others.
	few bool
}

// leave takes the result of a request. It returns a turn to send the request again, or nil.
func (s *crowds) leave(c *crowd, a *Ask, r result) (next *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	crowded := c.inFlight > 1
	c.inFlight--
	switch {
	case r.sign != signNone && r.epoch == c.epoch && crowded:
		c.refuse(a, r.sign)
	case r.sign != signNone:
	case c.several: // those in flight are as many as it bears
		c.answered = true
		c.lower(c.inFlight+1, c.inFlight+2)
	default:
		c.answered = true
		if c.good++; c.limit > 0 && c.good >= c.limit && c.limit+1 < c.refuses {
			c.limit, c.good = c.limit+1, 0
		}
	}
	if r.over || !r.mayRepeat(c, a, crowded) {
		c.pump()
		return nil
	}
	next = &turn{again: r.sign == signCrowded, granted: make(chan bool, 1)}
	c.line = append(c.line, next)
	c.pump()
	return next
}

// refuse takes a refusal, and lowers the limit. One request alone that is refused, while all others
// are answered, says nothing about the crowd. Neither do refusals of an origin that has answered
// nothing yet: its first answer will tell.
func (c *crowd) refuse(a *Ask, shown sign) {
	many := c.inFlight + 1
	if shown == signCrowded {
		if c.refused == nil {
			c.refused = a
		}
		switch {
		case c.limit > 0 && many > c.limit/2 && c.refused == a: // it grew by one too many
			c.lower(c.limit-1, c.limit)
			return
		case c.refused == a:
			return
		case !c.answered:
			c.several = true
			return
		}
	}
	c.lower(many/2, many)
}

// lower sets a limit. refuses is the number of requests at a time that were too many.
func (c *crowd) lower(limit, refuses int) {
	c.limit, c.refuses = max(1, limit), max(2, refuses)
	c.good, c.until, c.refused, c.several = 0, time.Now().Add(crowdTime), nil, false
	c.epoch++
}

// mayRepeat reports whether a request may be sent again.
func (r result) mayRepeat(c *crowd, a *Ask, crowded bool) bool {
	switch r.sign {
	case signUnprocessed:
		return r.n < maxUnprocessed
	case signCrowded:
		most := maxCrowded
		if c.refused == a {
			most = maxAlone
		}
		return crowded && r.n < most && (c.answered || !r.few)
	}
	return false
}

// pump grants turns as far as the limit permits. If nothing is in flight and the origin has answered
// nothing, the turns of refused requests end: the origin is down, and no crowd is the cause.
func (c *crowd) pump() {
	waiting := c.line[:0]
	for _, t := range c.line {
		switch {
		case t.again && !c.answered && c.inFlight > 0, c.limit > 0 && c.inFlight >= c.limit:
			waiting = append(waiting, t)
		case t.again && !c.answered:
			t.granted <- false
		default:
			c.inFlight++
			t.epoch = c.epoch
			t.granted <- true
		}
	}
	clear(c.line[len(waiting):])
	c.line = waiting
}

// signOf returns what a result shows about the crowd.
func signOf(resp *http.Response, err error) sign {
	if err != nil {
		e, ok := errors.AsType[*wayfind.Error](err)
		switch {
		case isUnprocessed(err):
			return signUnprocessed
		case ok && e.Op == opHeaders && isConnFailure(err):
			return signCrowded
		}
		return signNone
	}
	switch {
	case isWall(resp):
	case resp.StatusCode == http.StatusTooManyRequests:
		return signThrottled
	case resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") == "":
		return signCrowded
	}
	return signNone
}
