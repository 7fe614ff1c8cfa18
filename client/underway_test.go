package client_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// TestAClientThatNewDidNotMakeNamesNew calls each method of a nil and of a zero Client.
func TestAClientThatNewDidNotMakeNamesNew(t *testing.T) {
	for name, c := range map[string]*client.Client{"nil": nil, "zero": {}} {
		v := reflect.ValueOf(c)
		for i := range v.NumMethod() {
			method := v.Type().Method(i).Name
			if method == "Invalidate" { // of tests
				continue
			}
			t.Run(name+"/"+method, func(t *testing.T) {
				said := whatIsSaid(v.Method(i))
				switch method {
				case "Close", "Shutdown", "Stats", "Peek", "Door": // these methods start no work that could be under way
					if said != "" {
						t.Errorf("it says %q", said)
					}
				default:
					if !strings.Contains(said, "client.New") {
						t.Errorf("it does not name client.New: %q", said)
					}
				}
			})
		}
	}
}

// whatIsSaid calls a method with zero arguments, and returns its error or its panic.
func whatIsSaid(method reflect.Value) (said string) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case runtime.Error:
			said = "a fault of the runtime: " + v.Error()
		case string:
			said = v
		}
	}()
	var in []reflect.Value
	for i := range method.Type().NumIn() {
		if kind := method.Type().In(i); kind.Kind() == reflect.Interface {
			in = append(in, reflect.ValueOf(context.Background()))
		} else if !method.Type().IsVariadic() || i < method.Type().NumIn()-1 {
			in = append(in, reflect.Zero(kind))
		}
	}
	var err error
	for _, out := range method.Call(in) {
		switch out := out.Interface().(type) {
		case error:
			err = out
		case iter.Seq2[*wayfind.Detail, error]:
			_, err = first(out)
		case iter.Seq2[*wayfind.Finding, error]:
			_, err = first(out)
		case iter.Seq2[*wayfind.Site, error]:
			_, err = first(out)
		}
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// TestShutdownWaitsForWorkUnderWay resolves a slow site, and begins new work meanwhile.
func TestShutdownWaitsForWorkUnderWay(t *testing.T) {
	for name, row := range map[string]struct {
		patience time.Duration
		took     time.Duration
		want     error
	}{
		"until it ends":       {time.Minute, 3 * time.Second, nil},
		"until the time ends": {time.Second, time.Second, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					time.Sleep(3 * time.Second)
					_, _ = io.WriteString(w, manifest("shop.example", "/find"))
				}))
				c := newClient(t, internet)
				resolved := make(chan error)
				go func() {
					_, err := c.Resolve(context.Background(), "shop.example")
					resolved <- err
				}()
				synctest.Wait()
				ended := make(chan error)
				began := time.Now()
				go func() {
					ctx, cancel := context.WithTimeout(context.Background(), row.patience)
					defer cancel()
					ended <- c.Shutdown(ctx)
				}()
				synctest.Wait()
				if _, err := c.Resolve(t.Context(), "other.example"); !errors.Is(err, wayfind.ErrClosed) {
					t.Errorf("new work began: %v", err)
				}
				if err := <-resolved; row.want == nil && err != nil || row.want != nil && !errors.Is(err, wayfind.ErrClosed) {
					t.Errorf("the work under way ended with %v", err)
				}
				if err := <-ended; !errors.Is(err, row.want) {
					t.Errorf("Shutdown returned %v, want %v", err, row.want)
				}
				if took := time.Since(began); took != row.took {
					t.Errorf("it took %v, want %v", took, row.took)
				}
				if err := c.Shutdown(t.Context()); err != nil {
					t.Errorf("the second Shutdown returned %v", err)
				}
			})
		})
	}
}

func first[A, B any](all iter.Seq2[A, B]) (a A, b B) {
	for a, b := range all {
		return a, b
	}
	return a, b
}
