package cache_test

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// semanticsRule explains disagreements on one facet. Its name is the reason why our verdict is the
// right one, by the section of RFC 9111 unless it names another document.
type semanticsRule struct {
	facet, name string
	explains    func(c *semanticsCase, ours semanticsVerdict) bool
}

func semanticsRules() []semanticsRule {
	return slices.Concat(storedRules(), lifetimeRules(), ageRules(), useRules(), validationRules())
}

func storedRules() []semanticsRule {
	return []semanticsRule{
		{"stored", "§5.2: no-store counts in any case of its letters", func(c *semanticsCase, ours semanticsVerdict) bool {
			return !ours.Stored && c.oddNoStore()
		}},
		{"stored", "§4.1: Vary with * among its members matches no request, so it is not kept", func(c *semanticsCase, ours semanticsVerdict) bool {
			return !ours.Stored && !c.oddNoStore() && strings.Contains(c.got("Vary"), "*")
		}},
		{"stored", "§5.2.2.3: must-understand takes no-store back", func(c *semanticsCase, ours semanticsVerdict) bool {
			return ours.Stored && strings.Contains(c.got("Cache-Control"), "must-understand")
		}},
		{"stored", "§3: any final status may be kept when the response says for how long, or public or private", func(c *semanticsCase, ours semanticsVerdict) bool {
			cc := c.got("Cache-Control")
			says := len(c.lines("Expires")) > 0 || regexp.MustCompile(`(?i)max-age|public|private`).MatchString(cc)
			return ours.Stored && says && !strings.Contains(cc, "must-understand") && !slices.Contains([]int{200, 203, 204, 300, 301, 302, 303, 307, 308, 404, 405, 410, 414, 501}, c.Status)
		}},
		{"stored", "§3: private permits a private cache to keep a response", func(c *semanticsCase, ours semanticsVerdict) bool {
			return ours.Stored && slices.Contains([]int{302, 303, 307}, c.Status) && strings.Contains(c.got("Cache-Control"), "private")
		}},
		{"stored", "§3, §5.3: a max-age in capitals, or one or an Expires that is invalid, is explicit too", func(c *semanticsCase, ours semanticsVerdict) bool {
			return ours.Stored && slices.Contains([]int{302, 303, 307}, c.Status) && (c.oddName() || maxAgeOf(c) == "invalid" || len(c.lines("Expires")) > 0) && c.got("Expires") == ""
		}},
	}
}

func lifetimeRules() []semanticsRule {
	// The three forms of RFC 9110 §5.6.7.
	date := regexp.MustCompile(`(?i)^(?:[a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d GMT|` +
		`[a-z]{6,9}, \d\d-[a-z]{3}-\d\d \d\d:\d\d:\d\d GMT|[a-z]{3} [a-z]{3} [ \d]\d \d\d:\d\d:\d\d \d{4})$`)
	capitals := regexp.MustCompile(`M(?:ax-Age|AX-AGE)=(\d+)`)
	noMaxAge := func(c *semanticsCase) bool { return maxAgeOf(c) == "none" && !c.oddName() }
	return []semanticsRule{
		{"lifetime", "§5.2: names of directives have no case", func(c *semanticsCase, ours semanticsVerdict) bool {
			value := capitals.FindStringSubmatch(c.got("Cache-Control"))
			return c.oddName() && (value == nil && ours.Lifetime == 0 || value != nil && ours.Lifetime == seconds(value[1]))
		}},
		{"lifetime", "§4.2.1: a max-age that is no number is stale", func(c *semanticsCase, ours semanticsVerdict) bool {
			return !c.oddName() && maxAgeOf(c) == "invalid" && ours.Lifetime == 0
		}},
		{"lifetime", "§4.2.1: two max-age that differ are stale", func(c *semanticsCase, ours semanticsVerdict) bool {
			return maxAgeOf(c) == "differ" && ours.Lifetime == 0
		}},
		{"lifetime", "§1.2.2: seconds are cut at 2^31", func(c *semanticsCase, ours semanticsVerdict) bool { return ours.Lifetime == 1<<31 }},
		{"lifetime", "§5.3, RFC 9110 §5.6.7: a date in no known form is in the past", func(c *semanticsCase, ours semanticsVerdict) bool {
			expires := c.lines("Expires")
			return noMaxAge(c) && len(expires) > 0 && !date.MatchString(expires[0]) && ours.Lifetime == 0 && c.Theirs.Lifetime < 86400000
		}},
		{"lifetime", "§5.3: two Expires are invalid", func(c *semanticsCase, ours semanticsVerdict) bool {
			expires := c.lines("Expires")
			return noMaxAge(c) && len(expires) > 1 && date.MatchString(expires[0]) && ours.Lifetime == 0
		}},
		{"lifetime", "RFC 8246 §2: immutable gives no lifetime", func(c *semanticsCase, _ semanticsVerdict) bool {
			return noMaxAge(c) && c.Theirs.Lifetime == 86400000 && strings.Contains(c.got("Cache-Control"), "immutable")
		}},
		{"lifetime", "§4.2.2: a guess is capped at a day", func(c *semanticsCase, ours semanticsVerdict) bool {
			return noMaxAge(c) && len(c.lines("Expires")) == 0 && ours.Lifetime == 86400 && c.Theirs.Lifetime > 86400 && c.Theirs.Lifetime < 86400000
		}},
		{"lifetime", "§5.4: Pragma says nothing in a response", func(c *semanticsCase, ours semanticsVerdict) bool {
			return c.got("Pragma") == "no-cache" && len(c.lines("Cache-Control")) == 0 && c.Theirs.Lifetime == 0 && ours.Lifetime > 0
		}},
	}
}

