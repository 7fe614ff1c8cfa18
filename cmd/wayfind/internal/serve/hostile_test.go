package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/loopback"
)

// The client resolves each hostile site of the catalogue in time and with little memory, and
// returns only the results of the list.
func TestServe_Hostile(t *testing.T) {
	hosts, handler, odd := hostileHandler()
	d, err := loopback.Start(loopback.AnyPort(), hosts, handler, odd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	want := map[string]string{
		"expired": "certificate expired", "future": "certificate not yet valid", "wrong-name": "certificate for another host",
		"self-signed": "self-signed certificate", "stranger": "certificate of an unknown authority", "no-tls": "no TLS", "hang-up": "unreachable (",
		"silent": "(timeout)", "slow-body": "(timeout)", "throttled": "throttled", "come-back-never": "throttled", "forever-fresh": "",
		"endless-body": "(too_large)", "announced": "(too_large)", "gzip-bomb": "(too_large)", "huge-header": "unreachable (", "deep": "(json_depth)", "cut-off": "unreachable (",
		"to-private": "refused by policy (", "to-metadata": "refused by policy (", "to-http": "(redirect_downgrade)", "to-file": "(scheme)", "loop": "(redirect_limit)",
		"soft-404": "nothing found", "html-as-json": "nothing found", "broken-json": "(json_syntax)", "twice": "(json_duplicate)", "not-utf-8": "(invalid_utf8)",
		"escapes": "", "injection": "", "elsewhere": "",
	}
	var names []string
	for _, s := range hostileSites() {
		if slices.Contains(names, s.name) || s.does == "" || s.good == "" {
			t.Errorf("%+v", s)
		}
		names = append(names, s.name)
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			opts := d.Options(nil)
			opts.Timeout = time.Minute
			if want[s.name] == "(timeout)" {
				opts.Timeout = 2 * time.Second
			}
			c, err := client.New(opts)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			site, err := c.Resolve(ctx, s.host())
			if ctx.Err() != nil {
				t.Fatal("it took two minutes")
			}
			text, known := want[s.name]
			if !known || (err == nil) != (text == "") || err != nil && !strings.Contains(err.Error(), text) {
				t.Errorf("%v, want %q", err, text)
			}
			if raw, failed := json.Marshal(site); failed != nil || bytes.ContainsAny(raw, "\x1b\x07\u202e") || err != nil && len(site.Services) > 0 {
				t.Errorf("%s, %v", raw, failed)
			}
		})
	}
}
