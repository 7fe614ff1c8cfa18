package security

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// The vectors of the URL Standard are for comparison: if we accept a host, a browser must use
// the same host. A refusal is always allowed.

type wptHost struct {
	Input  string
	Output *string
}

// objects decodes the entries of a WPT file that are not comments.
func objects[T any](t testing.TB, elem ...string) []T {
	t.Helper()
	var list []T
	for _, raw := range golden.VectorJSON[[]json.RawMessage](t, elem...) {
		if raw[0] != '{' {
			continue
		}
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatalf("%v: %v", elem, err)
		}
		list = append(list, v)
	}
	return list
}

func TestHostsAgreeWithWPT(t *testing.T) {
	for _, file := range []string{"wpt_toascii.json", "wpt_IdnaTestV2.json"} {
		rows, accepted := objects[wptHost](t, "url_idna", file), 0
		for _, v := range rows {
			// Most inputs consist of one label and are refused for that. A second label shows
			// the result for the first.
			for _, suffix := range []string{"", ".example"} {
				canon, _, err := CanonicalHost(v.Input + suffix)
				if err != nil {
					continue
				}
				accepted++
				if v.Output == nil || canon != strings.TrimSuffix(*v.Output+suffix, ".") {
					t.Errorf("%s: %q: got %q, the standard wants %v", file, v.Input+suffix, canon, show(v.Output))
				}
			}
		}
		t.Logf("%s: %d rows, %d accepted and equal", file, len(rows), accepted)
		if len(rows) < golden.Least(t, golden.EnvVectors, 80) || accepted < golden.Least(t, golden.EnvVectors, 15) {
			t.Errorf("%s: %d rows, %d accepted", file, len(rows), accepted)
		}
	}
}

func show(s *string) string {
	if s == nil {
		return "a failure"
	}
	return *s
}

// TestIdnaTestV2 does the same with the file of the Unicode Consortium. Its column toAsciiN is
// strict. Rows that fail there must fail here.
func TestIdnaTestV2(t *testing.T) {
	rows, accepted := 0, 0
	for _, row := range golden.VectorRows(t, "url_idna", "psl_tools_idna_test_vectors.txt") {
		column := strings.Split(strings.SplitN(row[0], "#", 2)[0], ";")
		if len(column) < 5 {
			continue
		}
		for i := range column {
			column[i] = unescape(strings.TrimSpace(column[i]))
		}
		rows++
		want := inherit(column[3], inherit(column[1], column[0]))
		status := inherit(column[4], column[2])
		canon, _, err := CanonicalHost(column[0])
		if err != nil {
			continue
		}
		accepted++
		if canon != strings.TrimSuffix(want, ".") || status != "" && status != "[]" {
			t.Errorf("%+q: got %q, want %q %s", column[0], canon, want, status)
		}
	}
	t.Logf("%d rows, %d accepted and equal", rows, accepted)
	if rows < golden.Least(t, golden.EnvVectors, 6000) || accepted < golden.Least(t, golden.EnvVectors, 100) {
		t.Errorf("%d rows, %d accepted", rows, accepted)
	}
}

func inherit(own, other string) string {
	if own == "" {
		return other
	}
	return own
}

// unescape decodes \uXXXX and \x{XXXX}.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var text string
	if err := json.Unmarshal([]byte(`"`+s+`"`), &text); err != nil {
		return s
	}
	return text
}

type wptURL struct {
	Input    string
	Base     *string
	Failure  bool
	Href     string
	Protocol string
	Host     string
	Username string
}

func TestURLsAgreeWithWPT(t *testing.T) {
	accepted, rows := 0, 0
	for _, file := range []string{"wpt_urltestdata.json", "wpt_verifydnslength_tests.json"} {
		list := objects[wptURL](t, "url_idna", file)
		rows += len(list)
		for _, v := range list {
			if ok := checkWPT(t, v); ok {
				accepted++
			}
			// The same with https, so that not only the scheme is judged.
			v.Input = httpsOf(v.Input)
			v.Protocol = httpsOf(v.Protocol)
			if v.Base != nil {
				base := httpsOf(*v.Base)
				v.Base = &base
			}
			if ok := checkWPT(t, v); ok {
				accepted++
			}
		}
	}
	t.Logf("%d rows, %d accepted with the same host", rows, accepted)
	if rows < golden.Least(t, golden.EnvVectors, 800) || accepted < golden.Least(t, golden.EnvVectors, 60) {
		t.Errorf("%d rows, %d accepted", rows, accepted)
	}
}

func httpsOf(s string) string {
	if len(s) >= 5 && strings.EqualFold(s[:5], "http:") {
		return "https:" + s[5:]
	}
	return s
}

func checkWPT(t *testing.T, v wptURL) (accepted bool) {
	t.Helper()
	var base *url.URL
	if v.Base != nil {
		var err error
		if base, err = ParseURL(*v.Base, nil); err != nil {
			return false
		}
	}
	u, err := ParseURL(v.Input, base)
	if err != nil {
		return false
	}
	// A row with http://host:443 contains its port, but with https there is no port. For rows
	// about lengths only the failure is relevant.
	host := strings.TrimSuffix(strings.TrimSuffix(v.Host, ":443"), ".")
	differs := v.Href != "" && (v.Protocol != "https:" || v.Username != "" || host != u.Host)
	if v.Failure || differs {
		t.Errorf("%q on %s: got %s; the standard wants %q (failure %v)", v.Input, show(v.Base), u, v.Host, v.Failure)
	}
	agreesWithNetURL(t, v.Input, base, u)
	return true
}

// agreesWithNetURL fails the test if the standard library reads another host.
func agreesWithNetURL(t *testing.T, ref string, base, got *url.URL) {
	t.Helper()
	theirs, err := url.Parse(strings.Trim(ref, " "))
	if err != nil {
		return // it refuses the URL
	}
	if base != nil {
		theirs = base.ResolveReference(theirs)
	}
	canon, err := canonicalAuthority(theirs.Host)
	if err != nil || canon != got.Host {
		t.Errorf("%q: got %s, net/url reads the host %q", ref, got, theirs.Host)
	}
}

// TestPayloads checks that no URL in a collection of SSRF payloads reaches an address or a
// special name.
func TestPayloads(t *testing.T) {
	rows := golden.VectorRows(t, "ssrf", "payloadsallthethings_urls.txt")
	for _, row := range rows {
		ref := strings.TrimSpace(row[0])
		if ref == "" {
			continue
		}
		for _, s := range []string{ref, httpsOf(ref)} {
			u, err := ParseURL(s, nil)
			if err == nil {
				agreesWithNetURL(t, s, nil, u)
				if canon, _, err := CanonicalHost(u.Host); err != nil || canon != u.Host {
					t.Errorf("%q: host %q, then %q, %v", s, u.Host, canon, err)
				}
			}
		}
	}
	t.Logf("%d rows", len(rows))
}
