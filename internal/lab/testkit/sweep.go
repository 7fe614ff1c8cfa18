package testkit

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	// SweepDomains is the environment variable with the number of domains.
	SweepDomains = "WAYFIND_SWEEP_DOMAINS"
	// SweepFew is the default of SweepDomains.
	SweepFew = "5000"
)

// These are the limits of a process that asks 64 domains at a time.
const (
	// SweepMemory is the maximum of its memory.
	SweepMemory = 96 << 20
	// SweepGrowth is the maximum number of bytes by which it may grow for each domain.
	SweepGrowth = 50
)

// Sweep serves all domains below "example" to the command wayfind, from the process of a test,
// and measures the memory of the command while it asks them. Sweep is also the proxy for these
// domains, because --connect-to would need a flag for each domain.
type Sweep struct {
	proxy net.Listener
	ca    string // a file
	sites chan net.Conn
	ended chan struct{}
	once  sync.Once
	asked atomic.Int64
}

// StartSweep starts to serve on loopback until the end of the test.
func StartSweep(tb testing.TB) *Sweep {
	tb.Helper()
	proxy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	o := &Sweep{proxy: proxy, ca: filepath.Join(tb.TempDir(), "ca.pem"), sites: make(chan net.Conn), ended: make(chan struct{})}
	server := httptest.NewUnstartedServer(http.HandlerFunc(sweepSite))
	_ = server.Listener.Close()
	server.Listener = o
	server.TLS = &tls.Config{Certificates: []tls.Certificate{o.certificate(tb)}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.EnableHTTP2 = true
	server.StartTLS()
	go o.lead()
	tb.Cleanup(func() {
		_ = o.Close()
		server.Close()
	})
	return o
}

// certificate returns a self-signed certificate for all domains.
func (o *Sweep) certificate(tb testing.TB) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"*.example"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(o.ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		tb.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// Accept implements net.Listener, for the server of the sites.
func (o *Sweep) Accept() (net.Conn, error) {
	select {
	case c := <-o.sites:
		return c, nil
	case <-o.ended:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (o *Sweep) Close() error {
	o.once.Do(func() { close(o.ended) })
	return o.proxy.Close()
}

// Addr implements net.Listener.
func (o *Sweep) Addr() net.Addr { return o.proxy.Addr() }

// lead passes the connections of the proxy to the sites.
func (o *Sweep) lead() {
	for {
		c, err := o.proxy.Accept()
		if err != nil {
			return
		}
		go func() {
			if r, err := http.ReadRequest(bufio.NewReaderSize(c, 16)); err != nil || r.Method != http.MethodConnect {
				_ = c.Close()
				return
			}
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
			o.asked.Add(1)
			select {
			case o.sites <- c:
			case <-o.ended:
				_ = c.Close()
			}
		}()
	}
}

// sweepSite serves each domain. One domain in seven is empty.
func sweepSite(w http.ResponseWriter, r *http.Request) {
	name, _, _ := strings.Cut(r.Host, ".")
	if n, _ := strconv.Atoi(name[1:]); r.URL.Path != "/llms.txt" || n%7 == 0 {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/markdown")
	fmt.Fprintf(w, "# %s\n\n> A site with some pages.\n\n## Docs\n\n", r.Host)
	for i := range 20 {
		fmt.Fprintf(w, "- [Page %d](/pages/%d.md): a page about the number %d\n", i, i, i)
	}
}

// SweepList writes a list of domains, each with its own site.
func SweepList(tb testing.TB, domains int) (file string) {
	tb.Helper()
	var text bytes.Buffer
	for i := range domains {
		fmt.Fprintf(&text, "d%d.example\n", i)
	}
	file = filepath.Join(tb.TempDir(), "list.txt")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		tb.Fatal(err)
	}
	return file
}

// Flags returns the flags with which the command reaches the domains.
func (o *Sweep) Flags() []string {
	return []string{
		"--unsafe-proxy", "http://" + o.Addr().String(), "--cacert", o.ca, "--formats", "llmstxt,agentsmd,adp",
		"--contact", "sweep@example.com", "--in-flight", "64",
	}
}

// MemoryGrowth is the memory of a process that has asked domains.
type MemoryGrowth struct {
	// Slope is the number of bytes by which the resident memory grew for each domain, after the
	// first tenth of the domains. It is the slope of the line through all samples.
	Slope float64
	// Peak is the maximum memory.
	Peak int64
	// Took is the elapsed time, and CPU the time of the processors.
	Took, CPU time.Duration
}

// longList is the length of a list from which Slope is checked. In a shorter list Slope
// measures caches that fill.
const longList = 20_000

// sweepTries is the maximum number of processes that are measured until one keeps the limits.
// On a busy machine the garbage collector runs late, which increases the memory.
const sweepTries = 3

// Check runs commands that ask domains, until the memory of one keeps the limits.
func (o *Sweep) Check(tb testing.TB, domains int, command func() *exec.Cmd) {
	tb.Helper()
	for try := 1; ; try++ {
		g := o.Run(tb, command(), domains)
		tb.Logf("%d domains in %v with %v of CPU: %.1f bytes for each after the first tenth, at most %.1f MiB",
			domains, g.Took.Round(time.Second), g.CPU.Round(time.Second/10), g.Slope, float64(g.Peak)/(1<<20))
		switch grown := domains >= longList && g.Slope > SweepGrowth; {
		case !grown && g.Peak <= SweepMemory:
			return
		case try == sweepTries:
			tb.Errorf("the process grew by %.1f bytes per domain and took %d MiB; the limits are %d and %d", g.Slope, g.Peak>>20, SweepGrowth, SweepMemory>>20)
			return
		}
	}
}

// Run runs a command that asks domains, and measures its memory. The test is skipped on systems
// without /proc.
func (o *Sweep) Run(tb testing.TB, cmd *exec.Cmd, domains int) MemoryGrowth {
	tb.Helper()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		tb.Skip("this system does not report the memory of a process")
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	before, began := o.asked.Load(), time.Now()
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var fit line
	var g MemoryGrowth
	for {
		select {
		case err := <-ended:
			g.Slope, g.Took = fit.slope(), time.Since(began)
			if asked := o.asked.Load() - before; err != nil || asked < int64(domains) || fit.n < 10 {
				tb.Fatalf("%v after %d domains and %.0f samples: %s", err, asked, fit.n, &said)
			}
			g.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			return g
		case <-time.After(20 * time.Millisecond):
		}
		now, most, err := memory(cmd.Process.Pid)
		if err != nil {
			continue // the process has ended
		}
		g.Peak = max(g.Peak, most)
		if asked := o.asked.Load() - before; asked >= int64(domains)/10 {
			fit.add(float64(asked), float64(now))
		}
	}
}

// memory returns the resident memory of a process, now and at most.
func memory(pid int) (now, most int64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(text)) {
		var kilobytes int64
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kilobytes); n == 1 {
			now = kilobytes << 10
		}
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kilobytes); n == 1 {
			most = kilobytes << 10
		}
	}
	if now == 0 {
		return 0, 0, errors.New("it has no memory")
	}
	return now, most, nil
}

// line is a line through points by least squares.
type line struct{ n, x, y, xx, xy float64 }

func (l *line) add(x, y float64) {
	l.n++
	l.x += x
	l.y += y
	l.xx += x * x
	l.xy += x * y
}

func (l *line) slope() float64 {
	d := l.n*l.xx - l.x*l.x
	if d == 0 {
		return 0
	}
	return (l.n*l.xy - l.x*l.y) / d
}
