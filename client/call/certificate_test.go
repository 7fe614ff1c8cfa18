package call_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// clientCertificate returns a self-signed client certificate.
func clientCertificate(t *testing.T, name string, from, to time.Time) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: from, NotAfter: to,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	raw, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}
}

// shown records the certificates that each host received with its requests.
type shown struct {
	mu   sync.Mutex
	list []string
}

func (s *shown) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := "-"
		if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
			who = r.TLS.PeerCertificates[0].Subject.CommonName
		}
		s.mu.Lock()
		s.list = append(s.list, who+" "+r.Host+r.URL.Path)
		s.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

// calls returns the requests below /api.
func (s *shown) calls() (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, line := range s.list {
		if strings.Contains(line, "/api/") {
			list = append(list, line)
		}
	}
	return list
}

const mutual = `, "components": {"securitySchemes": {"cert": {"type": "mutualTLS"}, "head": {"type": "apiKey", "in": "header", "name": "X-Key"}}}`

var mutualDocument = strings.Replace(document(mutual, secured("own", `{"cert": []}`), secured("both", `{"cert": [], "head": []}`), operation("get", "/api/open", "open", ""), operation("post", "/api/change", "change", `, "security": [{"cert": []}]`)), `"3.0.3"`, `"3.1.0"`, 1)

// ask makes a host request certificates of any issuer.
func ask(c *tls.Config) { c.ClientAuth = tls.RequestClientCert }

// refuse makes a host refuse certificates, and accept requests without one.
func refuse(c *tls.Config) {
	c.ClientAuth, c.ClientCAs = tls.VerifyClientCertIfGiven, x509.NewCertPool()
}

// A client certificate is shown only to the origin that it is for, over separate connections.
// Discovery, calls without the certificate, other users and other hosts do not share them.
func TestCertificates(t *testing.T) {
	for _, alpn := range []string{"h2", "http/1.1"} {
		bubble(t, func(t *testing.T) {
			var log bytes.Buffer
			net, saw := clienttest.New(t), &shown{}
			for _, host := range []string{"a.example", "b.example", "deaf.example", "strict.example"} {
				pages := clienttest.Pages{"/openapi.json": mutualDocument, "/.well-known/ai-plugin.json": strings.ReplaceAll(plugin, "shop.example", host)}
				h := net.Host(host, saw.watch(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if strings.HasPrefix(r.URL.Path, "/api/") {
						_, _ = io.WriteString(w, "fine")
						return
					}
					pages.ServeHTTP(w, r)
				}))).Protocols(alpn)
				switch host {
				case "strict.example":
					h.TLS(refuse)
				case "deaf.example":
				default:
					h.TLS(ask)
				}
			}
			c := net.Client(func(o *client.Options) {
				o.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			})
			box, err := tools.Load(t.Context(), c, []string{"a.example", "b.example", "deaf.example", "strict.example"}, nil)
			if err != nil || box.Len() != 16 {
				t.Fatal(err, box.Skipped())
			}
			valid := func(name string) tls.Certificate {
				return clientCertificate(t, name, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
			}
			certs := map[string]tls.Certificate{"ann": valid("ann"), "bob": valid("bob"), "old": clientCertificate(t, "old", time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour))}
			type user struct{}
			caller, err := call.New(c, &call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm,
				Principal: func(ctx context.Context) string { name, _ := ctx.Value(user{}).(string); return name },
				Credentials: func(ctx context.Context, q *call.CredentialRequest) (*call.Grant, error) {
					to := call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}
					if q.Name == "head" {
						return call.Key("s3cret", to), nil
					}
					name, _ := ctx.Value(user{}).(string)
					if name == "elsewhere" {
						return call.Certificate(certs["ann"], call.Binding{Origin: "https://b.example", Proof: call.ProofSameOrigin}), nil
					}
					return call.Certificate(certs[name], to), nil
				}})
			if err != nil {
				t.Fatal(err)
			}
			for _, tt := range []struct {
				who, host, key string
				want           call.Code
				sent           string
			}{
				{"ann", "a.example", "open", made, "- a.example/api/open"},
				{"ann", "a.example", "own", made, "ann a.example/api/own"},
				{"ann", "a.example", "own", made, "ann a.example/api/own"},
				{"ann", "a.example", "open", made, "- a.example/api/open"},
				{"bob", "a.example", "own", made, "bob a.example/api/own"},
				{"ann", "a.example", "both", made, "ann a.example/api/both"},
				{"ann", "b.example", "open", made, "- b.example/api/open"},
				{"bob", "b.example", "own", made, "bob b.example/api/own"},
				{"ann", "deaf.example", "own", call.CredentialRefused, ""},
				{"ann", "strict.example", "own", call.CredentialRefused, ""},
				{"ann", "strict.example", "change", call.CredentialRefused, ""},
				{"ann", "deaf.example", "open", made, "- deaf.example/api/open"},
				{"old", "a.example", "own", call.CredentialRefused, ""},
				{"nobody", "a.example", "own", call.CredentialRefused, ""},
				{"elsewhere", "a.example", "own", call.CredentialRefused, ""},
			} {
				before := len(saw.calls())
				var name string
				for _, tool := range box.Tools() {
					if tool.Domain == tt.host && strings.HasSuffix(tool.Key, "/"+tt.key) {
						name = tool.Name
					}
				}
				res, err := caller.Call(context.WithValue(t.Context(), user{}, tt.who), box, name, nil)
				// With TLS 1.3 the refusal arrives after the handshake: the connection may be
				// closed before the refusal is read.
				if early := tt.host == "strict.example" && (res.Model.Code == call.Unreachable || res.Model.Code == call.OutcomeUnknown); !early {
					wantCode(t, res, err, tt.want)
				}
				var want []string
				if tt.sent != "" {
					want = []string{tt.sent}
				}
				if got := saw.calls()[before:]; !slices.Equal(got, want) {
					t.Errorf("%s: %s of %s: %q", alpn, tt.who, tt.key, got)
				}
			}
			if _, err := c.Refresh(t.Context(), "a.example"); err != nil {
				t.Fatal(err)
			}
			for _, line := range saw.list {
				if !strings.Contains(line, "/api/") && !strings.HasPrefix(line, "- ") {
					t.Errorf("%s: a certificate with a request for a document: %s", alpn, line)
				}
			}
			leaks(t, "the log", log.String())
			grant := call.Certificate(certs["ann"])
			leaks(t, "fmt", fmt.Sprintf("%v %+v %#v", grant, *grant, grant))
		})
	}
}
