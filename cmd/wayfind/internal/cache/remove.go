package cache

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/internal/web/gate"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// removal is the output of "cache rm --json".
type removal struct {
	// Answers is the number of answers that were forgotten.
	Answers int `json:"answers"`
	// Obligations are the pauses that were forgotten.
	Obligations []forgottenPause `json:"obligations"`
}

// forgottenPause is a removed obligation to send no requests to a site.
type forgottenPause struct {
	// Host to which no requests were sent during the pause.
	Host string `json:"host"`
	// Path that was not to be asked; absent for the whole host.
	Path string `json:"path,omitempty"`
	// Until is the end that it had.
	Until time.Time `json:"until"`
	// Rule says who wanted it.
	Rule string `json:"rule"`
}

func cacheRemoveCommand(a *ui.App, dir *string) *cobra.Command {
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:   "rm [DOMAIN|URL…]",
		Short: "forget the answers of domains or URLs, or all of them",
		Long: `rm forgets the stored answers of domains, and the obligations to them: a pause
between two requests, a "not before", a "no" that counts for a day. Each obligation is
named with its rule. If stored answers of a domain lead to another host of its site, those of that
host are forgotten too. Of a URL with a path only its own answers are forgotten.`,
		Example: "  wayfind cache rm example.com\n  wayfind cache rm https://example.com/llms.txt\n  wayfind cache rm --all",
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return errors.New("name the domains or URLs to forget, or --all")
			}
			named, err := stalesOf(args)
			if err != nil {
				return err
			}
			return withStore(a, *dir, func(_ string, s *disk.Store) error { return cacheRemove(a, cmd, s, named, asJSON) })
		},
		ValidArgsFunction: CompleteHosts,
	}
	cmd.Flags().BoolVar(&all, "all", false, "forget all answers and obligations")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func cacheRemove(a *ui.App, cmd *cobra.Command, s *disk.Store, named []stale, asJSON bool) error {
	named, err := withOwnHosts(cmd.Context(), s, named)
	if err != nil {
		return err
	}
	var answers, pauses func(string) bool
	if len(named) > 0 {
		answers = func(u string) bool { return slices.ContainsFunc(named, func(n stale) bool { return n.answer(u) }) }
		pauses = func(key string) bool {
			name, ok := gate.ParseKey(key)
			return ok && slices.ContainsFunc(named, func(n stale) bool { return n.pause(name) })
		}
	}
	n, err := s.Remove(cmd.Context(), answers)
	if err != nil {
		return err
	}
	forgotten, err := s.Forget(cmd.Context(), pauses)
	if err != nil {
		return err
	}
	r := removal{Answers: n, Obligations: []forgottenPause{}}
	for _, o := range forgotten {
		name, _ := gate.ParseKey(o.Key)
		r.Obligations = append(r.Obligations, forgottenPause{Host: name.Host, Path: name.Path, Until: o.Until, Rule: ruleText(name)})
	}
	slices.SortFunc(r.Obligations, func(a, b forgottenPause) int {
		return cmp.Or(strings.Compare(a.Host, b.Host), strings.Compare(a.Path, b.Path))
	})
	if asJSON {
		a.PrintJSON(r, nil)
		return nil
	}
	a.Line("forgot %s", humanize.Count(n, "answer"))
	if n == 0 && len(r.Obligations) == 0 {
		tellStored(a, cmd, s, named)
	}
	if len(r.Obligations) == 0 {
		return nil
	}
	a.Line("forgot %s:", humanize.Count(len(r.Obligations), "obligation"))
	var rows [][]string
	for _, o := range r.Obligations {
		rows = append(rows, []string{o.Host + o.Path, "until " + ui.ClockText(o.Until), o.Rule})
	}
	a.Table(rows)
	return nil
}

// tellStored reports that nothing is stored for the named hosts, and suggests a stored host with a
// similar name.
func tellStored(a *ui.App, cmd *cobra.Command, s *disk.Store, named []stale) {
	list, err := storedHosts(cmd, s)
	if err != nil {
		return
	}
	var known []string
	for _, h := range list {
		known = append(known, h.Host)
	}
	for _, n := range named {
		hint := `; "wayfind cache stats" lists the stored answers`
		if near := text.Nearest(n.host, known); near != "" {
			hint = fmt.Sprintf("; did you mean %s?", ui.Show(near))
		}
		fmt.Fprintf(a.Err, "wayfind: nothing is stored of %s%s\n", ui.Show(n.host), hint)
	}
}

// ruleText returns the rule that demands a pause.
func ruleText(name gate.Name) string {
	for _, f := range formats.All() {
		if f.Name == name.Format && f.Cache.Floor > 0 {
			return fmt.Sprintf("%s wants a pause of %s between two requests (%s %s)", f.Name, spell(f.Cache.Floor), f.Spec.Title, f.Cache.Section)
		}
		if name.Format != "" || name.Reason != "absent" || f.Cache.Negative == 0 {
			continue
		}
		for _, l := range f.Locations {
			if l.Path == name.Path {
				return fmt.Sprintf("%s lets an absence count for %s (%s %s)", f.Name, spell(f.Cache.Negative), f.Spec.Title, f.Cache.Section)
			}
		}
	}
	if name.Format != "" {
		return name.Format + " wants a pause between two requests"
	}
	return "the site asked for a pause, or failed"
}

// spell writes a duration without the units that are zero: "24h".
func spell(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
