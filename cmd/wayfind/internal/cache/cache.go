// Package cache has the verbs for stored answers.
package cache

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/commandline"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// Command returns the verb cache.
func Command(a *ui.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "look into the directory of stored answers, or empty it",
		RunE: func(*cobra.Command, []string) error {
			return errors.New(`name a command: "wayfind cache stats", "rm" or "clear"`)
		},
	}
	var dir string
	cmd.PersistentFlags().StringVar(&dir, "cache", "", "look into this `DIR` (default: wayfind in the user's cache directory)")
	rm := cacheRemoveCommand(a, &dir)
	cmd.AddCommand(cacheStatsCommand(a, &dir), rm, cacheClearCommand(a, rm))
	return cmd
}

func cacheStatsCommand(a *ui.App, dir *string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "show stored answers by host, and when they expire",
		Args:  commandline.NoWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withStore(a, *dir, func(at string, s *disk.Store) error { return cacheStats(a, cmd, at, s, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// withStore opens the directory, calls use and closes it. It does not create a directory that does
// not exist.
func withStore(a *ui.App, dir string, use func(at string, s *disk.Store) error) error {
	if session.IsRedis(dir) {
		return errors.New("\"wayfind cache\" reads directories only; use Redis's own tools for a server: answers are the keys that begin with the prefix (wayfind:) and end in :e, obligations those that end in :t and :h")
	}
	dir = cmp.Or(dir, session.DefaultCache())
	if dir == "" || dir == session.NoCache {
		return errors.New("there is no cache directory: name one with --cache")
	}
	if !disk.Exists(dir) {
		return fmt.Errorf("there is no cache in %s", dir)
	}
	s, err := disk.Open(dir, &disk.Options{Logger: ui.NewLogger(a.Err, false)})
	if err != nil {
		return fmt.Errorf("--cache %s: %w", dir, err)
	}
	return errors.Join(use(dir, s), s.Close())
}

// stored describes the directory's entries of one host.
type stored struct {
	// Host that was asked.
	Host string `json:"host"`
	// Entries are answers.
	Entries int `json:"entries"`
	// Bytes that the answers take.
	Bytes int64 `json:"bytes"`
	// Saved is when the last of them was stored.
	Saved time.Time `json:"saved"`
	// Kept is until when the last of them is kept.
	Kept time.Time `json:"keptUntil"`
}

// cacheReport is the output of "cache stats --json".
type cacheReport struct {
	// Directory that was looked into.
	Directory string `json:"directory"`
	// Entries are files. One file may contain all answers of a host to discovery.
	Entries int `json:"entries"`
	// Bytes that the files take.
	Bytes int64 `json:"bytes"`
	// Obligations are pauses that sites ask for and that still hold.
	Obligations int `json:"obligations"`
	// Hosts in alphabetical order.
	Hosts []stored `json:"hosts"`
}

func cacheStats(a *ui.App, cmd *cobra.Command, dir string, s *disk.Store, asJSON bool) error {
	totals, err := s.Stats()
	if err != nil {
		return err
	}
	report := cacheReport{Directory: dir, Entries: totals.Entries, Bytes: totals.Bytes, Obligations: totals.Obligations}
	if report.Hosts, err = storedHosts(cmd, s); err != nil {
		return err
	}
	if asJSON {
		a.PrintJSON(report, nil)
		return nil
	}
	a.Heading(ui.Show(dir))
	a.Table([][]string{
		{"files", fmt.Sprint(totals.Entries)}, {"bytes", fmt.Sprint(totals.Bytes)},
		{"obligations that hold", fmt.Sprint(totals.Obligations)},
	})
	if len(report.Hosts) == 0 {
		return nil
	}
	rows := [][]string{{"HOST", "ANSWERS", "BYTES", "SAVED LAST", "KEPT UNTIL"}}
	for _, h := range report.Hosts {
		rows = append(rows, []string{ui.Show(h.Host), fmt.Sprint(h.Entries), fmt.Sprint(h.Bytes), ui.ClockText(h.Saved), ui.ClockText(h.Kept)})
	}
	a.Line("")
	a.Table(rows)
	return nil
}

// storedHosts adds the entries up by host.
func storedHosts(cmd *cobra.Command, s *disk.Store) ([]stored, error) {
	byHost := map[string]stored{}
	for info, err := range s.Entries(cmd.Context()) {
		if err != nil {
			return nil, err
		}
		host := ui.HostOf(info.URL)
		h := byHost[host]
		h.Host, h.Entries, h.Bytes = host, h.Entries+1, h.Bytes+info.Bytes
		if info.Saved.After(h.Saved) {
			h.Saved = info.Saved
		}
		if info.Retain.After(h.Kept) {
			h.Kept = info.Retain
		}
		byHost[host] = h
	}
	hosts := slices.AppendSeq([]stored{}, maps.Values(byHost)) // never nil, which would be null in JSON
	slices.SortFunc(hosts, func(a, b stored) int { return cmp.Compare(a.Host, b.Host) })
	return hosts, nil
}

// CompleteHosts completes the hosts whose answers are stored.
func CompleteHosts(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return Hosts(cmd, Directory(cmd)), cobra.ShellCompDirectiveNoFileComp
}

// Hosts are the hosts whose answers are stored in a directory.
func Hosts(cmd *cobra.Command, dir string) []string {
	dir = cmp.Or(dir, session.DefaultCache())
	if session.IsRedis(dir) || dir == "" || dir == session.NoCache || !disk.Exists(dir) {
		return nil
	}
	s, err := disk.Open(dir, nil)
	if err != nil {
		return nil
	}
	defer s.Close()
	var names []string
	hosts, _ := storedHosts(cmd, s)
	for _, h := range hosts {
		names = append(names, h.Host)
	}
	return names
}

// Schemas returns the schemas of cache.
func Schemas() []ui.Schema {
	return []ui.Schema{
		{Name: "wayfind/cache/1", By: "`cache stats`", About: "The stored answers in the directory.", Value: cacheReport{}},
		{Name: "wayfind/cache-removal/1", By: "`cache rm`", About: "The answers and the obligations that were forgotten.", Value: removal{}},
	}
}

// Directory returns the directory that --cache or its variable names.
func Directory(cmd *cobra.Command) string {
	_ = commandline.SetFromEnvironment(cmd) // an invalid value completes nothing
	dir, _ := cmd.Flags().GetString("cache")
	return dir
}

// cacheClearCommand returns "cache clear", another name for "cache rm --all".
func cacheClearCommand(a *ui.App, rm *cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "clear",
		Short: "forget all answers and obligations, as \"rm --all\" does",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("clear forgets everything; to forget one domain: wayfind cache rm %s", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := rm.Flags().Set("all", "true"); err != nil {
				return err
			}
			if f := cmd.Flags().Lookup("json"); f.Changed {
				if err := rm.Flags().Set("json", f.Value.String()); err != nil {
					return err
				}
			}
			rm.SetContext(cmd.Context())
			return rm.RunE(rm, nil)
		},
	}
	cmd.Flags().Bool("json", false, "print JSON")
	return cmd
}
