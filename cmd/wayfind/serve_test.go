package main

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/demo"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/loopback"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// serveRecording starts "wayfind serve DIR" for a recording.
func serveRecording(t *testing.T, recording *client.Recording) *loopback.Server {
	t.Helper()
	hosts, odd, err := loopback.RecordedHosts(recording)
	if err != nil {
		t.Fatal(err)
	}
	d, err := loopback.Start(loopback.AnyPort(), hosts, loopback.Replay{Recording: recording}, odd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// resolved returns the Site that a client makes of a site, and its recording.
func resolved(t *testing.T, d *loopback.Server, now func() time.Time, host string) (*wayfind.Site, *client.Recording, error) {
	t.Helper()
	recording := new(client.Recording)
	opts := d.Options(now)
	opts.Lab.Record = recording.Add
	c, err := client.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	site, err := c.Resolve(t.Context(), host)
	return site, recording, err
}

// Sites served from a recording of the demo are equal to the sites of the demo.
func TestServe_Demo(t *testing.T) {
	now := session.Fixed(time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC))
	sites, err := demo.Start(now)
	if err != nil {
		t.Fatal(err)
	}
	defer sites.Close()
	for _, host := range []string{"mailforge.example", "market.example.com", "everything.example", "catchall.example", "nothing.example"} {
		want, recording, wantErr := resolved(t, sites, now, host)
		got, again, err := resolved(t, serveRecording(t, recording), now, host)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreTypes(time.Time{})); diff != "" {
			t.Errorf("%s: the Site (-recorded +served):\n%s", host, diff)
		}
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Errorf("%s: %v, recorded was %v", host, err, wantErr)
		}
		if diff := cmp.Diff(recording.Files(), again.Files()); diff != "" {
			t.Errorf("%s: the recording of the replay (-recorded +served):\n%s", host, diff)
		}
	}
}

// A failure that was recorded fails in the same way again.
func TestServe_Failures(t *testing.T) {
	for failure, want := range map[string]wayfind.Code{
		"dial dial":                                   wayfind.CodeTLS, // the port is open, for the other sites
		"tls tls certificate expired":                 wayfind.CodeTLS,
		"tls tls certificate not yet valid":           wayfind.CodeTLS,
		"tls tls certificate for another host":        wayfind.CodeTLS,
		"tls tls self-signed certificate":             wayfind.CodeTLS,
		"tls tls certificate of an unknown authority": wayfind.CodeTLS,
		"tls tls no TLS":                              wayfind.CodeTLS,
		"body truncated":                              wayfind.CodeTruncated,
		"headers headers_too_large":                   wayfind.CodeHeadersTooLarge,
		"headers too_large":                           wayfind.CodeTooLarge,
		"headers protocol":                            wayfind.CodeProtocol,
		"body encoding":                               wayfind.CodeEncoding,
		"body timeout":                                wayfind.CodeTimeout,
		"held not_before wait=2m0s":                   wayfind.CodeNotBefore,
	} {
		t.Run(failure, func(t *testing.T) {
			t.Parallel()
			recording := &client.Recording{}
			stage, rest, _ := strings.Cut(failure, " ")
			code, reason, _ := strings.Cut(rest, " ")
			f := &client.Failure{Stage: stage, Code: wayfind.Code(code), Reason: reason}
			if strings.HasPrefix(reason, "wait=") {
				f.Reason, f.Wait = "", 2*time.Minute
			}
			recording.Add(&client.Exchange{URL: "https://shop.example/.well-known/agent", Failure: f})
			opts := serveRecording(t, recording).Options(nil)
			opts.Timeout, opts.Live = time.Second, nil
			again := new(client.Recording)
			opts.Lab.Record = again.Add
			c, err := client.New(opts)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			site, _ := c.Resolve(t.Context(), "shop.example")
			x := again.Lookup("https://shop.example/.well-known/agent")
			switch {
			case want == wayfind.CodeTimeout && x == nil && site.Incomplete != nil && site.Incomplete.Missing[0].Reason == string(wayfind.CodeDeadline): // it was still waiting
			case want == wayfind.CodeNotBefore && x != nil && x.Failure == nil && x.Status == http.StatusTooManyRequests && x.Header.Get("Retry-After") == "120":
			case x == nil || x.Failure == nil:
				t.Errorf("%+v", x)
			case x.Failure.Stage != client.StageHeld && (x.Failure.Code != want && want != wayfind.CodeTLS || reason != "" && x.Failure.Reason != reason):
				t.Errorf("%v", x.Failure)
			}
		})
	}
}

// Serve ends with its context. A mistake in its arguments is a usage error.
func TestServe_Usage(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	err := os.MkdirAll(empty, 0o700)
	none := filepath.Join(t.TempDir(), "none")
	err = errors.Join(err, os.MkdirAll(none, 0o700), os.WriteFile(filepath.Join(none, document.RecordingIndex), []byte("wayfind recording 1\n"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"serve"}, {"serve", empty}, {"serve", none}, {"serve", filepath.Join(empty, "missing")}, {"serve", "--hostile", empty}, {"serve", empty, empty}} {
		if code, out, errs := exec(t, "", args...); code != ui.ExitUsage || out != "" || !strings.HasPrefix(errs, "wayfind: ") {
			t.Errorf("%q: %d, %q, %q", args, code, out, errs)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if code := run(ctx, []string{"serve", "--hostile"}, strings.NewReader(""), &out, &errs); code != ui.ExitFound || !strings.Contains(out.String(), "  . ") {
		t.Errorf("%d, %q, %q", code, out.String(), errs.String())
	}
}
