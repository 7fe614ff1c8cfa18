package call_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
)

// nilTokens is a TokenStore whose nil pointer is no store.
type nilTokens struct{ call.TokenStore }

// TestACallerThatNewDidNotMakeNamesNew calls each method of a nil and of a zero Caller.
func TestACallerThatNewDidNotMakeNamesNew(t *testing.T) {
	for name, c := range map[string]*call.Caller{"nil": nil, "zero": {}} {
		v := reflect.ValueOf(c)
		for i := range v.NumMethod() {
			method := v.Type().Method(i).Name
			t.Run(name+"/"+method, func(t *testing.T) {
				want := "call.New"
				switch method {
				case "Effect": // of a Tool, for which the Caller may be nil
					want = "tools.Box.Tool"
				case "Wait": // for a Handle, which has its Caller
					want = "there is nothing to wait for"
				}
				if said := heard(v.Method(i)); !strings.Contains(said, want) {
					t.Errorf("it does not name %s: %q", want, said)
				}
			})
		}
	}
}

// TestWhatACallerNeedsIsNamed leaves out one value after another.
func TestWhatACallerNeedsIsNamed(t *testing.T) {
	c, err := client.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	caller, err := call.New(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	fails := func(_ any, err error) error { return err }
	for name, row := range map[string]struct {
		do   func() error
		want string
	}{
		"no client":           {func() error { return fails(call.New(nil, nil)) }, "client.New"},
		"a zero client":       {func() error { return fails(call.New(&client.Client{}, nil)) }, "client.New"},
		"a nil token store":   {func() error { return fails(call.New(c, &call.Options{Tokens: (*nilTokens)(nil)})) }, "Options.Tokens is a nil *call_test.nilTokens"},
		"no OAuthConfig":      {func() error { return fails(call.OAuth(nil), nil) }, "OAuthConfig"},
		"Call, no box":        {func() error { return fails(caller.Call(t.Context(), nil, "x", nil)) }, "not_found"},
		"Call, a zero box":    {func() error { return fails(caller.Call(t.Context(), &tools.Box{}, "x", nil)) }, "not_found"},
		"DryRun, no box":      {func() error { return fails(caller.DryRun(t.Context(), nil, "x", nil)) }, "not_found"},
		"Complete, no box":    {func() error { return fails(caller.Complete(t.Context(), nil, "x", &call.Completion{})) }, "not_found"},
		"Complete, no ask":    {func() error { return fails(caller.Complete(t.Context(), &tools.Box{}, "x", nil)) }, "Completion"},
		"Wait, no handle":     {func() error { return fails(caller.Wait(t.Context(), nil)) }, "there is nothing to wait for"},
		"Wait, a zero handle": {func() error { return fails(caller.Wait(t.Context(), &call.Handle{})) }, "there is nothing to wait for"},
		"Open, no bytes":      {func() error { return fails(caller.Open(t.Context(), &tools.Box{}, nil)) }, "handle"},
		"Save, no handle":     {func() error { return fails((*call.Handle)(nil).Save()) }, "Caller.Call"},
		"Save, a zero handle": {func() error { return fails((&call.Handle{}).Save()) }, "Caller.Call"},
		"Effect, no tool":     {func() error { return fails(caller.Effect(nil), nil) }, "tools.Box.Tool"},
	} {
		t.Run(name, func(t *testing.T) {
			var said string
			func() {
				defer func() {
					if v := recover(); v != nil {
						said = "panic: " + fmt.Sprint(v)
					}
				}()
				if err := row.do(); err != nil {
					said = err.Error()
				}
			}()
			if !strings.Contains(said, row.want) || strings.Contains(said, "nil pointer") {
				t.Errorf("it says %q, not %q", said, row.want)
			}
		})
	}
	if got := caller.Effect(&tools.Tool{}); got == call.Reads {
		t.Error("a zero Tool only reads")
	}
	if call.Pinned(nil)(t.Context(), &tools.Tool{}) {
		t.Error("no pins pin a tool")
	}
}

// heard calls a method with zero arguments, and returns its error or its panic.
func heard(method reflect.Value) (said string) {
	defer func() {
		if v := recover(); v != nil {
			said = fmt.Sprint(v)
		}
	}()
	var in []reflect.Value
	for arg := range method.Type().Ins() {
		if arg == reflect.TypeFor[context.Context]() {
			in = append(in, reflect.ValueOf(context.Background()))
		} else {
			in = append(in, reflect.Zero(arg))
		}
	}
	for _, out := range method.Call(in) {
		if err, ok := out.Interface().(error); ok {
			said = err.Error()
		}
	}
	return said
}
