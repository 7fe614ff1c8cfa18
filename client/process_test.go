//go:build linux && !race

package client_test

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/security"
)

const (
	// processVar makes the test binary a process that only sends requests. Its value selects the
	// test; the two variables below contain the addresses of the sites and their certificate
	// authority.
	processVar     = "WAYFIND_CLIENT_TEST_PROCESS"
	processAddrVar = processVar + "_ADDR"
	processCAVar   = processVar + "_CA"

	// mostMemory is the maximum memory of a process with one Client.
	mostMemory = 512 << 20
	// largeSitesVar is the number of sites with twelve documents of 250 KiB each. The default is
	// 32. If all of their documents are read at the same time, they take twice mostMemory.
	largeSitesVar = "WAYFIND_LARGE_SITES"
	// smallSites have one document that is small.
	smallSites = 16
)

func largeSites(t *testing.T) int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv(largeSitesVar), "32"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// sweepFacts contains the results and the memory of the process that sends the requests.
type sweepFacts struct {
	Large, Small int // sites that were found
	Lost         []string
	Resident     int64 // the most memory it had, in bytes
	Seconds      float64
	SmallSeconds float64
}

// The limits apply to the process: dozens of sites with a dozen large documents cost a bounded
// amount of memory, and other sites, which answer at once, are all found. The memory is measured in
// a process that does nothing else.
func TestTheMemoryOfTheProcessIsBounded(t *testing.T) {
	if how := os.Getenv(processVar); how != "" {
		askAlone(t, how)
		return
	}
	testkit.Measured(t)
	for _, how := range []string{"ResolveAll", "Resolve"} {
		t.Run(how, func(t *testing.T) {
			got := leanest(t, how)
			if got.Resident > mostMemory {
				t.Errorf("the process took %d MiB, more than %d", got.Resident>>20, mostMemory>>20)
			}
			if got.Small != smallSites || got.Large != largeSites(t) {
				t.Errorf("found %d of %d small sites and %d of %d large ones; lost %v", got.Small, smallSites, got.Large, largeSites(t), got.Lost)
			}
		})
	}
}

// leanest returns the process that took the least memory, of the first ones up to one that keeps
// the bound. A busy machine runs the garbage collector late, which can only add to the memory of a
// process.
func leanest(t *testing.T, how string) (least sweepFacts) {
	const tries = 5
	for try := range tries {
		got := inProcess(t, how)
		t.Logf("%d MiB, %.1f s; the small sites after %.1f s", got.Resident>>20, got.Seconds, got.SmallSeconds)
		if try == 0 || got.Resident < least.Resident {
			least = got
		}
		if least.Resident <= mostMemory {
			break
		}
	}
	return least
}

// inProcess serves the sites, and lets a process of its own ask them.
func inProcess(t *testing.T, how string) sweepFacts {
	server := httptest.NewUnstartedServer(http.HandlerFunc(largeOrSmall))
	cert, ca := certificateFor(t, "*.example")
	server.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestTheMemoryOfTheProcessIsBounded$")
	cmd.Env = append(os.Environ(), processVar+"="+how, processAddrVar+"="+server.Listener.Addr().String(), processCAVar+"="+ca)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	line, _, _ := strings.Cut(string(out), "\n")
	var got sweepFacts
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return got
}

// largeOrSmall is the site of each host.
func largeOrSmall(w http.ResponseWriter, r *http.Request) {
	small := strings.HasPrefix(r.Host, "small")
	switch {
	case small && r.URL.Path == "/agent.json":
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, oneAction("/x"))
	case small, strings.HasSuffix(r.URL.Path, ".txt"), strings.HasSuffix(r.URL.Path, ".md"):
		http.NotFound(w, r)
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, largeDocument)
	}
}

// largeDocument takes ten times its size to read.
var largeDocument = `{"awp_version":"0.2","domain":"shop.example","intent":"x","actions":[],"agent_hints":{"a":[` + strings.Repeat("{},", 83_000) + `{}]}}`

// certificateFor is a certificate for a name, also as PEM.
func certificateFor(t *testing.T, name string) (tls.Certificate, string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// askAlone resolves all sites, and writes the results.
func askAlone(t *testing.T, how string) {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(os.Getenv(processCAVar)))
	sites := loopback{os.Getenv(processAddrVar), new(sync.WaitGroup)}
	opts := &client.Options{
		Network: client.Network{RootCAs: pool, Resolver: sites, Dial: sites.dial},
		Policy:  security.Guard{AllowCIDR: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
	}
	c, err := client.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var names []string
	for i := range largeSites(t) {
		names = append(names, fmt.Sprintf("large%d.example", i))
	}
	for i := range smallSites {
		names = append(names, fmt.Sprintf("small%d.example", i))
	}
	var got sweepFacts
	var mu sync.Mutex
	began := time.Now()
	count := func(name string, site *wayfind.Site, err error) {
		mu.Lock()
		defer mu.Unlock()
		if site != nil {
			name = site.Origin
		}
		small := strings.Contains(name, "small")
		switch {
		case err != nil || len(site.Services) == 0:
			got.Lost = append(got.Lost, fmt.Sprint(name, " ", err))
		case small:
			got.Small++
		default:
			got.Large++
		}
		if small {
			got.SmallSeconds = time.Since(began).Seconds()
		}
	}
	switch how {
	case "ResolveAll":
		for site, err := range c.ResolveAll(t.Context(), slices.Values(names), &client.BatchOptions{InFlight: len(names)}) {
			count("", site, err)
		}
	default:
		var callers sync.WaitGroup
		for _, name := range names {
			callers.Go(func() {
				site, err := c.Resolve(t.Context(), name)
				count(name, site, err)
			})
		}
		callers.Wait()
	}
	got.Seconds, got.Resident = time.Since(began).Seconds(), resident(t)
	if err := json.NewEncoder(os.Stdout).Encode(got); err != nil {
		t.Fatal(err)
	}
}

// resident is the most memory that this process has had, in bytes.
func resident(t *testing.T) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	t.Fatal("no VmHWM in /proc/self/status")
	return 0
}
