package session

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// --formats is completed word by word, with the names of formats and groups.
func TestCompleteFormats(t *testing.T) {
	for _, before := range []string{"", "adp,", "adp,field,"} {
		got, directive := completeFormats(nil, nil, before+"s")
		for _, want := range []string{"all", "seeds", "field", "ucp", "robots"} {
			if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, before+want+"\t") }) {
				t.Errorf("after %q: no %q in %v", before, want, got)
			}
		}
		if directive&cobra.ShellCompDirectiveNoFileComp == 0 {
			t.Errorf("after %q: files are completed", before)
		}
	}
}

// A group after --formats is its formats in client.Options.
func TestFormatsOfGroups(t *testing.T) {
	for _, g := range formats.Groups() {
		var o client.Options
		n := Network{Formats: []string{g.Name}}
		if err := n.setFormats(&o); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range o.Formats {
			got = append(got, f.Name)
		}
		if !slices.Equal(got, g.Formats) {
			t.Errorf("%s: %v, want %v", g.Name, got, g.Formats)
		}
		if _, err := client.New(&o); err != nil {
			t.Errorf("%s: %v", g.Name, err)
		}
	}
}

// TestContact: the address is in the User-Agent.
func TestContact(t *testing.T) {
	n := &Network{Timeout: time.Second, maxBytes: 1, userAgent: "x/1", Contact: "mailto:me@example.com", Robots: "report", pinPolicy: "refuse"}
	o, err := n.Options(&ui.App{Err: &bytes.Buffer{}})
	if err != nil || o.Network.UserAgent != "x/1 (mailto:me@example.com)" {
		t.Errorf("%+v: %v", o, err)
	}
}
