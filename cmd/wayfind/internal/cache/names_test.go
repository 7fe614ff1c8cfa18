package cache

import (
	"net/http"
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// The answers of a name include those of the host to which its well-known places lead, and no others.
func TestANameIncludesItsOwnHost(t *testing.T) {
	internet := clienttest.New(t)
	internet.Host("www.example.com", clienttest.Pages{"/llms.txt": "# Shop\n"})
	internet.Host("other.net", clienttest.Pages{})
	lead := func(to string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, to+r.URL.Path, http.StatusMovedPermanently)
		})
	}
	internet.Host("example.com", lead("https://www.example.com"))
	internet.Host("example.net", lead("https://other.net"))
	s, err := disk.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := internet.Client(func(o *client.Options) { o.Store = s })
	for _, name := range []string{"example.com", "example.net", "other.net"} {
		_, _ = c.Resolve(t.Context(), name)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{"example.com": {"example.com", "www.example.com"}, "www.example.com": {"www.example.com"}, "example.net": {"example.net"}} {
		list, err := withOwnHosts(t.Context(), s, []stale{{host: name}})
		var got []string
		for _, n := range list {
			got = append(got, n.host)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", name, err, got, want)
		}
	}
}
