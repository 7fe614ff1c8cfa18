// Package search has the verb search, which asks a registry.
package search

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/show"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// Command returns the verb search.
func Command(a *ui.App) *cobra.Command {
	var n session.Network
	var o client.SearchOptions
	var asJSON, servers bool
	cmd := &cobra.Command{
		Use:   "search REGISTRY QUERY",
		Short: "ask a registry which domains offer something",
		Long: `search asks a registry of the Agent Discovery Protocol. Its answer is the
registry's word; ask the domain itself for its offers: "wayfind DOMAIN".

With --mcp it asks a registry of MCP servers. A query with a slash is the name of one
server; with --namespace, the query is a domain, and the answer is the servers whose
names only its owner can have.`,
		Example: `  wayfind search registry.example "send email"
  wayfind search --mcp --namespace registry.modelcontextprotocol.io example.com`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New(`name a registry and a query in quotes, for example "wayfind search registry.example 'send email'"`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if servers {
				o.Registry = client.RegistryMCP
			}
			return runSearch(a, cmd, args[0], args[1], &n, &o, asJSON)
		},
	}
	n.Register(cmd)
	cmd.Flags().IntVar(&o.Limit, "limit", 0, "ask for this `NUMBER` of hits, at most 50 (default: as the registry does)")
	cmd.Flags().BoolVar(&o.Unverified, "unverified", false, "include services whose domain the registry has not checked")
	cmd.Flags().BoolVar(&servers, "mcp", false, "the registry is one of MCP servers")
	cmd.Flags().BoolVar(&o.Namespace, "namespace", false, "with --mcp: the query is a domain; list the servers in its namespace")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func runSearch(a *ui.App, cmd *cobra.Command, registry, query string, n *session.Network, o *client.SearchOptions, asJSON bool) error {
	if _, err := session.NameTargets(a, cmd, n, registry); err != nil {
		return err
	}
	c, err := n.Open(a)
	if err != nil {
		return err
	}
	defer session.End(a, c)
	result, err := c.SearchWith(cmd.Context(), registry, query, o)
	if err != nil {
		a.Fail(registry, err)
		return nil
	}
	if len(result.Hits) == 0 {
		a.Ends(ui.ExitNothing)
	}
	if asJSON {
		a.PrintJSON(result, nil)
		return nil
	}
	show.Hits(a, result)
	return nil
}

// Schemas returns the schema of search.
func Schemas() []ui.Schema {
	return []ui.Schema{
		{Name: "wayfind/hits/1", By: "`search`", About: "The answer of a registry. It is the registry's word, not that of the domains.", Value: client.SearchResult{}},
	}
}
