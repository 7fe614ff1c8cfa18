package call

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// These are the questions to a person at a terminal: the request, its price and its effects are
// the last that a person reads. Any answer but yes means no.
func TestAgreementAsks(t *testing.T) {
	for answer, want := range map[string]call.Verdict{"y\n": call.AllowOnce, "YES\n": call.AllowOnce, "\n": call.Deny, "": call.Deny, "yesterday\n": call.Deny, "n\n": call.Deny} {
		var out bytes.Buffer
		g := &agreement{app: &ui.App{In: strings.NewReader(answer), Err: &out}}
		got, err := g.ask(&call.Question{
			Domain: "shop.example", Key: "openapi:openapi/order", Price: "5 EUR\x1b[2J", Stated: []string{"First call cart.", "The site restricts agents: \"\x1b[2J\"."},
			Request:   &call.Request{Method: "POST", URL: "https://shop.example/orders", Credentials: []call.Placed{{Scheme: "key", Origin: "https://shop.example"}}},
			Arguments: json.RawMessage(`{"what":"lamp\u202e"}`), Reasons: []call.Reason{call.ReasonPrice, call.ReasonChanges},
		})
		if err != nil || got.Verdict != want {
			t.Errorf("%q: %+v, %v", answer, got, err)
		}
		const shown = `First call cart.
The site restricts agents: "\x1b[2J".
The call openapi:openapi/order of shop.example:
  arguments {"what":"lamp\u202e"}
  credential key for https://shop.example
  POST https://shop.example/orders
  price 5 EUR\x1b[2J, as the site says
  because it costs something
  because it changes something
Send it? [y/N] `
		if d := cmp.Diff(shown, out.String()); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
}

// Without a terminal a flag agrees, each only to the effects that it names.
func TestAgreementByFlags(t *testing.T) {
	yes := true
	mends := &wayfind.Effects{Idempotent: &yes}
	for name, tt := range map[string]struct {
		reasons []call.Reason
		effects *wayfind.Effects
		given   bool   // credentials were named
		want    string // the weakest flag that agrees
	}{
		"says that it reads":         {[]call.Reason{call.ReasonSaysReadOnly}, nil, false, "--yes"},
		"changes what can be mended": {[]call.Reason{call.ReasonChanges}, mends, false, "--yes-destructive"},
		"undone":                     {[]call.Reason{call.ReasonChanges}, &wayfind.Effects{Reversible: &yes}, false, "--yes-destructive"},
		"changes":                    {[]call.Reason{call.ReasonChanges}, nil, false, "--yes-destructive"},
		"unknown":                    {[]call.Reason{call.ReasonUnknown}, mends, false, "--yes-destructive"},
		"destroys":                   {[]call.Reason{call.ReasonDestructive, call.ReasonChanges}, mends, false, "--yes-destructive"},
		"costs":                      {[]call.Reason{call.ReasonPrice, call.ReasonChanges}, mends, false, "--yes-destructive"},
		"cannot be undone":           {[]call.Reason{call.ReasonIrreversible}, mends, false, "--yes-destructive"},
		"elsewhere":                  {[]call.Reason{call.ReasonOtherSite}, nil, false, "--yes-destructive"},
		"suspicious":                 {[]call.Reason{call.ReasonSuspicious}, nil, false, "--yes-destructive"},
		"changed":                    {[]call.Reason{call.ReasonPinChanged}, nil, false, "--yes-destructive"},
		"a credential":               {[]call.Reason{call.ReasonNewCredential}, nil, false, "--yes-destructive"},
		"a credential by name":       {[]call.Reason{call.ReasonNewCredential}, nil, true, ""},
		"both":                       {[]call.Reason{call.ReasonNewCredential, call.ReasonSaysReadOnly}, mends, true, "--yes"},
	} {
		for flag, rank := range map[string]int{"": 0, "--yes": 1, "--yes-destructive": 2} {
			g := &agreement{app: &ui.App{In: strings.NewReader("y\n"), Err: new(bytes.Buffer)}, yes: flag == "--yes", destructive: flag == "--yes-destructive", credentials: tt.given}
			got, err := g.confirm(t.Context(), &call.Question{Key: "k", Request: &call.Request{}, Reasons: tt.reasons, Effects: tt.effects})
			agrees := rank >= map[string]int{"": 0, "--yes": 1, "--yes-destructive": 2}[tt.want]
			if (got.Verdict == call.AllowOnce) != agrees || (err == nil) != agrees {
				t.Errorf("%s with %q: %+v, %v", name, flag, got, err)
			}
			if err != nil && flag == "" && !strings.HasSuffix(err.Error()+" ", "add "+tt.want+map[string]string{"--yes": " ", "--yes-destructive": " k "}[tt.want]) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
