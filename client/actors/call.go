package actors

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/act/access"
	"github.com/wayfindhq/wayfind/internal/act/actorwire"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/security"
)

// endpoint describes the place of the messages of one conversation.
type endpoint struct {
	origin string
	agent  actorwire.Agent
	key    string

	digest    string // digest of the template, which an approval covers
	schemes   map[string]wayfind.Scheme
	named     string // URL of the document that names it, "" for the caller
	document  string // origin of that document
	domain    string // registrable domain of the endpoint
	elsewhere bool   // on another site than that document
}

func endpointOf(c *client.Client, f wayfind.Interface, key string) (endpoint, error) {
	if err := checkID("key", key); err != nil {
		return endpoint{}, err
	}
	agent, ok := actorwire.Read(f.Template)
	if !ok {
		return endpoint{}, invalid(f.Template, wayfind.CodeSchema, "the template does not end in %s", actorwire.DesignTail)
	}
	u, err := security.ParseURL(agent.Base, nil)
	if err != nil {
		return endpoint{}, err
	}
	agent.Base = u.String()
	at := endpoint{origin: "https://" + u.Host, agent: agent, key: key}
	if agent.Name() == "" {
		return endpoint{}, invalid(f.Template, wayfind.CodeSchema, "the template names no actor")
	}
	sum := sha256.Sum256([]byte(f.Template))
	at.digest = hex.EncodeToString(sum[:])
	if f.Auth != nil {
		at.schemes = f.Auth.Schemes
	}
	at.named, at.elsewhere = namedBy(c, f, u)
	if from, err := security.ParseURL(at.named, nil); err == nil {
		at.document = "https://" + from.Host
	}
	at.domain = access.Of(c).Domain(u.Hostname())
	return at, nil
}

// namedBy returns the document that names an endpoint, and whether the endpoint is on another
// site. If an interface has no sources, it comes from the caller. If it comes from a Site, it
// is near only if the Site states so and a source confirms it, because the Site may have been
// changed by others.
func namedBy(c *client.Client, f wayfind.Interface, u *url.URL) (named string, elsewhere bool) {
	near := f.Trust == wayfind.TrustSameOrigin || f.Trust == wayfind.TrustSameSite
	if len(f.Sources) == 0 {
		return "", f.Trust != "" && !near
	}
	borne := false
	for _, ref := range f.Sources {
		from, err := security.ParseURL(ref.Source, nil)
		if err != nil {
			continue
		}
		if named == "" {
			named = from.String()
		}
		borne = borne || access.Of(c).SameSite(from.Host, u.Host)
	}
	return named, !near || !borne
}

// message returns a message in the form in which it is written.
func (e *endpoint) message(m *Message) *actorwire.Message {
	return &actorwire.Message{Key: e.key, ID: m.ID, Method: m.Method, Params: m.Params}
}

// call is one operation on a message.
type call struct {
	method, verb, query string
	accept, etag, after string
	message             *Message
}

// do sends a request in the dialects that are possible. The answer is a 2xx or a 304 with its
// body open; any other answer is an error. Only a GET request is repeated in a second dialect.
func (a *Actor) do(ctx context.Context, id string, c call) (*http.Response, error) {
	if a == nil || a.http == nil {
		return nil, wayfind.NewError("actors", "", wayfind.CodeSchema, errors.New("this Actor is nil or zero: actors.New makes one"))
	}
	if err := checkID("message ID", id); err != nil {
		return nil, err
	}
	if err := a.approved(ctx); err != nil {
		return nil, err
	}
	ctx, err := a.authorized(ctx)
	if err != nil {
		return nil, err
	}
	list := a.dialects()
	if c.method != http.MethodGet && len(list) > 1 {
		if list, err = a.ask(ctx, list, id); err != nil {
			return nil, err
		}
	}
	var missing error
	for _, d := range list {
		resp, err := a.send(ctx, d, id, c)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode/100 == 2 || resp.StatusCode == http.StatusNotModified {
			a.protocols.Store(d)
			return resp, nil
		}
		failed := failure(resp)
		if c.method != http.MethodGet && actorwire.IsMissing(resp.StatusCode) {
			a.protocols.Store(Dialect(""))
		}
		if resp.StatusCode != http.StatusNotFound && resp.StatusCode != http.StatusMethodNotAllowed {
			return nil, failed
		}
		missing = cmp.Or(missing, error(failed))
	}
	return nil, missing
}

