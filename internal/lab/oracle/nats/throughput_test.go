package nats

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/client/crawl/nats"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

const (
	// benchVar is the variable with the number of domains of BenchmarkThroughput.
	benchVar     = "WAYFIND_CRAWL_BENCH"
	benchDomains = "60"
	// benchInFlight is the number of domains that each worker asks at a time.
	benchInFlight = 16
)

// BenchmarkThroughput asks domains, each on its own site with one llms.txt, in all formats:
// with one process and its queue in a file, with as many domains in flight as one, two and
// three workers, and with one to three workers with NATS and Redis. All processes and the sites
// run on this machine.
//
//	WAYFIND_CRAWL_BENCH=1000 go test -run='^$' -bench=Throughput -benchtime=1x .
//
// The processor time of the workers per domain is measured too, because other programs on the
// machine hardly change it.
func BenchmarkThroughput(b *testing.B) {
	n, err := strconv.Atoi(cmp.Or(os.Getenv(benchVar), benchDomains))
	if err != nil {
		b.Fatal(err)
	}
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("d%d.own%d-test.com", i, i))
	}
	program := build(b)
	for _, queue := range []string{"file", "nats"} {
		for workers := 1; workers <= 3; workers++ {
			b.Run(fmt.Sprintf("%s/%d", queue, workers), func(b *testing.B) {
				for b.Loop() {
					m := &throughput{B: b, program: program, names: names, workers: workers}
					m.measure(queue)
				}
			})
		}
	}
}

// throughput is one run.
type throughput struct {
	*testing.B
	program string
	names   []string
	workers int
}

func (m *throughput) measure(queue string) {
	sites := newInternet(m, rules{})
	flags := []string{"crawl", "work", "--cacert", sites.ca, "--allow-cidr", "127.0.0.0/8", "--contact", "crawl@example.com"}
	for _, name := range m.names {
		flags = append(flags, "--connect-to", name+":443:"+sites.Listener.Addr().String())
	}
	if queue == "file" {
		f := &fleet{TB: m, program: m.program, queue: filepath.Join(m.TempDir(), "queue.jsonl")}
		f.run(strings.Join(m.names, "\n"), "crawl", "load", "-")
		m.run(f, 1, append(flags, "--alone", "--in-flight", strconv.Itoa(benchInFlight*m.workers)))
		m.sent(sites)
		return
	}
	queues := serve(m, m.TempDir(), -1)
	defer stop(queues)
	store := testkit.StartRedis(m)
	key := filepath.Join(m.TempDir(), "key")
	if err := os.WriteFile(key, []byte("a key for the answers of this test"), 0o600); err != nil {
		m.Fatal(err)
	}
	f := &fleet{TB: m, program: m.program, queue: queues.ClientURL()}
	f.run(strings.Join(m.names, "\n"), "crawl", "load", "-")
	m.per("B/target", float64(stored(m, queues, "targets")))
	store.ResetCommands()
	cpu := inform(m, store, "cpu", "used_cpu_user") + inform(m, store, "cpu", "used_cpu_sys")
	before := traffic(m, queues)
	m.run(f, m.workers, append(flags, "--cache", store.URL(), "--cache-key", key, "--in-flight", strconv.Itoa(benchInFlight)))
	after := traffic(m, queues)
	m.per("nats-msgs/domain", float64(after.InMsgs+after.OutMsgs-before.InMsgs-before.OutMsgs))
	m.per("nats-B/domain", float64(after.InBytes+after.OutBytes-before.InBytes-before.OutBytes))
	m.per("B/result", float64(stored(m, queues, "results")))
	commands := 0
	for _, n := range store.Commands() {
		commands += n
	}
	m.per("redis-ops/domain", float64(commands)) // including commands in scripts
	m.per("redis-cpu-ms/domain", 1000*(inform(m, store, "cpu", "used_cpu_user")+inform(m, store, "cpu", "used_cpu_sys")-cpu))
	m.per("redis-B/domain", inform(m, store, "memory", "used_memory_dataset"))
	m.sent(sites)
}

