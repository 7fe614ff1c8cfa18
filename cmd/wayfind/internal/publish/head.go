package publish

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/served"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/resolve"
)

// AskHead asks for the header of a document with HEAD, and returns the rules that the answer or its
// connection breaks. first is the header of the answer to GET. unsent says why there is no request,
// or no answer that counts.
func AskHead(ctx context.Context, n *session.Network, cl *client.Client, at string, first http.Header) (faults []wayfind.Diagnostic, unsent string) {
	u, err := url.Parse(at)
	if err != nil {
		return nil, "no request can be made"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, at, nil)
	if err != nil {
		return nil, "no request can be made"
	}
	origin := u.Scheme + "://" + u.Host
	req.Header.Set("Accept", places.Alone(resolve.Target{Origin: origin}, Chosen(n), u).Accept)
	second := served.Second{URL: at, First: first, Now: time.Now()}
	if now, err := session.ParseNow(n.Now); err == nil && now != nil {
		second.Now = now()
	}
	resp, err := cl.HTTP(origin).Do(req)
	switch e, _ := errors.AsType[*wayfind.Error](err); {
	case err != nil && ctx.Err() != nil: // no fact about the server
		return nil, ui.Sentence(ctx.Err())
	case e != nil && e.Unsent:
		return nil, CodeWords(err)
	case err != nil:
		second.Failed = CodeWords(err)
	default:
		_ = resp.Body.Close()
		if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable {
			return nil, fmt.Sprintf("the server asks for a pause (status %d)", resp.StatusCode)
		}
		second.Status, second.Header, second.Connection = resp.StatusCode, resp.Header, connectionOf(resp.TLS)
	}
	return served.JudgeHead(&second), ""
}

// connectionOf returns the facts of a connection that are judged.
func connectionOf(state *tls.ConnectionState) *served.Connection {
	if state == nil || len(state.PeerCertificates) == 0 {
		return nil
	}
	own := state.PeerCertificates[0]
	c := &served.Connection{NotBefore: own.NotBefore, NotAfter: own.NotAfter, NotSent: notSent(state)}
	if state.Version < tls.VersionTLS13 {
		c.OldVersion = tls.VersionName(state.Version)
	}
	return c
}

// notSent returns the name of a certificate below the authority that the server has not sent,
// although each verified chain needs such a certificate.
func notSent(state *tls.ConnectionState) (name string) {
	for _, chain := range state.VerifiedChains {
		i := slices.IndexFunc(chain[:max(1, len(chain)-1)], func(c *x509.Certificate) bool {
			return !slices.ContainsFunc(state.PeerCertificates, c.Equal)
		})
		if i < 0 {
			return ""
		}
		name = cmp.Or(name, chain[i].Subject.CommonName, chain[i].Subject.String())
	}
	return name
}

// Chosen returns the formats that are looked for.
func Chosen(n *session.Network) []*parse.Format {
	if len(n.Formats) > 0 {
		if list, err := formats.Select(n.Formats...); err == nil {
			return list
		}
	}
	return formats.All()
}

// CodeWords returns the code of an error in words.
func CodeWords(err error) string {
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok {
		return "no answer"
	}
	return strings.ReplaceAll(string(e.Code), "_", " ")
}