// ask finds out which of the paths accepts messages, by requests for their methods. If the
// server confirms no path, it returns the first.
func (a *Actor) ask(ctx context.Context, list []Dialect, id string) ([]Dialect, error) {
	for _, d := range list {
		resp, err := a.send(ctx, d, id, call{method: http.MethodOptions, accept: "*/*"})
		if err != nil {
			return nil, err
		}
		_ = resp.Body.Close()
		takes, sure := actorwire.Takes(resp.StatusCode, resp.Header)
		if sure {
			a.protocols.Store(d)
		}
		if takes {
			return []Dialect{d}, nil
		}
	}
	return list[:1], nil
}

// dialects returns the dialects to try, in order.
func (a *Actor) dialects() []Dialect {
	spoken, _ := a.protocols.Load().(Dialect)
	switch {
	case a.options.Dialect != "":
		return []Dialect{a.options.Dialect}
	case spoken != "":
		return []Dialect{spoken}
	case a.at.agent.Short:
		return []Dialect{DialectPrototype}
	}
	return []Dialect{DialectDesign, DialectPrototype}
}

// send sends one request. It returns errors of the Client without the wrapping of net/http.
func (a *Actor) send(ctx context.Context, d Dialect, id string, c call) (*http.Response, error) {
	u := a.at.agent.URL(&actorwire.Message{Key: a.at.key, ID: id}, d == DialectPrototype) + c.verb
	if c.query != "" {
		u += "?" + c.query
	}
	var body io.Reader
	if c.message != nil {
		body = bytes.NewReader(a.at.agent.Body(a.at.message(c.message), d == DialectPrototype))
	}
	req, err := http.NewRequestWithContext(ctx, c.method, u, body)
	if err != nil {
		return nil, invalid(u, wayfind.CodeHostSyntax, "%w", err)
	}
	for name, value := range map[string]string{"Accept": c.accept, "If-None-Match": c.etag, "Last-Event-ID": c.after} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := a.http.Do(req)
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		return nil, e
	} else if err != nil {
		return nil, wayfind.NewError("actors", u, wayfind.CodeCanceled, err).WithKind(nil)
	}
	return resp, nil
}

// approved asks the caller for approval before another site is contacted.
func (a *Actor) approved(ctx context.Context) error {
	if !a.at.elsewhere {
		return nil
	}
	refusal := wayfind.NewError("actors", a.at.agent.Base, wayfind.CodeCrossSite, errors.New("the agent is on another site than the document that names it, and its use was not approved"))
	if a.options.Approve == nil {
		return refusal
	}
	request := security.ApprovalRequest{
		DocumentOrigin: a.at.document, Document: a.at.named, Endpoint: a.at.agent.Base, Domain: a.at.domain, Protocol: Protocol,
		Methods: []string{http.MethodGet, http.MethodPost}, Digest: a.at.digest, Purpose: "actors",
	}
	if err := a.options.Approve(ctx, request); err != nil {
		refusal.Err = err
		return refusal
	}
	return nil
}

// authorized adds the caller's credential to the requests under a context.
func (a *Actor) authorized(ctx context.Context) (context.Context, error) {
	if a.options.Credentials == nil {
		return ctx, nil
	}
	refused := wayfind.NewError("actors", a.at.agent.Base, wayfind.CodeCredential, nil)
	c, err := a.options.Credentials(ctx, security.CredentialRequest{Origin: a.at.origin, Purpose: "actors", Schemes: a.at.schemes})
	switch {
	case err != nil:
		refused.Err = err
	case c.IsZero():
		return ctx, nil
	case c.Origin != a.at.origin:
		refused.Err = fmt.Errorf("the credential is for %q", c.Origin)
	case strings.ContainsFunc(c.Value, func(r rune) bool { return r < ' ' && r != '\t' || r >= 0x7f }):
		refused.Err = errors.New("the credential has octets that no header field can hold")
	case c.In != "":
		refused.Err = fmt.Errorf("messages are sent with header fields only, and the credential belongs into %q", c.In)
	case fieldname.CheckHeader(c.Field) != nil && !strings.EqualFold(c.Field, "Authorization"):
		refused.Err = fmt.Errorf("the credential's field cannot be sent: %w", fieldname.CheckHeader(c.Field))
	default:
		return client.WithCredential(ctx, c), nil
	}
	return nil, refused
}
