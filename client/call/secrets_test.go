package call_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
)

// A credential that a service repeats is removed from all data for a model or a program,
// whatever its encoding.
func TestCredentialsAreTakenOutInEachForm(t *testing.T) {
	const secret = `s3cret/"key" €+ü???>>x` // in base64 it has + and /
	forms := map[string]string{
		"as it is":                secret,
		"JSON":                    `s3cret/\"key\" €+ü???\u003e\u003ex`,
		"a query":                 url.QueryEscape(secret),
		"a path":                  url.PathEscape(secret),
		"base64":                  base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64 without padding":  base64.RawStdEncoding.EncodeToString([]byte(secret)),
		"base64 of URLs":          base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"base64 of URLs, padding": base64.URLEncoding.EncodeToString([]byte(secret)),
	}
	bubble(t, func(t *testing.T) {
		echo, status := "", http.StatusOK
		s := newShop(t, securedDocument, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.Header().Set("X-Echo", strings.NewReplacer("€", "", "ü", "").Replace(echo))
			w.WriteHeader(status)
			_, _ = w.Write([]byte("before " + echo + " after"))
		})
		c := s.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm, Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			return call.Key(secret, call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
		}})
		for name, form := range forms {
			for _, status = range []int{http.StatusOK, http.StatusInternalServerError} {
				echo = form
				res, err := c.Call(t.Context(), s.box, "query", nil)
				want := map[int]call.Code{http.StatusInternalServerError: call.UpstreamError}[status]
				wantCode(t, res, err, want)
				if got := res.Model.Text; strings.Contains(got, form) || !strings.Contains(got, "before "+call.Hidden) {
					t.Errorf("%s, %d: the model is told %q", name, status, got)
				}
				if got := string(res.Program.Body); strings.Contains(got, form) {
					t.Errorf("%s, %d: the program has %q", name, status, got)
				}
			}
		}
	})
}

// A service may write a credential in any encoding of JSON, URLs or HTML, and in several at
// once.
func TestACredentialIsHiddenInAnySpelling(t *testing.T) {
	const secret = "vQ9zKx7LmP2wRvYbN7c"
	each := func(format string) string {
		var b strings.Builder
		for _, c := range []byte(secret) {
			_, _ = fmt.Fprintf(&b, format, c)
		}
		return b.String()
	}
	spellings := map[string]string{
		"as it is": secret, "upper case": strings.ToUpper(secret), "an escape of JSON": `\u0076` + secret[1:], "escapes of JSON": each(`\u%04x`), "percent": each("%%%02X"), "percent in lower case": each("%%%02x"),
		"percent of percent": each("%%25%02X"), "HTML by numbers": each("&#%d;"), "HTML in hexadecimal": each("&#x%x;"), "hexadecimal": hex.EncodeToString([]byte(secret)),
		"base64": base64.RawStdEncoding.EncodeToString([]byte(secret)), "percent in escapes of JSON": strings.ReplaceAll(each("%%%02X"), "%", `\u0025`), "JSON within JSON": each(`\\u%04x`),
		"HTML within JSON": strings.ReplaceAll(each("&#%d;"), "&", `\u0026`),
	}
	bubble(t, func(t *testing.T) {
		var media, body string
		s := newShop(t, securedDocument, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", media)
			_, _ = io.WriteString(w, body)
		})
		c := s.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm, Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			return call.Key(secret, call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
		}})
		for name, spelling := range spellings {
			for _, tt := range []struct{ media, body string }{
				{"application/json", `{"n":1,"said":"before ` + spelling + ` after","rest":"x"}`}, {"application/json", `{"` + spelling + `":[1]}`}, {"application/json", `["` + spelling},
				{"text/plain", "before " + spelling + " after"}, {"text/html", "<p>before " + spelling + " after"}, {"application/octet-stream", "before " + spelling + "\x00 after"},
			} {
				media, body = tt.media, tt.body
				res, err := c.Call(t.Context(), s.box, "query", nil)
				wantCode(t, res, err, made)
				shown := mustJSON(t, res.Model) + string(res.Program.Body) + res.Model.Prompt()
				if strings.Contains(shown, spelling) || !strings.Contains(string(res.Program.Body), call.Hidden) || json.Valid([]byte(body)) != json.Valid(res.Program.Body) {
					t.Errorf("%s, %s: %s", name, media, res.Program.Body)
				}
				if tt.media != "application/json" && tt.media != "application/octet-stream" && !strings.Contains(res.Model.Text, "before "+call.Hidden+" after") {
					t.Errorf("%s, %s: %q", name, media, res.Model.Text)
				}
			}
		}
	})
}

// A key is never sent in a field that belongs to HTTP, whatever the document declares.
func TestKeysAreNoFieldsOfHTTP(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, securedDocument, nil)
		h := &hooks{}
		c := s.caller(h.counted(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm, Credentials: vault(secrets())}))
		for _, name := range []string{"Content-Length", "Host", "cookie", "Transfer-Encoding", "X Y", "X\u003a", "Proxy-Authorization"} {
			box := edited(t, s.box, `"in":"header","name":"X-Key"`, `"in":"header","name":"`+name+`"`)
			res, err := c.Call(t.Context(), box, "head", nil)
			wantReason(t, name, res, err, call.CredentialRefused, "the key cannot be sent")
			h.wantAsked(t, name, "credentials")
		}
		if len(s.calls()) != 0 {
			t.Errorf("%+v", s.calls())
		}
	})
}
