package call

import (
	"errors"

	"github.com/wayfindhq/wayfind/internal/placing"
	"github.com/wayfindhq/wayfind/security/schema"
)

// decode reads the arguments of a model: strictly, with the publisher's names, and
// judged by the publisher's schema.
func (r *run) decode(arguments []byte) ([]byte, error) {
	var p *schema.Projection
	if d := r.caller.opts.Definitions; d != nil {
		p = d.Projections[r.tool.Name]
	}
	args, err := placing.Decode(arguments, r.tool.Schema, p, 0)
	if err == nil {
		return args, nil
	}
	if e, ok := errors.AsType[*placing.Error](err); ok {
		return nil, &Error{Code: InvalidArguments, Err: e}
	}
	return nil, fail(InvalidArguments, err, "")
}
