//go:build linux && !race

package client_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/security"
)

// strangersVar makes TestCrowdOfStrangers measure all its crowds, each to its end.
const strangersVar = "WAYFIND_STRANGERS"

// strangers is a crowd of hostile sites that are requested together with healthy ones.
type strangers struct {
	Kind     string // a part of their names, which determines their documents
	Many     int
	ToTheEnd bool // the calls for them end by themselves
}

// strangersFacts contains the results of a process that resolved them.
type strangersFacts struct {
	Alone, Worst float64 // seconds until a healthy site was found
	Lost         []string
	Resident     int64
	Seconds      float64
}

// Beside a crowd of hostile sites healthy ones are found about as quickly as alone, and
// the memory of the process stays bounded. That is measured in a process of its own.
func TestCrowdOfStrangers(t *testing.T) {
	const most, mostBesideLarge, mostResident = 0.5, 3.0, 320 << 20
	if how := os.Getenv(processVar); how != "" {
		askStrangers(t, how)
		return
	}
	testkit.Measured(t)
	crowds := []strangers{{"drip", 8, false}}
	if os.Getenv(strangersVar) != "" {
		crowds = []strangers{{"drip", 4, true}, {"drip", 8, true}, {"drip", 64, true}, {"drip", 200, false}, {"plain", 200, false}, {"plain", 64, true}, {"large", 64, true}}
	}
	for _, crowd := range crowds {
		t.Run(fmt.Sprint(crowd.Many, " ", crowd.Kind), func(t *testing.T) {
			allowed := func(got strangersFacts) float64 {
				if crowd.Kind == "large" {
					return mostBesideLarge
				}
				return 2*got.Alone + most
			}
			var got strangersFacts
			for range 3 { // a busy machine takes time, and its garbage collector gets none
				got = besideStrangers(t, crowd)
				t.Logf("alone %.2f s, beside them %.2f s; %d MiB, %.0f s", got.Alone, got.Worst, got.Resident>>20, got.Seconds)
				if got.Worst <= allowed(got) && got.Resident <= mostResident {
					break
				}
			}
			if got.Worst > allowed(got) || len(got.Lost) > 0 {
				t.Errorf("a healthy site took %.2f s, alone %.2f s; lost %v", got.Worst, got.Alone, got.Lost)
			}
			if crowd.Many == 64 && got.Resident > mostResident {
				t.Errorf("the process took %d MiB, more than %d", got.Resident>>20, mostResident>>20)
			}
		})
	}
}

// besideStrangers serves the sites, and lets a process of its own ask them.
func besideStrangers(t *testing.T, crowd strangers) (got strangersFacts) {
	server := httptest.NewUnstartedServer(strangersSites())
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
	how, err := json.Marshal(crowd)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestCrowdOfStrangers$")
	cmd.Env = append(os.Environ(), processVar+"="+string(how), processAddrVar+"="+server.Listener.Addr().String(), processCAVar+"="+ca)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	return got
}

// strangersSites are the sites of all names.
func strangersSites() http.Handler {
	packed := func(text string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, text)
		_ = w.Close()
		return b.Bytes()
	}
	manifest := packed(largeDocument)
	var paths strings.Builder
	for i := 0; paths.Len() < 4<<20-4<<10; i++ {
		fmt.Fprintf(&paths, `,"/p%d":{"get":{"operationId":"o%d","responses":{}}}`, i, i)
	}
	openapi := packed(`{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{` + paths.String()[1:] + `}}`)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch healthy := strings.HasPrefix(r.Host, "healthy"); {
		case healthy && r.URL.Path == "/agent.json":
			_, _ = io.WriteString(w, oneAction("/x"))
		case healthy:
			http.NotFound(w, r)
		case strings.HasPrefix(r.Host, "drip") && r.URL.Path == "/robots.txt":
			w.Header().Set("Content-Type", "text/plain")
			for end := time.Now().Add(time.Minute); r.Context().Err() == nil && time.Now().Before(end); {
				_, _ = io.WriteString(w, "User-agent: *\nDisallow: /x\n")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Second)
			}
		case strings.HasPrefix(r.Host, "large") && r.URL.Path == "/llms.txt":
			w.Header().Set("Content-Type", "text/plain")
			_, _ = io.WriteString(w, "# S\n\n> d\n\n## API\n- [OpenAPI](/openapi.json): the API\n")
		case strings.HasPrefix(r.Host, "large") && r.URL.Path == "/openapi.json":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(openapi)
		default:
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(manifest)
		}
	})
}

// askStrangers resolves a healthy site alone, then four together with a crowd, and writes the
// results.
func askStrangers(t *testing.T, how string) {
	var crowd strangers
	if err := json.Unmarshal([]byte(how), &crowd); err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(os.Getenv(processCAVar)))
	sites := loopback{os.Getenv(processAddrVar), new(sync.WaitGroup)}
	c, err := client.New(&client.Options{
		Network: client.Network{RootCAs: pool, Resolver: sites, Dial: sites.dial},
		Policy:  security.Guard{AllowCIDR: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var got strangersFacts
	var mu sync.Mutex
	healthy := func(name string) (seconds float64) {
		began := time.Now()
		site, err := c.Resolve(t.Context(), name)
		mu.Lock()
		defer mu.Unlock()
		if err != nil || len(site.Services) == 0 {
			got.Lost = append(got.Lost, fmt.Sprint(name, " ", err))
		}
		return time.Since(began).Seconds()
	}
	got.Alone = healthy("healthy.example")
	began := time.Now()
	hostile, leave := context.WithCancel(t.Context())
	defer leave()
	var crowded, beside sync.WaitGroup
	for i := range crowd.Many {
		crowded.Go(func() { _, _ = c.Resolve(hostile, fmt.Sprintf("%s%d.example", crowd.Kind, i)) })
	}
	time.Sleep(3 * time.Second)
	for i := range 4 {
		beside.Go(func() {
			seconds := healthy(fmt.Sprintf("healthy%d.example", i))
			mu.Lock()
			defer mu.Unlock()
			got.Worst = max(got.Worst, seconds)
		})
	}
	beside.Wait()
	if !crowd.ToTheEnd {
		leave()
	}
	crowded.Wait()
	got.Seconds, got.Resident = time.Since(began).Seconds(), resident(t)
	if err := json.NewEncoder(os.Stdout).Encode(got); err != nil {
		t.Fatal(err)
	}
}
