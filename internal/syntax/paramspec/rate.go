package paramspec

import (
	"strconv"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
)

// Rate reads a rate as people write it: "30/minute", "10 requests/second", "max 100 requests
// per hour", "60 rpm", "1,000 per 15 minutes". ok is false if the text contains no rate, more
// than one, or an invalid number (0, or beyond 64 bits); the caller then keeps the text in
// Limit.Text.
func Rate(text string) (l wayfind.Limit, ok bool) {
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool {
		return c == ' ' || c == '\t' || c == '(' || c == ')' || c == ';' || c == '"'
	})
	words = strings.Fields(strings.ReplaceAll(strings.Join(words, " "), "/", " per "))
	for i := range words {
		n, per, found := rateAt(words, i)
		switch {
		case !found:
		case ok:
			return wayfind.Limit{}, false
		default:
			l, ok = wayfind.Limit{N: n, Per: per}, true
		}
	}
	return l, ok
}

// rateAt reads a rate whose number is word i.
func rateAt(words []string, i int) (n int64, per time.Duration, ok bool) {
	n, err := strconv.ParseInt(strings.ReplaceAll(words[i], ",", ""), 10, 64)
	if err != nil || n <= 0 || i > 0 && words[i-1] == "per" {
		return 0, 0, false
	}
	rest := words[i+1:]
	// One or two words may name the counted thing: "requests", "API calls".
	for skipped := 0; skipped < 3 && len(rest) > 0; skipped++ {
		switch w := strings.Trim(rest[0], ".,:"); w {
		case "rps":
			return n, time.Second, true
		case "rpm":
			return n, time.Minute, true
		case "rph":
			return n, time.Hour, true
		case "rpd":
			return n, 24 * time.Hour, true
		case "hourly":
			return n, time.Hour, true
		case "daily":
			return n, 24 * time.Hour, true
		case "per", "a", "an", "each", "every":
			per, ok = period(rest[1:])
			return n, per, ok
		}
		rest = rest[1:]
	}
	return 0, 0, false
}

// period reads "minute" and "15 minutes".
func period(words []string) (time.Duration, bool) {
	count := int64(1)
	if len(words) > 1 {
		if n, err := strconv.ParseInt(words[0], 10, 64); err == nil && n > 0 && n <= 1000 {
			count, words = n, words[1:]
		}
	}
	if len(words) == 0 {
		return 0, false
	}
	unit, ok := unitOf(strings.Trim(words[0], ".,:"))
	return time.Duration(count) * unit, ok
}

func unitOf(word string) (time.Duration, bool) {
	switch word {
	case "s", "sec", "second", "seconds":
		return time.Second, true
	case "m", "min", "minute", "minutes", "mins":
		return time.Minute, true
	case "h", "hr", "hour", "hours":
		return time.Hour, true
	case "d", "day", "days":
		return 24 * time.Hour, true
	case "week", "weeks":
		return 7 * 24 * time.Hour, true
	}
	return 0, false
}
