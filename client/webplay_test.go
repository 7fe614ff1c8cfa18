package client_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// The set-ups of ordinary hosting that others and samples/web describe, and how they answer.

// hostings are the set-ups of a file, and the texts that they name.
type hostings struct {
	Bodies map[string]string `json:"bodies"`
	Setups []*hosting        `json:"setups"`
	docs   map[string]string // what a site publishes, by name
}

// hosting is one set-up: the rules of a server, and what its users publish.
type hosting struct {
	ID     string            `json:"id"`
	Class  string            `json:"class"`
	Domain string            `json:"domain"` // default ID-shop.com
	Rules  []hostingRule     `json:"rules"`
	Red    int               `json:"red"`   // status of the redirect from the bare name to www
	RedTo  string            `json:"redto"` // its Location; default the same path
	RedH   map[string]string `json:"redh"`
	Mime   map[string]string `json:"mime"` // media types by extension
	FileH  map[string]string `json:"fileh"`
	Pub    []struct {
		Path string            `json:"path"`
		Doc  string            `json:"doc"`
		CT   *string           `json:"ct"`
		H    map[string]string `json:"h"`
	} `json:"pub"`
	Expect map[string]string `json:"expect"` // by state
	Proto  hostingProtocol   `json:"proto"`
	States string            `json:"states"` // default "i ii iii"
}

// hostingRule answers the requests that it matches. The first rule that matches answers.
type hostingRule struct {
	M     string            `json:"m"`     // "" all, "=/p", "^/p", "~expression"
	Host  string            `json:"host"`  // "" both names of the site, or a name
	Acc   string            `json:"acc"`   // a text in Accept
	Files bool              `json:"files"` // the published files
	St    int               `json:"st"`
	CT    *string           `json:"ct"`
	H     map[string]string `json:"h"`
	B     string            `json:"b"` // a text, or @name of one
	To    string            `json:"to"`
	Act   string            `json:"act"` // stall
}

// hostingProtocol is how a server speaks, and how much it bears.
type hostingProtocol struct {
	H1         bool   `json:"h1"`
	CloseAll   bool   `json:"closeall"`
	MaxStreams int    `json:"maxstreams"`
	Cert       string `json:"cert"`
	RSA        string `json:"rsa"`
	Parallel   int    `json:"parallel"` // more at a time get LimitSt
	Burst      int    `json:"burst"`    // more in a second get LimitSt
	LimitSt    int    `json:"limitst"`  // 0: a reset
	LimitRA    string `json:"limitra"`
	MS         int    `json:"ms"`
	ColdMS     int    `json:"coldms"` // no answer until the first request has waited for so long
	V6         string `json:"v6"`     // "refuse", "hole"
	Gzip       bool   `json:"gzip"`
}

// readHostings reads the published set-ups, or the samples.
func readHostings(t *testing.T) *hostings {
	t.Helper()
	dir := golden.Web(t)
	h := &hostings{docs: map[string]string{}}
	if err := json.Unmarshal(golden.Read(t, filepath.Join(dir, "setups.json")), h); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(filepath.Join(dir, "docs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name, _, _ := strings.Cut(f.Name(), ".")
		h.docs[name] = string(golden.Read(t, filepath.Join(dir, "docs", f.Name())))
	}
	return h
}

// states are the states of a set-up: i nothing is published, ii at the name that is asked, iii at
// www, to which the bare name redirects, iv the same redirect and nothing.
func (s *hosting) states() []string {
	list := strings.Fields(cmp.Or(s.States, "i ii iii"))
	if slices.Contains(list, "iii") {
		list = append(list, "iv")
	}
	return list
}

// expected is the judgement of a state. With nothing published, a redirect changes nothing.
func (s *hosting) expected(state string) string {
	if value := corrected[s.ID+" "+state]; value != "" {
		return value
	}
	if state == "iv" {
		state = "i"
	}
	return s.Expect[state]
}

// play is a set-up in one state.
type play struct {
	*hosting
	texts           *hostings
	state           string
	apex, www, site string // the two names, and the one that has the files

	mu       sync.Mutex
	inFlight int
	inWindow int
	window   time.Time
	warm     time.Time
	log      []string        // host and path of each request
	expired  map[string]bool // those whose answers are not to be kept
	led      bool            // a rule has answered with a redirect
}

func newPlay(texts *hostings, s *hosting, state, domain string) *play {
	domain = cmp.Or(domain, s.Domain, s.ID+"-shop.com")
	p := &play{hosting: s, texts: texts, state: state, apex: domain, www: "www." + domain, site: domain, expired: map[string]bool{}}
	if p.redirects() {
		p.site = p.www
	}
	return p
}

func (p *play) redirects() bool { return p.state == "iii" || p.state == "iv" }
func (p *play) published() bool { return p.state == "ii" || p.state == "iii" }

// names are the hosts of the set-up: the site, and those that its rules answer for.
func (p *play) names() []string {
	list := []string{p.apex, p.www}
	for _, rule := range p.Rules {
		if name := p.fill(rule.Host, p.apex, nil); name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// taken returns the requests since the last call.
func (p *play) taken() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	log := p.log
	p.log = nil
	return log
}

// ServeHTTP answers for all hosts of the set-up, as far as it bears.
func (p *play) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	over, wait := p.enter(r)
	defer p.leave()
	if wait > 0 {
		time.Sleep(wait)
	}
	switch {
	case over && p.Proto.LimitSt == 0:
		panic(http.ErrAbortHandler)
	case over:
		if p.Proto.LimitRA != "" {
			w.Header().Set("Retry-After", p.Proto.LimitRA)
		}
		http.Error(w, "too many requests", p.Proto.LimitSt)
		return
	}
	if p.Proto.CloseAll {
		w.Header().Set("Connection", "close")
	}
	p.answer(w, r)
	if slices.ContainsFunc([]string{"max-age=0", "no-store", "no-cache"}, func(s string) bool { return strings.Contains(w.Header().Get("Cache-Control"), s) }) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.expired[r.Host+r.URL.RequestURI()] = true
	}
}

// enter counts a request in. It reports whether the server bears it, and for how long it waits.
func (p *play) enter(r *http.Request) (over bool, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log = append(p.log, r.Host+r.URL.RequestURI())
	p.inFlight++
	now := time.Now()
	if p.warm.IsZero() {
		p.warm = now.Add(time.Duration(p.Proto.ColdMS) * time.Millisecond)
	}
	if now.Sub(p.window) > time.Second {
		p.window, p.inWindow = now, 0
	}
	p.inWindow++
	over = p.Proto.Parallel > 0 && p.inFlight > p.Proto.Parallel || p.Proto.Burst > 0 && p.inWindow > p.Proto.Burst
	wait = max(p.warm.Sub(now), 0) + time.Duration(p.Proto.MS)*time.Millisecond
	if p.Proto.Parallel > 0 && !over {
		wait += 40 * time.Millisecond
	}
	return over, wait
}

func (p *play) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inFlight--
}

// answer is the answer of the first rule that matches.
func (p *play) answer(w http.ResponseWriter, r *http.Request) {
	host := strings.ToLower(r.Host)
	if p.redirects() && host == p.apex {
		p.header(w, r, p.RedH)
		w.Header().Set("Location", p.fill(cmp.Or(p.RedTo, "https://{www}{uri}"), host, r.URL))
		w.Header().Set("Content-Type", "text/html")
		p.write(w, cmp.Or(p.Red, http.StatusMovedPermanently), "<html><head><title>Moved</title></head><body>Moved</body></html>")
		return
	}
	for _, rule := range p.Rules {
		switch {
		case !p.matches(rule, host, r):
		case rule.Files:
			if p.published() && p.file(w, r) {
				return
			}
		case rule.Act == "stall":
			<-r.Context().Done()
			return
		default:
			p.apply(w, r, rule)
			return
		}
	}
	w.Header().Set("Content-Type", "text/html")
	p.write(w, http.StatusNotFound, "<html><head><title>404 Not Found</title></head><body><h1>404 Not Found</h1></body></html>")
}

