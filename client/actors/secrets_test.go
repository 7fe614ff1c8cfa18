package actors_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/client/actors"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// Likely secrets are removed from an agent's answers, unless the caller wants them. Its
// problems never contain any.
func TestSecretsInAnswersOfAnAgentAreTakenOut(t *testing.T) {
	const mark = "[redacted: github-token]"
	secret := "gh" + "p_" + strings.Repeat("k3VbZ7qLw9Xt", 3)
	for _, allow := range []bool{false, true} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet, crew *clienttest.Host) {
			a := newActor(t, internet, &actors.Options{AllowSecrets: allow})
			want := mark
			if allow {
				want = secret
			}
			crew.Handle(designPath, answer(200, `{"status": "completed", "data": {"text": "use `+secret+`"}}`))
			r, err := a.Retrieve(t.Context(), "m1", "")
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(`{"text": "use `+want+`"}`, string(r.Data)); d != "" {
				t.Errorf("allowed %t: Data (-want +got):\n%s", allow, d)
			}
			crew.Handle(designPath, events("event: "+secret+"\ndata: use "+secret+"\n\n"))
			for e, err := range a.Stream(t.Context(), "m1", "") {
				if err != nil || string(e.Reply.Data) != `"use `+want+`"` || e.Type != mark {
					t.Errorf("allowed %t: %v, %q %s", allow, err, e.Type, e.Reply.Data)
				}
			}
			crew.Handle(designPath, answer(400, `{"title": "bad `+secret+`", "detail": "`+strings.Repeat("x", 180)+` `+secret+`"}`))
			_, err = a.Retrieve(t.Context(), "m1", "")
			var p *actors.Problem
			if !errors.As(err, &p) || p.Title != "bad "+mark || strings.Contains(fmt.Sprint(err), secret[:12]) {
				t.Errorf("allowed %t: %v", allow, err)
			}
		})
	}
}
