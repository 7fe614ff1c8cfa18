package tokens

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"

	"golang.org/x/oauth2"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/act/access"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// guarded returns a context with the guarded client, from which package oauth2 takes it. If
// resource is not empty, it is added to each form.
func (f *fetcher) guarded(ctx context.Context, proofs *prover, resource string) context.Context {
	transport := &oauthTransport{client: f.client, parse: f.parseURL, server: f.server, proofs: proofs, resource: resource}
	return context.WithValue(ctx, oauth2.HTTPClient, &http.Client{
		Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	})
}

// oauthTransport sends the requests of package oauth2 through the guard, and only to the site of
// the issuer. It passes the password of the client separately from the request.
type oauthTransport struct {
	client   *client.Client
	parse    func(ref string) (*url.URL, error)
	server   *server
	proofs   *prover
	resource string // added to each form
}

// RoundTrip implements http.RoundTripper. If the proof of a request does not contain the nonce
// of the server, the server has not processed the request, and it is sent once more (RFC 9449
// §8).
func (d *oauthTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	var form []byte
	if req.Body != nil {
		var err error
		form, err = io.ReadAll(io.LimitReader(req.Body, maxMetadata))
		_ = req.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	if d.resource != "" && form != nil {
		form = append(form, "&resource="+url.QueryEscape(d.resource)...)
	}
	u, err := d.parse(req.URL.String())
	if err != nil {
		return nil, err
	}
	if !d.server.near(d.client, u) {
		return nil, wayfind.NewError("oauth", d.server.issuer, wayfind.CodeCrossSite, errors.New("the endpoint is not on the site of the issuer"))
	}
	resp, proof, err := d.send(req, u, form)
	if err != nil || d.proofs == nil {
		return resp, err
	}
	if nonce := d.proofs.saw(originOf(u), resp.Header); nonce != "" && nonce != proof.nonce && wantsNonce(resp) {
		resp, _, err = d.send(req, u, form)
	}
	return resp, err
}

// send sends a request with a form once. It adds a proof if the token endpoint demands one.
func (d *oauthTransport) send(req *http.Request, u *url.URL, form []byte) (resp *http.Response, proof Proof, err error) {
	own := req.Clone(req.Context())
	if form != nil {
		setBody(own, form)
	}
	var credentials []security.Credential
	if auth := own.Header.Get("Authorization"); auth != "" {
		own.Header.Del("Authorization")
		credentials = append(credentials, security.Credential{Origin: originOf(u), Field: "Authorization", Value: auth})
	}
	if d.proofs != nil && req.URL.String() == d.server.token {
		if proof, err = d.proofs.proof(req.Method, u, ""); err != nil {
			return nil, proof, err
		}
		credentials = append(credentials, security.Credential{Origin: originOf(u), Field: "DPoP", Value: proof.Value})
	}
	own.Header.Del("User-Agent")
	resp, err = access.Of(d.client).HTTPForCalls(originOf(u), true).Transport.RoundTrip(own.WithContext(client.WithCredential(req.Context(), credentials...)))
	return resp, proof, err
}

// wantsNonce reports whether an answer refuses a request because it had no nonce. The body can
// be read again afterwards.
func wantsNonce(resp *http.Response) bool {
	if resp.StatusCode != http.StatusBadRequest && resp.StatusCode != http.StatusUnauthorized {
		return false
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxMetadata))
	_ = resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	root, _ := (&parse.Input{Body: body}).JSONObject()
	code, _ := root.Get("error").Str()
	return err == nil && code == nonceWanted
}
