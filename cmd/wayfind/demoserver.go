package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"path"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/internal/clock"
)

//go:embed all:sites
var siteFiles embed.FS

// demoServer is the sample sites: one TLS listener on the loopback interface
// that serves a folder for each name.
type demoServer struct {
	addr      netip.AddrPort
	authority *x509.Certificate
	server    *http.Server
	done      chan error
}

// startDemo starts the sites. now (may be nil) sets their Date field.
func startDemo(now func() time.Time) (*demoServer, error) {
	authority, leaf, err := demoCertificates()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d := &demoServer{addr: listener.Addr().(*net.TCPAddr).AddrPort(), authority: authority, done: make(chan error, 1)}
	d.server = &http.Server{
		Handler:           withAssistant(demoHandler(now)),
		TLSConfig:         &tls.Config{Certificates: []tls.Certificate{leaf}, MinVersion: tls.VersionTLS12},
		ReadHeaderTimeout: 5 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	go func() { d.done <- d.server.ServeTLS(listener, "", "") }()
	return d, nil
}

// Close stops the sites.
func (d *demoServer) Close() error {
	err := d.server.Close()
	if served := <-d.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// demoHandler serves sites/<host>/<path>, or the index.json of that folder, and
// home.html as the home page. An index.html is the answer to everything else.
func demoHandler(now func() time.Time) http.Handler {
	clk := clock.Of(now)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", clk.Now().UTC().Format(http.TimeFormat))
		host, _, _ := strings.Cut(r.Host, ":")
		file := path.Join("sites", host, path.Clean("/"+r.URL.Path))
		body, err := fs.ReadFile(siteFiles, file)
		if err != nil {
			body, err = fs.ReadFile(siteFiles, path.Join(file, "index.json"))
		}
		mediaType := "application/json"
		if page, failed := fs.ReadFile(siteFiles, path.Join(file, "home.html")); r.URL.Path == "/" && failed == nil {
			body, err, mediaType = page, nil, "text/html; charset=utf-8"
		}
		switch path.Ext(r.URL.Path) {
		case ".md":
			mediaType = "text/markdown; charset=utf-8"
		case ".txt":
			mediaType = "text/plain; charset=utf-8"
		case ".yaml":
			mediaType = "application/yaml"
		}
		if err != nil {
			body, err = fs.ReadFile(siteFiles, path.Join("sites", host, "index.html"))
			mediaType = "text/html; charset=utf-8"
		}
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", mediaType)
		w.Header().Set("Cache-Control", "public, max-age=3600")
		w.Header().Set("ETag", fmt.Sprintf("%q", fmt.Sprintf("%x", sha256.Sum256(body))[:16]))
		if r.Header.Get("If-None-Match") == w.Header().Get("ETag") {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(body) // the client may have left
	})
}

// demoCertificates makes a certificate authority that lives as long as the
// process, and one certificate for all sites.
func demoCertificates() (*x509.Certificate, tls.Certificate, error) {
	var none tls.Certificate
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, none, err
	}
	leafKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, none, err
	}
	from, to := time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "wayfind demo, this run only"}, NotBefore: from, NotAfter: to,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	caDER, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	if err != nil {
		return nil, none, err
	}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "wayfind demo"}, NotBefore: from, NotAfter: to,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	leaf.DNSNames = demoHosts()
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, ca, &leafKey.PublicKey, caKey)
	if err != nil {
		return nil, none, err
	}
	authority, err := x509.ParseCertificate(caDER)
	return authority, tls.Certificate{Certificate: [][]byte{leafDER}, PrivateKey: leafKey}, err
}
