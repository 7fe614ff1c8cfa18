package oauth_test

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/oauth"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
)

// Each document is recognised and usable at the place of its subject, and unusable at the place
// of another site.
func TestCorpusDocuments(t *testing.T) {
	paths, dialects, said := golden.Files(t, golden.Corpus(t, "oauth-metadata"), "*"), map[string]int{}, map[string]int{}
	for _, path := range paths {
		name, body := filepath.Base(path), golden.Read(t, path)
		var about struct{ Resource, Issuer string }
		if err := json.Unmarshal(body, &about); err != nil {
			t.Fatal(err)
		}
		place := ""
		if u, err := url.Parse(about.Issuer + about.Resource); err != nil {
			t.Fatal(err)
		} else if place = oauth.ResourceMetadataURL(u); about.Issuer != "" {
			place = oauth.ServerMetadataURLs(u)[0]
		}
		in := at(t, place, string(body))
		claim := oauth.Format().Match(in)
		r, err := oauth.Format().Parse(in)
		if err != nil || claim != (parse.Claim{Level: parse.Exact, Dialect: r.Dialect}) || r.Unusable != "" {
			t.Errorf("%s: claim %+v, %+v, %v", name, claim, r, err)
			continue
		}
		auth := r.Services[0].Auth
		if resource := r.Dialect == oauth.DialectResource; resource != (len(auth.Requirements) > 0) || resource != (len(r.Links) > 0) || len(auth.Schemes) == 0 {
			t.Errorf("%s: auth %+v, links %+v", name, auth, r.Links)
		}
		dialects[r.Dialect]++
		for _, d := range r.Diagnostics {
			said[strings.TrimPrefix(d.Code, "oauth.")]++
		}
		t.Logf("%s: %s %q", name, r.Dialect, codes(r.Diagnostics))
		other, err := oauth.Format().Parse(at(t, strings.Replace(place, "https://", "https://other.", 1), string(body)))
		if err != nil || other.Unusable == "" {
			t.Errorf("%s: at another site: %+v, %v", name, other, err)
		}
	}
	t.Logf("%d documents, all recognised and usable, %v, diagnostics %v", len(paths), dialects, said)
}

// No published document of another format is claimed.
func TestCorpusOthers(t *testing.T) {
	golden.Others(t, func(body []byte) parse.Claim { return oauth.Format().Match(at(t, "", string(body))) }, "oauth-metadata")
}
