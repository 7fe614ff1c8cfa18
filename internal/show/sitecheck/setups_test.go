package sitecheck

import (
	"regexp"
	"strings"
	"testing"
)

// Each kind of set-up ends with a remedy that names no product, and a product is named only by a remedy
// that an answer must prove.
func TestRemediesNameWhatAnAnswerProves(t *testing.T) {
	product := regexp.MustCompile(`Netlify|Vercel|Cloudflare|CloudFront|nginx|Apache|Caddy|LiteSpeed|IIS|Express|WordPress|Shopify|Amazon|Google`)
	general := map[setup]bool{}
	for i := range settings {
		r := &settings[i]
		proven := r.field+r.body != ""
		if general[r.of] || !proven && product.MatchString(r.text) || r.value != strings.ToLower(r.value) || r.value != "" && r.field == "" || !strings.HasSuffix(r.text, ".") {
			t.Errorf("%+v", r)
		}
		general[r.of] = general[r.of] || !proven
	}
	for i := range settings {
		if !general[settings[i].of] {
			t.Errorf("%s has no remedy without a product", settings[i].of)
		}
	}
}
