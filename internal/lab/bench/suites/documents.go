package suites

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// manifest returns an ADP manifest with a number of capabilities.
func manifest(host string, capabilities int) string {
	var list []string
	for i := range capabilities {
		list = append(list, fmt.Sprintf(`{"name": "task_%02d", "description": "Do the thing called task_%02d", "detail_url": "/capabilities/task_%02d"}`, i, i, i))
	}
	return fmt.Sprintf(`{"spec_version": "1.0", "name": "Service", "description": "A service for benchmarks.",
		"base_url": "https://%s", "auth": {"type": "none"}, "capabilities": [%s]}`, host, strings.Join(list, ", "))
}

// roundTripper is an http.RoundTripper from a function.
type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func now() string { return time.Now().UTC().Format(http.TimeFormat) }
