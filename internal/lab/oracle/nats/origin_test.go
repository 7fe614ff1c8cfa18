package nats

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// internet is a server for the domains of a crawl, which records all requests. The beginning of
// a domain's name is its kind.
type internet struct {
	*httptest.Server
	ca    string // a file
	began time.Time
	dates bool // Retry-After contains a date

	retryAfter float64 // in seconds

	mu    sync.Mutex
	trace *bufio.Writer
	file  *os.File
	away  map[string]time.Time // the time until which a domain answers "later"
}

// line is a line of the trace for checktrace.
type line struct {
	Host, Path string
	Worker     string
	At, Done   float64
	RetryAfter float64 `json:",omitempty"`
	Forbidden  bool    `json:",omitempty"`
	CrawlDelay float64 `json:",omitempty"`
	Rules      *rules  `json:",omitempty"`
}

type rules struct{ Pause, Rest, Cut, Slack, Lease float64 }

// These are the rules of the sites.
const (
	crawlDelay = 0.1 // in seconds, for sites named slow…
	retryAfter = 2   // in seconds, for domains named later…, once. It is shorter than a lease, because a worker may die before it reads it.
)

func newInternet(t testing.TB, r rules) *internet {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "trace.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	n := &internet{began: time.Now(), file: f, trace: bufio.NewWriter(f), away: map[string]time.Time{}, retryAfter: retryAfter, ca: filepath.Join(dir, "ca.pem")}
	n.write(line{Rules: &r})
	n.Server = httptest.NewUnstartedServer(n)
	n.TLS = n.certificates(t)
	n.EnableHTTP2 = true
	n.Config.ErrorLog = log.New(io.Discard, "", 0) // the log contains errors of clients that were killed
	n.StartTLS()
	t.Cleanup(n.Close)
	return n
}

// certificates returns a configuration that creates a certificate for each requested name.
func (n *internet) certificates(t testing.TB) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, ca, ca, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(n.ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		leaf := &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: []string{hello.ServerName}, NotBefore: ca.NotBefore, NotAfter: ca.NotAfter, KeyUsage: x509.KeyUsageDigitalSignature}
		der, err := x509.CreateCertificate(rand.Reader, leaf, ca, key.Public(), key)
		return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
	}}
}

// now returns the time since the start, in seconds.
func (n *internet) now() float64 { return time.Since(n.began).Seconds() }

func (n *internet) write(l line) {
	b, err := json.Marshal(l)
	if err != nil {
		panic(err)
	}
	_, _ = n.trace.Write(append(b, '\n')) // Flush returns the error
}

// ServeHTTP serves the sites.
func (n *internet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l := line{Host: r.Host, Path: r.URL.Path, Worker: regexp.MustCompile(`w[0-9]+-[0-9]+@`).FindString(r.UserAgent()), At: n.now()}
	n.answer(w, r, &l)
	n.mu.Lock()
	defer n.mu.Unlock()
	l.Done = n.now()
	n.write(l)
}

func (n *internet) answer(w http.ResponseWriter, r *http.Request, l *line) {
	_, site, _ := strings.Cut(r.Host, ".")
	bare := strings.HasPrefix(r.Host, "bare")
	switch {
	case strings.HasPrefix(r.Host, "later") && n.later(r.Host):
		l.RetryAfter = n.retryAfter
		w.Header().Set("Retry-After", fmt.Sprint(n.retryAfter))
		if n.dates {
			// A date has no fractions of a second.
			l.RetryAfter--
			w.Header().Set("Retry-After", time.Now().UTC().Add(n.wait()).Format(http.TimeFormat))
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	case r.URL.Path == "/robots.txt":
		fmt.Fprint(w, "User-agent: *\nDisallow: /agents.md\n")
		if bare {
			// An agents.md may be requested once an hour. If a worker died during the request,
			// the domain would remain without an answer for that time.
			fmt.Fprint(w, "Disallow: /.well-known/agents.md\n")
		}
		if strings.HasPrefix(site, "slow") {
			l.CrawlDelay = crawlDelay
			fmt.Fprintf(w, "Crawl-delay: %v\n", crawlDelay)
		}
	case r.URL.Path == "/agents.md", bare && r.URL.Path == "/.well-known/agents.md":
		l.Forbidden = true
		http.NotFound(w, r)
	case r.URL.Path == "/llms.txt" && !bare:
		w.Header().Set("Content-Type", "text/markdown")
		fmt.Fprintf(w, "# %s\n\n> A site.\n\n## Docs\n\n- [One](/one.md): first\n", r.Host)
	default:
		http.NotFound(w, r)
	}
}

// wait returns retryAfter.
func (n *internet) wait() time.Duration { return time.Duration(n.retryAfter * float64(time.Second)) }

// later reports whether a domain still answers "later", which it does from the first request on
// for the stated time.
func (n *internet) later(host string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	until, told := n.away[host]
	if !told {
		until = time.Now().Add(n.wait())
		n.away[host] = until
	}
	return time.Now().Before(until)
}

// close ends the trace and returns its file.
func (n *internet) close(t testing.TB) string {
	t.Helper()
	n.Close()
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.trace.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := n.file.Close(); err != nil {
		t.Fatal(err)
	}
	return n.file.Name()
}

// domains returns n names: of sites with one domain, and of sites with ten domains, some of
// which are slow. Some domains answer "later" first, and some are empty.
func domains(n int) []string {
	var names []string
	for i := range n {
		kind := "d"
		switch {
		case i%29 == 0:
			kind = "later"
		case i%7 == 0:
			kind = "bare"
		}
		site := fmt.Sprintf("own%d", i)
		switch i % 5 {
		case 0:
			site = fmt.Sprintf("site%d", i/50)
		case 1:
			if i%25 == 1 {
				site = fmt.Sprintf("slow%d", i/250)
			}
		}
		names = append(names, fmt.Sprintf("%s%d.%s-test.com", kind, i, site))
	}
	return names
}
