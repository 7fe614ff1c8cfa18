package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/wayfindhq/wayfind/client/clienttest"
)

const callShopDocument = `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "components": {"securitySchemes": {
	"key": {"type": "apiKey", "in": "header", "name": "X-Key"}, "basic": {"type": "http", "scheme": "basic"}, "cert": {"type": "mutualTLS"},
	"login": {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://login.shop.example/token", "scopes": {"read": "r"}}}}}},
	"paths": {
	"/api/list": {"get": {"operationId": "list", "responses": {"200": {"description": "ok"}}, "parameters": [{"name": "n", "in": "query", "schema": {"type": "integer"}}]}},
	"/api/key": {"get": {"operationId": "key", "security": [{"key": []}], "responses": {"200": {"description": "ok"}}}},
	"/api/need": {"get": {"operationId": "need", "responses": {"200": {"description": "ok"}}, "parameters": [{"name": "name", "in": "query", "required": true, "schema": {"type": "string"}}]}},
	"/api/either": {"get": {"operationId": "either", "security": [{"basic": []}, {"key": []}], "responses": {"200": {"description": "ok"}}}},
	"/api/both": {"get": {"operationId": "both", "security": [{"basic": [], "key": []}], "responses": {"200": {"description": "ok"}}}},
	"/api/basic": {"get": {"operationId": "basic", "security": [{"basic": []}], "responses": {"200": {"description": "ok"}}}},
	"/api/cert": {"get": {"operationId": "cert", "security": [{"cert": []}], "responses": {"200": {"description": "ok"}}}},
	"/api/login": {"get": {"operationId": "login", "security": [{"login": ["read"]}], "responses": {"200": {"description": "ok"}}}},
	"/api/orders": {"put": {"operationId": "replace", "responses": {"200": {"description": "ok"}}},
		"post": {"operationId": "order", "responses": {"200": {"description": "ok"}}, "requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": {"what": {"type": "string"}}}}}}},
		"delete": {"operationId": "wipe", "responses": {"200": {"description": "ok"}}}}}}`

const callShopPlugin = `{"schema_version": "v1", "name_for_human": "Shop", "name_for_model": "shop", "description_for_human": "A shop.",
	"description_for_model": "A shop.", "auth": {"type": "none"}, "api": {"type": "openapi", "url": "https://HOST/openapi.json"}, "logo_url": "https://HOST/l.png",
	"contact_email": "a@example.com", "legal_info_url": "https://HOST/legal"}`

// teaProfile is a profile of the Universal Commerce Protocol, and teaAnswer the answers of
// the MCP server that it names.
const teaProfile = `{"ucp": {"version": "2026-08-25", "services": {"dev.ucp.shopping": [{"version": "2026-08-25", "transport": "mcp", "spec": "https://ucp.dev/x",
	"endpoint": "https://tea.example/rpc", "schema": "https://ucp.dev/x.json"}]}, "capabilities": {}, "payment_handlers": {}}}`

func teaAnswer(method string) string {
	switch method {
	case "server/discover":
		return `{"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "ttlMs": 1000, "cacheScope": "public"}`
	case "tools/list":
		return `{"resultType": "complete", "ttlMs": 1000, "cacheScope": "public", "tools": [{"name": "search", "annotations": {"readOnlyHint": true}, "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}}]}`
	}
	return `{"resultType": "complete", "content": [{"type": "text", "text": "fine"}]}`
}

// callShop are sites whose calls a script makes: shop.example and its authorization
// server login.shop.example, quiet.example, whose documents name no scheme, and
// tea.example, which has a profile of the Universal Commerce Protocol. Each request is a
// line of a file.
type callShop struct {
	log string

	login *clienttest.OAuth

	mu sync.Mutex
}

