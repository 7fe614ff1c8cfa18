package fetch

import (
	"crypto/tls"
	"fmt"
	"reflect"
	"slices"
)

// ownTLS returns the fields of a tls.Config that a caller may set. No field among them affects
// whether a certificate is accepted, or for which name.
func ownTLS() []string {
	return []string{
		"Certificates", "GetClientCertificate", // mutual TLS
		"KeyLogWriter",                                                 // debugging
		"CipherSuites", "CurvePreferences", "MinVersion", "MaxVersion", // rules of an organisation
	}
}

// CheckTLS returns an error for the first setting in a caller's tls.Config that a caller must not
// make: any field except client certificates, key log, cipher suites, curves and versions; versions
// below TLS 1.2; suites that crypto/tls lists as insecure. A nil config is valid.
func CheckTLS(own *tls.Config) error {
	if own == nil {
		return nil
	}
	v := reflect.ValueOf(own).Elem()
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.IsExported() && !v.Field(i).IsZero() && !slices.Contains(ownTLS(), field.Name) {
			return fmt.Errorf("%s cannot be set: certificates are always verified, for the name that was asked", field.Name)
		}
	}
	switch {
	case own.MinVersion != 0 && own.MinVersion < tls.VersionTLS12:
		return fmt.Errorf("MinVersion %s is below TLS 1.2", tls.VersionName(own.MinVersion))
	case own.MaxVersion != 0 && own.MaxVersion < max(own.MinVersion, tls.VersionTLS12):
		return fmt.Errorf("MaxVersion %s is below the lowest version allowed", tls.VersionName(own.MaxVersion))
	}
	for _, id := range own.CipherSuites {
		if !slices.ContainsFunc(tls.CipherSuites(), func(s *tls.CipherSuite) bool { return s.ID == id }) {
			return fmt.Errorf("cipher suite %s is unknown or insecure", tls.CipherSuiteName(id))
		}
	}
	return nil
}

// setTLS copies the fields that a caller may set. Later changes by the caller have no effect.
func setTLS(config, own *tls.Config) {
	if own == nil {
		return
	}
	config.Certificates = slices.Clone(own.Certificates)
	config.GetClientCertificate = own.GetClientCertificate
	config.KeyLogWriter = own.KeyLogWriter
	config.CipherSuites = slices.Clone(own.CipherSuites)
	config.CurvePreferences = slices.Clone(own.CurvePreferences)
	config.MinVersion = max(own.MinVersion, tls.VersionTLS12)
	config.MaxVersion = own.MaxVersion
}
