// Package credentials gives credentials to calls: from files, variables and programs, by logging in,
// and tokens of earlier runs.
package credentials

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	process "os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
)

// Flags are the flags for the credentials that a call may use.
type Flags struct {
	credentials []string
	login       loginFlags
	// profile is the URL of the operator's own profile.
	profile string
	// Unread means that no value is read and no login is made. A stand-in shows where each
	// credential goes.
	Unread bool
}

// Register adds the flags to a command.
func (f *Flags) Register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.credentials, "credential", nil, "use a credential, as `SCHEME=env:NAME`, SCHEME=file:PATH (which only you may read) or SCHEME=cmd:ARGV; SCHEME is the document's name for it, or \"bearer\" where the site alone asks for one. It goes to the origin of the document; SCHEME@HOST sends it to a host that the document names. Basic is user:password, a client certificate PEM with its key")
	cmd.Flags().StringVar(&f.profile, "agent-profile", "", "show shops the public profile of your agent at this https `URL` (Universal Commerce Protocol): they fetch it before they serve a call, and other services do not get it")
	f.login.register(cmd)
}

// Given reports whether a credential was named.
func (f *Flags) Given() bool { return len(f.credentials) > 0 || f.login.given() }

// source is the source of the value of a credential.
type source struct{ scheme, origin, kind, from string }

// sourceOf reads SCHEME=KIND:FROM.
func sourceOf(flag, text string) (source, error) {
	name, from, found := strings.Cut(text, "=")
	kind, value, typed := strings.Cut(from, ":")
	if !found || !typed || name == "" || value == "" || kind != "env" && kind != "file" && kind != "cmd" {
		return source{}, ui.Usagef("%s: write SCHEME=env:NAME, SCHEME=file:PATH or SCHEME=cmd:ARGV", flag) // the text is left out, because it may be a secret
	}
	own := source{scheme: name, kind: kind, from: value}
	if scheme, host, far := strings.Cut(name, "@"); far {
		origin, err := session.OriginOfHost(host)
		if err != nil {
			return source{}, ui.Usagef("%s: %w", flag, err)
		}
		own.scheme, own.origin = scheme, origin
	}
	return own, nil
}

// Equip sets the options of a Caller for credentials from the flags.
func (f *Flags) Equip(a *ui.App, o *call.Options) error {
	var sources []source
	for _, text := range f.credentials {
		own, err := sourceOf("--credential", text)
		if err != nil {
			return err
		}
		sources = append(sources, own)
	}
	o.AgentProfile = f.profile
	if lost := lostIn(); lost != nil {
		o.Lost = lost
	}
	login, err := f.login.open(a, f.Unread)
	if err != nil {
		return err
	}
	if name := f.login.tokenFile; name != "" {
		if o.Tokens, err = OpenTokens(name); err != nil {
			return err
		}
	}
	o.Credentials = func(ctx context.Context, q *call.CredentialRequest) (*call.Grant, error) {
		s, to, err := sourceFor(sources, q)
		switch {
		case err != nil:
			return nil, err
		case s == nil:
			return login(ctx, q)
		case f.Unread:
			return StandIn(q.Scheme, to)
		}
		return s.grant(ctx, q.Scheme, to)
	}
	return nil
}

// Lister returns a Caller that reads the real credentials, for servers that need them to list their
// tools.
func (f *Flags) Lister(a *ui.App, c *session.Session, n *session.Network) (*call.Caller, error) {
	own, opts := *f, &call.Options{Approve: n.Approver()}
	own.Unread = false
	if err := own.Equip(a, opts); err != nil {
		return nil, err
	}
	return call.New(c.Client, opts)
}

// sourceFor returns the credential that the command line names for a request, and the origin that
// it is sent to. It returns nil if the command line names none.
func sourceFor(sources []source, q *call.CredentialRequest) (*source, call.Binding, error) {
	for i := range sources {
		s := &sources[i]
		if s.scheme != q.Name || s.origin != "" && s.origin != q.Origin {
			continue
		}
		to, proven := bound(q, s.origin != "")
		if !proven {
			return nil, to, fmt.Errorf("%s is not where the document is; to send the credential there, write --credential %s@%s=…", q.Origin, s.scheme, strings.TrimPrefix(q.Origin, "https://"))
		}
		return s, to, nil
	}
	return nil, call.Binding{}, nil
}

// grantOf returns a credential of the kind that a scheme requires.
func grantOf(s wayfind.Scheme, raw []byte, to call.Binding) (*call.Grant, error) {
	kind := authkind.Of(s).Made()
	if kind == authkind.Certificate {
		cert, err := tls.X509KeyPair(raw, raw)
		if err != nil {
			return nil, errors.New("the credential is no certificate with its key, in PEM")
		}
		return call.Certificate(cert, to), nil
	}
	value, err := singleLine(raw)
	if err != nil {
		return nil, err
	}
	user, password, _ := strings.Cut(value, ":")
	return map[authkind.Grant]*call.Grant{
		authkind.Key: call.Key(value, to), authkind.Basic: call.Basic(user, password, to), authkind.Bearer: call.Bearer(value, to),
	}[kind], nil
}

// grant reads the value, and returns a credential of the kind that the scheme requires.
func (s *source) grant(ctx context.Context, scheme wayfind.Scheme, to call.Binding) (*call.Grant, error) {
	raw, err := s.raw(ctx)
	if err != nil {
		return nil, err
	}
	return grantOf(scheme, raw, to)
}

// read returns the value, which must be one line.
func (s *source) read(ctx context.Context) (string, error) {
	raw, err := s.raw(ctx)
	if err != nil {
		return "", err
	}
	return singleLine(raw)
}

// raw returns the value unchanged.
func (s *source) raw(ctx context.Context) ([]byte, error) {
	switch s.kind {
	case "env":
		value, there := os.LookupEnv(s.from)
		if !there || value == "" {
			return nil, fmt.Errorf("the environment has no %s", s.from)
		}
		return []byte(value), nil
	case "file":
		return ReadPrivate(s.from)
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	argv := strings.Fields(s.from)
	if len(argv) == 0 {
		return nil, errors.New("the command of the credential is empty")
	}
	out, err := process.CommandContext(ctx, argv[0], argv[1:]...).Output()
	if err != nil {
		return nil, fmt.Errorf("the command of the credential failed: %w", err)
	}
	return out, nil
}

func singleLine(raw []byte) (string, error) {
	line := bytes.TrimRight(raw, "\r\n")
	if len(line) == 0 || bytes.ContainsAny(line, "\r\n") {
		return "", errors.New("the credential is not one line")
	}
	return string(line), nil
}

// maxPrivate is the largest size of a file with credentials, in bytes.
const maxPrivate = 1 << 20

// ErrPrivate is the error for a file with a secret on Windows.
var ErrPrivate = errors.New("files with credentials are not read on Windows: use env or cmd")

// ReadPrivate reads a file that only its owner may read. It returns an error on Windows, where the
// permissions are stored in a way that is not checked here.
func ReadPrivate(name string) ([]byte, error) {
	if runtime.GOOS == "windows" {
		return nil, ErrPrivate
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxPrivate:
		return nil, fmt.Errorf("%s is no file of credentials", name)
	case info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("others may read %s: chmod 600 it", name)
	}
	var b bytes.Buffer
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}
