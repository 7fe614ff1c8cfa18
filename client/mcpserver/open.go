package mcpserver

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/resolve"
)

// openInput is the schema of the arguments of wayfind_open. A domain is not a URL, so that the
// model does not choose the places that are asked there.
const openInput = `{"type":"object","properties":{"domain":{"type":"string","description":"A domain such as example.com. No URL."}},"required":["domain"],"additionalProperties":false}`

func rawJSON(text string) json.RawMessage { return json.RawMessage(text) }

// openTool returns wayfind_open.
func (s *Server) openTool() offered {
	yes := true
	return offered{tool: &mcp.Tool{
		Name: metaOpen, InputSchema: rawJSON(openInput),
		Description: "Puts the tools of a domain behind the search, if a person agrees. Use it when the user names a domain that the search does not have.",
		Annotations: &mcp.ToolAnnotations{IdempotentHint: true, OpenWorldHint: &yes, DestructiveHint: new(bool)},
	}, handler: s.open}
}

// open answers wayfind_open.
func (s *Server) open(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var wanted struct {
		Domain string `json:"domain"`
	}
	if err := strict(req.Params.Arguments, &wanted); err != nil {
		return refusal("The arguments are not those of the tool: it takes a domain."), nil
	}
	target, _, err := resolve.ParseTarget(wanted.Domain)
	if err != nil || target.Base != "" || strings.ContainsAny(wanted.Domain, "/?#:@") {
		return refusal("That is not the name of a public domain, such as example.com."), nil
	}
	domain := target.Host()
	allow := "--domain " + domain
	switch {
	case s.has(domain), !s.surface.opts.NoOpen && s.surface.grants.opens(domain):
		return s.opened(ctx, domain), nil
	case s.surface.opts.NoOpen:
		return unconfirmed("this server opens no further domain", allow), nil
	case req.Params.RequestState != "":
		if agreed, _ := agrees(req.Params.InputResponses[confirmID]); !agreed {
			return refusal(call.Denied.Sentence()), nil
		}
		if !s.surface.seals.redeem(req.Params.RequestState, domain, time.Now()) {
			return refusal("The agreement does not cover this domain."), nil
		}
		return s.opened(ctx, domain), nil
	}
	if !elicits(req.ClientCapabilities()) {
		return unconfirmed("the host cannot ask one", allow+", or with --open "+domain), nil
	}
	q := asked{
		message: "Let the model use the tools of " + domain + "?\nThe domain is asked for its offers. Calls that do more than read still need your word.",
		opens:   true,
		state:   s.surface.seals.seal(domain, time.Now()), allow: allow,
	}
	return s.surface.ask(ctx, req, q, func(ctx context.Context, _ bool) *mcp.CallToolResult { return s.opened(ctx, domain) }), nil
}

// has reports whether the server has a domain.
func (s *Server) has(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.domains, func(d *domain) bool { return d.name == name })
}

// opened adds a domain to the server, and reports its offers.
func (s *Server) opened(ctx context.Context, name string) *mcp.CallToolResult {
	d := s.add(name, false)
	if d == nil {
		return refusal(fmt.Sprintf("No more than %d domains may be open.", maxDomains))
	}
	isRead := false
	if s.await(ctx, func() bool { isRead = d.shown; return isRead }); !isRead {
		return refusal("The domain could not be read in time; search for its tools later.")
	}
	n := 0
	for _, t := range s.Box().Tools() {
		if t.Origin == "https://"+name {
			n++
		}
	}
	if n > 0 {
		return &mcp.CallToolResult{Content: []mcp.Content{ours(fmt.Sprintf("%s is open: it has %s. Find them with %s.", name, humanize.Count(n, "tool"), tools.MetaSearch))}}
	}
	for _, skipped := range s.Box().Skipped() {
		if skipped.Domain == name && skipped.Key == "" {
			return refusal(name + " is open, and offers no tool: " + clip(skipped.Reason, maxShown))
		}
	}
	return refusal(name + " is open, and offers no tool.")
}

// seals makes and checks agreements to open domains, which a host keeps as opaque state.
type seals struct {
	key []byte

	mu    sync.Mutex
	spent map[string]time.Time
}

func newSeals() *seals {
	return &seals{key: []byte(rand.Text() + rand.Text()), spent: make(map[string]time.Time)}
}

// sealed is the domain and time that an agreement is bound to.
type sealed struct {
	ID      string    `json:"id"`
	Domain  string    `json:"domain"`
	Expires time.Time `json:"expires"`
}

func (s *seals) mac(raw []byte) []byte {
	m := hmac.New(sha256.New, s.key)
	m.Write(raw)
	return m.Sum(nil)
}

// seal returns an agreement to open a domain. It is valid once, for call.TicketLifetime.
func (s *seals) seal(domain string, now time.Time) string {
	raw, err := json.Marshal(sealed{rand.Text(), domain, now.Add(call.TicketLifetime)})
	if err != nil {
		return "" // texts and a time are always valid JSON
	}
	return base64.RawURLEncoding.EncodeToString(raw) + "." + base64.RawURLEncoding.EncodeToString(s.mac(raw))
}

// redeem reports whether a text is a valid agreement for a domain, and uses it up.
func (s *seals) redeem(text, domain string, now time.Time) bool {
	head, tail, _ := strings.Cut(text, ".")
	raw, err := base64.RawURLEncoding.DecodeString(head)
	sum, err2 := base64.RawURLEncoding.DecodeString(tail)
	if err != nil || err2 != nil || !hmac.Equal(sum, s.mac(raw)) {
		return false
	}
	var t sealed
	if err := json.Unmarshal(raw, &t); err != nil || t.Domain != domain {
		return false
	}
	if left := t.Expires.Sub(now); left <= 0 || left > call.TicketLifetime { // the clock may have been moved
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, until := range s.spent {
		if !now.Before(until) {
			delete(s.spent, id)
		}
	}
	if _, used := s.spent[t.ID]; used {
		return false
	}
	s.spent[t.ID] = t.Expires
	return true
}
