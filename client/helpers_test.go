package client_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/parse"
)

// inBubble runs a test with virtual time and its own Internet. A leak of a waiting goroutine fails
// the test, and so does a request that discovery would not send, unless the test allows
// credentials.
func inBubble(t *testing.T, test func(t *testing.T, internet *clienttest.Internet)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, clienttest.New(t).OnlyDiscovery(true)) })
}

// newClient makes a Client in the Internet of the test. Unless a test changes
// that it reads one format, so that it sees the requests of one.
func newClient(t *testing.T, internet *clienttest.Internet, change ...func(*client.Options)) *client.Client {
	t.Helper()
	opts := internet.Options()
	opts.Formats, opts.Robots.Mode = []*parse.Format{adp.Format()}, client.RobotsIgnore
	for _, f := range change {
		f(opts)
	}
	c, err := client.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return c
}

// manifest is an ADP manifest of host with capabilities; each is the path of
// its detail document, named by its last segment.
func manifest(host string, details ...string) string {
	var capabilities []string
	for _, d := range details {
		name := d[strings.LastIndexByte(d, '/')+1:]
		capabilities = append(capabilities, fmt.Sprintf(`{"name": %q, "description": "Do the thing called %s", "detail_url": %q}`, name, name, d))
	}
	return fmt.Sprintf(`{"spec_version": "1.0", "name": "Service", "description": "A service for tests.",
		"base_url": "https://%s", "auth": {"type": "none"}, "capabilities": [%s]}`, host, strings.Join(capabilities, ", "))
}

// detail is an ADP detail document.
func detail(name, endpoint string) string {
	return fmt.Sprintf(`{"name": %q, "description": "Do it in detail", "endpoint": %q, "method": "POST", "parameters": [],
		"request_example": {"method": "POST", "url": "x"}, "response_example": {"status": 200}}`, name, endpoint)
}

const wellKnown = "/.well-known/agent"

// only is the one probe of a Site with one place.
func only(t *testing.T, site *wayfind.Site) wayfind.Probe {
	t.Helper()
	if site == nil || len(site.Probes) == 0 {
		t.Fatalf("no probes in %+v", site)
	}
	return site.Probes[0]
}

// toy is a format for tests: a JSON object with a member of its name, whose
// strings are capability IDs, and "links".
func toy(name string, locations ...parse.Location) *parse.Format {
	f := &parse.Format{Name: name, Title: "toy", Spec: wayfind.SpecRef{Title: "Toy"}, Locations: locations}
	f.Cache.Default = time.Hour
	f.Match = func(in *parse.Input) parse.Claim {
		doc, err := in.JSON()
		if err != nil || !doc.Get(name).Exists() {
			return parse.Claim{}
		}
		return parse.Claim{Level: parse.Exact}
	}
	f.Parse = func(in *parse.Input) (*parse.Reading, error) {
		doc, err := in.JSON()
		if err != nil {
			return nil, err
		}
		service := wayfind.Service{Name: name}
		for _, item := range doc.Get(name).Items() {
			id, _ := item.Str()
			service.Capabilities = append(service.Capabilities, wayfind.Capability{ID: id, Kind: wayfind.KindOperation})
		}
		r := &parse.Reading{Services: []wayfind.Service{service}}
		for _, item := range doc.Get("links").Items() {
			u, _ := item.Str()
			r.Links = append(r.Links, parse.Link{URLs: []string{u}})
		}
		return r, nil
	}
	return f
}

// withFormats replaces the formats.
func withFormats(list ...*parse.Format) func(*client.Options) {
	return func(o *client.Options) { o.Formats = list }
}

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }
