// Package websign signs requests, so that a site can identify their agent. It uses HTTP message
// signatures (RFC 9421) with the profile of Web Bot Auth
// (draft-ietf-webbotauth-httpsig-protocol) and Ed25519 keys.
//
// A signature covers the authority, the method and the path of one request, and the field
// Signature-Agent, which leads to the public key. It is valid for [Lifetime].
package websign

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dunglas/httpsfv"

	"github.com/wayfindhq/wayfind/security"
)

// Lifetime is the lifetime of a signature.
const Lifetime = 2 * time.Minute

// DirectoryPath is where the origin of an agent publishes its public keys.
const DirectoryPath = "/.well-known/http-message-signatures-directory"

const (
	tag       = "web-bot-auth"
	algorithm = "ed25519"
	agentName = "signature-agent" // the name of the component
)

// These are the fields of a signed request.
const (
	fieldInput     = "Signature-Input"
	fieldSignature = "Signature"
	fieldAgent     = "Signature-Agent"
	fieldWish      = "Accept-Signature"
)

// Signer signs requests with one key. fmt, log/slog and encoding/json do not show the key.
type Signer struct {
	sign  func(message []byte) []byte
	id    string // the thumbprint of the public key
	agent httpsfv.Item
}

// New returns a Signer for the agent with this URL: an origin that publishes its keys at
// DirectoryPath, or the URL of a card that contains the place of the keys.
func New(key ed25519.PrivateKey, agent string) (*Signer, error) {
	if len(key) != ed25519.PrivateKeySize {
		return nil, errors.New("the key is not a private Ed25519 key")
	}
	u, err := agentURL(agent)
	if err != nil {
		return nil, err
	}
	item := httpsfv.NewItem(u.String())
	if u.Path != "" {
		item.Params.Add("type", httpsfv.Token("cimd"))
	}
	return newSigner(key, item), nil
}

func newSigner(key ed25519.PrivateKey, agent httpsfv.Item) *Signer {
	key = slices.Clone(key)
	return &Signer{
		sign:  func(message []byte) []byte { return ed25519.Sign(key, message) },
		id:    thumbprint(key.Public().(ed25519.PublicKey)),
		agent: agent,
	}
}

// agentURL reads the URL of an agent. The path of an origin is empty.
func agentURL(agent string) (*url.URL, error) {
	u, err := (&security.Guard{}).ParseURL(agent, nil)
	if err != nil {
		return nil, err
	}
	if u.RawQuery != "" || u.ForceQuery {
		return nil, errors.New("the URL of an agent must not have a query")
	}
	if u.Path == "/" {
		u.Path, u.RawPath = "", ""
	}
	return u, nil
}

// Signed reports whether a header has the fields of a signature.
func Signed(h http.Header) bool {
	for _, name := range [...]string{fieldInput, fieldSignature, fieldAgent} {
		if _, has := h[name]; has {
			return true
		}
	}
	return false
}

// Sign adds the signature of a request to its header. wish is the signature that a site asked
// for, or nil.
func (s *Signer) Sign(h http.Header, method string, u *url.URL, wish *Wish) {
	if wish == nil {
		wish = &Wish{label: "sig1", covered: []string{"@authority", "@method", "@path"}}
	}
	nonce := wish.nonce
	if nonce == "" {
		nonce = rand.Text()
	}
	now := time.Now()
	in := input{label: wish.label, agentKey: wish.label, covered: wish.covered, created: now, expires: now.Add(Lifetime), nonce: nonce}
	s.signed(h, method, u, &in)
}

// input is the content of a Signature-Input field.
type input struct {
	label            string
	agentKey         string   // the label of Signature-Agent, if it is covered
	covered          []string // the other components, in order
	created, expires time.Time
	nonce            string
}

// signed adds the fields. All parts fit into structured fields: they are constants, numbers or
// ASCII, or were read from such a field.
func (s *Signer) signed(h http.Header, method string, u *url.URL, in *input) {
	base, params := s.base(method, u, in)
	signature := httpsfv.NewItem(s.sign([]byte(base)))
	h[fieldSignature] = []string{entry(in.label, signature)}
	h[fieldInput] = []string{entry(in.label, params)}
	if in.agentKey != "" {
		h[fieldAgent] = []string{entry(in.agentKey, s.agent)}
	}
}

// base returns the signature base (RFC 9421 §2.5), and its last line as a value.
func (s *Signer) base(method string, u *url.URL, in *input) (string, httpsfv.InnerList) {
	var b strings.Builder
	params := httpsfv.InnerList{Params: s.params(in)}
	line := func(id httpsfv.Item, value string) {
		params.Items = append(params.Items, id)
		b.WriteString(text(id) + ": " + value + "\n")
	}
	for _, name := range in.covered {
		line(httpsfv.NewItem(name), component(name, method, u))
	}
	if in.agentKey != "" {
		id := httpsfv.NewItem(agentName)
		id.Params.Add("key", in.agentKey)
		line(id, text(s.agent))
	}
	return b.String() + `"@signature-params": ` + text(httpsfv.List{params}), params
}

func (s *Signer) params(in *input) *httpsfv.Params {
	p := httpsfv.NewParams()
	p.Add("created", in.created.Unix())
	p.Add("keyid", s.id)
	p.Add("alg", algorithm)
	p.Add("expires", in.expires.Unix())
	p.Add("nonce", in.nonce)
	p.Add("tag", tag)
	return p
}

// component returns the value of a derived component (RFC 9421 §2.2).
func component(name, method string, u *url.URL) string {
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	switch name {
	case "@method":
		return method
	case "@scheme":
		return u.Scheme
	case "@authority":
		return authority(u)
	case "@path":
		return path
	case "@query":
		return "?" + u.RawQuery
	}
	target := u.Scheme + "://" + authority(u) + path
	if u.RawQuery != "" || u.ForceQuery {
		target += "?" + u.RawQuery
	}
	return target
}

// authority returns the authority without the default port.
func authority(u *url.URL) string {
	return strings.TrimSuffix(strings.ToLower(u.Host), ":443")
}

// entry returns a dictionary with one member.
func entry(key string, m httpsfv.Member) string {
	d := httpsfv.NewDictionary()
	d.Add(key, m)
	return text(d)
}

// text returns a value in the form of a field.
func text(v httpsfv.StructuredFieldValue) string {
	s, _ := httpsfv.Marshal(v) // see signed
	return s
}
