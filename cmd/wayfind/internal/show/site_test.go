package show

import (
	"errors"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
)

// "nothing found", "could not be asked", "nothing is stored" and "no such name" are four
// answers, as are the refusals.
func TestNothingFoundAskedStoredOrNamedAreFourAnswers(t *testing.T) {
	site := &wayfind.Site{Origin: "https://example.com"}
	walled := wayfind.NewError("resolve", "", wayfind.CodeFirewall, wayfind.NewError("match", "", wayfind.CodeFirewall, errors.New("Okta asks for a login")))
	priced := wayfind.NewError("resolve", "", wayfind.CodePrice, wayfind.NewError("match", "", wayfind.CodePrice, errors.New(`it wants "USD 1"`)))
	later := time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)
	for want, err := range map[string]error{
		"nothing found": &wayfind.Error{Kind: wayfind.ErrNotFound},
		`nothing found; everything redirects to "login.example": type "wayfind login.example" to ask that host`: wayfind.NewError("resolve", "", "", &verdict.Elsewhere{Host: "login.example"}).WithKind(wayfind.ErrNotFound),
		"could not be asked: the site refuses (firewall): Okta asks for a login":                                walled,
		`could not be asked: the site refuses (price): it wants "USD 1"`:                                        priced,
		"no such name": wayfind.NewError("resolve", "", wayfind.CodeDNSNotFound, nil),
		"nothing is stored, and --offline sends no request":                                     wayfind.NewError("resolve", "", wayfind.CodeOffline, nil),
		"could not be asked (tls)":                                                              wayfind.NewError("resolve", "", wayfind.CodeTLS, nil),
		"could not be asked: the site refuses (firewall)":                                       wayfind.NewError("resolve", "", wayfind.CodeFirewall, nil),
		"could not be asked: the site wants to be asked later, not before 2026-01-02 15:00:00Z": &wayfind.Error{Kind: wayfind.ErrThrottled, NotBefore: later},
		"was not asked: the policy of this run refuses (blocked_address)":                       wayfind.NewError("resolve", "", wayfind.CodeBlockedAddress, nil),
		"nothing that can be used, only broken documents (json_syntax)":                         wayfind.NewError("resolve", "", wayfind.CodeJSONSyntax, nil),
		"interrupted before anything was found":                                                 wayfind.NewError("resolve", "", wayfind.CodeCanceled, nil),
		"no answer (panic)":                                                                     wayfind.NewError("resolve", "", wayfind.CodePanic, nil),
	} {
		if got := answerText(site, err); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}
