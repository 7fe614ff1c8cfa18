package call

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/callresult"
)

// word is a value of a closed list.
type word interface {
	comparable
	fmt.Stringer
	encoding.TextMarshaler
	IsZero() bool
	Text() string
}

// holds checks that all words of a list have their own name and text, that names are read
// back, and that no other text is read.
func holds[W word, P interface {
	*W
	encoding.TextUnmarshaler
}](t *testing.T, list []W, mistyped, want string) {
	t.Helper()
	var none W
	names, texts := map[string]bool{}, map[string]bool{}
	for _, w := range list {
		if w.String() == "" || w.Text() == "" || w == none || w.IsZero() || names[w.String()] || texts[w.Text()] {
			t.Errorf("%q (%q) has no name or text of its own", w, w.Text())
		}
		names[w.String()], texts[w.Text()] = true, true
		raw, err := w.MarshalText()
		var again W
		if err != nil || P(&again).UnmarshalText(raw) != nil || again != w {
			t.Errorf("%s is read back as %q, %v", w, again, err)
		}
	}
	w := list[0]
	if err := P(&w).UnmarshalText([]byte(mistyped)); err == nil || !strings.Contains(err.Error(), want) || w != none {
		t.Errorf("%s: %q, %v, want %q", mistyped, w, err, want)
	}
	w = list[0]
	if err := P(&w).UnmarshalText(nil); err != nil || w != none || !none.IsZero() || none.String() != "" {
		t.Errorf("an empty name is %q, %v", w, err)
	}
}

func TestWordsAreReadBackByTheirNames(t *testing.T) {
	holds(t, Codes(), "goen", `the nearest is "gone"`)
	holds(t, Decisions(), "ask_eahc", `the nearest is "ask_each"`)
	holds(t, Decisions(), "always", "there are run, ask_once, ask_session, ask_each, refuse")
	holds(t, Effects(), "raeds", `the nearest is "reads"`)
	holds(t, Reasons(), "prize", `the nearest is "price"`)
}

func TestEachCodeHasASentenceForAModel(t *testing.T) {
	seen := map[string]bool{Code{}.Sentence(): true}
	for _, c := range Codes() {
		if c.Sentence() == "" || seen[c.Sentence()] {
			t.Errorf("%s: %q is no sentence of its own", c, c.Sentence())
		}
		seen[c.Sentence()] = true
		if known := c.Kind(); known == nil != (c == TooLarge || c == OutcomeUnknown || c == SessionEnded || c == UpstreamError) {
			t.Errorf("%s: kind %v", c, known)
		}
	}
	if (Code{}).Again() || (Code{}).Kind() != nil || (Code{}).Sentence() != "The call was made." {
		t.Error("a call that was made is none that failed")
	}
	if !Timeout.Again() || OutcomeUnknown.Again() || Denied.Again() || !errors.Is(Denied.Kind(), wayfind.ErrRefused) {
		t.Error("the rows of the codes are mixed up")
	}
}

func TestEachAnswerThatFailsHasACode(t *testing.T) {
	for kind, want := range map[callresult.Kind]Code{
		callresult.Throttled: Throttled, callresult.Gone: Gone, callresult.CredentialMissing: CredentialMissing,
		callresult.CredentialRefused: CredentialRefused, callresult.Refused: Refused, callresult.UpstreamError: UpstreamError,
	} {
		if got := codeFor(kind); got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
}

func TestJSONNamesTheWordsAndLeavesOutNone(t *testing.T) {
	rec := &Record{Tool: "t", Decision: AskEach, Reasons: []Reason{ReasonPrice, ReasonChanges}, Code: Denied}
	for _, r := range []*Record{rec, {Tool: "t"}} {
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		want := `"decision":"ask_each","reasons":["price","changes"],"code":"denied",`
		if has := strings.Contains(string(raw), want); has != (r == rec) || !has && strings.Contains(string(raw), `"decision"`) {
			t.Errorf("%s", raw)
		}
		var again Record
		if err := json.Unmarshal(raw, &again); err != nil || again.Code != r.Code || again.Decision != r.Decision || len(again.Reasons) != len(r.Reasons) {
			t.Errorf("%s is read back as %+v, %v", raw, again, err)
		}
	}
}
