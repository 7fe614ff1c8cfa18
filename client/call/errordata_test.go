package call_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
)

// TestAnErrorIsDataInJSONAndInALog compares both forms, and those of an error with foreign text.
func TestAnErrorIsDataInJSONAndInALog(t *testing.T) {
	err := &call.Error{Tool: "cancel", Code: call.Refused, Detail: "not approved", Err: errors.New("policy")}
	want := map[string]any{
		"tool": "cancel", "kind": "refused", "code": "refused", "detail": "not approved", "message": `call "cancel": refused: not approved: policy`,
	}
	for name, got := range map[string]map[string]any{"JSON": asJSON(t, err), "the log": logged(t, err)} {
		if !maps.Equal(got, want) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	foreign := &call.Error{Tool: "x\x1b" + strings.Repeat("y", 5000), Code: call.UpstreamError, Err: errors.New("\u202e" + strings.Repeat("z", 5000))}
	for name, got := range map[string]map[string]any{"JSON": asJSON(t, foreign), "the log": logged(t, foreign)} {
		for member, value := range got {
			s := fmt.Sprint(value)
			if i := strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }); i >= 0 || len(s) > 600 {
				t.Errorf("%s of %s is %d bytes, with a character at %d that is not printable: %.60q", member, name, len(s), i, s)
			}
		}
		if _, ok := got["kind"]; ok {
			t.Errorf("%s of an answer that failed has a kind: %v", name, got)
		}
	}
	var out bytes.Buffer
	slog.New(slog.NewJSONHandler(&out, nil)).Info("called", "err", (*call.Error)(nil))
	if !strings.Contains(out.String(), `"err":null`) {
		t.Errorf("the line of a nil error is %s", out.String())
	}
}

// asJSON returns the JSON form of an error as a map.
func asJSON(t *testing.T, err error) (members map[string]any) {
	t.Helper()
	content, failed := json.Marshal(err)
	if failed == nil {
		failed = json.Unmarshal(content, &members)
	}
	if failed != nil {
		t.Fatal(failed)
	}
	return members
}

// logged returns an error as a log line contains it.
func logged(t *testing.T, err error) map[string]any {
	t.Helper()
	var line bytes.Buffer
	slog.New(slog.NewJSONHandler(&line, nil)).Error("failed", "err", err)
	var members struct{ Err map[string]any }
	if failed := json.Unmarshal(line.Bytes(), &members); failed != nil {
		t.Fatalf("%v: %s", failed, line.Bytes())
	}
	return members.Err
}
