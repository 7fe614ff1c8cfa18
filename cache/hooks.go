package cache

import (
	"context"
	"net/http/httptrace"
	"reflect"
	"sync/atomic"
)

// valued is a context with the additional values of another context, except its hooks of
// net/http/httptrace.
type valued struct {
	context.Context
	values context.Context
}

// Value asks the context itself first, because package context finds its parent by a value.
func (v valued) Value(key any) any {
	if value := v.Context.Value(key); value != nil {
		return value
	}
	value := v.values.Value(key)
	if trace, ok := value.(*httptrace.ClientTrace); ok && trace == httptrace.ContextClientTrace(v.values) {
		return nil
	}
	return value
}

// withHooks returns ctx with the values of a caller's context, with our own hooks, and with the
// caller's hooks until its call has ended. A nil ended means that the call has ended.
func withHooks(ctx, caller context.Context, ended *atomic.Bool, own *httptrace.ClientTrace) context.Context {
	ctx = valued{ctx, caller}
	if theirs := httptrace.ContextClientTrace(caller); theirs != nil {
		// Package net keeps hooks of the caller, too, with a key that only another such hook
		// replaces.
		own.ConnectStart = func(string, string) {}
		if ended != nil {
			ctx = httptrace.WithClientTrace(ctx, untilEnded(theirs, ended))
		}
	}
	return httptrace.WithClientTrace(ctx, own)
}

// untilEnded returns hooks that call the hooks of trace as long as ended is false.
func untilEnded(trace *httptrace.ClientTrace, ended *atomic.Bool) *httptrace.ClientTrace {
	out := new(httptrace.ClientTrace)
	from, to := reflect.ValueOf(trace).Elem(), reflect.ValueOf(out).Elem()
	for i := range from.NumField() {
		hook := from.Field(i)
		if hook.Kind() != reflect.Func || hook.IsNil() {
			continue
		}
		to.Field(i).Set(reflect.MakeFunc(hook.Type(), func(args []reflect.Value) []reflect.Value {
			if !ended.Load() {
				return hook.Call(args)
			}
			var none []reflect.Value
			for out := range hook.Type().Outs() {
				none = append(none, reflect.Zero(out))
			}
			return none
		}))
	}
	return out
}
