// Package liverpc asks JSON-RPC endpoints for their methods, with the method "rpc.discover" of
// OpenRPC. It is enabled in the options of a client:
//
//	c, err := client.New(&client.Options{Live: []client.LiveProber{liverpc.New()}})
//
// Resolve then asks the endpoints at the origin that its documents name as JSON-RPC. Describe
// also asks endpoints on other hosts if Options.Approve agrees.
//
// # Promises
//
// One POST is sent, only to the endpoint. It contains no credential unless the context carries
// one for this purpose (client.WithCredential). The strict reader for documents reads at most
// 1 MiB of the answer. If the server does not know the method, the error is of kind
// wayfind.ErrNotFound. If it must not be asked now, the error is of kind wayfind.ErrThrottled.
// If it demands authentication, the error is of kind wayfind.ErrBlocked, and an answer with
// the content of its challenge is returned too. If the server refuses with a status, a
// *client.StatusError is among the causes.
package liverpc

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/formats/oauth"
	"github.com/wayfindhq/wayfind/internal/formats/openrpc"
	"github.com/wayfindhq/wayfind/parse"
)

// maxBytes is the maximum size of an answer. A description of a thousand methods is smaller.
const maxBytes = 1 << 20

// Protocol is the protocol of the interfaces that are asked.
const Protocol = "jsonrpc"

// New returns a prober for the protocol "jsonrpc".
func New() client.LiveProber { return prober{} }

type prober struct{}

// Protocol implements client.LiveProber.
func (prober) Protocol() string { return Protocol }

// Format implements client.LiveProber.
func (prober) Format() string { return "openrpc" }

// Probe implements client.LiveProber.
func (prober) Probe(ctx context.Context, req *client.LiveRequest) (*client.LiveAnswer, error) {
	body, header, err := post(ctx, req)
	if err != nil {
		if answer := challenged(req, header); answer != nil {
			return answer, err
		}
		return nil, err
	}
	mediaType, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	reading, err := openrpc.Discover(&parse.Input{
		URL: req.URL, FinalURL: req.URL, Header: header, Body: body, MediaType: strings.ToLower(strings.TrimSpace(mediaType)),
	})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	return &client.LiveAnswer{Reading: reading, Digest: hex.EncodeToString(sum[:])}, nil
}

// post sends the request. It returns the header of the answer even if there is an error.
func post(ctx context.Context, req *client.LiveRequest) ([]byte, http.Header, error) {
	fail := func(code wayfind.Code, err error) *wayfind.Error {
		return wayfind.NewError("live", req.URL.String(), code, err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, req.URL.String(), strings.NewReader(openrpc.DiscoverRequest))
	if err != nil {
		return nil, nil, fail(wayfind.CodeHostSyntax, err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	resp, err := req.HTTP.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	status := &client.StatusError{Status: resp.StatusCode}
	switch {
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden, resp.StatusCode == http.StatusPaymentRequired:
		return nil, resp.Header, fail(wayfind.CodeStatus, status).WithKind(wayfind.ErrBlocked)
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "":
		return nil, resp.Header, fail(wayfind.CodeStatus, status).WithKind(wayfind.ErrThrottled)
	case resp.StatusCode >= 300 && resp.StatusCode <= 399:
		return nil, resp.Header, fail(wayfind.CodeRedirectLocation, errors.New("the endpoint redirects, which is not followed"))
	case resp.StatusCode >= 500:
		return nil, resp.Header, fail(wayfind.CodeServerError, status)
	}
	// Servers return "method not found" with different statuses (OpenRPC, JSON-RPC over HTTP).
	// A JSON body is therefore read whatever the status.
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBytes+1))
	switch {
	case err != nil:
		return nil, resp.Header, err
	case len(body) > maxBytes:
		return nil, resp.Header, fail(wayfind.CodeTooLarge, &wayfind.TooLarge{Of: "bytes", Limit: maxBytes})
	case resp.StatusCode >= 400 && !isObject(body):
		code := wayfind.CodeStatus
		if resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone {
			code = wayfind.CodeAbsent
		}
		return nil, resp.Header, fail(code, status)
	}
	return body, resp.Header, nil
}

// isObject reports whether a body is a JSON object, like all answers in the protocol.
func isObject(body []byte) bool {
	_, err := (&parse.Input{Body: body}).JSONObject()
	return err == nil
}

// challenged returns an answer with the authentication that the challenge of an endpoint
// describes; nil if there is no challenge.
func challenged(req *client.LiveRequest, header http.Header) *client.LiveAnswer {
	if len(header["Www-Authenticate"]) == 0 {
		return nil
	}
	auth, metadata, diags := oauth.Challenge(req.URL, header)
	if auth == nil {
		return nil
	}
	auth = oauth.Announced(auth, cmp.Or(metadata, oauth.ResourceMetadataURL(req.URL)))
	at := wayfind.Interface{Protocol: Protocol, URL: req.URL.String(), Auth: auth}
	return &client.LiveAnswer{Reading: &parse.Reading{Services: []wayfind.Service{{Interfaces: []wayfind.Interface{at}}}, Diagnostics: diags}}
}
