package session

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/livemcp"
	"github.com/wayfindhq/wayfind/client/liverpc"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// Options returns the client.Options for the flags. Its errors are mistakes of the caller.
func (n *Network) Options(a *ui.App) (*client.Options, error) {
	o := &client.Options{Timeout: n.Timeout, Limits: client.Limits{MaxBytes: n.maxBytes, Memory: n.Memory}, Strict: n.Strict, Network: client.Network{UserAgent: AgentText(n.userAgent, n.Contact), KeepAlive: n.KeepAlive}, Offline: n.Offline, Targets: n.Source, Observe: n.Observe, Lab: client.Lab{Record: n.Record}}
	if n.Timeout <= 0 || n.maxBytes <= 0 {
		return nil, ui.Usagef("--timeout and --max-bytes take values above zero")
	}
	o.Logger = ui.NewLogger(a.Err, n.Verbose && !n.Quiet)
	if n.Live {
		o.Live = []client.LiveProber{livemcp.New(nil), liverpc.New()}
	}
	approvals := func(o *client.Options) error { return n.setApprovals(a, o) }
	for _, step := range []func(*client.Options) error{n.setRobots, n.setFormats, n.setPolicy, n.setHeaders, n.setRoots, n.setClock, n.setKeys, n.setSigner, n.setPins, approvals} {
		if err := step(o); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (n *Network) setRobots(o *client.Options) error {
	modes := map[string]client.RobotsMode{"report": client.RobotsReport, "ignore": client.RobotsIgnore, "enforce": client.RobotsEnforce}
	mode, ok := modes[n.Robots]
	if !ok {
		return ui.Usagef("--robots %q: write report, ignore or enforce", n.Robots)
	}
	o.Robots.Mode = mode
	return nil
}

func (n *Network) setFormats(o *client.Options) (err error) {
	if len(n.Formats) > 0 {
		o.Formats, err = formats.Select(n.Formats...)
	}
	if err != nil {
		return ui.Usage(NearestFormat(n.Formats, err))
	}
	return nil
}

// NearestFormat returns the error for words that name no format. It suggests a similar name if
// there is one.
func NearestFormat(wanted []string, err error) error {
	names := formatWords()
	for _, word := range wanted {
		if near := text.Nearest(word, names); near != "" && !slices.Contains(names, word) {
			return fmt.Errorf("there is no format %q; did you mean %s? \"wayfind formats\" lists all", word, near)
		}
	}
	return err
}

// formatWords returns the values of --formats: names of formats and of groups.
func formatWords() (names []string) {
	for _, f := range slices.Concat(formats.All(), formats.OnRequest()) {
		names = append(names, f.Name)
	}
	for _, g := range formats.Groups() {
		names = append(names, g.Name)
	}
	return names
}

// completeFormats completes the last value of --formats with the names of formats and groups.
func completeFormats(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	var words []string
	for _, g := range formats.Groups() {
		words = append(words, before+g.Name+"\t"+g.Title)
	}
	for _, f := range slices.Concat(formats.All(), formats.OnRequest()) {
		words = append(words, before+f.Name+"\t"+f.Title)
	}
	return words, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// setRoots reads --cacert. A run that trusts other authorities has another view of the Internet.
// The hash of the file identifies that view.
func (n *Network) setRoots(o *client.Options) error {
	if n.cacert == "" {
		return nil
	}
	pem, err := os.ReadFile(n.cacert)
	if err != nil {
		return ui.Usagef("--cacert: %w", err)
	}
	o.Network.RootCAs = x509.NewCertPool()
	if !o.Network.RootCAs.AppendCertsFromPEM(pem) {
		return ui.Usagef("--cacert %s: there is no PEM certificate in it", n.cacert)
	}
	sum := sha256.Sum256(pem)
	o.Network.View = "cacert " + hex.EncodeToString(sum[:])
	return nil
}

func (n *Network) setClock(o *client.Options) (err error) {
	o.Lab.Now, err = ParseNow(n.Now)
	return err
}

// ParseNow reads the value of --now. Without one it returns nil.
func ParseNow(s string) (func() time.Time, error) {
	if s == "" {
		return nil, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return nil, ui.Usagef("--now %q: write a time such as 2026-01-02T15:04:05Z", s)
	}
	return Fixed(t), nil
}

// Fixed returns a clock that always returns the same time. Its monotonic reading does not advance
// either, so the output does not depend on how long anything took.
func Fixed(t time.Time) func() time.Time {
	now := time.Now()
	now = now.Add(t.Sub(now)) // UTC would remove the monotonic reading
	return func() time.Time { return now }
}
