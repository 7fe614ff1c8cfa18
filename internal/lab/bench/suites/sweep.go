package suites

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/lab/bench/measure"
)

// inFlight is the number of domains that are asked at a time.
const inFlight = 64

const bareConn = "NewClientConn, all places at once"

// sweepers returns the ways to ask many domains, each in a separate process.
func sweepers() []string {
	return []string{"TLS handshake alone", bareConn, "http.Transport, in sequence", "http.Transport, all places at once", "Resolve", "ResolveAll"}
}

// job is the task of a child, and report its result.
type job struct {
	Sweeper string
	Address string
	Root    []byte
	Hosts   int
}

type report struct {
	Wall, CPU time.Duration
	RSS       int64
	Allocs    uint64
}

// swept contains the results of one sweeper per domain, one value for each round.
type swept struct {
	cpu, wall       []float64
	conns, requests float64
	rss             int64
	allocs          float64
}

// sweep compares ways to ask many domains. CPU is the processor time of the client alone.
func sweep(c measure.Config) ([]*measure.Table, error) {
	domains, rounds := 500, min(c.Rounds, 5)
	if c.Quick {
		domains, rounds = 40, 2
	}
	s, err := startChildServer()
	if err != nil {
		return nil, err
	}
	defer s.stop()
	results, order := map[string]*swept{}, sweepers()
	for range rounds {
		rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, name := range order {
			if results[name] == nil {
				results[name] = &swept{}
			}
			if err := results[name].round(s, job{name, s.TLS, s.Root, domains}); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	tables := []*measure.Table{sweepTable(fmt.Sprintf("%d domains, %d places each, %d in flight; per domain", domains, len(paths()), inFlight), results)}
	if c.Quick {
		return tables, nil
	}
	growth, err := sweepGrowth(s, domains)
	return append(tables, growth), err
}

// sweepGrowth measures the memory of a sweep and of a sweep that is four times as long.
func sweepGrowth(s *server, domains int) (*measure.Table, error) {
	t := &measure.Table{Title: "Peak memory of ResolveAll", Head: []string{"what", "value", "unit"}}
	var peaks [2]float64
	for i, n := range [...]int{domains, 4 * domains} {
		var r swept
		if err := r.round(s, job{"ResolveAll", s.TLS, s.Root, n}); err != nil {
			return nil, err
		}
		peaks[i] = float64(r.rss) / (1 << 20)
		limit := 0.0
		if i == 0 {
			limit = 64
		}
		t.Rows = append(t.Rows, measure.Count{Name: fmt.Sprintf("%d domains", n), Cells: []string{"MiB"}, Value: peaks[i], Limit: limit}.Row())
	}
	t.Rows = append(t.Rows, measure.Count{Name: "growth", Cells: []string{"%"}, Value: 100 * (peaks[1]/peaks[0] - 1), Limit: 20}.Row())
	return t, nil
}

// round runs a sweeper once.
func (r *swept) round(s *server, j job) error {
	before, err := s.seen()
	if err != nil {
		return err
	}
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	cmd := exec.Command(os.Args[0], childFlag, "client")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(text), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	var said report
	if err := json.Unmarshal(out, &said); err != nil {
		return err
	}
	after, err := s.seen()
	if err != nil {
		return err
	}
	n := float64(j.Hosts)
	r.cpu, r.wall = append(r.cpu, said.CPU.Seconds()/n), append(r.wall, said.Wall.Seconds()/n)
	r.conns, r.requests = float64(after.Conns-before.Conns)/n, float64(after.Requests-before.Requests)/n
	r.rss, r.allocs = max(r.rss, said.RSS), float64(said.Allocs)/n
	return nil
}

// sweepTable returns the table of a sweep. Connections and requests are counts, CPU is a ratio
// to the bare connection.
func sweepTable(title string, results map[string]*swept) *measure.Table {
	t := &measure.Table{Title: title, Head: []string{"client", "connections", "requests", "CPU", "CPU ratio (95 %)", "wall", "peak RSS MiB", "allocs"}}
	for _, name := range sweepers() {
		r := results[name]
		ratios := measure.Ratios(r.cpu, results[bareConn].cpu)
		median, in := measure.Median(ratios), measure.BootstrapMedian(ratios)
		row := measure.Row{Cells: []string{name, fmt.Sprintf("%.2f", r.conns), fmt.Sprintf("%.2f", r.requests), measure.Seconds(measure.Median(r.cpu)),
			fmt.Sprintf("%.2f (%.2f–%.2f)", median, in.Low, in.High), measure.Seconds(measure.Median(r.wall)), fmt.Sprintf("%.0f", float64(r.rss)/(1<<20)), fmt.Sprintf("%.0f", r.allocs)}}
		if name == "Resolve" || name == "ResolveAll" {
			row.JudgeCount("connections", r.conns, 1)
			row.JudgeCount("requests", r.requests, float64(len(paths())))
			row.JudgeRatio(2.2, median, in)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// attack is a client of a sweep. It reads a job and prints a report.
func attack() error {
	var j job
	if err := json.NewDecoder(os.Stdin).Decode(&j); err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(j.Root)
	work, done, err := sweeper(j.Sweeper, &network{j.Address, roots})
	if err != nil {
		return err
	}
	peak, stop := watchRSS()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, err := measure.ProcessCPU()
	if err != nil {
		return err
	}
	start := time.Now()
	err = errors.Join(work(hosts(j.Hosts)), done())
	wall := time.Since(start)
	end, cpuErr := measure.ProcessCPU()
	runtime.ReadMemStats(&after)
	stop()
	if err := errors.Join(err, cpuErr); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report{wall, end - cpu, peak.Load(), after.Mallocs - before.Mallocs})
}

// hosts returns n names, each of another site.
func hosts(n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range n {
			if !yield(fmt.Sprintf("h%d.example", i)) {
				return
			}
		}
	}
}

// sweeper returns the functions of a client: work asks all domains, and done ends it.
func sweeper(name string, n *network) (work func(iter.Seq[string]) error, done func() error, err error) {
	all, nothing := paths(), func() error { return nil }
	switch name {
	case "TLS handshake alone":
		return each(false, n.handshake), nothing, nil
	case bareConn:
		return each(false, func(host string) error { return n.oneConn(host, all) }), nothing, nil
	case "http.Transport, in sequence":
		return each(false, func(host string) error { return n.inSequence(host, all) }), nothing, nil
	case "http.Transport, all places at once":
		return each(false, func(host string) error { return n.atOnce(host, all) }), nothing, nil
	}
	opts := n.options()
	if name == "ResolveAll" {
		opts.Limits.Memory = sweepMemory
	}
	c, err := client.New(opts)
	if err != nil {
		return nil, nil, err
	}
	if name == "ResolveAll" {
		return func(hosts iter.Seq[string]) error { return resolveAll(c, hosts) }, c.Close, nil
	}
	return each(true, func(host string) error { return whole(c.Resolve(context.Background(), host)) }), c.Close, nil
}

// sweepMemory is small, as ResolveAll recommends.
const sweepMemory = 1 << 20

// each asks all hosts, a fixed number at a time. Competitors that flood the server may try
// twice, but wayfind may not.
func each(ours bool, ask func(host string) error) func(iter.Seq[string]) error {
	return func(hosts iter.Seq[string]) error {
		var g errgroup.Group
		g.SetLimit(inFlight)
		for host := range hosts {
			g.Go(func() error {
				err := ask(host)
				if err != nil && !ours { // the server may be flooded
					err = ask(host)
				}
				return err
			})
		}
		return g.Wait()
	}
}

func resolveAll(c *client.Client, hosts iter.Seq[string]) error {
	for site, err := range c.ResolveAll(context.Background(), hosts, &client.BatchOptions{InFlight: inFlight}) {
		if err := whole(site, err); err != nil {
			return err
		}
	}
	return nil
}

// whole returns an error unless all places of a domain were answered.
func whole(site *wayfind.Site, err error) error {
	if err != nil {
		return err
	}
	for _, p := range site.Probes {
		if p.Verdict != wayfind.VerdictFound && p.Verdict != wayfind.VerdictAbsent {
			return fmt.Errorf("%s: %s %s %s", p.URL, p.Verdict, p.Reason, p.Error)
		}
	}
	return nil
}
