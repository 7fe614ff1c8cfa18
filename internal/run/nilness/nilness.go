// Package nilness distinguishes values that a caller has made from values that are nil in disguise.
package nilness

import (
	"log/slog"
	"reflect"
)

// Of reports whether v is nil, or an interface that contains a nil pointer or a nil function, such
// as a (*memory.Store)(nil) in a cache.Store. It compares unequal to nil, and its methods end in a
// fault of the runtime that names nothing.
func Of(v any) bool {
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.Func:
		return r.IsNil()
	default:
		return false
	}
}

// Logs reports whether a Logger can be used. A zero Logger has no handler and cannot.
func Logs(l *slog.Logger) bool { return l != nil && !Of(l.Handler()) }
