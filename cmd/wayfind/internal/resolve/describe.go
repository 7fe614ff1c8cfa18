package resolve

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/recorded"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/show"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// Describe returns the verb describe. curlOf does the work of its flag --curl.
func Describe(a *ui.App, curlOf func(*ui.App, *cobra.Command, []string, *session.Network) error) *cobra.Command {
	var n session.Network
	var shape output
	var curl bool
	cmd := &cobra.Command{
		Use:   "describe DOMAIN|FILE|DIR|- KEY",
		Short: "show how to call one capability",
		Long: `describe fetches a domain's full definition of one capability or service.
Copy KEY from the output of "wayfind DOMAIN".

A FILE, "-" for standard input, a recording, or a DIR with the files of a site that is
not published yet is read as "wayfind tools --help" says. No request is sent. Copy KEY
from the output of "wayfind FILE".`,
		Example: "  wayfind describe example.com adp:send_email\n  wayfind describe ./openapi.json openapi:openapi/createOrder",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 && (!curl || len(args) < 2) {
				return errors.New(`name a domain and a key, for example "wayfind describe example.com adp:send_email"; "wayfind example.com" lists the keys`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			first, err := n.Servers.Targets(args[:1])
			if err != nil {
				return err
			}
			args = session.InOrder(a, append(first, args[1:]...))
			if curl {
				return curlOf(a, cmd, args, &n)
			}
			return runDescribe(a, cmd, args[0], args[1], &n, &shape)
		},
	}
	n.Register(cmd)
	n.Servers.Register(cmd)
	n.RegisterMCP(cmd)
	shape.register(cmd, "print JSON")
	cmd.Flags().BoolVar(&curl, "curl", false, "print the request of a call for a shell, with the arguments NAME=VALUE that follow KEY; credentials are left to you")
	return cmd
}

func runDescribe(a *ui.App, cmd *cobra.Command, word, key string, n *session.Network, shape *output) error {
	words, err := n.Servers.Targets([]string{word})
	if err != nil {
		return err
	}
	domains, sites, err := recorded.SitesOf(cmd.Context(), a, n, words)
	if err != nil {
		return err
	}
	if sites != nil {
		defer sites.Close()
	}
	domain := domains[0]
	if domains, err = session.NameTargets(a, cmd, n, domain); err != nil {
		a.Fail(domain, err)
		return nil
	}
	domain = domains[0]
	c, err := recorded.OpenAt(n, a, sites)
	if err != nil {
		return err
	}
	defer session.End(a, c)
	site, err := c.Resolve(cmd.Context(), domain)
	err = c.HintOtherView(cmd.Context(), domain, err)
	if err != nil && !session.IsPinError(err) { // Describe reports a pin error only if it is about KEY
		if shape.prompt {
			show.Prompt(a, err, func(*prompt.Prompt) {})
		}
		a.Fail(domain, err)
		return nil
	}
	detail, err := c.Describe(cmd.Context(), site, key)
	usable := detail != nil && !session.IsPinError(err)
	switch {
	case shape.prompt && session.IsPinError(err):
		show.Prompt(a, err, func(*prompt.Prompt) {})
	case shape.prompt:
		show.Prompt(a, err, func(p *prompt.Prompt) { p.Detail(detail) })
	case !usable:
	case shape.json:
		a.PrintJSON(detail, ui.NewFailure(domain, err))
	default:
		show.Detail(a, detail)
	}
	switch {
	case err == nil:
	case usable:
		a.Tell(err)
	default:
		a.Fail(domain, err)
	}
	if errors.Is(err, wayfind.ErrInvalid) && detail == nil {
		fmt.Fprintf(a.Err, "see the keys with: wayfind %s\n", ui.Show(word))
	}
	return nil
}