func ageRules() []semanticsRule {
	const ten, hour = "Wed, 31 Dec 2025 23:59:50 GMT", "Wed, 31 Dec 2025 23:00:00 GMT"
	old := func(c *semanticsCase) bool { return c.got("Date") == ten || c.got("Date") == hour }
	return []semanticsRule{
		{"age", "§4.2.3: a Date in the past counts as age", func(c *semanticsCase, ours semanticsVerdict) bool {
			apparent := map[string]float64{ten: 10, hour: 3600}[c.got("Date")]
			first, _, _ := strings.Cut(c.got("Age"), ",")
			return old(c) && ours.Age < 1<<31 && ours.Age == float64(c.After)+max(apparent, seconds(first))
		}},
		{"age", "§5.1: an Age that is no number of seconds is ignored", func(c *semanticsCase, ours semanticsVerdict) bool {
			return !old(c) && slices.Contains([]string{"-5", "5.5"}, c.got("Age")) && ours.Age == float64(c.After)
		}},
		{"age", "§1.2.2: seconds are cut at 2^31", func(c *semanticsCase, ours semanticsVerdict) bool { return ours.Age >= 1<<31 }},
	}
}

func useRules() []semanticsRule {
	says := func(c *semanticsCase, directive string) bool {
		return strings.Contains(c.got("Cache-Control"), directive)
	}
	asks := func(c *semanticsCase, name, value string) bool {
		return strings.Contains(headerOf(c.Second).Get(name), value)
	}
	return []semanticsRule{
		{"use", "§5.2.2.2: must-revalidate is about stale responses only", func(c *semanticsCase, ours semanticsVerdict) bool {
			return ours.Use == "hit" && says(c, "must-revalidate") && ours.Lifetime > ours.Age
		}},
		{"use", "§5.2.2.4: max-stale does not undo the no-cache of a response", func(c *semanticsCase, ours semanticsVerdict) bool {
			return ours.Use == "miss" && says(c, "no-cache")
		}},
		{"use", "§5.2: names of directives have no case in requests either", func(c *semanticsCase, ours semanticsVerdict) bool {
			return asks(c, "Cache-Control", "No-Cache") && ours.Use == "miss" || asks(c, "Cache-Control", "Max-Stale") && ours.Use == "hit" && !says(c, "must-revalidate")
		}},
		{"use", "§5.2.1.1: max-age=0 asks for validation, also within the same second", func(c *semanticsCase, ours semanticsVerdict) bool {
			return asks(c, "Cache-Control", "max-age=0") && ours.Age == 0 && ours.Use == "miss" && !c.partitioned()
		}},
		{"use", "§5.4: Pragma counts without Cache-Control only", func(c *semanticsCase, ours semanticsVerdict) bool {
			return asks(c, "Pragma", "no-cache") && len(headerOf(c.Second)["Cache-Control"]) > 0 && ours.Use != "miss" && !says(c, "must-revalidate") && !asks(c, "Cache-Control", "Max-Stale")
		}},
		{"use", "ours: requests with credentials have a partition of their own", func(c *semanticsCase, ours semanticsVerdict) bool {
			return c.partitioned() && ours.Use == "miss"
		}},
		{"use", "RFC 5861 §3: the last second of the window is in it", func(c *semanticsCase, ours semanticsVerdict) bool {
			return ours.Use == "renew" && c.Theirs.Use == "miss" && says(c, "stale-while-revalidate")
		}},
		{"use", "§5.2.1.2: max-stale says no more than, so the last second is in it", func(c *semanticsCase, ours semanticsVerdict) bool {
			return asks(c, "Cache-Control", "max-stale=10") && ours.Age == ours.Lifetime+10 && ours.Use == "hit"
		}},
		{"use", "§5.2.1.1, §5.2.1.2: who limits age or staleness is not served what is staler, while it is renewed or not", func(c *semanticsCase, ours semanticsVerdict) bool {
			return (asks(c, "Cache-Control", "max-age=") || asks(c, "Cache-Control", "max-stale=")) && c.Theirs.Use == "renew" && ours.Use == "miss"
		}},
		{"use", "§5.2.1.5: what may not be stored is not fetched in the background", func(c *semanticsCase, ours semanticsVerdict) bool {
			return asks(c, "Cache-Control", "no-store") && c.Theirs.Use == "renew" && ours.Use == "miss"
		}},
		{"use", "§4.1: values that mean the same are the same", func(c *semanticsCase, ours semanticsVerdict) bool {
			return ours.Use != "miss" && c.spelledAnew()
		}},
	}
}

