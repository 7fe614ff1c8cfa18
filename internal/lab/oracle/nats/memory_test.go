package nats

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// The memory of a worker is independent of the length of its queue.
func TestWorkerMemory(t *testing.T) {
	testkit.Measured(t)
	domains, err := strconv.Atoi(cmp.Or(os.Getenv(testkit.SweepDomains), testkit.SweepFew))
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "wayfind")
	if out, err := exec.Command("go", "build", "-C", "../../../..", "-o", program, "./cmd/wayfind").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	server := serve(t, t.TempDir(), -1)
	t.Cleanup(func() { stop(server) })
	origin := testkit.StartSweep(t)
	try := 0
	origin.Check(t, domains, func() *exec.Cmd {
		try++
		queue := []string{"--queue", server.ClientURL(), "--name", fmt.Sprint("try", try)}
		load := exec.Command(program, append([]string{"crawl", "load", testkit.SweepList(t, domains)}, queue...)...)
		if out, err := load.Output(); err != nil || string(out) != fmt.Sprintf("offered: %d, there already: 0, lines without a domain: 0\n", domains) {
			t.Fatalf("%v: %s", err, out)
		}
		return exec.Command(program, append([]string{"crawl", "work", "--alone", "--cache", "none"}, append(queue, origin.Flags()...)...)...)
	})
}
