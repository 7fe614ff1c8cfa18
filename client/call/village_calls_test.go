package call_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// hostileValues are values that a model may write.
var hostileValues = []string{
	"..", ".", "../../admin", "..%2f..%2fadmin", "%2e%2e", "..%5cadmin", `..\admin`, "..;/admin", "%252e%252e", "%00", "a\r\nX-Evil: 1", "//thief.example.net/", "@thief.example.net", "https://thief.example.net/",
	"?x=1", "#frag", "a&api_key=evil", "x; sid=evil", "\u202e", "\ufeff", "{v}", "%", "%zz", "%C0%AE/", strings.Repeat("A", 5000), "DELETE", villageSecret, "", " ", "null", "\uff0e\uff0e\uff0fadmin", "a/b", "good", "7", "caf\u00e9",
}

// villageCall makes one call and returns a description of any error.
func (x *village) villageCall(t *testing.T, host, tool string, args []byte) (res *call.Result, wrong string, err error) {
	t.Helper()
	var said strings.Builder
	var agreed []*call.Request
	c, newErr := call.New(x.client, &call.Options{
		AuditArguments: true, Audit: func(r *call.Record) { said.WriteString(mustJSON(t, r)) },
		Confirm: func(_ context.Context, q *call.Question) (call.Answer, error) {
			agreed = append(agreed, q.Request)
			return call.Answer{Verdict: call.AllowOnce}, nil
		},
		Credentials: func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			b := call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}
			switch q.Name {
			case "head", "query", "cook":
				return call.Key(villageSecret, b), nil
			case "basic":
				return call.Basic("user", villageSecret, b), nil
			case "bearer":
				return call.Bearer(villageSecret, b), nil
			}
			return nil, nil
		},
	})
	if newErr != nil {
		t.Fatal(newErr)
	}
	res, err = c.Call(t.Context(), x.boxes[host], tool, args)
	x.mu.Lock()
	defer x.mu.Unlock()
	said.WriteString(mustJSON(t, res.Model) + mustJSON(t, res.Program.Diagnostics) + string(res.Program.Body) + fmt.Sprint(res.Program.Header) + res.Model.Prompt() + fmt.Sprint(err))
	return res, x.judged(tool, string(args), agreed, said.String()), err
}

// judged returns a description of an error: a second effect (except of reading, PUT and
// DELETE), a request to another place, with another method or another body, a credential
// elsewhere, a visible secret.
func (x *village) judged(tool, args string, agreed []*call.Request, said string) string {
	if n := len(x.effects); n > 1 && !slices.Contains([]string{"read", "put", "drop"}, tool) {
		return fmt.Sprintf("%d effects", n)
	}
	if n := len(x.thief.Requests()); n > 0 {
		return fmt.Sprintf("%d requests to a stranger", n)
	}
	for _, r := range x.effects {
		if tool != "read" && len(agreed) != 1 {
			return fmt.Sprintf("%d questions", len(agreed))
		}
		if len(agreed) == 1 && !covers(agreed[0], &r) {
			return fmt.Sprintf("%s %s %s was sent, and %s %s %s agreed to", r.method, r.target, r.body, agreed[0].Method, agreed[0].URL, agreed[0].Body)
		}
		if auth := r.header.Get("Authorization"); r.host != "open.example" && auth != "Bearer "+villageSecret {
			return fmt.Sprintf("%s was called with %q", r.host, auth)
		}
		if n := strings.Count(fmt.Sprint(r.header, r.target), villageSecret); !strings.Contains(args, villageSecret) && n > 1 || r.header.Get("X-Evil") != "" {
			return fmt.Sprintf("the credential was sent %d times: %v", n, r.header)
		}
	}
	for _, r := range x.others {
		plain := r.header.Clone() // a handshake or a question for methods has the credential of the call
		if plain.Get("Authorization") == "Bearer "+villageSecret && r.host != "open.example" {
			plain.Del("Authorization")
		}
		if strings.Contains(fmt.Sprint(r.target, r.body, plain), villageSecret) || strings.Contains(args, "good") && strings.Contains(r.body, `"good"`) {
			return fmt.Sprintf("what has no effect holds a secret or the arguments: %+v", r)
		}
	}
	if !strings.Contains(args, villageSecret) {
		for _, spelling := range spellings(villageSecret) {
			if strings.Contains(said, spelling) {
				return fmt.Sprintf("%q is shown", spelling)
			}
		}
	}
	return ""
}

