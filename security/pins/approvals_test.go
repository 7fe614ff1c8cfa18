package pins

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security"
)

func request() security.ApprovalRequest {
	return security.ApprovalRequest{DocumentOrigin: "https://shop.example", Endpoint: "https://api.example.net/mcp", Digest: "d1", Purpose: "describe", Subject: "mcp:pay"}
}

// An approval is for one user and one endpoint that one document of one origin names, and for a
// limited time.
func TestAnApprovalIsForOneUserEndpointAndOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a Approvals
		const alice, bob = "alice", "bob"
		refused := func(name, user string, r security.ApprovalRequest, why string) {
			t.Helper()
			err := a.For(user)(t.Context(), r)
			if !errors.Is(err, wayfind.ErrRefused) || code(err) != wayfind.CodeNotApproved || !strings.Contains(err.Error(), why) {
				t.Errorf("%s: %v, want %q", name, err, why)
			}
		}
		refused("before", alice, request(), "it has not been approved")
		a.Grant("alice", request(), time.Hour)
		if err := a.For(alice)(t.Context(), request()); err != nil {
			t.Error(err)
		}
		refused("another user", bob, request(), "it has not been approved")
		refused("no user", "", request(), "it has not been approved")
		for name, change := range map[string]func(*security.ApprovalRequest){
			"it has not been approved": func(r *security.ApprovalRequest) { r.DocumentOrigin = "https://other.example" },
			"has not been approved":    func(r *security.ApprovalRequest) { r.Endpoint += "/" },
			"another version":          func(r *security.ApprovalRequest) { r.Digest = "d2" },
			"another version of the ":  func(r *security.ApprovalRequest) { r.Digest = "" },
		} {
			r := request()
			change(&r)
			refused("another request", alice, r, name)
		}
		r := request()
		r.Purpose = "live"
		refused("another purpose", alice, r, "another purpose")
		time.Sleep(time.Hour)
		refused("expired", alice, request(), "expired")

		a.Grant("bob", request(), 0)
		if list := a.All(); len(list) != 1 || list[0].User != "bob" || time.Until(list[0].Expires) != defaultApproval {
			t.Errorf("expired ones are kept: %+v", list)
		}
		if a.Revoke("alice", request().Endpoint) || !a.Revoke("bob", request().Endpoint) {
			t.Error("Revoke reports the wrong ones")
		}
		refused("revoked", bob, request(), "it has not been approved")
	})
}

// Approvals survive in a file. The error for a corrupt file contains the line, and the file is
// never overwritten.
func TestApprovalsFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "approvals.json")
	a, err := LoadApprovals(name)
	if err != nil || len(a.All()) != 0 {
		t.Fatal(err)
	}
	a.Grant("bob", request(), 0)
	a.Grant("alice", request(), time.Hour)
	if err := a.Save(name); err != nil {
		t.Fatal(err)
	}
	again, err := LoadApprovals(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(a.All(), again.All()); d != "" {
		t.Errorf("after a round trip (-want +got):\n%s", d)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct{ old, new, want string }{
		{`"user":"bob"`, `"user":"alice"`, "line 3: approvals[1]: "},
		{`"user":"bob"`, `"users":"bob"`, "line 3: approvals[1]: "},
		{`"endpoint":"https://api.example.net/mcp"`, `"endpoint":"http://api.example.net/mcp"`, "line 2: approvals[0]: its endpoint"},
		{`"documentOrigin":"https://shop.example"`, `"documentOrigin":"shop.example"`, "line 2: approvals[0]: its documentOrigin"},
		{`"expires":"2`, `"expires":"x2`, "line 2: approvals[0]: "},
		{`"digest":"d1",`, `"digest":"d1","digest":"d2",`, "line 2"},
		{`wayfind-approvals`, `wayfind-pins`, "line 1: the schema"},
		{`wayfind-approvals/2`, `wayfind-approvals/3`, `line 1: the schema is "wayfind-approvals/3"`},
		{`wayfind-approvals/2`, `wayfind-approvals/0`, `line 1: the schema is "wayfind-approvals/0"`},
		{`"wayfind-approvals/2"`, `2`, `line 1: the schema is ""`},
		{`{"schema"`, "\x00\xff", "approvals.json"},
	} {
		bad := strings.Replace(string(text), r.old, r.new, 1)
		if err := os.WriteFile(name, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := LoadApprovals(name); code(err) != wayfind.CodeStored || got != nil || !strings.Contains(err.Error(), r.want) {
			t.Errorf("%s: %v, want %s", r.new, err, r.want)
		}
		if err := a.Save(name); code(err) != wayfind.CodeStored {
			t.Errorf("%s: saved over it: %v", r.new, err)
		}
		if after, err := os.ReadFile(name); err != nil || string(after) != bad {
			t.Errorf("%s: the file was changed: %v", r.new, err)
		}
	}
	noExpiry := strings.Replace(string(text), `,"expires":"`+a.All()[0].Expires.Format(time.RFC3339)+`"`, "", 1)
	if err := os.WriteFile(name, []byte(noExpiry), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadApprovals(name); code(err) != wayfind.CodeStored || !strings.Contains(err.Error(), "when it expires") {
		t.Error(err)
	}
}

// TestNilApprovalsNameWhatReturnsSome calls the methods of nil Approvals.
func TestNilApprovalsNameWhatReturnsSome(t *testing.T) {
	var a *Approvals
	for name, do := range map[string]func(){
		"All":     func() { a.All() },
		"Grant":   func() { a.Grant("alice", security.ApprovalRequest{}, 0) },
		"Revoke":  func() { a.Revoke("alice", "https://shop.example") },
		"Save":    func() { _ = a.Save("x") },
		"Version": func() { a.Version() },
		"Upgrade": func() { a.Upgrade() },
		"For":     func() { _ = a.For("alice")(t.Context(), security.ApprovalRequest{}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, "pins.LoadApprovals") {
					t.Errorf("it does not name pins.LoadApprovals: %q", said)
				}
			}()
			do()
		})
	}
	if said := (&Error{}).Error(); said != "definitions differ from their pins" {
		t.Errorf("an Error without a Report says %q", said)
	}
}
