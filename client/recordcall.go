package client

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind/internal/act/jsonrpc"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/parse"
)

// callExchange returns the record of a request of a call or of a conversation; nil if its result is
// no fact about the site.
func callExchange(t *discover.Talk, now time.Time) *Exchange {
	x := &Exchange{Status: t.Status, Header: recordedHeader(t.Header, now, t.Secrets)}
	if t.Err != nil {
		if x = failedExchange(t.Err, now); x == nil {
			return nil
		}
	} else {
		x.Body = recordedAnswer(t.Header.Get("Content-Type"), t.Body, t.Secrets)
	}
	shown := *t.URL
	shown.Fragment, shown.RawFragment = "", ""
	x.Method, x.URL = t.Method, t.Secrets.Show(shown.String(), secret.Wire, 0)
	x.Request = recordedRequest(t.Secrets.ShowBytes(t.Request, secret.WireBytes)).text
	return x
}

// callBody is the body of a request in the form by which its answer is found: without secrets, and
// without what each client makes anew.
type callBody struct {
	text []byte
	// id and method belong to a request in JSON-RPC; rpc is true for any message of JSON-RPC.
	id     parse.Raw
	method string
	rpc    bool
}

// recordedRequest returns the form of a body. Members of JSON are sorted. A message of JSON-RPC has
// no id and no metadata. The form of a form is itself.
func recordedRequest(body []byte) (s callBody) {
	root, err := (&parse.Input{Body: body}).JSON()
	switch {
	case len(body) == 0:
	case err != nil:
		s.text = bytes.TrimRight(recordedText(withoutBoundary(body)), "\r\n") // an editor adds a line end
	case isRPC(root):
		s.rpc = true
		s.method, _ = root.Get("method").Str()
		members := []rawjson.Member{{Name: "jsonrpc", Value: rawjson.Quote("2.0")}}
		for _, name := range []string{"method", "params", "result", "error"} {
			value := root.Get(name)
			if value.Exists() && (name != "params" || s.method != "initialize" && s.method != "server/discover") {
				members = append(members, rawjson.Member{Name: name, Value: (&scrubber{request: true}).value("", value)})
			}
		}
		if id := root.Get("id"); id.Exists() && s.method != "" {
			s.id = parse.Raw(id.Raw())
		}
		s.text = rawjson.Obj(members...)
	default:
		s.text = (&scrubber{request: true}).value("", root)
	}
	return s
}

// isRPC reports whether a value is a message of JSON-RPC 2.0.
func isRPC(root parse.Node) bool {
	version, _ := root.Get("jsonrpc").Str()
	return version == "2.0"
}

// withoutBoundary replaces the boundary of a multipart body (RFC 2046 §5.1.1), which each client
// makes anew.
func withoutBoundary(body []byte) []byte {
	line, _, _ := bytes.Cut(body, []byte("\r\n"))
	if bytes.HasPrefix(line, []byte("--")) && bytes.HasSuffix(bytes.TrimSpace(body), append(slices.Clone(line), "--"...)) {
		return bytes.ReplaceAll(body, line, []byte("--boundary"))
	}
	return body
}

// recordedText removes secrets from a text that is not JSON. Parameters of a form are treated like
// parameters of a URL.
func recordedText(body []byte) []byte {
	if !utf8.Valid(body) {
		return body
	}
	return []byte(strings.TrimPrefix(secret.Message{}.URL("?"+string(body)), "?"))
}

// recordedAnswer takes secrets out of the body of an answer. A body without secrets stays as it is.
func recordedAnswer(contentType string, body []byte, secrets secret.Veil) []byte {
	body = secrets.ShowBytes(body, secret.WireBytes)
	if !strings.HasPrefix(contentType, "text/event-stream") {
		return recordedDocument(body)
	}
	return eachEvent(body, recordedDocument)
}

// eachEvent applies a function to the data of each event whose data is one line.
func eachEvent(stream []byte, change func([]byte) []byte) []byte {
	var out []byte
	for line := range bytes.Lines(stream) {
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		if ok {
			plain := bytes.TrimSpace(data)
			line = append(append([]byte("data: "), change(plain)...), data[len(bytes.TrimRight(data, "\r\n")):]...)
		}
		out = append(out, line...)
	}
	return out
}

func recordedDocument(body []byte) []byte {
	root, err := (&parse.Input{Body: body}).JSON()
	if err != nil {
		return recordedText(body)
	}
	s := &scrubber{}
	if clean := s.value("", root); s.changed {
		return clean
	}
	return body
}

// scrubber takes secrets out of a JSON value, by the rule for recordings: what looks like a secret,
// and every text and number under the name of one. Objects and arrays under such a name stay,
// because a schema may describe a password.
type scrubber struct {
	request bool // members are sorted, and what each client makes anew is left out
	changed bool
}

