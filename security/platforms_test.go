package security

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

func TestCustomersOfAPlatformAreTwoSites(t *testing.T) {
	var list *SuffixList
	rules := 0
	for line := range strings.Lines(platforms) {
		rule := strings.TrimSpace(line)
		if rule == "" || strings.HasPrefix(rule, "//") {
			continue
		}
		rules++
		if canon, err := canonicalRule(rule); err != nil || canon != rule {
			t.Errorf("%s is no rule: %q, %v", rule, canon, err)
		}
		if list.SameSite("alice."+rule, "bob."+rule) || !list.SameSite("a.alice."+rule, "alice."+rule) {
			t.Errorf("customers of %s are not told apart, or one of them is", rule)
		}
		if domain, listed := list.RegistrableDomain("a.alice." + rule); domain != "alice."+rule || !listed {
			t.Errorf("a customer of %s is %q, listed %t", rule, domain, listed)
		}
	}
	if rules < 15 {
		t.Errorf("%d platforms", rules)
	}
}

func TestPlatformsHaveADateAndAreNotYetInTheList(t *testing.T) {
	found := regexp.MustCompile(`(?m)^// Reviewed: (\S+)$`).FindStringSubmatch(platforms)
	if found == nil {
		t.Fatal("the list has no date")
	}
	if _, err := time.Parse(time.DateOnly, found[1]); err != nil {
		t.Error(err)
	}
	newer := "\n" + string(golden.Read(t, golden.Vectors(t, "psl", "public_suffix_list.dat")))
	for line := range strings.Lines(platforms) {
		if rule := strings.TrimSpace(line); rule != "" && !strings.HasPrefix(rule, "//") && strings.Contains(newer, "\n"+rule+"\n") {
			t.Errorf("the Public Suffix List has %s: take it out", rule)
		}
	}
}