// run runs workers until the queue is empty.
func (m *throughput) run(f *fleet, workers int, flags []string) {
	var fleet []*exec.Cmd
	began := time.Now()
	for range workers {
		cmd := exec.Command(f.program, slices.Clip(flags)...)
		cmd.Env = append(os.Environ(), "WAYFIND_QUEUE="+f.queue)
		cmd.Stderr = new(bytes.Buffer)
		if err := cmd.Start(); err != nil {
			m.Fatal(err)
		}
		fleet = append(fleet, cmd)
	}
	var busy time.Duration
	for _, cmd := range fleet {
		if err := cmd.Wait(); err != nil {
			m.Fatalf("%v: %s", err, cmd.Stderr)
		}
		busy += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	m.ReportMetric(float64(len(m.names))/time.Since(began).Seconds(), "domains/s")
	m.ReportMetric(float64(len(m.names))/busy.Seconds(), "domains/s/core")
	m.per("cpu-ms/domain", float64(busy.Milliseconds()))
	m.ReportMetric(0, "ns/op") // the other metrics are sufficient
}

// per reports a sum per domain.
func (m *throughput) per(unit string, sum float64) { m.ReportMetric(sum/float64(len(m.names)), unit) }

// sent reports the number of requests to the sites.
func (m *throughput) sent(sites *internet) {
	trace, err := os.ReadFile(sites.close(m))
	if err != nil {
		m.Fatal(err)
	}
	m.per("requests/domain", float64(bytes.Count(trace, []byte("\n"))-1))
}

// stored returns the number of bytes in a stream.
func stored(tb testing.TB, s *server.Server, stream string) uint64 {
	info, err := s.Jsz(&server.JSzOptions{Streams: true})
	if err != nil {
		tb.Fatal(err)
	}
	for _, account := range info.AccountDetails {
		for _, one := range account.Streams {
			if one.Name == "crawl-wayfind-"+stream {
				return one.State.Bytes
			}
		}
	}
	tb.Fatalf("no stream of %s", stream)
	return 0
}

func traffic(tb testing.TB, s *server.Server) *server.Varz {
	v, err := s.Varz(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// inform returns a number from the information of a store.
func inform(tb testing.TB, store *testkit.Redis, section, name string) float64 {
	for line := range strings.Lines(store.Do("INFO", section)) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), name+":"); ok {
			n, err := strconv.ParseFloat(text, 64)
			if err != nil {
				tb.Fatal(err)
			}
			return n
		}
	}
	tb.Fatalf("the store does not tell %s", name)
	return 0
}

// BenchmarkQueue passes domains through the queue without asking them: a domain is offered,
// leased, renewed and finished. The server shares the processors with 64 clients.
func BenchmarkQueue(b *testing.B) {
	queues := serve(b, b.TempDir(), -1)
	b.Cleanup(func() { stop(queues) })
	q, err := nats.Open(b.Context(), queues.ClientURL(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer q.Close()
	data := make([]byte, 1<<10)
	var offered atomic.Int64
	b.SetParallelism(64 / runtime.GOMAXPROCS(0))
	busy := processorTime(b)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			_, err := q.Offer(b.Context(), fmt.Sprintf("d%d.example", offered.Add(1)))
			if err != nil {
				b.Error(err)
				return
			}
			l, err := q.Take(b.Context())
			if err != nil {
				b.Error(err)
				return
			}
			r := crawl.Result{Target: l.Task().Target, Cause: crawl.Found, Attempt: 1, Data: data}
			if err := errors.Join(l.Renew(b.Context()), l.Done(b.Context(), r)); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "domains/s")
	b.ReportMetric(float64((processorTime(b)-busy).Microseconds())/float64(b.N), "cpu-us/domain")
}

// processorTime returns the processor time of this process so far.
func processorTime(tb testing.TB) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
