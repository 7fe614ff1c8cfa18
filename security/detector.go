package security

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Defaults of a HostDetector.
const (
	// defaultMaxLabel is the longest label that is allowed in a host, in bytes.
	defaultMaxLabel = 40
	// defaultMaxHosts is the number of hosts of one registrable domain that are allowed in a
	// minute.
	defaultMaxHosts = 20
)

const (
	// maxDomains bounds the domains in the table of a detector. If the table is full, the
	// expired domains are removed. If it is still full, all domains are removed.
	maxDomains = 4096
	// minRandom is the length, in bytes, from which a label can look random.
	minRandom = 16
)

// HostDetector refuses hosts that may carry data away: each look-up of a name reveals the name
// to the owner of its domain, and agents take names from texts. It refuses long labels, labels
// that look random, and many hosts of one registrable domain within a minute. It is intended
// for Network.BeforeHost in client.Options. The zero value uses the defaults. It is safe for
// concurrent use.
type HostDetector struct {
	// MaxLabel is the longest label that is allowed, in bytes. The default is 40.
	MaxLabel int
	// MaxHosts is the number of hosts of one registrable domain that are allowed in a minute.
	// The default is 20.
	MaxHosts int
	// SuffixList decides registrable domains. If it is nil, the bundled list is used.
	SuffixList *SuffixList

	mu      sync.Mutex
	domains map[string]*hostsOf
}

// hostsOf are the hosts of one domain since a point in time.
type hostsOf struct {
	since time.Time
	hosts map[string]bool
}

// BeforeHost returns the reason why a canonical host is refused, or nil if it is allowed.
func (d *HostDetector) BeforeHost(_ context.Context, host string) error {
	domain, _ := d.SuffixList.RegistrableDomain(host)
	if domain == "" {
		domain = host
	}
	limit := d.MaxLabel
	if limit <= 0 {
		limit = defaultMaxLabel
	}
	for label := range strings.SplitSeq(host, ".") {
		if len(label) > limit {
			return fmt.Errorf("a label of %d bytes, at most %d pass", len(label), limit)
		}
		if looksRandom(label) {
			return fmt.Errorf("the label %q looks random", label)
		}
	}
	return d.count(domain, host)
}

// count refuses hosts beyond the limit. A host that has been counted is allowed again.
func (d *HostDetector) count(domain, host string) error {
	limit := d.MaxHosts
	if limit <= 0 {
		limit = defaultMaxHosts
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	known := d.domains[domain]
	if known == nil || now.Sub(known.since) >= time.Minute {
		d.forget(now)
		known = &hostsOf{since: now, hosts: map[string]bool{}}
		d.domains[domain] = known
	}
	if !known.hosts[host] && len(known.hosts) >= limit {
		return fmt.Errorf("%d hosts of %s within a minute", limit, domain)
	}
	known.hosts[host] = true
	return nil
}

// forget removes domains from a full table.
func (d *HostDetector) forget(now time.Time) {
	if d.domains == nil {
		d.domains = map[string]*hostsOf{}
	}
	if len(d.domains) < maxDomains {
		return
	}
	for domain, known := range d.domains {
		if now.Sub(known.since) >= time.Minute {
			delete(d.domains, domain)
		}
	}
	if len(d.domains) >= maxDomains {
		clear(d.domains)
	}
}

// looksRandom reports whether a word of a label looks machine-made: letters and digits
// alternate often, or many letters contain hardly a vowel. A-labels are encoded, so they are
// not judged.
func looksRandom(label string) bool {
	if strings.HasPrefix(label, "xn--") {
		return false
	}
	for word := range strings.FieldsFuncSeq(label, func(r rune) bool { return r == '-' || r == '_' }) {
		changes, letters, vowels := 0, 0, 0
		for i := range len(word) {
			digit := '0' <= word[i] && word[i] <= '9'
			if i > 0 && digit != ('0' <= word[i-1] && word[i-1] <= '9') {
				changes++
			}
			if !digit {
				letters++
				if strings.IndexByte("aeiouy", word[i]) >= 0 {
					vowels++
				}
			}
		}
		if len(word) >= minRandom && (changes >= 4 || letters >= minRandom && 6*vowels < letters) {
			return true
		}
	}
	return false
}
