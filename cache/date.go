package cache

import (
	"strings"
	"time"
)

// parseDate reads an HTTP-date (RFC 9110 §5.6.7) by shape, in the three forms that recipients must
// accept. time.Parse is not used, because it accepts one-digit hours, doubled blanks and any zone,
// which are invalid by RFC 9111 §4.2 and §5.3. Letters may be in any case (RFC 9111 §4.2). now
// decides the century of a two-digit year.
func parseDate(s string, now time.Time) (time.Time, bool) {
	s = strings.Trim(s, " \t")
	day, rest, comma := strings.Cut(s, ", ")
	switch {
	case !comma:
		return parseAsctime(s)
	case len(day) == 3:
		return parseIMF(day, rest)
	default:
		return parseRFC850(day, rest, now)
	}
}

// parseIMF reads "06 Nov 1994 08:49:37 GMT" after the name of the day.
func parseIMF(day, s string) (time.Time, bool) {
	if !isWeekday(day) || len(s) != len("06 Nov 1994 08:49:37 GMT") || !blanksAt(s, 2, 6, 11, 20) || !strings.EqualFold(s[21:], "GMT") {
		return time.Time{}, false
	}
	return assemble(s[0:2], s[3:6], s[7:11], s[12:20])
}

// parseRFC850 reads "06-Nov-94 08:49:37 GMT" after the full name of the day.
func parseRFC850(day, s string, now time.Time) (time.Time, bool) {
	if !isLongWeekday(day) || len(s) != len("06-Nov-94 08:49:37 GMT") || !blanksAt(s, 9, 18) ||
		s[2] != '-' || s[6] != '-' || !strings.EqualFold(s[19:], "GMT") {
		return time.Time{}, false
	}
	year, ok := digits(s[7:9])
	if !ok {
		return time.Time{}, false
	}
	// A year that seems to be more than 50 years ahead is the most recent
	// past year with the same last two digits (RFC 9110 §5.6.7).
	century := now.UTC().Year() / 100 * 100
	full := century + year
	t, ok := assembleAt(full, s[0:2], s[3:6], s[10:18])
	if ok && t.After(now.UTC().AddDate(50, 0, 0)) {
		return assembleAt(full-100, s[0:2], s[3:6], s[10:18])
	}
	if ok && !t.After(now.UTC().AddDate(-50, 0, 0)) {
		return assembleAt(full+100, s[0:2], s[3:6], s[10:18])
	}
	return t, ok
}

// parseAsctime reads "Sun Nov  6 08:49:37 1994".
func parseAsctime(s string) (time.Time, bool) {
	if len(s) != len("Sun Nov  6 08:49:37 1994") || !isWeekday(s[0:3]) || !blanksAt(s, 3, 7, 10, 19) {
		return time.Time{}, false
	}
	dom := s[8:10]
	if dom[0] == ' ' {
		dom = "0" + dom[1:]
	}
	return assemble(dom, s[4:7], s[20:24], s[11:19])
}

// assemble returns a time from its parts.
func assemble(dom, month, year, clock string) (time.Time, bool) {
	y, ok := digits(year)
	if !ok {
		return time.Time{}, false
	}
	return assembleAt(y, dom, month, clock)
}

func assembleAt(year int, dom, month, clock string) (time.Time, bool) {
	d, ok1 := digits(dom)
	m, ok2 := monthOf(month)
	if !ok1 || !ok2 || clock[2] != ':' || clock[5] != ':' {
		return time.Time{}, false
	}
	hour, ok1 := digits(clock[0:2])
	minute, ok2 := digits(clock[3:5])
	second, ok3 := digits(clock[6:8])
	// 60 is a leap second (RFC 9110 §5.6.7). It becomes the next minute.
	if !ok1 || !ok2 || !ok3 || hour > 23 || minute > 59 || second > 60 {
		return time.Time{}, false
	}
	t := time.Date(year, m, d, hour, minute, 0, 0, time.UTC)
	if t.Day() != d || t.Month() != m {
		return time.Time{}, false // such as the 31st of June
	}
	return t.Add(time.Duration(second) * time.Second), true
}

// digits reads an unsigned number that consists of ASCII digits only.
func digits(s string) (int, bool) {
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, s != ""
}

func blanksAt(s string, at ...int) bool {
	for _, i := range at {
		if s[i] != ' ' {
			return false
		}
	}
	return true
}

func monthOf(s string) (time.Month, bool) {
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(s, m.String()[:3]) && isASCII(s) {
			return m, true
		}
	}
	return 0, false
}

func isWeekday(s string) bool {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.EqualFold(s, d.String()[:3]) && isASCII(s) {
			return true
		}
	}
	return false
}

func isLongWeekday(s string) bool {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.EqualFold(s, d.String()) && isASCII(s) {
			return true
		}
	}
	return false
}

// isASCII reports whether a text is ASCII. EqualFold has a wider folding: ſ for s, K for k.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
