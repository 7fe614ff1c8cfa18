package pins

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/security"
)

// written writes a text to a file of the test.
func written(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file.json")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// Pins of version 1 are read, and it is shown that they cover less. The file is only rewritten
// if its owner requests it, and then still shows which pins cover less.
func TestPinsOfVersion1(t *testing.T) {
	set, err := pinned(t).WithDetail(pinSite(), &wayfind.Detail{Capability: pay(pinSite()), Source: &wayfind.Source{}})
	if err != nil {
		t.Fatal(err)
	}
	set.list[1].Described = nil
	text, err := set.Encode()
	if err != nil {
		t.Fatal(err)
	}
	old := strings.Replace(string(text), "wayfind-pins/2", "wayfind-pins/1", 1)
	name := written(t, old)
	first, err := Load(name)
	if err != nil || first.Version() != 1 {
		t.Fatal(first.Version(), err)
	}
	older := func(set *Set) []string { return set.Check(pinSite()).Older }
	if got := older(first); !slices.Equal(got, []string{"adp:pay"}) || !first.Check(pinSite()).Empty() {
		t.Errorf("covering less: %q", got)
	}
	again, err := first.With(pinSite(), "awp:sort")
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []*Set{first, again, first.Without(pinOrigin), set} {
		if err := set.Save(name); code(err) != wayfind.CodeStored || !strings.Contains(err.Error(), "version 1") {
			t.Errorf("rewritten without a word: %v", err)
		}
	}
	if now, err := os.ReadFile(name); err != nil || string(now) != old {
		t.Errorf("the file was changed: %v", err)
	}
	if err := again.Upgrade().Save(name); err != nil {
		t.Fatal(err)
	}
	second, err := Load(name)
	if err != nil || second.Version() != 2 || len(second.All()) != 3 {
		t.Fatal(second.Version(), err)
	}
	if got := older(second); !slices.Equal(got, []string{"adp:pay"}) {
		t.Errorf("rewritten, and covering less: %q", got)
	}
	if err := second.Save(name); err != nil {
		t.Error(err)
	}
	anew, err := second.WithDetail(pinSite(), &wayfind.Detail{Capability: pay(pinSite()), Source: &wayfind.Source{}})
	if err != nil || older(anew) != nil {
		t.Errorf("pinned again: %q, %v", older(anew), err)
	}
	for _, member := range []string{`"described":{"key":"adp:pay","kind":"tool"},`, `"version":1,`} {
		bad := strings.Replace(old, `{"key":"adp:pay",`, `{`+member+`"key":"adp:pay",`, 1)
		if _, err := Load(written(t, bad)); code(err) != wayfind.CodeStored {
			t.Errorf("%s in a file of version 1: %v", member, err)
		}
	}
}

// Approvals of version 1 allow documents to be read, but no server to be asked. The file is
// only rewritten if its owner requests it.
func TestApprovalsOfVersion1(t *testing.T) {
	old := `{"schema": "wayfind-approvals/1", "approvals": [
{"user":"alice","documentOrigin":"https://shop.example","endpoint":"https://api.example.net/mcp","digest":"d1","expires":"` + time.Now().Add(time.Hour).UTC().Format(time.RFC3339) + `"}
]}`
	name := written(t, old)
	a, err := LoadApprovals(name)
	if err != nil || a.Version() != 1 {
		t.Fatal(err)
	}
	read := security.ApprovalRequest{DocumentOrigin: "https://shop.example", Document: "https://shop.example/a", Endpoint: "https://api.example.net/mcp",
		Domain: "example.net", Protocol: "http", Methods: []string{"GET"}, Digest: "d1", Purpose: "describe"}
	speak := read
	speak.Purpose, speak.Protocol, speak.Methods = "live", "mcp", []string{"GET", "POST"}
	asked := func(a *Approvals) {
		t.Helper()
		if err := a.For("alice")(t.Context(), read); err != nil {
			t.Errorf("to read: %v", err)
		}
		if err := a.For("alice")(t.Context(), speak); code(err) != wayfind.CodeNotApproved || !strings.Contains(err.Error(), "version 1") {
			t.Errorf("to speak: %v", err)
		}
	}
	asked(a)
	if err := a.Save(name); code(err) != wayfind.CodeStored {
		t.Errorf("rewritten without a word: %v", err)
	}
	if now, err := os.ReadFile(name); err != nil || string(now) != old {
		t.Errorf("the file was changed: %v", err)
	}
	a.Upgrade()
	if err := a.Save(name); err != nil {
		t.Fatal(err)
	}
	if a, err = LoadApprovals(name); err != nil || a.Version() != 2 {
		t.Fatal(err)
	}
	asked(a)
	a.Grant("alice", speak, 0)
	if err := a.For("alice")(t.Context(), speak); err != nil {
		t.Error(err)
	}
	bad := strings.Replace(old, `"digest"`, `"purpose":"live","digest"`, 1)
	if _, err := LoadApprovals(written(t, bad)); code(err) != wayfind.CodeStored {
		t.Errorf("a purpose in a file of version 1: %v", err)
	}
}

// The time to read a file of pins is proportional to its size.
func TestAFileOfPinsIsReadInProportion(t *testing.T) {
	const n = 40_000
	var b strings.Builder
	b.WriteString(`{"schema":"wayfind-pins/2","pins":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n" + `{"pinnedAt":"2026-01-01T00:00:00Z","site":{"origin":"https://shop.example","base":"/` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + time.Duration(i).String() + `"}}`)
	}
	b.WriteString("\n]}")
	testkit.WithinCPU(t, 6*time.Second, func() {
		if set, err := Parse([]byte(b.String())); err != nil || len(set.All()) != n {
			t.Error(err)
		}
	})
}
