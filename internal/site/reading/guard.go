package reading

import (
	"fmt"
	"runtime/debug"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// guard calls a format and makes an error of its panic, because a bug in a format must not end the
// program.
func guard[T any](r *Reader, op string, f *parse.Format, call func() (T, error)) (result T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = wayfind.NewError(op, "", wayfind.CodePanic, fmt.Errorf("format %s: panic: %v", f.Name, v))
			if r.Panicked != nil {
				r.Panicked(err, debug.Stack())
			}
		}
	}()
	return call()
}
