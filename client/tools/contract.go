package tools

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/access"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/internal/site/describe"
	"github.com/wayfindhq/wayfind/internal/site/effect"
	"github.com/wayfindhq/wayfind/internal/syntax/contract"
	"github.com/wayfindhq/wayfind/security/schema"
)

// maxReady is the maximum size of the definitions that a Box stores in full, in bytes. The
// others are read again from their documents, which the Box stores, when they are used.
const maxReady = 64 << 20

// maxWhole is the maximum size of the definitions that a Load reads in full because the shared
// schemas cannot be used, in bytes.
const maxWhole = 4 << 20

// perInput is the size of a schema in memory in relation to its text.
const perInput = 12

// partial is the definition of a tool that the Box stores only in part: the part that the
// schema of its arguments needs, or only the description. The rest is stored if there is room.
type partial struct {
	read  func() (*wayfind.Detail, error)
	check func(*wayfind.Detail) (*schema.Schema, error) // of the arguments; nil if the Box stores the schema
	ready *atomic.Int64                                 // bytes that the Box may still store
	mu    sync.Mutex
	whole *wayfind.Detail
	input *schema.Schema // created by check

	// does is what calls do, according to whole and to before. Both are kept, because each call asks.
	before, does *effect.Effect
}

// full returns the whole definition, and the schema of the arguments if the Box does not store
// it.
func (p *partial) full() (whole *wayfind.Detail, input *schema.Schema, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.whole != nil {
		return p.whole, p.input, nil
	}
	if whole, err = p.read(); err != nil {
		return nil, nil, err
	}
	size := textOf(whole.Capability)
	if p.check != nil {
		if input, err = p.check(whole); err != nil {
			return nil, nil, err
		}
		size += perInput * int64(len(whole.Capability.Input))
	}
	if p.ready.Add(-size) >= 0 {
		p.whole, p.input = whole, input
	} else {
		p.ready.Add(size)
	}
	return whole, input, nil
}

// textOf returns the size of a definition in memory, without the part that does not depend on
// the document.
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

// complete reads the whole definition of a tool that the Box stores in part.
func (t *Tool) complete() error {
	if t.partial != nil {
		whole, input, err := t.partial.full()
		if err != nil {
			return err
		}
		t.Capability, t.Schema = whole.Capability, cmp.Or(t.Schema, input)
		t.partial.derive(t)
	}
	for _, p := range t.also {
		t.warn(p)
	}
	return nil
}

// warn adds what another document says of what calls do. If that cannot be read, it may be a warning.
func (t *Tool) warn(p *partial) {
	own := *t.effect()
	if whole, _, err := p.full(); err == nil {
		own = own.And(effect.Of(whole.Capability))
	} else if !own.Has(effect.Confirmation) {
		own.Cautions = append(slices.Clip(own.Cautions), effect.Confirmation)
	}
	t.does = &own
}

// derive derives what calls of a tool do, which has its whole definition now.
func (p *partial) derive(t *Tool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if before := t.does; p.whole == nil || p.whole.Capability != t.Capability || p.does == nil || p.before != before {
		t.derive()
		p.before, p.does = before, t.does
	}
	t.does = p.does
}

// chosen returns the tool with the schema of its arguments, and creates the schema if
// necessary.
func (t *Tool) chosen() (*Tool, error) {
	if t.Schema != nil {
		return t, nil
	}
	own := *t
	return &own, own.complete()
}

