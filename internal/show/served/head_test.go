package served

import (
	"strings"
	"testing"
	"time"
)

func TestTheAnswerToHEADIsJudged(t *testing.T) {
	const first = "Content-Type: application/json; charset=utf-8\nCache-Control: max-age=60\nETag: \"1\""
	for _, c := range []struct {
		status       int
		header, want string
	}{
		{200, first, ""},
		{200, "", ""}, // a server may leave fields out
		{200, "Content-Type: Application/JSON; charset=utf-8\nETag: \"2\"", ""},
		{405, first, "HEAD is answered with status 405, and GET with 200"},
		{204, first, "HEAD is answered with status 204, and GET with 200"},
		{200, "Content-Type: text/html", `Content-Type is "text/html" for HEAD, and "application/json; charset=utf-8" for GET`},
		{200, "Cache-Control: no-store", `Cache-Control is "no-store" for HEAD, and "max-age=60" for GET`},
	} {
		list := JudgeHead(&Second{URL: "https://a.example/", First: header(first), Status: c.status, Header: header(c.header)})
		var got strings.Builder
		for _, d := range list {
			got.WriteString(d.Message)
			if d.Code != ruleHead.Code || d.Spec.URL != "https://www.rfc-editor.org/rfc/rfc9110" || d.Source != "https://a.example/" {
				t.Errorf("%+v", d)
			}
		}
		if got.String() != c.want {
			t.Errorf("%d %q: %q, want %q", c.status, c.header, got.String(), c.want)
		}
	}
	list := JudgeHead(&Second{URL: "https://a.example/", First: header(first), Failed: "timeout"})
	if len(list) != 1 || list[0].Message != "HEAD is not answered (timeout), and GET is" {
		t.Errorf("%v", list)
	}
}

func TestTheConnectionIsJudged(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		days, left int // of the certificate
		old        string
		notSent    string
		want       string
	}{
		{90, 60, "", "", ""},
		{90, 60, "TLS 1.2", "", "served.tls: the server speaks TLS 1.2"},
		{90, 60, "", "Middle", `served.chain: the server does not send the certificate of "Middle"`},
		{90, 14, "", "", "served.expiry: the certificate of the server ends on 2026-12-11"},
		{90, 15, "", "", ""},
		{395, 15, "", "", ""},
		{6, 2, "", "", ""},
		{6, 1, "", "", "served.expiry: the certificate of the server ends on 2026-11-28"},
	} {
		var got []string
		end := now.Add(time.Duration(c.left) * day)
		for _, d := range JudgeHead(&Second{Status: 200, Now: now, Connection: &Connection{OldVersion: c.old, NotSent: c.notSent, NotBefore: end.Add(-time.Duration(c.days) * day), NotAfter: end}}) {
			got = append(got, d.Code+": "+d.Message)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
