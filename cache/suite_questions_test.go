package cache_test

// question is a test of kind "check": both answers are lawful. want is the answer of a good cache,
// or "" if neither is better.
type question struct {
	want string
	why  string
}

// questions has the wanted answer to every test of kind "check" in scope: yes if RFC 9111 allows
// the use of the stored response, or if a request of §5.2.1 wants the behaviour; no if a cache
// would use a response that it cannot understand.
func questions() map[string]question {
	list := map[string]question{}
	for _, group := range []struct {
		want, why string
		ids       []string
	}{
		{"yes", "§4.2.2: nothing to guess a lifetime by", []string{"freshness-none"}},
		{"yes", "§4.2.3: apparent_age counts", []string{"freshness-max-age-date"}},
		{"yes", "§5.2: the quoted form is accepted", []string{"freshness-max-age-quoted"}},
		{"yes", "§4.2.1: invalid freshness is none", []string{
			"freshness-max-age-space-before-equals", "freshness-max-age-space-after-equals",
		}},
		{"no", "§4.2.1: invalid freshness is none", []string{
			"freshness-max-age-decimal-zero", "freshness-max-age-decimal-five", "freshness-max-age-a100", "freshness-max-age-100a",
			"freshness-max-age-multiple-line", "freshness-max-age-multiple-directive",
		}},
		{"no", "§4.2.1: values that contradict each other are stale", []string{
			"freshness-max-age-two-stale-fresh-sameline", "freshness-max-age-two-fresh-stale-sameline",
			"freshness-max-age-two-stale-fresh-sepline", "freshness-max-age-two-fresh-stale-sepline",
		}},
		{"yes", "RFC 9110 §5.6.7: three forms of a date", []string{"freshness-expires-rfc850", "freshness-expires-ansi-c"}},
		{"yes", "§4.2: letters of a date in any case", []string{
			"freshness-expires-wrong-case-weekday", "freshness-expires-wrong-case-month", "freshness-expires-wrong-case-tz",
		}},
		{"no", "§5.3: an invalid date is in the past", []string{
			"freshness-expires-invalid-utc", "freshness-expires-invalid-aest", "freshness-expires-invalid-2-digit-year",
			"freshness-expires-invalid-no-comma", "freshness-expires-invalid-multiple-spaces", "freshness-expires-invalid-date-dashes",
			"freshness-expires-invalid-time-periods", "freshness-expires-invalid-1-digit-hour", "freshness-expires-invalid-multiple-lines",
		}},
		{"", "§5.2.2.4: no-cache with field names is read as without", []string{
			"headers-omit-headers-listed-in-Cache-Control-no-cache-single", "headers-omit-headers-listed-in-Cache-Control-no-cache",
		}},
		{"yes", "§4.2.4: the origin cannot be reached", []string{"stale-close", "stale-503"}},
		{"yes", "RFC 5861 §4", []string{"stale-sie-close", "stale-sie-503"}},
		{"no", "§5.5: Warning is obsolete", []string{"stale-warning-stored", "stale-warning-become"}},
		{"no", "§4.2.2: a tenth of it is over after the pause", []string{"heuristic-delta-5", "heuristic-delta-10", "heuristic-delta-30"}},
		{"yes", "§4.2.2: a tenth", []string{
			"heuristic-delta-60", "heuristic-delta-300", "heuristic-delta-600", "heuristic-delta-1200", "heuristic-delta-1800",
			"heuristic-delta-3600", "heuristic-delta-43200", "heuristic-delta-86400",
		}},
		{"yes", "§5.2.1: the request asks for it", []string{
			"ccreq-ma0", "ccreq-ma1", "ccreq-magreaterage", "ccreq-max-stale", "ccreq-max-stale-age", "ccreq-min-fresh",
			"ccreq-min-fresh-age", "ccreq-no-cache", "ccreq-no-cache-lm", "ccreq-no-cache-etag", "ccreq-oic",
		}},
		{"", "§5.2.1.5: no-store is about storing; what is stored may be used", []string{"ccreq-no-store"}},
		{"no", "§5.4: without Cache-Control it means no-cache", []string{"pragma-request-no-cache"}},
		{"yes", "§5.4: Pragma says nothing else, and nothing in a response", []string{
			"pragma-request-extension", "pragma-response-no-cache", "pragma-response-extension",
		}},
		{"", "§5.4: Pragma says nothing in a response, but net/http adds the Cache-Control that it stands for", []string{
			"pragma-response-no-cache-heuristic",
		}},
		{"", "§4.3.1: the tags of other variants may be sent; we send none", []string{"conditional-etag-vary-headers-mismatch"}},
		{"", "RFC 9110 §13.1.2: an invalid tag is sent as it came", []string{"conditional-etag-strong-generate-unquoted"}},
		{"yes", "RFC 9110 §8.8.3: obs-text is part of a tag", []string{"conditional-etag-strong-respond-obs-text"}},
		{"yes", "§4.3.2: without a stored answer the condition is the origin's to judge", []string{"conditional-etag-forward"}},
		{"no", "RFC 9110 §8.8.3: what is no entity tag matches nothing, and is not mended", []string{
			"conditional-etag-quoted-respond-unquoted", "conditional-etag-unquoted-respond-unquoted", "conditional-etag-unquoted-respond-quoted",
			"conditional-etag-weak-respond-lowercase", "conditional-etag-weak-respond-backslash", "conditional-etag-weak-respond-omit-slash",
			"conditional-etag-forward-unquoted",
		}},
		{"yes", "RFC 9110 §15.3.7: a part has the fields of the whole", []string{"partial-use-stored-headers"}},
		{"yes", "§3: Content-Disposition has nothing to do with it", []string{
			"other-heuristic-content-disposition-attachment", "other-fresh-content-disposition-attachment",
		}},
	} {
		for _, id := range group.ids {
			list[id] = question{group.want, group.why}
		}
	}
	return list
}
