package cache_test

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// suiteOrigin is the origin server of the public suite, as its
// server/handle-test.mjs has it.
type suiteOrigin struct {
	mu    sync.Mutex
	tests map[string]*suiteStash // by the first segment of the path
}

// suiteStash is the state of the origin for one test.
type suiteStash struct {
	steps []*suiteStep
	sent  map[int][]suiteField // the fields of a step's answer, numbers resolved
	seen  []suiteSeen
}

// suiteSeen is one request that has reached the origin.
type suiteSeen struct {
	number int // of the step, as the client gave it
	method string
	header http.Header
	kept   []suiteField // fields that the client must get as they were sent
}

func (o *suiteOrigin) expect(test *suiteTest) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.tests == nil {
		o.tests = map[string]*suiteStash{}
	}
	o.tests[test.ID] = &suiteStash{steps: test.Requests, sent: map[int][]suiteField{}}
}

func (o *suiteOrigin) seen(test *suiteTest) []suiteSeen {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.tests[test.ID].seen)
}

// RoundTrip implements http.RoundTripper.
func (o *suiteOrigin) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return nil, err
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	id, _, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
	stash := o.tests[id]
	if stash == nil {
		return plainAnswer(req, http.StatusNotFound), nil
	}
	number, err := strconv.Atoi(req.Header.Get("Req-Num"))
	if err != nil || number < 1 || number > len(stash.steps) {
		return plainAnswer(req, http.StatusConflict), nil
	}
	return stash.answer(req, number, id)
}

func plainAnswer(req *http.Request, status int) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: http.NoBody, Request: req}
}

// answer gives the answer of a step and notes the request.
func (s *suiteStash) answer(req *http.Request, number int, id string) (*http.Response, error) {
	step := s.steps[number-1]
	status := s.status(req, number)
	now := time.Now()
	h := http.Header{}
	h.Set("Server-Base-Url", req.URL.RequestURI())
	h.Set("Server-Request-Count", strconv.Itoa(len(s.seen)+1))
	h.Set("Client-Request-Count", strconv.Itoa(number))
	h.Set("Server-Now", strconv.FormatInt(now.UnixMilli(), 10))
	if s.sent[number] == nil {
		for _, f := range step.ResponseHeaders {
			s.sent[number] = append(s.sent[number], f.resolve(step, now, req.URL.RequestURI()))
		}
	}
	seen := suiteSeen{number: number, method: req.Method, header: req.Header.Clone()}
	for _, f := range s.sent[number] {
		h.Add(f.Name, f.Value)
		if !f.Unkept {
			seen.kept = slices.DeleteFunc(seen.kept, func(k suiteField) bool { return k.Name == f.Name })
			seen.kept = append(seen.kept, suiteField{Name: f.Name, Value: joined(h, f.Name)})
		}
	}
	s.seen = append(s.seen, seen)
	var numbers []string
	for _, one := range s.seen {
		numbers = append(numbers, strconv.Itoa(one.number))
	}
	h.Set("Request-Numbers", strings.Join(numbers, " "))
	setDefault(h, "Content-Type", "text/plain")
	setDefault(h, "Date", now.UTC().Format(http.TimeFormat))
	if step.Disconnect {
		return nil, io.ErrUnexpectedEOF
	}
	return &http.Response{
		StatusCode: status, Header: h, Request: req, ContentLength: -1,
		Body: io.NopCloser(strings.NewReader(suiteBody(req, step, status, id, h))),
	}, nil
}

// suiteBody is the content of an answer, as far as its Content-Length goes.
func suiteBody(req *http.Request, step *suiteStep, status int, id string, h http.Header) string {
	if req.Method == http.MethodHead || status == http.StatusNoContent || status == http.StatusNotModified {
		return ""
	}
	body := id
	if step.ResponseBody != nil && *step.ResponseBody != "" {
		body = *step.ResponseBody
	}
	if n, err := strconv.Atoi(h.Get("Content-Length")); err == nil && n < len(body) {
		return body[:n]
	}
	return body
}

// suiteNoCondition is the status of the origin for a request that should have been conditional.
const suiteNoCondition = 999

// status returns the status of the step, or 304 if the step is about validation and the request
// carries a validator of the step before.
func (s *suiteStash) status(req *http.Request, number int) int {
	step := s.steps[number-1]
	if !strings.HasSuffix(step.ExpectedType, "validated") {
		if step.Status != nil {
			return step.Status.Code
		}
		return http.StatusOK
	}
	for _, f := range s.before(number) {
		condition := map[string]string{"last-modified": "If-Modified-Since", "etag": "If-None-Match"}[strings.ToLower(f.Name)]
		if condition != "" && f.Value != "" && joined(req.Header, condition) == f.Value {
			return http.StatusNotModified
		}
	}
	return suiteNoCondition
}

// before returns the fields of the step before, as they were sent if they were.
func (s *suiteStash) before(number int) []suiteField {
	if sent := s.sent[number-1]; sent != nil || number == 1 {
		return sent
	}
	return s.steps[number-2].ResponseHeaders
}

// resolve replaces relative values: numbers in fields that contain a date, and locations if the
// step wants it.
func (f suiteField) resolve(step *suiteStep, now time.Time, base string) suiteField {
	name := strings.ToLower(f.Name)
	switch name {
	case "date", "expires", "last-modified", "if-modified-since", "if-unmodified-since":
		if !f.IsNumber {
			break
		}
		layout := http.TimeFormat
		if slices.Contains(step.RFC850, name) {
			layout = "Monday, 02-Jan-06 15:04:05 GMT"
		}
		f.Value = now.Add(time.Duration(f.Seconds) * time.Second).UTC().Format(layout)
	case "location", "content-location":
		if step.MagicLocations && f.Value != "" {
			f.Value = base + "/" + f.Value
		} else if step.MagicLocations {
			f.Value = base
		}
	}
	return f
}

func setDefault(h http.Header, name, value string) {
	if len(h.Values(name)) == 0 {
		h.Set(name, value)
	}
}

// joined is a field's value as fetch() gives it: all lines in one.
func joined(h http.Header, name string) string { return strings.Join(h.Values(name), ", ") }
