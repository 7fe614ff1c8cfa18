//go:build linux && !race

package main

import (
	"cmp"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// A batch keeps some bytes for each domain. Its memory does not depend on the length of its list.
func TestBatchMemory(t *testing.T) {
	testkit.Measured(t)
	domains, err := strconv.Atoi(cmp.Or(os.Getenv(testkit.SweepDomains), testkit.SweepFew))
	if err != nil {
		t.Fatal(err)
	}
	origin := testkit.StartSweep(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	origin.Check(t, domains, func() *osexec.Cmd {
		out := filepath.Join(t.TempDir(), "results.jsonl")
		args := append([]string{"wayfind", "batch", "--cache", "none", "--out", out}, append(origin.Flags(), testkit.SweepList(t, domains))...)
		return &osexec.Cmd{Path: self, Args: args, Env: os.Environ()}
	})
}
