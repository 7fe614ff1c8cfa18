package jsonscan_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// FuzzScan checks that no body causes a panic, that the result is deterministic, that an
// accepted body has the same meaning for encoding/json, and that pointers and rewriting obey
// their laws.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "\ufeff[]", `{"a":[1,2.5e3,null,true,false,"\u00e9\n"],"b":{"":{}}}`, `{"a":1,"\u0061":2}`,
		`["\ud83d\ude00","\ud800"]`, "\xff", "[[[[", "1 2", "-0.0e-0", `{"a":{"a":{"a":[]}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		testkit.BoundAllocs(t, len(body), 100, 16<<10, func() { _, _ = jsonscan.Scan(body) })
		code := codeOf(t, string(body))
		if again := codeOf(t, string(body)); code != again {
			t.Fatalf("%q, then %q", code, again)
		}
		if code == "" {
			checkAccepted(t, body)
		}
	})
}

func checkAccepted(t *testing.T, body []byte) {
	t.Helper()
	doc := scan(t, string(body))
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	dec.UseNumber()
	var want any
	if err := dec.Decode(&want); err != nil {
		t.Fatalf("accepted, but encoding/json says %v", err)
	}
	if diff := cmp.Diff(want, plain(doc.Root())); diff != "" {
		t.Fatalf("read differently (-encoding/json +ours):\n%s", diff)
	}
	same, err := jsonscan.RewriteStrings(body, func(s string) string { return s })
	if err != nil || !bytes.Equal(same, body) {
		t.Fatalf("rewriting nothing gave %q, %v", same, err)
	}
	for _, rewrite := range []func(string) string{
		func(string) string { return "k" },
		func(s string) string { return s[len(s)/2:] },
		func(s string) string { return s + "\x00" },
	} {
		out, err := jsonscan.RewriteStrings(body, rewrite)
		if err != nil {
			t.Fatal(err)
		}
		if again := scan(t, string(out)); again.Nodes() != doc.Nodes() {
			t.Fatalf("rewriting made %d values of %d", again.Nodes(), doc.Nodes())
		}
	}
}
