package a2a_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/parse"
)

func parsed(t *testing.T, path string, body []byte) *client.ParseResult {
	t.Helper()
	p, err := client.Parse(t.Context(), body, &client.ParseOptions{
		URL: site + path, ContentType: "application/json", Formats: []*parse.Format{a2a.Format()},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A host may have several cards. Keys contain the place of each card.
func TestKeysCarryThePlace(t *testing.T) {
	body := formattest.JSON(t, formattest.Edit(face10(
		face(object{"url": site + "/a2a", "tenant": "x"}), face(object{"url": "https://evil.example/a2a"}), face(object{"protocolBinding": "GRPC", "url": "grpc.shop.example:443"}),
	), object{"skills": []any{skill(nil), skill(nil)}}))
	for path, want := range map[string][]string{
		a2a.Path:                            {"a2a:agent-card", "a2a:agent-card/find", "a2a:agent-card/find~2"},
		a2a.PathOld:                         {"a2a:agent", "a2a:agent/find", "a2a:agent/find~2"},
		"/v2/x/.well-known/agent-card.json": {"a2a:v2-x-well-known-agent-card", "a2a:v2-x-well-known-agent-card/find", "a2a:v2-x-well-known-agent-card/find~2"},
	} {
		p := parsed(t, path, body)
		var got []string
		for _, s := range p.Site.Services {
			got = append(got, s.ID)
			for _, c := range s.Capabilities {
				got = append(got, c.Key)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || !p.Usable {
			t.Errorf("%s: verdict %s (-want +got):\n%s", path, p.Verdict, diff)
		}
		var trusts []wayfind.Trust
		for _, f := range p.Site.Services[0].Interfaces {
			trusts = append(trusts, f.Trust)
		}
		if diff := cmp.Diff([]wayfind.Trust{wayfind.TrustSameOrigin, wayfind.TrustCrossSite, ""}, trusts); diff != "" {
			t.Errorf("%s: trust (-want +got):\n%s", path, diff)
		}
		if source := p.Site.Sources[0]; source.Authority != wayfind.AuthorityNative || source.Dialect != "1.0" || source.Version != "1.0" {
			t.Errorf("%s: source %+v", path, source)
		}
	}
}

// A document that denies an agent is a "no".
func TestNegativeCardsAreAbsent(t *testing.T) {
	p := parsed(t, a2a.PathOld, []byte(`{"name": "Deals", "skills": [], "url": "https://shop.example", "capabilities": {}, "a2a": {"supported": false}}`))
	if p.Verdict != wayfind.VerdictAbsent || len(p.Site.Services) != 0 {
		t.Errorf("verdict %s, services %+v", p.Verdict, p.Site.Services)
	}
}
