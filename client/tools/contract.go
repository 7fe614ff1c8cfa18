package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/contract"
	"github.com/wayfindhq/wayfind/internal/describe"
	"github.com/wayfindhq/wayfind/internal/httpcall"
	"github.com/wayfindhq/wayfind/security/schema"
)

// maxReady bounds the text of the definitions that a Box holds in full, in bytes. The
// others are read again from their documents, which it holds, when they are used.
const maxReady = 64 << 20

// maxWhole bounds the text of the definitions that a Load reads in full because the
// shared schemas cannot be used, in bytes.
const maxWhole = 4 << 20

// perInput is how many times as large as its text a schema is in memory.
const perInput = 12

// partial is the definition of a tool, of which the Box holds as much as the schema of its
// arguments needs, and the rest if there is room.
type partial struct {
	made  *describe.Contract
	ready *atomic.Int64 // bytes that the Box may still hold
	mu    sync.Mutex
	whole *wayfind.Detail
}

// full is the whole definition.
func (p *partial) full() (*wayfind.Detail, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.whole != nil {
		return p.whole, nil
	}
	whole, err := p.made.Whole(context.Background())
	if err != nil {
		return nil, err
	}
	size := textOf(whole.Capability)
	if p.ready.Add(-size) >= 0 {
		p.whole = whole
	} else {
		p.ready.Add(size)
	}
	return whole, nil
}

// textOf is the size of a definition in memory, as far as it grows with the document.
func textOf(c *wayfind.Capability) int64 {
	size := len(c.Input) + len(c.Output)
	for i := range c.Params {
		size += 400 + len(c.Params[i].Schema) + len(c.Params[i].Description)
	}
	for _, e := range c.Examples {
		size += len(e.Request) + len(e.Response)
	}
	for _, raw := range c.Extensions {
		size += len(raw)
	}
	return int64(size)
}

// complete reads the whole definition of a tool of which the Box holds a part.
func (t *Tool) complete() error {
	if t.partial == nil {
		return nil
	}
	whole, err := t.partial.full()
	if err == nil {
		t.Capability = whole.Capability
	}
	return err
}

// arguments makes the schema of the arguments. If it is made of schemas that the
// operations of a document share, the rest of the definition is held. If these cannot be
// used, the whole definition is read, as long as there is room for its text.
func (l *loader) arguments(ctx context.Context, made *describe.Contract, op *httpcall.Operation) (*schema.Schema, *partial, error) {
	c := made.Detail.Capability
	if made.Request == nil {
		if made.Described {
			l.room.text.Add(-textOf(c) - perInput*int64(len(c.Input)))
		}
		s, err := l.input(c, op)
		return s, nil, err
	}
	rest := &partial{made: made, ready: &l.room.ready}
	if made.Request.Empty() {
		s, err := schema.Check([]byte(noInput), schema.Draft202012, nil)
		return s, rest, err
	}
	hidden := func(p contract.Property) bool { return !op.Withheld(paramOf(c, p)).IsZero() }
	s, taken, err := made.Request.Schema(hidden, l.room.steps.Load())
	l.room.steps.Add(-taken)
	if err == nil {
		return s, rest, nil
	}
	if l.room.whole.Load() <= 0 {
		return nil, nil, cmp.Or(refusalOf(err), &schema.Error{Code: schema.CodeSize, Reason: fmt.Sprintf("the definitions that share no schemas have more than %d bytes", maxWhole)})
	}
	whole, err := made.Whole(ctx)
	if err != nil {
		return nil, nil, err
	}
	l.room.whole.Add(-textOf(whole.Capability))
	made.Detail.Capability = whole.Capability
	own := *op
	own.Params, own.Key = whole.Capability.Params, httpcall.KeyOf(whole.Capability)
	s, err = l.input(whole.Capability, &own)
	return s, nil, err
}

// refusalOf is the refusal of a schema; nil if err is another error.
func refusalOf(err error) *schema.Error {
	e, _ := errors.AsType[*schema.Error](err)
	return e
}

// paramOf is the parameter that a property stands for. The members of a flat body are no
// parameters before the definition is read in full.
func paramOf(c *wayfind.Capability, p contract.Property) *wayfind.Param {
	for i := range c.Params {
		if own := &c.Params[i]; own.Name == p.Param && own.In == p.In {
			return own
		}
	}
	return &wayfind.Param{Name: p.Param, In: p.In}
}