// covers reports whether a request is the one that was agreed to. Identifiers and versions
// of a protocol may be new.
func covers(q *call.Request, r *seen) bool {
	u, err := url.Parse(q.URL)
	if err != nil || q.Method != r.method || u.Host != r.host {
		return false
	}
	if r.host == "actors.example" {
		return strings.HasPrefix(r.target, "/actors/v1/pirate/")
	}
	target, _, _ := strings.Cut(strings.NewReplacer("?api_key="+villageSecret, "", "&api_key="+villageSecret, "").Replace(r.target), "\x00")
	want := strings.NewReplacer("?api_key="+call.Hidden, "", "&api_key="+call.Hidden, "").Replace(u.RequestURI())
	want = strings.NewReplacer("?api_key="+url.QueryEscape(call.Hidden), "", "&api_key="+url.QueryEscape(call.Hidden), "").Replace(want)
	return target == want && (r.host != "open.example" || string(q.Body) == r.body)
}

// Hostile servers and hostile values: whatever a server does after one effect, there is no
// second effect, nothing is sent elsewhere, and the credential is not visible in any encoding.
// In between, all ordinary calls succeed.
func TestHostileCallsHaveOneEffectAndShowNoSecret(t *testing.T) {
	rows := testkit.Sizes(150, 1000, 5000)
	bubble(t, func(t *testing.T) {
		x, rng := newVillage(t), rand.New(rand.NewPCG(38, 5))
		deeds := misdeeds()
		names, hosts := slices.Sorted(maps.Keys(deeds)), append(hostsOf(), "open.example", "open.example")
		effects, refused, bad := 0, 0, 0
		for n := range rows {
			deed, host, spelling := names[rng.IntN(len(names))], hosts[rng.IntN(len(hosts))], rng.IntN(len(spellings(villageSecret)))
			x.begin(deeds[deed](spellings(villageSecret)[spelling]))
			tool, args := x.toolOf(host, rng.IntN(100), hostileValues[rng.IntN(len(hostileValues))])
			_, wrong, err := x.villageCall(t, host, tool, args)
			if count := x.count(); count == 0 {
				refused++
			} else {
				effects += count
			}
			if wrong != "" {
				if bad++; bad < 20 {
					t.Errorf("call %d, %s %s on %s, spelling %d, %.100s: %s (%v)", n, host, tool, deed, spelling, args, wrong, err)
				}
			}
			if n%10 == 0 {
				x.ordinary(t, hosts[n/10%len(hosts)], n/10)
			}
		}
		t.Logf("%d hostile calls: %d effects, %d refused before the wire, %d wrong", rows, effects, refused, bad)
	})
}

func (x *village) count() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.effects)
}

// ordinary makes a call without anything hostile.
func (x *village) ordinary(t *testing.T, host string, n int) {
	t.Helper()
	x.begin(misdeeds()["echo"]("fine"))
	tool, args := x.toolOf(host, n, []string{"7", "a b", "\u00e4", "x.y", "100%", "a+b", "O'Neil", "me@example.com", "C++", "2026-01-01", "\u65e5\u672c", "v1.2.3"}[n%12])
	res, wrong, err := x.villageCall(t, host, tool, args)
	if e, _ := errors.AsType[*call.Error](err); e != nil || wrong != "" || x.count() != 1 || !strings.Contains(mustJSON(t, res.Model), "fine") {
		t.Errorf("%s %s %s: %v, %s, %d effects: %+v", host, tool, args, err, wrong, x.count(), res.Model)
	}
}

// Over each protocol, a credential that a service repeats in any encoding is hidden: in the
// answer, in a field, and in the error of a failure.
func TestACredentialIsHiddenOverEachProtocol(t *testing.T) {
	testkit.Large(t)
	bubble(t, func(t *testing.T) {
		x := newVillage(t)
		for _, host := range hostsOf() {
			for i, spelling := range spellings(villageSecret) {
				for _, deed := range []string{"echo", "says text/plain", "says application/json", "half", "400", "500"} {
					for n := range x.boxes[host].Len() {
						x.begin(misdeeds()[deed](spelling))
						tool, args := x.toolOf(host, n, "7")
						res, wrong, err := x.villageCall(t, host, tool, args)
						if wrong != "" || x.count() == 0 {
							t.Errorf("%s %s, %s in spelling %d: %s (%v)", host, tool, deed, i, wrong, err)
						}
						if tool != "buy" && deed == "echo" && !strings.Contains(mustJSON(t, res.Model), call.Hidden) { // buy is a notification
							t.Errorf("%s %s, spelling %d: nothing is hidden in %s", host, tool, i, mustJSON(t, res.Model))
						}
					}
				}
			}
		}
	})
}
