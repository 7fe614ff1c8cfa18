//go:build unix

package pins_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/security/pins"
)

// The time to read a file of approvals is proportional to its size.
func TestAFileOfApprovalsIsReadInProportion(t *testing.T) {
	testkit.Large(t)
	const n = 40_000 // 6 MiB, and 32 MiB are allowed
	var b strings.Builder
	b.WriteString(`{"schema":"wayfind-approvals/1","approvals":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n"+`{"documentOrigin":"https://shop.example","endpoint":"https://other.example/%d","digest":"%064x","expires":"2030-01-01T00:00:00Z"}`, i, i)
	}
	b.WriteString("\n]}")
	name := filepath.Join(t.TempDir(), "approvals.json")
	err := os.WriteFile(name, []byte(b.String()), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	testkit.WithinCPU(t, 6*time.Second, func() { _, err = pins.LoadApprovals(name) })
	if err != nil {
		t.Fatal(err)
	}
}