// validationRules are about what happens when the origin is asked.
func validationRules() []semanticsRule {
	asks := func(c *semanticsCase, directive string) bool {
		return strings.Contains(headerOf(c.Second).Get("Cache-Control"), directive)
	}
	forbids := func(c *semanticsCase) bool {
		cc := c.got("Cache-Control")
		return strings.Contains(cc, "must-revalidate") || strings.Contains(cc, "no-cache")
	}
	refuses := func(c *semanticsCase) bool {
		second := headerOf(c.Second)
		return asks(c, "no-cache") || asks(c, "No-Cache") || second["Cache-Control"] == nil && second.Get("Pragma") == "no-cache"
	}
	staleIfError := regexp.MustCompile(`(?i)stale-if-error=(\d+)`)
	return []semanticsRule{
		{"condition", "ours: requests with credentials have a partition of their own", func(c *semanticsCase, ours semanticsVerdict) bool {
			return c.partitioned() && ours.Etag+ours.Modified == ""
		}},
		{"condition", "§5.2.1.7: only-if-cached asks nobody", func(c *semanticsCase, ours semanticsVerdict) bool {
			return asks(c, "only-if-cached") && ours.Etag+ours.Modified == "" && !c.partitioned()
		}},
		{"condition", "§4.1: values that mean the same are the same", func(c *semanticsCase, ours semanticsVerdict) bool {
			return ours.Etag+ours.Modified != "" && c.spelledAnew()
		}},
		{"failure", "§4.2.4: without a directive, 24 hours when the origin cannot be asked", func(c *semanticsCase, ours semanticsVerdict) bool {
			return ours.StandsIn && c.failed() && !forbids(c) && !refuses(c) && staleIfError.FindString(c.got("Cache-Control")) == ""
		}},
		{"failure", "§5.2: names of directives have no case", func(c *semanticsCase, ours semanticsVerdict) bool {
			return ours.StandsIn && c.failed() && strings.Contains(c.got("Cache-Control"), "Stale-If-Error")
		}},
		{"failure", "RFC 5861 §4: the last second of the window is in it", func(c *semanticsCase, ours semanticsVerdict) bool {
			window := staleIfError.FindStringSubmatch(c.got("Cache-Control"))
			return ours.StandsIn && window != nil && ours.Age == ours.Lifetime+seconds(window[1])
		}},
		{"failure", "§5.2.2: what says must-revalidate or no-cache stands in for nothing", func(c *semanticsCase, ours semanticsVerdict) bool {
			return !ours.StandsIn && forbids(c)
		}},
		{"failure", "§5.2.1.4: who says no-cache wants nothing that is not validated", func(c *semanticsCase, ours semanticsVerdict) bool {
			return !ours.StandsIn && !forbids(c) && refuses(c)
		}},
		{"failure", "§4.1: another variant stands in for nothing", func(c *semanticsCase, ours semanticsVerdict) bool {
			return !ours.StandsIn && !forbids(c) && !refuses(c) && c.otherVariant()
		}},
		{"match", "RFC 9110 §15.4.5: a 304 with no validator to compare answers the condition that we sent", func(c *semanticsCase, ours semanticsVerdict) bool {
			then := headerOf(c.Then.Fields)
			return ours.Matches && (then.Get("Etag") == "" || c.got("Etag") == "") && (then.Get("Last-Modified") == "" || c.got("Last-Modified") == "")
		}},
		{"renewed", "§5.2.1.5: of an answer to no-store nothing is kept, and what was there stays", func(c *semanticsCase, _ semanticsVerdict) bool {
			return asks(c, "no-store")
		}},
		{"renewed", "§5.2: names of directives have no case", func(c *semanticsCase, _ semanticsVerdict) bool {
			return !asks(c, "no-store") && (c.oddName() || strings.Contains(headerOf(c.Then.Fields).Get("Cache-Control"), "Max-Age"))
		}},
		{"renewed", "§3.2: fields that only the 304 has are added", func(c *semanticsCase, ours semanticsVerdict) bool {
			return !asks(c, "no-store") && !c.oddName() && c.addedBy304()
		}},
		{"renewed", "RFC 9110 §6.6.1: a 304 without Date is of when it came", func(c *semanticsCase, ours semanticsVerdict) bool {
			return !asks(c, "no-store") && !c.oddName() && !c.addedBy304() && maxAgeOf(c) == "none" &&
				!strings.Contains(headerOf(c.Then.Fields).Get("Cache-Control"), "Max-Age")
		}},
		{"later", "§5.2.2.2: must-revalidate is about stale responses only", func(c *semanticsCase, ours semanticsVerdict) bool {
			return ours.Later == "hit" && strings.Contains(c.got("Cache-Control"), "must-revalidate")
		}},
		{"later", "§4.2.3: the Age of the old response says nothing about the 304", func(c *semanticsCase, ours semanticsVerdict) bool {
			return ours.Later == "hit" && c.got("Age") != "" && headerOf(c.Then.Fields).Get("Age") == "" &&
				!strings.Contains(c.got("Cache-Control"), "must-revalidate")
		}},
		{"later", "§4.2.3: the Age of the 304 counts, also where the old response has none", func(c *semanticsCase, ours semanticsVerdict) bool {
			return ours.Later == "miss" && c.got("Age") == "" && headerOf(c.Then.Fields).Get("Age") != ""
		}},
	}
}