func (p *play) matches(rule hostingRule, host string, r *http.Request) bool {
	if of := p.fill(rule.Host, host, nil); of == "" && host != p.apex && host != p.www || of != "" && of != host {
		return false
	}
	if !strings.Contains(r.Header.Get("Accept"), rule.Acc) {
		return false
	}
	kind, rest := rule.M[:min(1, len(rule.M))], rule.M[min(1, len(rule.M)):]
	switch kind {
	case "=":
		return r.URL.Path == rest
	case "^":
		return strings.HasPrefix(r.URL.Path, rest)
	case "~":
		return regexp.MustCompile(rest).MatchString(r.URL.Path)
	}
	return true
}

// apply answers as a rule says.
func (p *play) apply(w http.ResponseWriter, r *http.Request, rule hostingRule) {
	p.header(w, r, rule.H)
	if rule.To != "" {
		p.mu.Lock()
		p.led = true
		p.mu.Unlock()
		w.Header().Set("Location", p.fill(rule.To, r.Host, r.URL))
	}
	contentType(w, rule.CT)
	body := rule.B
	if name, ok := strings.CutPrefix(body, "@"); ok {
		body = p.texts.Bodies[name]
	}
	p.write(w, cmp.Or(rule.St, http.StatusOK), p.fill(body, r.Host, r.URL))
}

// file answers with a published file. It reports whether there is one.
func (p *play) file(w http.ResponseWriter, r *http.Request) bool {
	for _, f := range p.Pub {
		if r.URL.Path != f.Path {
			continue
		}
		byExtension := map[string]string{".json": "application/json", ".txt": "text/plain; charset=utf-8", ".md": "text/markdown; charset=utf-8"}
		extension := filepath.Ext(filepath.Base(strings.TrimLeft(f.Path, ".")))
		media, ok := p.Mime[extension]
		if !ok {
			media = cmp.Or(byExtension[extension], "application/octet-stream")
		}
		contentType(w, cmp.Or(f.CT, &media))
		p.header(w, r, p.FileH)
		p.header(w, r, f.H)
		p.write(w, http.StatusOK, p.fill(p.texts.docs[f.Doc], r.Host, r.URL))
		return true
	}
	return false
}

func (p *play) header(w http.ResponseWriter, r *http.Request, fields map[string]string) {
	for name, value := range fields {
		w.Header()[name] = []string{p.fill(value, r.Host, r.URL)}
	}
}

// contentType sets a media type. An empty one sends none.
func contentType(w http.ResponseWriter, media *string) {
	switch {
	case media == nil:
	case *media == "":
		w.Header()["Content-Type"] = nil
	default:
		w.Header().Set("Content-Type", *media)
	}
}

func (p *play) write(w http.ResponseWriter, status int, body string) {
	out := []byte(body)
	if p.Proto.Gzip && body != "" {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(out)
		_ = z.Close()
		out = b.Bytes()
		w.Header().Set("Content-Encoding", "gzip")
	}
	w.WriteHeader(status)
	_, _ = w.Write(out) // a client that left needs no answer
}

// fill replaces the names in braces in a text of the table.
func (p *play) fill(text, host string, u *url.URL) string {
	if !strings.Contains(text, "{") {
		return text
	}
	if u == nil {
		u = &url.URL{}
	}
	return strings.NewReplacer("{host}", host, "{apex}", p.apex, "{www}", p.www, "{site}", p.site, "{id}", p.ID,
		"{uri}", u.RequestURI(), "{path}", u.Path, "{lower}", strings.ToLower(u.RequestURI()), "{rand}", fmt.Sprint(time.Now().UnixNano()%1e9)).Replace(text)
}

// corrected are expected values of the handed table that are wrong.
var corrected = map[string]string{
	// The certificate is for www alone, and both names have one server: no answer to the bare name can be
	// believed, so no client knows that nothing is there. The value is derived from state i, where one is.
	"tls-wwwonly iv": "unreachable|hint",
}
