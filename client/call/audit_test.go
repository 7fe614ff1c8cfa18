package call_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
)

// Each call has one record, whatever came of it. Arguments are in it only where they were
// asked for, and digests can be compared within one Caller alone.
func TestAudit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShop(t, shopDocument, nil)
		audited := func(arguments bool) (*call.Caller, *[]*call.Record) {
			var list []*call.Record
			return s.caller(&call.Options{
				Confirm: (&yes{verdict: call.AllowOnce}).confirm, Audit: func(r *call.Record) { list = append(list, r) }, AuditArguments: arguments,
			}), &list
		}
		c, records := audited(false)
		const token = "ghp_Jt7Qm2xZ9bLr4Vw8Ky1Np6Hs3Dc5Fg0TaUeB"
		calls := []struct{ tool, args string }{
			{"listOrders", `{"q":"private"}`}, {"newOrder", `{"reason":"private"}`}, {"newOrder", `{"reason":"private"}`}, {"dropOrder", `{"id":".."}`}, {"nothing", `{}`},
		}
		for _, k := range calls {
			_, _ = c.Call(t.Context(), s.box, k.tool, []byte(k.args))
		}
		if len(*records) != len(calls) {
			t.Fatalf("%d records of %d calls", len(*records), len(calls))
		}
		if strings.Contains(mustJSON(t, *records), "private") {
			t.Errorf("arguments: %s", mustJSON(t, *records))
		}
		list := *records
		first, second, third, bad, none := list[0], list[1], list[2], list[3], list[4]
		if first.Method != "GET" || first.Origin != "https://shop.example" || first.Status != 200 || first.Attempts != 1 || first.Bytes == 0 || first.Decision != call.Run || first.By != "" ||
			first.Domain != "shop.example" || first.Key == "" || first.Definition == "" || first.Time.IsZero() || first.Duration < 0 || first.Duration > time.Minute {
			t.Errorf("%+v", first)
		}
		if second.By != "person" || second.Decision != call.AskSession || second.Call != third.Call || second.Call == first.Call || second.Definition != third.Definition {
			t.Errorf("%+v\n%+v", second, third)
		}
		if bad.Code != call.InvalidArguments || bad.Attempts != 0 || none.Code != call.NotFoundTool || none.Tool != "nothing" {
			t.Errorf("%+v\n%+v", bad, none)
		}
		for i, r := range list {
			want := ""
			if i > 0 {
				sum := sha256.Sum256([]byte(mustJSON(t, list[i-1])))
				want = hex.EncodeToString(sum[:])
			}
			if r.Previous != want {
				t.Errorf("record %d is not tied to the one before", i)
			}
		}
		other, more := audited(true)
		_, _ = other.Call(t.Context(), s.box, "newOrder", []byte(`{"reason":"private `+token+`"}`))
		_, _ = other.Call(t.Context(), s.box, "newOrder", []byte(`{"reason":"private"}`))
		if args := string((*more)[0].Arguments); !strings.Contains(args, "private") || strings.Contains(args, token) {
			t.Errorf("%s", args)
		}
		if (*more)[1].Call == second.Call {
			t.Error("two processes have one digest")
		}
	})
}
