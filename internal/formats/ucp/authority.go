package ucp

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
)

// authorityOf returns the host that owns the name of an entity, by the URL of its schema. The
// labels of the host in reverse must be the name or its beginning (Authority Binding). That
// proves the owner of a statement, but neither that it is true nor that the URL may be
// requested. The error is the reason why a schema does not belong to its name.
//
// A host that is not ASCII is refused: it must be written in A-labels.
func authorityOf(entity, schema string) (host string, err error) {
	u, err := urlref.AbsoluteURL(schema)
	switch {
	case err != nil:
		return "", err
	case u.Scheme != "https":
		return "", errors.New("it does not begin with https://")
	}
	host = strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	labels := strings.Split(host, ".")
	switch {
	case isAddress(host, labels):
		return "", fmt.Errorf("its host %q is an address", host)
	case len(labels) < 2:
		return "", fmt.Errorf("its host %q has one label", host)
	case !isHostName(labels):
		return "", fmt.Errorf("its host %q is no name in A-labels", host)
	}
	slices.Reverse(labels)
	prefix := strings.Join(labels, ".")
	if entity != prefix && !strings.HasPrefix(entity, prefix+".") {
		return "", fmt.Errorf("its host %q owns %q", host, prefix)
	}
	return host, nil
}

// isAddress reports whether a host is an IP address in any notation that URLs have: in
// brackets, or with a number as the last label (WHATWG URL, host parsing).
func isAddress(host string, labels []string) bool {
	last := labels[len(labels)-1]
	if strings.Contains(host, ":") {
		return true
	}
	hex, isHex := strings.CutPrefix(last, "0x")
	return last != "" && strings.Trim(last, "0123456789") == "" || isHex && strings.Trim(hex, "0123456789abcdef") == ""
}

func isHostName(labels []string) bool {
	for _, label := range labels {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}

// isName reports whether a text has the form of the name of an entity: at least two labels in
// lower case, the first of which can be a label of a domain.
func isName(text string) bool {
	labels := strings.Split(text, ".")
	for i, label := range labels {
		inside := "abcdefghijklmnopqrstuvwxyz0123456789-"
		if i > 0 {
			inside += "_"
		}
		if label == "" || strings.Trim(label, inside) != "" || isEdge(label[0]) || isEdge(label[len(label)-1]) {
			return false
		}
	}
	return len(labels) > 1 && 'a' <= text[0] && text[0] <= 'z'
}

func isEdge(b byte) bool { return b == '-' || b == '_' }
