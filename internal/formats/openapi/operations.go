package openapi

import (
	"iter"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/parse"
)

// maxOperations is the number of operations that are read.
const maxOperations = 5000

// operation is one method of one path.
type operation struct {
	id, method, path string
	// node is the Operation Object, and item the Path Item Object around it.
	node, item parse.Node
	// base is the URL of the server of the path, if it has servers of its own.
	base string
	own  bool
}

// methods returns the members of a Path Item Object that are operations.
func (r *reader) methods() []string {
	switch r.dialect {
	case Dialect20:
		return []string{"get", "put", "post", "delete", "options", "head", "patch"}
	case Dialect30, Dialect31:
		return []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}
	}
	return []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}
}

// operations yields the operations of the document, in its order, up to the limit.
func (r *reader) operations() iter.Seq[operation] {
	return func(yield func(operation) bool) {
		total := 0
		for op := range r.all() {
			if total++; total <= maxOperations && !yield(op) {
				return
			}
		}
		if total > maxOperations {
			r.Report(ruleTruncated.At("Paths Object").Beyond("operations", total, maxOperations), r.Root.Get("paths"), "there are %d operations; the first %d were read", total, maxOperations)
		}
	}
}

// all yields all operations.
func (r *reader) all() iter.Seq[operation] {
	return func(yield func(operation) bool) {
		need := parse.Must
		if r.by2020() {
			need = parse.Optional // 3.1: components or webhooks are enough
		}
		for path, item := range r.Object(r.Root, "paths", need, "OpenAPI Object").Members() {
			if strings.HasPrefix(path, "x-") {
				continue
			}
			if item = r.pathItem(path, item); !item.Exists() {
				continue
			}
			if path == "" || path[0] != '/' {
				path = "/" + path
			}
			for op := range r.ofPath(path, item) {
				if !yield(op) {
					return
				}
			}
		}
	}
}

// pathItem returns the item of a path, after following its reference.
func (r *reader) pathItem(path string, item parse.Node) parse.Node {
	const section = "Path Item Object"
	if path == "" || path[0] != '/' {
		r.Report(rulePath, item, "the path %q does not begin with a slash; it was read with one", path)
	}
	if strings.ContainsAny(path, "?#") {
		r.Report(rulePathQuery, item, "the path %q has a query or a fragment", path)
	}
	if item.Get("$ref").Exists() && item.Len() > 1 {
		r.Report(ruleRefSiblings, item, "members beside $ref in a path are undefined; they are ignored")
	}
	target := r.Target(item, section)
	if target != item {
		if r.borrow -= len(target.Raw()); r.borrow < 0 {
			r.Report(ruleRefLimit, item, "paths refer to the same items too often; the path is ignored")
			return parse.Node{}
		}
	}
	if target.Exists() && target.Kind() != parse.Object {
		r.Report(ruleWrongType.At("Path Item Object").AsWarning(), item, "the path is %v where object belongs; it is ignored", target.Kind())
		return parse.Node{}
	}
	return target
}

// ofPath yields the operations of one path.
func (r *reader) ofPath(path string, item parse.Node) iter.Seq[operation] {
	return func(yield func(operation) bool) {
		op := operation{path: path, item: item}
		op.base, op.own = r.ownServer(item)
		known := r.methods()
		r.CaseVariants(item, known...)
		for member, n := range item.Members() {
			if slices.Contains(known, member) && !r.one(op, strings.ToUpper(member), n, yield) {
				return
			}
		}
		if r.dialect != Dialect32 {
			return
		}
		for method, n := range r.Object(item, "additionalOperations", parse.Optional, "Path Item Object").Members() {
			if !fieldname.IsToken(method) {
				r.Report(ruleMethod.At("Path Item Object"), n, "%q is no method; the operation is ignored", method)
				continue
			}
			if !r.one(op, method, n, yield) {
				return
			}
		}
	}
}

// one yields an operation of a path, if n is one.
func (r *reader) one(op operation, method string, n parse.Node, yield func(operation) bool) bool {
	if n.Kind() != parse.Object {
		r.Report(ruleWrongType.At("Operation Object").AsWarning(), n, "the operation is %v where object belongs; it is ignored", n.Kind())
		return true
	}
	op.method, op.node = method, n
	if op.id = r.String(n, "operationId", parse.Optional, "Operation Object"); op.id == "" {
		op.id = method + " " + op.path
	}
	return yield(op)
}

