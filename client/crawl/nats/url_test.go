package nats_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/crawl/nats"
)

// The URL of a server may contain a password, which an error does not repeat.
func TestOpenRepeatsNoPassword(t *testing.T) {
	for _, server := range []string{
		"nats://user:hunter2@127.0.0.1:port",
		"nats://user:hunter2@127.0.0.1:4222/%zz",
		"nats://user:hunter2/word@127.0.0.1",
		"nats://127.0.0.1:1,nats://user:hunter2@127.0.0.1:port",
	} {
		if _, err := nats.Open(t.Context(), server, nil); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", server, err)
		}
	}
}
