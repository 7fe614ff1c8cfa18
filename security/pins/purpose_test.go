package pins_test

import (
	"errors"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/pins"
)

// To fetch a document of another site differs from asking its server. An answer about one is
// not an answer about the other.
func TestAnApprovalIsForOnePurpose(t *testing.T) {
	request := security.ApprovalRequest{DocumentOrigin: "https://shop.example", Endpoint: "https://other.example/mcp", Digest: "d", Purpose: "describe"}
	var approvals pins.Approvals
	approvals.Grant("", request, time.Hour)
	if err := approvals.For("")(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	request.Purpose = "live"
	if err := approvals.For("")(t.Context(), request); !errors.Is(err, wayfind.ErrRefused) {
		t.Errorf("a yes to %q is a yes to %q: %v", "describe", "live", err)
	}
}
