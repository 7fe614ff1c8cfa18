// Checktrace reads what origins saw of a crawl, one request a line, and says
// where the crawl was impolite. It shares no code with wayfind.
//
//	checktrace < trace.jsonl
//
// A site is the part of a host's name after its first label. The requests to a site are
// cut into visits: those to one host without a longer pause. Between two visits
// of a site there must be Pause, and as many times its Crawl-delay as the visit
// before had requests, up to Rest where the worker may have been killed.
//
// A worker that comes to a host after another one comes when the other's lease is over:
// not within Lease of the other's first request, unless the host asked for a pause.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
)

// Line is one request, or the facts that hold for all of them.
type Line struct {
	Host   string
	Path   string
	Worker string  // its process
	At     float64 // seconds: when the request came
	Done   float64 // when the answer was written

	RetryAfter float64 // seconds, that the answer asked for
	Forbidden  bool    // robots.txt forbids the path
	CrawlDelay float64 // seconds, of the site's robots.txt

	Rules *Rules // of the first line
}

// Rules are the floors that every site has.
type Rules struct {
	Pause float64 // between two visits of a site
	Rest  float64 // after a visit that may have been cut short
	Cut   float64 // pauses in a visit are shorter than this
	Slack float64 // of the clocks and the scheduler
	Lease float64 // for which a worker has a host
}

func main() {
	faults, requests, err := check(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "checktrace:", err)
		os.Exit(2)
	}
	for _, f := range faults {
		fmt.Println(f)
	}
	fmt.Printf("%d requests, %d violations\n", requests, len(faults))
	if len(faults) > 0 || requests == 0 {
		os.Exit(1)
	}
}

// visit is a run of requests to one host.
type visit struct {
	host       string
	first, end float64
	requests   int
}

func check(r io.Reader) (faults []string, requests int, err error) {
	var rules Rules
	sites := map[string][]Line{}
	hosts := map[string][]Line{}
	in := bufio.NewScanner(r)
	for in.Scan() {
		var l Line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			return nil, 0, err
		}
		if l.Rules != nil {
			rules = *l.Rules
			continue
		}
		requests++
		_, site, _ := strings.Cut(l.Host, ".")
		sites[site] = append(sites[site], l)
		if l.Forbidden {
			faults = append(faults, fmt.Sprintf("%s%s: robots.txt forbids it", l.Host, l.Path))
		}
	}
	for site, lines := range sites {
		sort.SliceStable(lines, func(i, j int) bool { return lines[i].At < lines[j].At })
		faults = append(faults, checkSite(site, lines, rules)...)
		for _, l := range lines {
			hosts[l.Host] = append(hosts[l.Host], l)
		}
	}
	for host, lines := range hosts {
		faults = append(faults, checkRetryAfter(host, lines, rules)...)
		faults = append(faults, checkLease(host, lines, rules)...)
	}
	sort.Strings(faults)
	return faults, requests, in.Err()
}

// checkSite expects the lines in the order of their times.
func checkSite(site string, lines []Line, rules Rules) (faults []string) {
	var delay float64
	var before, now *visit
	for _, l := range lines {
		if now == nil || l.Host != now.host || l.At-now.end > rules.Cut {
			before, now = now, &visit{host: l.Host, first: l.At}
			if before != nil {
				want := max(rules.Pause, min(delay*float64(before.requests), rules.Rest))
				if got := now.first - before.end; got < want-rules.Slack {
					faults = append(faults, fmt.Sprintf("%s: %s %.3f s after %d requests to %s, want %.3f", site, now.host, got, before.requests, before.host, want))
				}
			}
		}
		now.requests++
		now.end = max(now.end, l.At, l.Done)
		delay = max(delay, l.CrawlDelay)
	}
	return faults
}

func checkRetryAfter(host string, lines []Line, rules Rules) (faults []string) {
	for _, told := range lines {
		if told.RetryAfter == 0 {
			continue
		}
		for _, l := range lines {
			if l.At > told.Done+rules.Slack && l.At < told.Done+told.RetryAfter-rules.Slack {
				faults = append(faults, fmt.Sprintf("%s%s: asked %.3f s after an answer that said Retry-After: %.0f", host, l.Path, l.At-told.Done, told.RetryAfter))
			}
		}
	}
	return faults
}

// checkLease expects the lines in the order of their times.
func checkLease(host string, lines []Line, rules Rules) (faults []string) {
	var worker string
	var began float64
	for i, l := range lines {
		if l.RetryAfter != 0 {
			return nil // it is given back before its lease is over
		}
		if i > 0 && l.Worker == worker {
			continue
		}
		if i > 0 && l.At-began < rules.Lease-rules.Slack {
			faults = append(faults, fmt.Sprintf("%s: %s comes %.3f s after %s, within its lease", host, l.Worker, l.At-began, worker))
		}
		worker, began = l.Worker, l.At
	}
	return faults
}
