package tools_test

import (
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/tools"
)

// TestANilBoxNamesWhatReturnsOne calls each method of a nil Box.
func TestANilBoxNamesWhatReturnsOne(t *testing.T) {
	v := reflect.ValueOf((*tools.Box)(nil))
	for i := range v.NumMethod() {
		t.Run(v.Type().Method(i).Name, func(t *testing.T) {
			defer func() {
				v := recover()
				if said, _ := v.(string); !strings.Contains(said, "tools.Load") {
					if fault, ok := v.(runtime.Error); ok {
						said = fault.Error()
					}
					t.Errorf("it does not name tools.Load: %q", said)
				}
			}()
			method := v.Method(i)
			var in []reflect.Value
			for arg := range method.Type().Ins() {
				in = append(in, reflect.Zero(arg))
			}
			method.Call(in)
		})
	}
}

// TestLoadAndWatchNameTheMissingClient passes a nil and a zero Client.
func TestLoadAndWatchNameTheMissingClient(t *testing.T) {
	for name, c := range map[string]*client.Client{"nil": nil, "zero": {}} {
		if _, err := tools.Load(t.Context(), c, []string{"shop.example"}, nil); err == nil || !strings.Contains(err.Error(), "client.New") {
			t.Errorf("%s Client: Load returned %v", name, err)
		}
		for _, err := range tools.Watch(t.Context(), c, []string{"shop.example"}, nil) {
			if err == nil || !strings.Contains(err.Error(), "client.New") {
				t.Errorf("%s Client: Watch yielded %v", name, err)
			}
		}
	}
}