// seconds reads a number of seconds; other text is zero.
func seconds(s string) float64 {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return 0
	}
	return float64(n)
}

// failed reports whether the origin could not be asked, or gave an error that
// RFC 5861 §4 lists.
func (c *semanticsCase) failed() bool {
	return slices.Contains([]int{0, 500, 502, 503, 504}, c.Then.Status)
}

// lines returns the values of a response field.
func (c *semanticsCase) lines(name string) []string { return headerOf(c.Fields).Values(name) }

// got returns a response field, all lines in one.
func (c *semanticsCase) got(name string) string { return strings.Join(c.lines(name), ", ") }

// oddName reports whether a directive that matters for the lifetime is written
// with capitals.
func (c *semanticsCase) oddName() bool {
	cc := c.got("Cache-Control")
	return slices.ContainsFunc([]string{"Max-Age", "MAX-AGE", "No-Cache"}, func(s string) bool { return strings.Contains(cc, s) })
}

// oddNoStore reports whether request or response contain no-store with capitals.
func (c *semanticsCase) oddNoStore() bool {
	all := c.got("Cache-Control") + ", " + strings.Join(c.First, ", ")
	return strings.Contains(all, "No-Store") || strings.Contains(all, "NO-STORE")
}

// partitioned reports whether the two requests carry different credentials.
func (c *semanticsCase) partitioned() bool {
	return headerOf(c.First).Get("Authorization") != headerOf(c.Second).Get("Authorization")
}

// otherVariant reports whether Vary distinguishes the two requests.
func (c *semanticsCase) otherVariant() bool {
	first, second := headerOf(c.First), headerOf(c.Second)
	return slices.ContainsFunc(strings.Split(c.got("Vary"), ","), func(name string) bool {
		name = strings.TrimSpace(name)
		return first.Get(name) != second.Get(name)
	})
}

// addedBy304 reports whether the 304 has a field on lifetimes that the stored
// response lacks.
func (c *semanticsCase) addedBy304() bool {
	then := headerOf(c.Then.Fields)
	if strings.Contains(then.Get("Cache-Control"), "Max-Age") {
		return false // a matter of its own
	}
	return slices.ContainsFunc([]string{"Cache-Control", "Expires"}, func(name string) bool {
		return len(then[name]) > 0 && len(c.lines(name)) == 0
	})
}

// spelledAnew reports whether the two requests mean the same Accept and write
// it differently.
func (c *semanticsCase) spelledAnew() bool {
	plain := func(h http.Header) string {
		return strings.ToLower(strings.ReplaceAll(h.Get("Accept"), " ", ""))
	}
	first, second := headerOf(c.First), headerOf(c.Second)
	return first.Get("Accept") != second.Get("Accept") && plain(first) == plain(second)
}

// maxAgeOf classifies the max-age of a response: "none", "invalid", "differ" or "valid".
func maxAgeOf(c *semanticsCase) string {
	all := regexp.MustCompile(`(?:^|[, ])max-age(=[^,]*)?`).FindAllStringSubmatch(c.got("Cache-Control"), -1)
	if len(all) == 0 {
		return "none"
	}
	valid := regexp.MustCompile(`^=("\d+"|\d+)$`)
	for _, one := range all {
		switch {
		case !valid.MatchString(one[1]):
			return "invalid"
		case one[1] != all[0][1]:
			return "differ"
		}
	}
	return "valid"
}