// brief returns the fields that a caller needs to choose an operation.
func (r *reader) brief(op operation) wayfind.Capability {
	const section = "Operation Object"
	c := wayfind.Capability{
		ID: op.id, Name: op.id, Kind: wayfind.KindOperation, Claimed: true, Sources: parse.SourcesAt(op.node),
		Title: r.Prose(op.node, "summary", section), Description: r.Prose(op.node, "description", section),
		Tags:       r.Strings(op.node, "tags", parse.Optional, section),
		Deprecated: isTrue(r.Bool(op.node, "deprecated", parse.Optional, section)),
		Invocation: r.invocation(op),
		Effects:    r.effects(op),
		Auth:       r.operationAuth(op.node),
	}
	r.CaseVariants(op.node, "operationId", "summary", "description", "tags", "parameters", "requestBody", "responses", "security", "servers", "deprecated")
	if c.Title == "" {
		c.Title = r.Prose(op.item, "summary", "Path Item Object")
	}
	if c.Description == "" {
		c.Description = r.Prose(op.item, "description", "Path Item Object")
	}
	if !r.by2020() && op.node.Get("responses").Len() == 0 {
		r.Report(ruleResponses, op.node, "the operation has no response")
	}
	// What adds caution belongs to the list: a host judges a tool before its definition is read whole.
	for _, member := range [...]string{"x-openai-isConsequential", "x-payment-info", "x-price", "x-pricing"} {
		parse.SetExtension(&c.Extensions, member, op.node.Get(member))
	}
	if op.node.Get("responses").Get("402").Exists() &&
		!op.node.Has("x-payment-info", "x-price", "x-pricing", "price", "pricing", "priceUsd", "price_usd", "payment", "x402") {
		c.Price = wayfind.Offer{}.String() // an answer demands payment
	}
	return c
}

func isTrue(v *bool) bool { return v != nil && *v }

// invocation returns the invocation of an operation, or nil if it is unknown.
func (r *reader) invocation(op operation) *wayfind.Invocation {
	base, own := r.ownServer(op.node)
	if !own {
		base, own = op.base, op.own
	}
	if !own {
		base = r.base
	}
	if op.method == "TRACE" || op.method == "CONNECT" {
		r.Report(ruleMethod.At("Path Item Object").AsWarning(), op.node, "%s is not for calling an API", op.method)
		return nil
	}
	if base == "" {
		return nil
	}
	e := r.endpoint(op, base)
	if !e.Resolved() {
		return nil
	}
	return &wayfind.Invocation{Protocol: "http", Method: op.method, URL: e.URL, Template: e.Template}
}

// endpoint appends the path of an operation to the base of a server. The operations of a path
// follow each other, so the last result is kept.
func (r *reader) endpoint(op operation, base string) parse.Endpoint {
	if place := base + " " + op.path; r.last.place != place {
		e, err := parse.ResolveEndpoint(op.path, nil)
		if err == nil {
			e, err = e.Join(base)
		}
		if err != nil {
			r.Report(rulePath, op.item, "the path %q cannot be used: %s", op.path, err)
		}
		r.last.place, r.last.endpoint = place, e
	}
	return r.last.endpoint
}

// warns reports whether the value of a word of caution is anything but a no. One that cannot be read adds
// caution.
func warns(n parse.Node) bool {
	switch n.Kind() {
	case parse.Missing, parse.Null:
		return false
	case parse.Bool:
		yes, _ := n.Bool()
		return yes
	case parse.String:
		text, _ := n.Str()
		return !slices.Contains([]string{"", "false", "no", "0"}, strings.ToLower(strings.TrimSpace(text)))
	}
	number, isInt := n.Int()
	return !isInt || number != 0
}

// effects returns the effects of the method. If the publisher declares that the call has
// consequences, a person must confirm it. A declaration that it has none does not change the
// effects.
func (r *reader) effects(op operation) *wayfind.Effects {
	effects := paramspec.EffectsOf(op.method)
	r.Bool(op.node, "x-openai-isConsequential", parse.Optional, "x-openai-isConsequential") // reports another type
	if warns(op.node.Get("x-openai-isConsequential")) {
		if effects == nil {
			effects = &wayfind.Effects{}
		}
		effects.NeedsConfirmation = new(true)
	}
	return effects
}
