package nilness_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"testing"

	"github.com/wayfindhq/wayfind/internal/run/nilness"
)

func TestANilInsideAnInterfaceIsNil(t *testing.T) {
	var handler http.HandlerFunc
	for name, row := range map[string]struct {
		value any
		want  bool
	}{
		"nothing":            {nil, true},
		"a nil pointer":      {io.Reader((*bytes.Buffer)(nil)), true},
		"a nil function":     {http.Handler(handler), true},
		"a pointer to zero":  {io.Reader(&bytes.Buffer{}), false},
		"a value":            {io.Reader(struct{ io.Reader }{}), false},
		"a nil map, a value": {http.Header(nil), false},
	} {
		if got := nilness.Of(row.value); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	for name, row := range map[string]struct {
		logger *slog.Logger
		want   bool
	}{
		"nil":               {nil, false},
		"zero":              {&slog.Logger{}, false},
		"a nil inside":      {slog.New((*slog.TextHandler)(nil)), false},
		"one that New made": {slog.New(slog.DiscardHandler), true},
	} {
		if got := nilness.Logs(row.logger); got != row.want {
			t.Errorf("a logger, %s: %v", name, got)
		}
	}
}
