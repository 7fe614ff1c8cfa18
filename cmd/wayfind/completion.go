package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/cache"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/check"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/commandline"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/publish"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/show"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/tools"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// addCompletions registers the values of arguments and flags for completion in a shell.
func addCompletions(root *cobra.Command) {
	var names []string
	for _, f := range formats.All() {
		names = append(names, f.Name+"\t"+f.Title)
	}
	words := map[string][]string{
		"robots":     {"report\tsay what robots.txt forbids", "ignore\tdo not ask for it", "enforce\tobey it"},
		"pin-policy": {"refuse", "warn", "safer", "strict"},
		"format":     names,
		"for":        tools.VendorWords(),
		"cache":      {session.NoCache},
	}
	for _, c := range root.Commands() {
		for flag, list := range words {
			if c.Flags().Lookup(flag) == nil || c.Name() == "check" && flag == "format" { // in check, its values are reports
				continue
			}
			directive := cobra.ShellCompDirectiveNoFileComp
			if flag == "cache" {
				directive = cobra.ShellCompDirectiveDefault
			}
			_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(list, directive))
		}
		switch c.Name() {
		case "check":
			c.ValidArgsFunction = cache.CompleteHosts
			_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{publish.OutputGitHub, publish.OutputSARIF, check.OutputMarkdown}, cobra.ShellCompDirectiveNoFileComp))
		case "resolve", "tools", "pin":
			c.ValidArgsFunction = cache.CompleteHosts
		case "describe", "call":
			c.ValidArgsFunction = completeKey
		case "formats", "demo":
			c.ValidArgsFunction = cobra.NoFileCompletions
		}
	}
}

// completeKey completes a domain, and then the keys that are stored for it. It sends no request.
func completeKey(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return cache.Hosts(cmd, cache.Directory(cmd)), cobra.ShellCompDirectiveDefault
	case 1:
		return storedKeys(cmd, args[0]), cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// storedKeys returns the keys of a domain from the stored answers.
func storedKeys(cmd *cobra.Command, domain string) []string {
	var n session.Network
	var same cobra.Command
	n.Register(&same)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		own := same.Flags().Lookup(f.Name)
		if own == nil {
			return
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			_ = own.Value.(pflag.SliceValue).Replace(list.GetSlice())
			return
		}
		_ = own.Value.Set(f.Value.String())
	})
	if commandline.SetFromEnvironment(&same) != nil {
		return nil
	}
	n.Offline = true
	s, err := n.Open(&ui.App{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
	if err != nil {
		return nil
	}
	defer s.Close()
	site, _ := s.Resolve(cmd.Context(), domain)
	return show.KeysOf(site)
}
