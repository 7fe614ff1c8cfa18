package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/cache/redis"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/actors"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/livemcp"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/security/pins"
	"github.com/wayfindhq/wayfind/security/schema"
)

// errCause is the cause of all errors that have one.
var errCause = errors.New("the cause")

// publicErrors returns a value of each exported error type, by package and name.
func publicErrors() map[string]error {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return map[string]error{
		"..Error":                       &wayfind.Error{Op: "dial", Kind: wayfind.ErrThrottled, Code: wayfind.CodeNotBefore, NotBefore: at, Err: errCause},
		"..TooLarge":                    &wayfind.TooLarge{Of: "bytes", Size: 9, Limit: 8, Option: "Limits.MaxBytes"},
		"cache.CorruptError":            &cache.CorruptError{Offset: 7, Reason: "cut"},
		"cache.HeldError":               &cache.HeldError{Key: "https://shop.example", Reason: "floor", Until: at},
		"cache/disk.Error":              &disk.Error{Op: "open", Path: "v1/e4/ab", Err: errCause},
		"cache/redis.Error":             &redis.Error{Op: "load", Name: "wayfind:4:x:e", Err: errCause},
		"client.StatusError":            &client.StatusError{Status: 503},
		"client/actors.Problem":         &actors.Problem{Status: 400, Title: "Bad", Detail: "no key"},
		"client/call.Error":             &call.Error{Code: call.Refused, Tool: "cancel", Detail: "not approved", Err: errCause},
		"client/livemcp.ChallengeError": &livemcp.ChallengeError{Status: 401, Auth: &wayfind.Auth{}, ResourceMetadata: "https://mcp.example/m"},
		"client/tools.NameError":        &tools.NameError{Name: "cancle", Nearest: []string{"cancel"}},
		"client/tools.VendorError":      &tools.VendorError{Name: "gpt"},
		"security/pins.Error":           &pins.Error{Report: &pins.Report{Unknown: []string{"openapi:list"}}},
		"security/schema.Error":         &schema.Error{Code: schema.CodeSize, Pointer: "/a", Reason: "large", Size: 9, Limit: 8},
		"security/schema.ValueError":    &schema.ValueError{Pointer: "/a", Rule: "type", Expected: "want string"},
	}
}

// TestEachErrorIsUsefulDataAndAUsefulLogLine requires that JSON keeps the cause of an error, and
// that a log line contains its text.
func TestEachErrorIsUsefulDataAndAUsefulLogLine(t *testing.T) {
	values := publicErrors()
	if got, want := slices.Sorted(maps.Keys(values)), errorTypes(t); !slices.Equal(got, want) {
		t.Fatalf("publicErrors has\n%q, and the packages export\n%q", got, want)
	}
	for name, err := range values {
		data, failed := json.Marshal(err)
		if failed != nil {
			t.Errorf("%s: %v", name, failed)
		}
		if errors.Is(err, errCause) && !bytes.Contains(data, []byte("the cause")) {
			t.Errorf("%s loses its cause in JSON: %s", name, data)
		}
		if len(data) < len(`{"x":1}`) || data[0] != '{' {
			t.Errorf("%s is no object with members in JSON: %s", name, data)
		}
		if null, _ := json.Marshal(reflect.Zero(reflect.TypeOf(err)).Interface()); string(null) != "null" {
			t.Errorf("%s that is nil is %s in JSON", name, null)
		}
		var line bytes.Buffer
		slog.New(slog.NewJSONHandler(&line, nil)).Error("failed", "err", err)
		var record struct{ Err any }
		if failed := json.Unmarshal(line.Bytes(), &record); failed != nil {
			t.Fatalf("%s: %v: %s", name, failed, line.Bytes())
		}
		text := record.Err
		if group, ok := text.(map[string]any); ok {
			text = group["message"]
		}
		if text != err.Error() {
			t.Errorf("%s has the text %q, and a log line %q", name, err.Error(), line.String())
		}
		line.Reset()
		slog.New(slog.NewTextHandler(&line, nil)).Error("failed", "err", err)
		if errors.Is(err, errCause) && !strings.Contains(line.String(), "the cause") {
			t.Errorf("%s loses its cause in a log line: %s", name, line.String())
		}
	}
}

// errorTypes returns the exported types of public packages that implement error.
func errorTypes(t *testing.T) (list []string) {
	for _, p := range load(t) {
		if !p.public() {
			continue
		}
		for _, f := range p.production() {
			for _, decl := range f.ast.Decls {
				fn, ok := decl.(*ast.FuncDecl)
				if !ok || fn.Recv == nil || fn.Name.Name != "Error" || fn.Type.Results == nil {
					continue
				}
				of := fn.Recv.List[0].Type
				if star, ok := of.(*ast.StarExpr); ok {
					of = star.X
				}
				if id, ok := of.(*ast.Ident); ok && id.IsExported() {
					list = append(list, p.dir+"."+id.Name)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}
