package pins_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/pins"
)

const privateOrigin = "https://api.corp.internal:8443"

func TestPinsAndApprovalsOfAPrivateNameAreReadBack(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pins.json")
	set, err := new(pins.Set).With(&wayfind.Site{Origin: privateOrigin})
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Save(name); err != nil {
		t.Fatal(err)
	}
	if back, err := pins.Load(name); err != nil || len(back.All()) != 1 {
		t.Errorf("pins: %v", err)
	}
	name = filepath.Join(t.TempDir(), "approvals.json")
	approvals := new(pins.Approvals)
	approvals.Grant("", security.ApprovalRequest{DocumentOrigin: privateOrigin, Endpoint: privateOrigin + "/mcp", Protocol: "mcp"}, time.Hour)
	if err := approvals.Save(name); err != nil {
		t.Fatal(err)
	}
	if back, err := pins.LoadApprovals(name); err != nil || len(back.All()) != 1 {
		t.Errorf("approvals: %v", err)
	}
}
