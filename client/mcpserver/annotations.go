package mcpserver

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/site/effect"
)

// known contains the facts about the effects of a tool that the server knows, for hosts that need
// more than the annotations.
type known struct {
	Effect call.Effect `json:"effect"`
	// Method is the method of plain HTTP. Protocol is the protocol of the call.
	Method   string `json:"method,omitempty"`
	Protocol string `json:"protocol,omitempty"`
	// Says are the effects that the site declares, and Source is the URL of that declaration.
	// Trusted means that the annotations of its server are trusted.
	Says    *wayfind.Effects `json:"says,omitempty"`
	Source  string           `json:"source,omitempty"`
	Trusted bool             `json:"trusted,omitempty"`
}

// annotate sets the hints of a definition from the facts about the tool. A declaration of the site
// may add caution. It may take caution away only if the site's server is trusted, because a host
// that calls read-only tools without a question trusts this server and not the site.
func (s *surface) annotate(def *mcp.Tool, t *tools.Tool) {
	k := known{Effect: s.caller.Effect(t), Trusted: s.grants.trusts(t)}
	if c := t.Capability; c != nil {
		k.Says = c.Effects
		if c.Invocation != nil {
			k.Method, k.Protocol = c.Invocation.Method, c.Invocation.Protocol
		}
	}
	if len(t.Sources) > 0 {
		k.Source = t.Sources[0].Source
	}
	title := ""
	if def.Annotations != nil {
		title = def.Annotations.Title
	}
	def.Annotations, def.Meta[metaPrefix+"effects"] = hints(effect.In(t), k.Trusted, title), k
}

// hints returns the annotations of a tool. It sets all of them, because a missing hint has the
// value of a dangerous tool.
func hints(does effect.Effect, trusted bool, title string) *mcp.ToolAnnotations {
	destroys, open := does.Destructive(trusted), true
	return &mcp.ToolAnnotations{
		Title: title, ReadOnlyHint: does.OnlyReads(trusted), DestructiveHint: &destroys, OpenWorldHint: &open, IdempotentHint: does.Idempotent(trusted),
	}
}
