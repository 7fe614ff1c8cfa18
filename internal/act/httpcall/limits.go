package httpcall

import (
	"cmp"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security/schema"
)

// Limit is the part of the values of an argument that a request can have.
type Limit struct {
	Shapes schema.Shapes // 0 if there is none
	Err    *Error        // the reason why a request cannot have the others
}

// Limits returns the limits of the arguments for which the schema of all arguments allows values that
// no request can have, by the names of the arguments: see [Operation.Written]. It also returns the steps
// that this took, of the most that it may take. Arguments that are withheld have none.
func (op *Operation) Limits(params []wayfind.Param, s *schema.Schema, most int64) (limits map[string]Limit, taken int64) {
	var names []string
	var written []Limit
	for i := range params {
		p := &params[i]
		can, why := op.Written(p)
		if can == schema.AnyShape || !op.Withheld(p).IsZero() {
			continue
		}
		names = append(names, cmp.Or(p.Argument, p.Name))
		written = append(written, Limit{can, &Error{Code: why, In: p.In, Name: p.Name}})
	}
	if names == nil {
		return nil, 0
	}
	shown, taken := s.Shapes(names, most)
	for i, name := range names {
		can := written[i].Shapes
		if known, twice := limits[name]; twice {
			can &= known.Shapes
		}
		if shown[i]&^can == 0 {
			continue
		}
		if shown[i]&can == 0 {
			can = 0
		}
		if limits == nil {
			limits = make(map[string]Limit)
		}
		limits[name] = Limit{can, written[i].Err}
	}
	return limits, taken
}

// DialectOf returns the dialect of the schema of the arguments of a capability.
func DialectOf(c *wayfind.Capability) schema.Dialect {
	if len(c.Input) == 0 || strings.HasPrefix(c.Key, "openapi:") || strings.HasPrefix(c.Key, "mcp:") {
		return schema.Draft202012 // made from the parameters, written by us, or the default of the protocol
	}
	return schema.Unknown
}
