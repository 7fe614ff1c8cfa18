package clienttest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/client/clienttest"
)

// send sends requests "METHOD URL" into an Internet.
func send(t *testing.T, internet *clienttest.Internet, requests ...string) {
	t.Helper()
	tr := internet.Transport()
	for _, request := range requests {
		method, url, _ := strings.Cut(request, " ")
		req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
}

const recordedShop = `wayfind recording 2
https://shop.example/llms.txt shop.example/llms.http
POST https://shop.example/orders - shop.example/order.http
`

// What a strict Internet, or any, reports when it stops.
func TestStrict(t *testing.T) {
	shop := clienttest.Pages{"/.well-known/agent": `{}`, "/orders": "[]"}
	for name, row := range map[string]struct {
		set      func(n *clienttest.Internet)
		requests []string
		want     []string
	}{
		"not strict": {func(n *clienttest.Internet) { n.Host("shop.example", shop) }, []string{"GET https://shop.example/order"}, nil},
		"a request without a page": {func(n *clienttest.Internet) { n.Strict().Host("shop.example", shop) },
			[]string{"GET https://shop.example/orders", "GET https://shop.example/order"},
			[]string{"clienttest: GET https://shop.example/order: no page, recorded answer or expectation has this request; the nearest one is GET https://shop.example/orders"}},
		"places of discovery": {func(n *clienttest.Internet) { n.Strict().Host("shop.example", shop) },
			[]string{"GET https://shop.example/robots.txt", "GET https://shop.example/.well-known/ai", "GET https://shop.example/llms.txt", "GET https://shop.example/"}, nil},
		"a handler decides": {func(n *clienttest.Internet) {
			n.Strict().Host("shop.example", http.NotFoundHandler()).Handle("/one", clienttest.Page{})
		}, []string{"GET https://shop.example/one", "GET https://shop.example/two"}, nil},
		"expected in any order": {func(n *clienttest.Internet) {
			n.Expect("https://shop.example/orders", "POST https://shop.example/orders?n=1", "https://shop.example/orders").Host("shop.example", shop)
		}, []string{"POST https://shop.example/orders?n=1", "GET https://shop.example/orders", "GET https://shop.example/orders"}, nil},
		"too often, and missing": {func(n *clienttest.Internet) {
			n.Expect("https://shop.example/orders", "https://shop.example/llms.txt").Host("shop.example", shop)
			n.Host("other.example", shop)
		}, []string{"GET https://shop.example/orders", "GET https://shop.example/orders", "GET https://other.example/robots.txt"},
			[]string{
				"clienttest: GET https://shop.example/orders: no page, recorded answer or expectation has this request; the nearest one is GET https://shop.example/orders",
				"clienttest: GET https://shop.example/llms.txt: it was expected, and has not come",
			}},
		"expected without a scheme": {func(n *clienttest.Internet) { n.Expect("/orders").Host("shop.example", shop) }, nil,
			[]string{`clienttest: expect "GET /orders": write a method and a URL, such as "POST https://shop.example/orders"`}},
		"files": {func(n *clienttest.Internet) {
			n.Strict().Host("shop.example", clienttest.Files(fstest.MapFS{"a.json": {Data: []byte("{}")}}))
		}, []string{"GET https://shop.example/a.json", "GET https://shop.example/b.json"},
			[]string{"clienttest: GET https://shop.example/b.json: no page, recorded answer or expectation has this request"}},
		"names": {func(n *clienttest.Internet) {
			n.Host("https://shop.example/x", nil)
			n.Host("shop.example:8443", nil)
			n.Host("two.example", clienttest.Pages{"well-known/agent": ""}).Handle("/a?b=c", clienttest.Page{})
		}, nil, []string{
			`clienttest: host "https://shop.example/x": write the name alone: "shop.example"`,
			`clienttest: host "shop.example:8443": write a name such as "shop.example", without a port or a path`,
			`clienttest: host "two.example": the path "well-known/agent" is never asked for: write a path such as "/.well-known/agent", without a query`,
			`clienttest: host "two.example": the path "/a?b=c" is never asked for: write a path such as "/.well-known/agent", without a query`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			internet, stop := clienttest.Start()
			row.set(internet)
			send(t, internet, row.requests...)
			stop()
			var got []string
			if err := internet.Err(); err != nil {
				got = strings.Split(err.Error(), "\n")
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A call that a recording lacks is an error of the test, strict or not. Answers that were not used are,
// if it is strict.
func TestStrictRecordings(t *testing.T) {
	page := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n# Shop\n")
	files := fstest.MapFS{"index.txt": {Data: []byte(recordedShop)}, "shop.example/llms.http": {Data: page}, "shop.example/order.http": {Data: page}}
	for name, row := range map[string]struct {
		strict   bool
		requests []string
		want     string
	}{
		"all used":           {true, []string{"GET https://shop.example/llms.txt", "POST https://shop.example/orders"}, ""},
		"unused, not strict": {false, nil, ""},
		"unused": {true, []string{"GET https://shop.example/llms.txt", "GET https://shop.example/robots.txt"},
			"clienttest: POST https://shop.example/orders: its recorded answer was not used"},
		"a document that is not recorded": {false, []string{"GET https://shop.example/a"}, ""},
		"a document, strict": {true, []string{"GET https://shop.example/llms.txt", "POST https://shop.example/orders", "GET https://shop.example/llms.tx"},
			"clienttest: GET https://shop.example/llms.tx: no page, recorded answer or expectation has this request; the nearest one is GET https://shop.example/llms.txt"},
		"a call": {false, []string{"DELETE https://shop.example/orders"}, "clienttest: DELETE https://shop.example/orders: this call is not in the recording"},
	} {
		t.Run(name, func(t *testing.T) {
			internet, stop := clienttest.Start()
			if err := internet.Replay(files); err != nil {
				t.Fatal(err)
			}
			if row.strict {
				internet.Strict()
			}
			send(t, internet, row.requests...)
			stop()
			got := ""
			if err := internet.Err(); err != nil {
				got = err.Error()
			}
			if got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}

func TestStrictPathsAreSorted(t *testing.T) {
	internet := clienttest.New(t).Strict()
	host := internet.Host("shop.example", clienttest.Pages{"/b": "", "/a": ""})
	send(t, internet, "GET https://shop.example/b", "GET https://shop.example/a")
	if diff := cmp.Diff([]string{"/a", "/b"}, host.Paths()); diff != "" {
		t.Error(diff)
	}
	if internet.ResetLog(); len(host.Paths())+len(internet.Lookups()) != 0 {
		t.Errorf("after ResetLog: %v, %v", host.Paths(), internet.Lookups())
	}
}

// Hosts listen at port 443 only, also for requests that are not under test.
func TestTransportLeadsNoPortElsewhere(t *testing.T) {
	internet := clienttest.New(t)
	internet.Host("shop.example", clienttest.Pages{"/": "home"})
	for _, url := range []string{"https://shop.example:8443/", "http://shop.example/"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := internet.Transport().RoundTrip(req); err == nil {
			_ = resp.Body.Close()
			t.Errorf("%s: %s", url, resp.Status)
		} else if !strings.Contains(err.Error(), "connection refused") && !strings.Contains(err.Error(), "refused") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// An Internet that was made outside of the bubble that uses it says so. Without the sentence, the
// process would end.
func TestAnInternetOutsideOfTheBubbleSaysSo(t *testing.T) {
	internet, stop := clienttest.Start()
	defer stop()
	internet.Host("shop.example", nil)
	synctest.Test(t, func(t *testing.T) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://shop.example/", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := internet.Transport().RoundTrip(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "outside of the synctest bubble") {
			t.Errorf("%v", err)
		}
	})
}
