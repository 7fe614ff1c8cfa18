package wayfind_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
)

// TestANilErrorIsNullInALog logs an *Error that is nil, as a function returns it without an error.
func TestANilErrorIsNullInALog(t *testing.T) {
	var out bytes.Buffer
	slog.New(slog.NewJSONHandler(&out, nil)).Info("resolved", "err", (*wayfind.Error)(nil))
	if !strings.Contains(out.String(), `"err":null`) {
		t.Errorf("the line is %s", out.String())
	}
}

// asJSON returns the JSON form of an error as a map.
func asJSON(t *testing.T, err any) map[string]any {
	t.Helper()
	content, failed := json.Marshal(err)
	if failed != nil {
		t.Fatal(failed)
	}
	var members map[string]any
	if failed := json.Unmarshal(content, &members); failed != nil {
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

func TestAnErrorIsDataInJSONAndInALog(t *testing.T) {
	err := &wayfind.Error{
		Op: "dial", URL: "https://shop.example/", Kind: wayfind.ErrThrottled, Code: wayfind.CodeNotBefore,
		NotBefore: time.Date(2026, 1, 2, 4, 4, 5, 0, time.FixedZone("", 3600)), Unsent: true, Err: errors.New("busy"),
	}
	want := map[string]any{
		"op": "dial", "url": "https://shop.example/", "kind": "throttled", "code": "not_before",
		"notBefore": "2026-01-02T03:04:05Z", "message": err.Error(),
	}
	if got := logged(t, err); !maps.Equal(got, want) {
		t.Errorf("logged %v, want %v", got, want)
	}
	want["unsent"] = true
	if got := asJSON(t, err); !maps.Equal(got, want) {
		t.Errorf("JSON %v, want %v", got, want)
	}
	if got, want := asJSON(t, &wayfind.Error{}), map[string]any{"message": ""}; !maps.Equal(got, want) {
		t.Errorf("an empty error is %v, want %v", got, want)
	}
}

func TestForeignTextOfAnErrorIsEscapedAndCutInData(t *testing.T) {
	err := &wayfind.Error{
		Op: "target\n", URL: "https://a.example/\u202e" + strings.Repeat("x", 5000), Kind: wayfind.ErrInvalid,
		Code: "foreign\x1b", Err: errors.New("\x1b[31m"),
	}
	for _, members := range []map[string]any{asJSON(t, err), logged(t, err)} {
		for name, value := range members {
			s := fmt.Sprint(value)
			if i := strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }); i >= 0 || len(s) > 512 {
				t.Errorf("%s is %d bytes, with a character at %d that is not printable: %.60q", name, len(s), i, s)
			}
		}
	}
}

func TestEachKindHasAWordOfItsOwn(t *testing.T) {
	var words []string
	for _, kind := range kinds() {
		words = append(words, wayfind.KindWord(fmt.Errorf("wrapped: %w", &wayfind.Error{Kind: kind})))
	}
	slices.Sort(words)
	if len(slices.Compact(words)) != len(kinds()) || slices.Contains(words, "") {
		t.Errorf("the words are %q", words)
	}
	outer := &wayfind.Error{Kind: wayfind.ErrUnreachable, Err: &wayfind.Error{Kind: wayfind.ErrNotFound}}
	if word := wayfind.KindWord(outer); word != "unreachable" {
		t.Errorf("an error with a cause of another kind has the word %q", word)
	}
	for _, err := range []error{nil, errors.New("foreign"), &wayfind.Error{Op: "x"}} {
		if word := wayfind.KindWord(err); word != "" {
			t.Errorf("%v has the word %q, want none", err, word)
		}
	}
}
