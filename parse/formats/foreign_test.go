package formats_test

import (
	"encoding/json"
	"path"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// Documents that are not about agents are not claimed at any place: a package description, a
// feed, a profile or an error is never a service. The metadata of OpenID is the metadata of an
// authorization server at each place, and any text with a title is valid at /llms.txt.
func TestForeignDocumentsAreClaimedNowhere(t *testing.T) {
	var foreign struct {
		Places []string
		Kinds  map[string]string
	}
	if err := json.Unmarshal(golden.Read(t, "testdata/foreign.json"), &foreign); err != nil {
		t.Fatal(err)
	}
	if len(foreign.Kinds) < 65 || len(foreign.Places) < 31 {
		t.Errorf("%d kinds at %d places", len(foreign.Kinds), len(foreign.Places))
	}
	claimed, links := 0, 0
	for kind, body := range foreign.Kinds {
		for _, place := range foreign.Places {
			r := parsed(t, []byte(body), &client.ParseOptions{URL: "https://shop.example.com" + place})
			if r.Site != nil {
				links += len(r.Site.Documents)
			}
			if !r.Usable {
				continue
			}
			claimed++
			metadata, readme := kind == "openid-configuration" && r.Format == "oauth", kind == "readme.md" && path.Base(place) == "llms.txt"
			if !metadata && !readme {
				t.Errorf("%s at %s is found as %q, services %+v", kind, place, r.Format, r.Site.Services)
			}
		}
	}
	t.Logf("%d kinds at %d places: %d claimed, %d links", len(foreign.Kinds), len(foreign.Places), claimed, links)
}
