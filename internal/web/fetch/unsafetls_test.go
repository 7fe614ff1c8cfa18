package fetch

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// fullTLS returns a configuration with all fields that a caller may set.
func fullTLS(t *testing.T, w *world) *tls.Config {
	t.Helper()
	template := leaf("client.example.com")
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	own := &tls.Config{
		Certificates: []tls.Certificate{w.ca.leaf(t, template)}, KeyLogWriter: &bytes.Buffer{},
		CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}, CurvePreferences: []tls.CurveID{tls.CurveP256},
		MinVersion: tls.VersionTLS12, MaxVersion: tls.VersionTLS13,
	}
	cert := own.Certificates[0]
	own.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &cert, nil }
	if err := CheckTLS(own); err != nil {
		t.Fatal(err)
	}
	return own
}

// TestFieldsOfUnsafeTLSHaveTheirEffect: each of the fields has its effect, and later changes of
// them have none.
func TestFieldsOfUnsafeTLSHaveTheirEffect(t *testing.T) {
	for name, byFunction := range map[string]bool{"Certificates": false, "GetClientCertificate": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			own := fullTLS(t, w)
			if byFunction {
				own.Certificates = nil
			} else {
				own.GetClientCertificate = nil
			}
			got := w.mutual()
			c := w.conns(func(o *Options) { o.UnsafeTLS = own })
			clear(own.Certificates)
			own.CipherSuites[0] = tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256
			own.GetClientCertificate, own.MinVersion = nil, tls.VersionTLS13
			sameAnswer(t, answer{Status: 200, Body: "hello"}, get(t, t.Context(), c, site))
			if len(got.PeerCertificates) != 1 || got.PeerCertificates[0].DNSNames[0] != "client.example.com" ||
				got.CipherSuite != tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 || got.CurveID != tls.CurveP256 {
				t.Errorf("the server saw %+v", got)
			}
			if log := own.KeyLogWriter.(*bytes.Buffer).String(); !strings.Contains(log, "CLIENT_RANDOM") {
				t.Errorf("the key log has %q", log)
			}
		})
	}
}

// mutual serves a site that wants a client certificate, and keeps the state of the last connection.
func (w *world) mutual() *tls.ConnectionState {
	var got tls.ConnectionState
	w.name("shop.example.com", ip1)
	server := &http.Server{
		Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { got = *r.TLS; hello(rw, r) }),
		TLSConfig: &tls.Config{
			Certificates: []tls.Certificate{w.ca.leaf(w.t, leaf("shop.example.com"))},
			ClientAuth:   tls.RequireAndVerifyClientCert, ClientCAs: w.ca.pool, MaxVersion: tls.VersionTLS12,
		},
	}
	l := w.listen(ip1)
	go func() { _ = server.ServeTLS(l, "", "") }()
	w.t.Cleanup(func() { _ = server.Close() })
	return &got
}

// TestUnsafeTLSRaisesTheVersionAndLowersItNever: a caller can ask for more than TLS 1.2, never
// for less.
func TestUnsafeTLSRaisesTheVersionAndLowersItNever(t *testing.T) {
	w := newWorld(t)
	only12 := w.script("http/1.1")
	only12.config.MaxVersion = tls.VersionTLS12
	expectTLS(t, w, only12, "handshake", func(o *Options) { o.UnsafeTLS = &tls.Config{MinVersion: tls.VersionTLS13} })
	for _, own := range []*tls.Config{
		{MinVersion: tls.VersionTLS10}, {MinVersion: tls.VersionTLS11}, {MinVersion: 1}, {MaxVersion: tls.VersionTLS11},
		{MinVersion: tls.VersionTLS13, MaxVersion: tls.VersionTLS12},
		{CipherSuites: []uint16{tls.TLS_RSA_WITH_RC4_128_SHA}}, {CipherSuites: []uint16{0x1234}},
	} {
		if err := CheckTLS(own); err == nil {
			t.Errorf("%+v is accepted", own)
		}
	}
}

// TestNothingSwitchesVerificationOff: every field of tls.Config that there
// is, and any that a later Go adds, is refused unless it is on the list.
func TestNothingSwitchesVerificationOff(t *testing.T) {
	if err := CheckTLS(nil); err != nil {
		t.Error(err)
	}
	harmless := []string{"Certificates", "GetClientCertificate", "KeyLogWriter", "CipherSuites", "CurvePreferences", "MinVersion", "MaxVersion"}
	config, refused := reflect.TypeFor[tls.Config](), 0
	for i := range config.NumField() {
		field := config.Field(i)
		if !field.IsExported() || slices.Contains(harmless, field.Name) {
			continue
		}
		own := &tls.Config{}
		set(t, reflect.ValueOf(own).Elem().Field(i))
		refused++
		if err := CheckTLS(own); err == nil || !strings.HasPrefix(err.Error(), field.Name+" ") {
			t.Errorf("%s: %v", field.Name, err)
		}
	}
	for _, name := range []string{"Insecure" + "SkipVerify", "VerifyPeerCertificate", "VerifyConnection", "ServerName", "NextProtos", "RootCAs", "Time", "Rand", "Renegotiation", "ClientSessionCache"} {
		if _, ok := config.FieldByName(name); !ok {
			t.Errorf("there is no %s: the test is about nothing", name)
		}
	}
	if refused < 15 {
		t.Errorf("only %d fields", refused)
	}
}

// set makes a field differ from its zero value.
func set(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint16:
		v.SetUint(1)
	case reflect.String:
		v.SetString("x")
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Array:
		v.Index(0).SetUint(1)
	case reflect.Func:
		v.Set(reflect.MakeFunc(v.Type(), func([]reflect.Value) []reflect.Value { return nil }))
	case reflect.Interface:
		if v.Type() == reflect.TypeFor[tls.ClientSessionCache]() {
			v.Set(reflect.ValueOf(tls.NewLRUClientSessionCache(1)))
		} else {
			v.Set(reflect.ValueOf(strings.NewReader("")))
		}
	default:
		t.Fatalf("a field of kind %s", v.Kind())
	}
}

// TestAClientCertificateIsNotEnough: the site must still prove its identity.
func TestAClientCertificateIsNotEnough(t *testing.T) {
	w := newWorld(t)
	other := newAuthority(t)
	server := w.script("http/1.1")
	server.config.Certificates, server.config.ClientAuth = []tls.Certificate{other.leaf(t, leaf("shop.example.com"))}, tls.RequestClientCert
	expectTLS(t, w, server, "certificate of an unknown authority", func(o *Options) { o.UnsafeTLS = fullTLS(t, w) })
}
