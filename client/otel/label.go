package otel

import (
	"strings"
	"sync"
)

// label bounds the values of an attribute of metrics. Each value makes a series, and
// some are words of plug-ins: the codes of errors, the names of stores.
type label struct {
	mu     sync.Mutex
	values map[string]bool
}

// maxValues of a label. Its own words are fewer.
const maxValues = 64

// other stands for the values beyond maxValues.
const other = "other"

// of returns a value that may be used.
func (l *label) of(value string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.values[value]:
		return value
	case len(l.values) >= maxValues:
		return other
	case l.values == nil:
		l.values = map[string]bool{}
	}
	l.values[value] = true
	return value
}

// class is an error without the host and the time in it: the kind and the code.
func class(text string) string {
	kind, _, _ := strings.Cut(text, ",")
	return kind
}
