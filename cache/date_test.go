package cache

import (
	"testing"
	"time"
)

func TestParseDate(t *testing.T) {
	now := time.Date(2026, 10, 21, 7, 28, 0, 0, time.UTC)
	nov94 := time.Date(1994, 11, 6, 8, 49, 37, 0, time.UTC)
	tests := []struct {
		rule, in string
		want     time.Time // zero: invalid
	}{
		{"RFC 9110 §5.6.7 IMF-fixdate", "Sun, 06 Nov 1994 08:49:37 GMT", nov94},
		{"RFC 9110 §5.6.7 rfc850-date", "Sunday, 06-Nov-94 08:49:37 GMT", nov94},
		{"RFC 9110 §5.6.7 asctime-date", "Sun Nov  6 08:49:37 1994", nov94},
		{"RFC 9110 §5.6.7 asctime, two digits", "Wed Nov 16 08:49:37 1994", nov94.AddDate(0, 0, 10)},
		{"RFC 9110 §5.6.7 50 years ahead is this century", "Wednesday, 21-Oct-76 07:28:00 GMT", now.AddDate(50, 0, 0)},
		{"RFC 9110 §5.6.7 more than 50 years ahead is the past", "Thursday, 22-Oct-76 07:28:00 GMT", time.Date(1976, 10, 22, 7, 28, 0, 0, time.UTC)},
		{"RFC 9110 §5.6.7 leap second", "Sat, 31 Dec 2016 23:59:60 GMT", time.Date(2017, 1, 1, 0, 0, 0, 0, time.UTC)},
		{"RFC 9111 §4.2 any case", "sun, 06 nov 1994 08:49:37 gmt", nov94},
		{"RFC 9110 §5.5 optional whitespace", " \tSun, 06 Nov 1994 08:49:37 GMT ", nov94},
		{"RFC 9111 §5.3 zero", "0", time.Time{}},
		{"RFC 9111 §5.3 empty", "", time.Time{}},
		{"RFC 9111 §4.2 other zone", "Sun, 06 Nov 1994 08:49:37 UTC", time.Time{}},
		{"RFC 9111 §4.2 other zone", "Sun, 06 Nov 1994 08:49:37 EST", time.Time{}},
		{"RFC 9111 §4.2 numeric zone", "Sun, 06 Nov 1994 08:49:37 +0000", time.Time{}},
		{"RFC 9111 §5.3 one-digit hour", "Thu, 18 Aug 2050 2:01:18 GMT", time.Time{}},
		{"RFC 9111 §5.3 doubled blank", "Thu, 18  Aug 2050 02:01:18 GMT", time.Time{}},
		{"RFC 9111 §5.3 doubled blank", "Thu,  18 Aug 2050 02:01:18 GMT", time.Time{}},
		{"RFC 9111 §5.3 no comma", "Thu 18 Aug 2050 02:01:18 GMT", time.Time{}},
		{"RFC 9111 §5.3 colons", "Thu, 18 Aug 2050 02.01.18 GMT", time.Time{}},
		{"RFC 9111 §5.3 dashes", "Thu, 18-Aug-2050 02:01:18 GMT", time.Time{}},
		{"RFC 9111 §5.3 day of month", "Wed, 31 Jun 2050 02:01:18 GMT", time.Time{}},
		{"RFC 9111 §5.3 hour", "Wed, 30 Jun 2050 24:01:18 GMT", time.Time{}},
		{"RFC 9111 §5.3 no day", "Xyz, 30 Jun 2050 22:01:18 GMT", time.Time{}},
		{"RFC 9110 §5.6.7 ASCII only", "ſun, 06 Nov 1994 08:49:37 GMT", time.Time{}},
		{"RFC 9110 §5.6.7 ASCII digits", "Sun, 06 Nov 199٤ 08:49:37 GMT", time.Time{}},
		{"RFC 9111 §5.3 RFC 3339", "2050-06-30T02:01:18Z", time.Time{}},
	}
	for _, tt := range tests {
		got, ok := parseDate(tt.in, now)
		if ok == tt.want.IsZero() || !got.Equal(tt.want) {
			t.Errorf("%s: parseDate(%q) = %v, %v; want %v", tt.rule, tt.in, got, ok, tt.want)
		}
	}
}
