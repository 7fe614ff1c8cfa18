package tools_test

import (
	"context"
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

// TestJoinNamesWhatReturnsTheOtherBox joins a Box with a nil one.
func TestJoinNamesWhatReturnsTheOtherBox(t *testing.T) {
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "tools.Load") {
			t.Errorf("it does not name tools.Load: %q", said)
		}
	}()
	_, _ = new(tools.Box).Join(nil, nil)
}

// noRank ranks no tool.
type noRank struct{}

func (noRank) Rank(context.Context, string, []*tools.Tool) ([]int, error) { return nil, nil }

// TestAZeroBoxIsABoxOfNoDomain calls each method of a zero Box.
func TestAZeroBoxIsABoxOfNoDomain(t *testing.T) {
	v := reflect.ValueOf(&tools.Box{})
	for i := range v.NumMethod() {
		t.Run(v.Type().Method(i).Name, func(t *testing.T) {
			method := v.Method(i)
			var in []reflect.Value
			for arg := range method.Type().Ins() {
				switch {
				case arg.Kind() == reflect.String:
					in = append(in, reflect.ValueOf("send email").Convert(arg))
				case arg.Kind() == reflect.Int:
					in = append(in, reflect.ValueOf(3))
				case arg.Kind() == reflect.Pointer:
					in = append(in, reflect.New(arg.Elem()))
				case arg == reflect.TypeFor[tools.Ranker]():
					in = append(in, reflect.ValueOf(noRank{}))
				default:
					in = append(in, reflect.Zero(arg))
				}
			}
			defer func() {
				if v := recover(); v != nil {
					t.Errorf("it panics: %v", v)
				}
			}()
			method.Call(in)
		})
	}
}

// TestARankerThatIsNilIsNamed ranks with nil, and with a nil pointer.
func TestARankerThatIsNilIsNamed(t *testing.T) {
	for name, r := range map[string]tools.Ranker{"nil": nil, "a nil pointer": (*noRank)(nil)} {
		if _, err := new(tools.Box).SearchRanked(t.Context(), "send", 3, r); err == nil || !strings.Contains(err.Error(), "the Ranker is nil") {
			t.Errorf("%s: %v", name, err)
		}
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
