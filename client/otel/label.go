package otel

import (
	"strings"
	"sync"
)

// label bounds the number of values of an attribute of metrics. Each value creates a time
// series, and some values are from plug-ins: codes of errors and names of stores.
type label struct {
	mu     sync.Mutex
	values map[string]bool
}

// maxValues is the maximum number of values of a label. The values that this module uses are
// fewer.
const maxValues = 64

// other replaces all further values.
const other = "other"

// of returns value, or other if the label has maxValues values already.
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

// class returns the kind and the code of an error, without its host and time.
func class(text string) string {
	kind, _, _ := strings.Cut(text, ",")
	return kind
}
