package main

import (
	"bufio"
	"bytes"
	"context"
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
)

// credentialFlags say which credentials a call may use.
type credentialFlags struct {
	credentials []string
	clientID    string
	register    bool
	tokenFile   string
}

func (f *credentialFlags) registerFlags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.credentials, "credential", nil, "use a credential, as `SCHEME=env:NAME`, SCHEME=file:PATH (which only you may read) or SCHEME=cmd:ARGV; SCHEME is the document's name for it. It goes to the origin of the document; SCHEME@HOST sends it to a host that the document names. Basic is user:password")
	cmd.Flags().StringVar(&f.clientID, "client-id", "", "log in by OAuth as this `ID`, or https URL of a client's metadata")
	cmd.Flags().BoolVar(&f.register, "register", false, "register a client at the authorization server where there is no --client-id")
	cmd.Flags().StringVar(&f.tokenFile, "token-file", "", "keep refresh tokens in `FILE`, which only you may read (see \"wayfind logout\")")
}

// source is where the value of a credential is from.
type source struct{ scheme, origin, kind, from string }

// vault answers for call.Options.Credentials.
func (f *credentialFlags) vault(a *app) (func(context.Context, *call.CredentialRequest) (*call.Grant, error), error) {
	var sources []source
	for _, s := range f.credentials {
		name, from, found := strings.Cut(s, "=")
		kind, value, typed := strings.Cut(from, ":")
		if !found || !typed || name == "" || value == "" || kind != "env" && kind != "file" && kind != "cmd" {
			return nil, usagef("--credential: write SCHEME=env:NAME, SCHEME=file:PATH or SCHEME=cmd:ARGV") // the value may be a secret
		}
		own := source{scheme: name, kind: kind, from: value}
		if scheme, host, far := strings.Cut(name, "@"); far {
			origin, err := originOfHost(host)
			if err != nil {
				return nil, usagef("--credential: %w", err)
			}
			own.scheme, own.origin = scheme, origin
		}
		sources = append(sources, own)
	}
	var store call.TokenStore
	if f.tokenFile != "" {
		kept, err := openTokens(f.tokenFile)
		if err != nil {
			return nil, err
		}
		store = kept
	}
	return func(ctx context.Context, q *call.CredentialRequest) (*call.Grant, error) {
		for _, s := range sources {
			if s.scheme != q.Name || s.origin != "" && s.origin != q.Origin {
				continue
			}
			to, proven := bound(q, s.origin != "")
			if !proven {
				return nil, fmt.Errorf("%s is not where the document is; to send the credential there, write --credential %s@%s=…", q.Origin, s.scheme, strings.TrimPrefix(q.Origin, "https://"))
			}
			value, err := s.read(ctx)
			if err != nil {
				return nil, err
			}
			return grantOf(q.Scheme, value, to), nil
		}
		if (f.clientID != "" || f.register) && (q.Scheme.Kind == wayfind.SchemeOAuth2 || q.Scheme.Kind == wayfind.SchemeOIDC) {
			to, proven := bound(q, false)
			if !proven {
				return nil, fmt.Errorf("%s is not where the document is", q.Origin)
			}
			return call.OAuth(&call.OAuthConfig{Grant: call.AuthorizationCode, ClientID: f.clientID, Register: f.register, Store: store, Open: a.openPage}, to), nil
		}
		return nil, nil
	}, nil
}

// openPage shows the page of an authorization server.
func (a *app) openPage(_ context.Context, page string) error {
	fmt.Fprintf(a.err, "Open this page in a browser on this machine, and log in there:\n  %s\n", show(page))
	return nil
}

// grantOf is a credential of the kind that a scheme wants.
func grantOf(s wayfind.Scheme, value string, to call.Bound) *call.Grant {
	switch {
	case s.Kind == wayfind.SchemeAPIKey:
		return call.Key(value, to)
	case s.Kind == wayfind.SchemeHTTP && strings.EqualFold(s.HTTPScheme, "basic"):
		user, password, _ := strings.Cut(value, ":")
		return call.Basic(user, password, to)
	}
	return call.Bearer(value, to)
}

// shownCredentials lets a request be shown whose credentials are not there.
func shownCredentials() func(context.Context, *call.CredentialRequest) (*call.Grant, error) {
	return func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
		return grantOf(q.Scheme, "hidden:hidden", call.Bound{Origin: q.Origin, Proof: call.ProofPerson}), nil
	}
}

// read gets the value: one line.
func (s *source) read(ctx context.Context) (string, error) {
	switch s.kind {
	case "env":
		value, there := os.LookupEnv(s.from)
		if !there || value == "" {
			return "", fmt.Errorf("the environment has no %s", s.from)
		}
		return value, nil
	case "file":
		raw, err := readPrivate(s.from)
		if err != nil {
			return "", err
		}
		return singleLine(raw)
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	argv := strings.Fields(s.from)
	if len(argv) == 0 {
		return "", errors.New("the command of the credential is empty")
	}
	out, err := process.CommandContext(ctx, argv[0], argv[1:]...).Output()
	if err != nil {
		return "", fmt.Errorf("the command of the credential failed: %w", err)
	}
	return singleLine(out)
}

func singleLine(raw []byte) (string, error) {
	line := bytes.TrimRight(raw, "\r\n")
	if len(line) == 0 || bytes.ContainsAny(line, "\r\n") {
		return "", errors.New("the credential is not one line")
	}
	return string(line), nil
}

// maxPrivate is the largest file with credentials.
const maxPrivate = 1 << 20

// readPrivate reads a file that nobody but its owner may read. Windows tells that in a
// way that is not looked at here.
func readPrivate(name string) ([]byte, error) {
	if runtime.GOOS == "windows" {
		return nil, errors.New("files with credentials are not read on Windows: use env or cmd")
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

// yesFromTerminal asks a question. Anything but a yes is a no.
func (a *app) yesFromTerminal(question string) bool {
	fmt.Fprint(a.err, question)
	answer, _ := bufio.NewReader(a.in).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}
