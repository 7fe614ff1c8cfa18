package served

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Caching says in words for how long a client uses the document without a request, and how
// it asks again then.
func Caching(h http.Header) string {
	again := "asked for as a whole"
	switch {
	case h.Get("ETag") != "":
		again = "asked again with If-None-Match"
	case h.Get("Last-Modified") != "":
		again = "asked again with If-Modified-Since"
	}
	words := directives(h)
	age, limited := lifetime(h, words)
	switch {
	case has(words, "no-store"):
		return "not kept: asked for as a whole each time"
	case has(words, "no-cache"), limited && age <= 0:
		return "kept, and " + again + " each time"
	case limited:
		return fmt.Sprintf("kept for %s, then %s", inWords(age), again)
	}
	return "kept for as long as each client guesses, then " + again
}

// Unkept says why a client cannot keep an answer for later, "" if it can (RFC 9111 §3, §4.3): it
// must not, or it would neither know for how long nor be able to ask whether there is a change.
func Unkept(h http.Header) string {
	words := directives(h)
	_, limited := lifetime(h, words)
	switch {
	case has(words, "no-store"):
		return "no-store forbids clients to keep it"
	case !limited && !validated(h):
		return "the header has neither a lifetime nor a validator"
	}
	return ""
}

// directives are those of Cache-Control, by their names in lower case (RFC 9111 §5.2).
func directives(h http.Header) map[string]string {
	words := map[string]string{}
	for field := range strings.SplitSeq(strings.Join(h.Values("Cache-Control"), ","), ",") {
		word, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		if word != "" {
			words[strings.ToLower(word)] = strings.Trim(value, `"`)
		}
	}
	return words
}

func has(words map[string]string, word string) bool {
	_, is := words[word]
	return is
}

// lifetime is the freshness lifetime in a private cache (RFC 9111 §4.2.1), less the age that
// the answer has (§4.2.3).
func lifetime(h http.Header, words map[string]string) (age time.Duration, limited bool) {
	if seconds, err := strconv.ParseInt(words["max-age"], 10, 32); err == nil {
		spent, _ := strconv.ParseInt(h.Get("Age"), 10, 32) // none: 0
		return time.Duration(seconds-spent) * time.Second, true
	}
	if h.Get("Expires") == "" {
		return 0, false
	}
	expires, err := http.ParseTime(h.Get("Expires"))
	date, noDate := http.ParseTime(h.Get("Date"))
	if err != nil || noDate != nil {
		return 0, true // RFC 9111 §5.3: an invalid date is one of the past
	}
	return expires.Sub(date), true
}

// inWords is a duration as people say it.
func inWords(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}} {
		if d >= unit.size && d%unit.size == 0 {
			return fmt.Sprintf("%d %s", d/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%d s", d/time.Second)
}