// ServeHTTP implements http.Handler.
func (s *callShop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.note(r, body)
	w.Header().Set("Content-Type", "application/json")
	document := callShopDocument
	if r.Host == "quiet.example" {
		document = `{"openapi": "3.1.0", "info": {"title": "Quiet", "version": "1"}, "paths": {"/api/read": {"get": {"operationId": "read", "responses": {"200": {"description": "ok"}}}}}}`
	}
	switch {
	case r.Host == "tea.example" && r.URL.Path == "/.well-known/ucp":
		_, _ = io.WriteString(w, teaProfile)
	case r.Host == "tea.example" && r.URL.Path == "/rpc":
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(body, &m)
		_, _ = fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": %s, "result": %s}`, m.ID, teaAnswer(m.Method))
	case r.Host == "tea.example":
		http.NotFound(w, r)
	case r.URL.Path == "/.well-known/ai-plugin.json" && r.Host != "login.shop.example":
		_, _ = io.WriteString(w, strings.ReplaceAll(callShopPlugin, "HOST", r.Host))
	case r.URL.Path == "/openapi.json":
		_, _ = io.WriteString(w, document)
	case r.Host == "shop.example" && r.URL.Path == "/.well-known/oauth-protected-resource":
		_, _ = io.WriteString(w, `{"resource": "https://shop.example", "authorization_servers": ["https://login.shop.example"]}`)
	case r.Host == "login.shop.example":
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.login.ServeHTTP(w, r)
	case r.Host == "quiet.example" && r.Header.Get("Authorization") != "Bearer s3cret-own":
		w.Header().Set("WWW-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
	case strings.HasPrefix(r.URL.Path, "/api/"):
		_, _ = fmt.Fprintf(w, `{"did": %q}`, r.Method+" "+r.URL.Path)
	default:
		http.NotFound(w, r)
	}
}

// note writes a request down, with what authenticates it.
func (s *callShop) note(r *http.Request, body []byte) {
	cert := ""
	if len(r.TLS.PeerCertificates) > 0 {
		cert = r.TLS.PeerCertificates[0].Subject.CommonName
	}
	line, err := json.Marshal(map[string]string{"request": r.Method + " " + r.Host + r.URL.RequestURI(), "authorization": r.Header.Get("Authorization"), "key": r.Header.Get("X-Key"), "cert": cert, "body": string(body)})
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := os.OpenFile(s.log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	_, _ = f.Write(append(line, '\n'))
	_ = f.Close()
}

// selfIssued is a certificate with its key, in PEM.
func selfIssued(form *x509.Certificate) (cert, key []byte, err error) {
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	form.SerialNumber, form.NotBefore, form.NotAfter = big.NewInt(time.Now().UnixNano()), time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	raw, err := x509.CreateCertificate(rand.Reader, form, form, &own.PublicKey, own)
	if err != nil {
		return nil, nil, err
	}
	text, err := x509.MarshalPKCS8PrivateKey(own)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text}), err
}

// callShopEnv is "call-shop": it starts the sites, writes ca.pem, client.pem (a client
// certificate with its key) and calls.jsonl, and sets $SHOP_TO.
func callShopEnv(ts *testscript.TestScript, _ bool, _ []string) {
	cert, key, err := selfIssued(&x509.Certificate{Subject: pkix.Name{CommonName: "shops"}, DNSNames: []string{"shop.example", "login.shop.example", "quiet.example", "tea.example"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	ts.Check(err)
	pair, err := tls.X509KeyPair(cert, key)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("ca.pem"), cert, 0o600))
	cert, key, err = selfIssued(&x509.Certificate{Subject: pkix.Name{CommonName: "ann"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("client.pem"), append(cert, key...), 0o600))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	srv := &http.Server{Handler: &callShop{log: ts.MkAbs("calls.jsonl"), login: &clienttest.OAuth{Issuer: "https://login.shop.example"}}, TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequestClientCert}, ReadHeaderTimeout: 5 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = srv.ServeTLS(listener, "", "") }()
	ts.Defer(func() { _ = srv.Close() })
	ts.Setenv("SHOP_TO", listener.Addr().String())
}

// callTheShop is "shop ARG…": wayfind call to those sites, on this machine.
func callTheShop(ts *testscript.TestScript, neg bool, args []string) {
	all := []string{"call", "--allow-cidr", "127.0.0.0/8", "--cacert", ts.MkAbs("ca.pem")}
	for _, host := range []string{"shop.example", "login.shop.example", "quiet.example", "tea.example"} {
		all = append(all, "--connect-to", host+":443:"+ts.Getenv("SHOP_TO"))
	}
	if err := ts.Exec("wayfind", append(all, args...)...); (err != nil) != neg {
		ts.Fatalf("%v: %v", args, err)
	}
}
