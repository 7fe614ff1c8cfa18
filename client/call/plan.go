package call

import (
	"crypto/rand"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/act/callable"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/schema"
)

// plan holds the data that all calls of a tool share. It is made once, because a definition
// does not change.
type plan struct {
	// documents are the origins of the documents that describe the tool.
	documents []document
	// definition returns the digest of the description of the tool and of the way to reach it.
	// output returns the schema of its answers by their Content-Type.
	definition func() string
	output     func(contentType string) *schema.Schema
	// operation describes plain HTTP requests; nil for other protocols. key is the place of an
	// idempotency key.
	operation *httpcall.Operation
	key       httpcall.Slot
	// accept is the Accept field of plain HTTP. site is the target that was resolved.
	accept []string
	site   string

	forms sync.Map // from tools.Form to *schema.Projection
}

// projection returns the projection of the arguments in a definition of a form; nil for the
// publisher's form.
func (p *plan) projection(t *tools.Tool, f tools.Form) (*schema.Projection, error) {
	f = tools.Form{Vendor: f.Vendor, Strict: f.Strict}
	if known, ok := p.forms.Load(f); ok {
		return known.(*schema.Projection), nil
	}
	made, err := t.Projection(f)
	if err == nil {
		p.forms.Store(f, made)
	}
	return made, err
}

// document is the origin and the host of a document.
type document struct{ origin, host string }

// planKey identifies a definition, which is shared and never changed.
type planKey struct {
	service    *wayfind.Service
	capability *wayfind.Capability
	sources    *wayfind.Ref
	n          int
}

// maxPlans is the maximum number of plans that are kept.
const maxPlans = 4096

func newPlan(t *tools.Tool) *plan {
	p := &plan{site: strings.TrimPrefix(t.Origin, "https://") + t.Base, documents: documentsOf(t), output: outputsOf(t.Capability)}
	p.definition = sync.OnceValue(func() string {
		digest, err := t.Digest()
		if err != nil {
			return rand.Text() // matches no other ticket
		}
		return digest
	})
	c := t.Capability
	if c == nil {
		return p
	}
	p.accept = []string{acceptOf(c.OutputModes)}
	p.key = httpcall.KeyOf(c)
	if c.Invocation != nil && c.Invocation.Protocol == callable.HTTP {
		auth := c.Auth
		if auth == nil {
			auth = t.Service.Auth
		}
		p.operation = httpcall.OperationOf(c, auth)
		p.operation.Prepare()
	}
	return p
}

func documentsOf(t *tools.Tool) []document {
	list := make([]document, 0, len(t.Sources))
	for _, ref := range t.Sources {
		if u, err := parseURL(ref.Source); err == nil {
			list = append(list, document{security.Origin(u), u.Host})
		}
	}
	return list
}
