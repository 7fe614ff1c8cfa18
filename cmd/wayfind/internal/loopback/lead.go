package loopback

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	pkcs12 "software.sslmate.com/src/go-pkcs12"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/commandline"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// Lead is what leads the clients of other programs to the sites: files, and variables of the
// environment that name them.
type Lead struct {
	// Address is the address and the port of the sites. The same port is an HTTP proxy to them.
	Address string `json:"address"`
	// Sites are the names of the sites, with the port unless it is 443.
	Sites []string `json:"sites"`
	// CAFile is a file with the authority of their certificates, in PEM. It is gone when serve ends.
	CAFile string `json:"caFile"`
	// TrustStore is a file with the same authority for Java, in PKCS #12, with the password
	// "changeit".
	TrustStore string `json:"trustStore"`
	// EnvFile is a file with all variables, for a shell to read.
	EnvFile string `json:"envFile"`
	// Variables are variables of the environment by their names.
	Variables map[string]string `json:"variables"`

	dir, powerShell string   // powerShell is EnvFile for PowerShell
	names           []string // of Variables, in the order of EnvFile
}

// OnlyCommand is the prefix of the variables that this command alone reads.
const OnlyCommand = "WAYFIND_"

// Lead writes the files. The variables are those whose names begin with prefix. The caller must
// remove the files.
func (d *Server) Lead(prefix string) (*Lead, error) {
	dir, err := os.MkdirTemp("", "wayfind-demo-")
	if err != nil {
		return nil, err
	}
	l := &Lead{
		Address: d.Addr.String(), Sites: d.hosts, Variables: map[string]string{}, dir: dir,
		CAFile: filepath.Join(dir, "ca.pem"), TrustStore: filepath.Join(dir, "ca.p12"), EnvFile: filepath.Join(dir, "env"), powerShell: filepath.Join(dir, "env.ps1"),
	}
	l.setVariables(d, prefix)
	store, err := pkcs12.Modern.EncodeTrustStore([]*x509.Certificate{d.authority}, pkcs12.DefaultPassword)
	return l, errors.Join(err,
		os.WriteFile(l.CAFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: d.authority.Raw}), 0o600),
		os.WriteFile(l.TrustStore, store, 0o600),
		os.WriteFile(l.EnvFile, l.script("export ", "=", `'\''`), 0o600),
		os.WriteFile(l.powerShell, l.script("$env:", " = ", "''"), 0o600))
}

// Remove removes the files.
func (l *Lead) Remove() { _ = os.RemoveAll(l.dir) } // a system empties its directory for such files

// setVariables fills Variables.
func (l *Lead) setVariables(d *Server, prefix string) {
	set := func(value string, names ...string) {
		for _, name := range names {
			if !strings.HasPrefix(name, prefix) {
				continue
			}
			l.names, l.Variables[name] = append(l.names, name), value
		}
	}
	var to []string
	for _, at := range withPorts(d.hosts) {
		to = append(to, at+":"+l.Address)
	}
	set(strings.Join(to, " "), commandline.VariableOf("connect-to"))
	set(d.itself().String(), commandline.VariableOf("allow-cidr"))
	set(l.CAFile, commandline.VariableOf("cacert"), "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
	set("http://"+l.Address, "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy")
	set("localhost,127.0.0.1,::1", "NO_PROXY", "no_proxy") // a test suite may have servers of its own
	set("1", "NODE_USE_ENV_PROXY")
	host, port := d.Addr.Addr(), d.Addr.Port()
	set(fmt.Sprintf(`-Dhttps.proxyHost=%[1]s -Dhttps.proxyPort=%[2]d -Dhttp.proxyHost=%[1]s -Dhttp.proxyPort=%[2]d -Djavax.net.ssl.trustStore="%[3]s" -Djavax.net.ssl.trustStoreType=PKCS12 -Djavax.net.ssl.trustStorePassword=%[4]s`,
		host, port, l.TrustStore, pkcs12.DefaultPassword), "JAVA_TOOL_OPTIONS")
}

// Environment returns the variables in the form of os.Environ.
func (l *Lead) Environment() (list []string) {
	for _, name := range l.names {
		list = append(list, name+"="+l.Variables[name])
	}
	return list
}

// script returns the variables as lines for a shell. sign and mark are how the shell writes an
// assignment, and a quotation mark between quotation marks.
func (l *Lead) script(before, sign, mark string) []byte {
	var b strings.Builder
	for _, name := range l.names {
		b.WriteString(before + name + sign + "'" + strings.ReplaceAll(l.Variables[name], "'", mark) + "'\n")
	}
	return []byte(b.String())
}

// Lines returns what a person copies into another shell.
func (l *Lead) Lines() string {
	return "  . " + humanize.Word(l.EnvFile) + "\n\nor, in PowerShell,\n\n  Get-Content -Raw '" + strings.ReplaceAll(l.powerShell, "'", "''") + "' | Invoke-Expression\n"
}

// Curl returns a command that asks a path of a site without the variables.
func (l *Lead) Curl(host, path string) string {
	return "  curl --connect-to ::" + l.Address + " --cacert " + humanize.Word(l.CAFile) + " \\\n    https://" + host + path
}