func (s *scrubber) value(name string, n parse.Node) parse.Raw {
	switch n.Kind() {
	case parse.Object:
		var members []rawjson.Member
		for member, value := range n.Members() {
			if !s.request || !isMadeAnew(member) {
				members = append(members, rawjson.Member{Name: member, Value: s.value(member, value)})
			}
		}
		if s.request {
			slices.SortFunc(members, func(a, b rawjson.Member) int { return cmp.Compare(a.Name, b.Name) })
		}
		return rawjson.Obj(members...)
	case parse.Array:
		var items []parse.Raw
		for _, item := range n.Items() {
			items = append(items, s.value(name, item))
		}
		return rawjson.Arr(items...)
	case parse.String:
		plain, _ := n.Str()
		clean := secret.Message{Private: s.request}.Text(plain) // an answer may describe a password
		if plain != "" && secret.Keeps(name) {
			clean = secret.RecordedMark
		}
		if clean != plain {
			s.changed = true
			return rawjson.Quote(clean)
		}
	case parse.Number:
		if secret.Keeps(name) && string(n.Raw()) != "0" {
			s.changed = true
			return rawjson.QuoteInt(0)
		}
	}
	return parse.Raw(n.Raw())
}

// isMadeAnew reports whether each client makes the value of a member anew: metadata of MCP, the ID
// of a message of A2A, and the key of a repetition.
func isMadeAnew(member string) bool {
	return member == "_meta" || slices.Contains(madeAnew, strings.ToLower(wordMarks.Replace(member)))
}

// wordMarks leaves the letters of a name.
var wordMarks = strings.NewReplacer("-", "", "_", "")

var madeAnew = []string{"messageid", "idempotencykey"}

// exchangeKey identifies a request. A document has no method.
type exchangeKey struct{ url, method, body string }

func (x *Exchange) key() exchangeKey { return exchangeKey{x.URL, x.Method, string(x.Request)} }

// compare orders exchanges.
func (k exchangeKey) compare(other exchangeKey) int {
	return cmp.Or(cmp.Compare(k.url, other.url), cmp.Compare(k.method, other.method), cmp.Compare(k.body, other.body))
}

// Answer returns the result of a request with any method, or nil if it is not recorded. If the
// request is a message of JSON-RPC, the answer has its id, and a session, metadata and the client's
// description of itself do not count. At the URL of a recorded conversation, a request that is not
// recorded is answered in its protocol: a notification is accepted, "ping" has its result, and the
// error for any other request says that it is not in the recording.
func (r *Recording) Answer(method, u string, body []byte) *Exchange {
	u = secret.Message{}.URL(u)
	q := recordedRequest(body)
	r.mu.Lock()
	defer r.mu.Unlock()
	if x := r.byKey[exchangeKey{u, method, string(q.text)}]; x != nil {
		return x.to(q)
	}
	if method == http.MethodGet || method == http.MethodHead {
		x := r.byKey[exchangeKey{url: u}]
		if x == nil {
			x = r.byKey[exchangeKey{url: u, method: http.MethodGet}]
		}
		if x != nil || !r.rpc[u] {
			return x
		}
	}
	switch {
	case !r.rpc[u]:
		return nil
	case method != http.MethodPost:
		return &Exchange{URL: u, Method: method, Status: http.StatusMethodNotAllowed, Header: http.Header{"Allow": {http.MethodPost}}}
	case q.rpc && q.id == nil:
		return &Exchange{URL: u, Method: method, Status: http.StatusAccepted, Header: http.Header{}}
	case !q.rpc:
		return nil
	}
	answer := jsonrpc.Result(q.id, rawjson.Obj())
	if q.method != "ping" {
		answer = jsonrpc.Failure(q.id, jsonrpc.MethodNotFound, "this request is not in the recording: "+string(q.text))
	}
	return &Exchange{URL: u, Method: method, Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: answer}
}

// to returns the exchange as the answer to a request: in JSON-RPC with its id.
func (x *Exchange) to(q callBody) *Exchange {
	if q.id == nil || x.Failure != nil {
		return x
	}
	own := *x
	if strings.HasPrefix(x.Header.Get("Content-Type"), "text/event-stream") {
		own.Body = eachEvent(x.Body, q.answered)
	} else {
		own.Body = q.answered(x.Body)
	}
	return &own
}

// answered gives a message the id of the request if it is an answer.
func (q callBody) answered(message []byte) []byte {
	root, err := (&parse.Input{Body: message}).JSON()
	if err != nil || !isRPC(root) || root.Get("method").Exists() || !root.Get("id").Exists() {
		return message
	}
	var members []rawjson.Member
	for name, value := range root.Members() {
		raw := parse.Raw(value.Raw())
		if name == "id" {
			raw = q.id
		}
		members = append(members, rawjson.Member{Name: name, Value: raw})
	}
	return rawjson.Obj(members...)
}

// callNames returns the names of the files with the request, "" if it has no body, and its answer.
func (x *Exchange) callNames() (request, answer string) {
	u, err := url.Parse(x.URL)
	if err != nil {
		u = &url.URL{} // such a URL is never requested
	}
	sum := sha256.Sum256([]byte(x.Method + " " + x.URL + "\n" + string(x.Request)))
	stem := fileSlug("", u.Host, "host") + "/" + strings.ToLower(x.Method) + "-" + callSlug(u.Path) + "~" + hex.EncodeToString(sum[:8])
	if len(x.Request) > 0 {
		request = stem + ".request"
	}
	return request, stem + ".http"
}

// callSlug makes a readable part of a name, which need not be unique.
func callSlug(path string) string {
	slug, _, _ := strings.Cut(fileSlug("", strings.TrimPrefix(path, "/"), "index"), "~")
	return slug
}