// arguments returns the schema of the arguments. If it is made from schemas that the operations
// of a document share, the rest of the definition is kept for later. If the shared schemas
// cannot be used, the whole definition is read, as long as there is room for its text. If there
// is no room, the schema is nil until the tool is chosen.
func (l *loader) arguments(ctx context.Context, site *wayfind.Site, made *describe.Contract, op *httpcall.Operation) (*schema.Schema, *partial, error) {
	c := made.Detail.Capability
	if made.Request == nil {
		if made.Described {
			l.budget.text.Add(-textOf(c) - perInput*int64(len(c.Input)))
		}
		s, err := l.input(c, op)
		return s, nil, err
	}
	rest := &partial{read: func() (*wayfind.Detail, error) { return made.Whole(context.Background()) }, ready: &l.budget.ready}
	if made.Request.Empty() {
		s, err := schema.Check([]byte(noInput), schema.Draft202012, nil)
		return s, rest, err
	}
	var refusal *schema.Error // of schemas that are shared
	if !made.Request.HasMember(op.IsKey) {
		s, err := l.shared(made, op)
		if err == nil {
			s, err = possible(s)
			return s, rest, err
		}
		if errors.Is(err, contract.ErrAltered) && c.Invocation != nil {
			c.Invocation.Altered = "input"
			return nil, nil, c.Check()
		}
		refusal = refusalOf(err)
	}
	if l.budget.whole.Load() > 0 {
		whole, err := made.Whole(ctx)
		if err = cmp.Or(err, unknown(whole)); err != nil {
			return nil, nil, err
		}
		if err := whole.Capability.Check(); err != nil {
			return nil, nil, err
		}
		l.budget.whole.Add(-textOf(whole.Capability))
		made.Detail.Capability = whole.Capability
		op := operationOf(whole.Capability, whole.Service)
		if err := uncallable(site, whole.Service, whole.Capability, op); err != nil {
			return nil, nil, err
		}
		s, err := l.input(whole.Capability, op)
		return s, nil, err
	}
	if refusal != nil && !refusal.Unshared {
		return nil, nil, refusal
	}
	rest.check = checkOf(site)
	return nil, rest, nil
}

// shared makes the schema of the arguments from schemas that the operations of a document share.
// It is [contract.ErrInFull] if the request cannot have all values of an argument, or may have bytes:
// only the definition in full can be changed.
func (l *loader) shared(made *describe.Contract, op *httpcall.Operation) (*schema.Schema, error) {
	if op.MayTakeBase64() {
		return nil, contract.ErrInFull
	}
	var shown []wayfind.Param
	hidden := func(p contract.Property) bool {
		param := paramOf(made.Detail.Capability, p)
		if can, _ := op.Written(param); can != schema.AnyShape {
			own := *param
			own.Argument = p.Name
			shown = append(shown, own)
		}
		return !op.Withheld(param).IsZero()
	}
	filled := func(p contract.Property) bool { return op.Filled(paramOf(made.Detail.Capability, p)) }
	s, taken, err := made.Request.Schema(hidden, filled, l.budget.steps.Load())
	l.budget.steps.Add(-taken)
	if err == nil && l.limitsOf(shown, op, s) != nil {
		return nil, contract.ErrInFull
	}
	return s, err
}

// later adds a tool for a key that is described when the tool is chosen.
func (l *loader) later(ctx context.Context, site *wayfind.Site, key string) bool {
	service, c := site.Capability(key)
	ctx = context.WithoutCancel(ctx)
	read := func() (*wayfind.Detail, error) {
		for made, err := range access.Of(l.client).Requests(ctx, site, key) {
			if err != nil {
				return nil, err
			}
			return made.Whole(ctx)
		}
		return nil, errNoDescription
	}
	rest := &partial{read: read, check: checkOf(site), ready: &l.budget.ready}
	t := Tool{Key: c.Key, Capability: c, Service: service, Sources: c.Sources, description: cmp.Or(c.Description, c.Title), partial: rest}
	l.of(site, &t)
	return l.put(t)
}

// checkOf returns a function that creates the schema of the arguments of a definition of a
// Site, if the definition can be called.
func checkOf(site *wayfind.Site) func(*wayfind.Detail) (*schema.Schema, error) {
	return func(d *wayfind.Detail) (*schema.Schema, error) {
		if d.Capability == nil {
			return nil, errNoDescription
		}
		if err := d.Capability.Check(); err != nil {
			return nil, err
		}
		op := operationOf(d.Capability, d.Service)
		if err := cmp.Or(unknown(d), triedOf(site, d.Capability, uncallable(site, d.Service, d.Capability, op))); err != nil {
			return nil, err
		}
		return (&loader{budget: newBudget()}).input(d.Capability, op)
	}
}

// refusalOf returns the refusal of a schema, or nil if err is another error.
func refusalOf(err error) *schema.Error {
	e, _ := errors.AsType[*schema.Error](err)
	return e
}

// paramOf returns the parameter for a property. The members of a flat body are not parameters
// before the definition is read in full.
func paramOf(c *wayfind.Capability, p contract.Property) *wayfind.Param {
	for i := range c.Params {
		if own := &c.Params[i]; own.Name == p.Param && own.In == p.In {
			return own
		}
	}
	return &wayfind.Param{Name: p.Param, In: p.In}
}
