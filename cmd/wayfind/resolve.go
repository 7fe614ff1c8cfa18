package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security/prompt"
)

func (a *app) resolveCommand() *cobra.Command {
	var n network
	var shape output
	var trace bool
	var save string
	cmd := &cobra.Command{
		Use:     "resolve DOMAIN…",
		Short:   "ask domains for their offers (the default)",
		Example: "  wayfind resolve example.com\n  wayfind resolve --json example.com example.org\n  wayfind https://example.com/mcp",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New(`name a domain, for example "wayfind resolve example.com"`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.saving(cmd, save, &n, func() error { return a.resolve(cmd, args, &n, &shape, trace) })
		},
	}
	n.register(cmd)
	shape.register(cmd, "print the model as JSON, one line for each of several domains")
	cmd.Flags().StringVar(&save, "save", "", "write requests and answers to files in `DIR`, for a bug report or a test")
	cmd.Flags().BoolVar(&trace, "trace", false, "show the source and the time of each answer")
	return cmd
}

// output is how a result is printed: as a table unless a flag says otherwise.
type output struct{ json, prompt bool }

func (o *output) register(cmd *cobra.Command, aboutJSON string) {
	cmd.Flags().BoolVar(&o.json, "json", false, aboutJSON)
	cmd.Flags().BoolVar(&o.prompt, "prompt", false, "print text for a language model, in which foreign text cannot act")
	cmd.MarkFlagsMutuallyExclusive("json", "prompt")
}

func (a *app) resolve(cmd *cobra.Command, domains []string, n *network, shape *output, trace bool) error {
	if err := n.named(cmd, domains...); err != nil {
		return err
	}
	c, err := n.open(a)
	if err != nil {
		return err
	}
	defer a.end(c)
	a.several = len(domains) > 1
	for i, domain := range domains {
		if err := cmd.Context().Err(); i > 0 && err != nil {
			if !a.json {
				break
			}
			a.fail(domain, wayfind.NewError("resolve", "", wayfind.CodeCanceled, err)) // a line for each domain
			continue
		}
		var t client.Trace
		site, err := c.Resolve(client.WithTrace(cmd.Context(), &t), domain)
		switch {
		case shape.prompt:
			a.separate(i)
			a.printPrompt(err, func(p *prompt.Prompt) { p.Site(site) })
		case site == nil:
			a.fail(domain, err)
			continue
		case shape.json:
			a.printJSON(site, newFailure(domain, err))
		default:
			a.separate(i)
			a.printSite(site, &t)
			a.printTrace(&t, trace)
		}
		if err != nil {
			a.tell(err)
		}
	}
	return nil
}

// printPrompt shows a result to a language model: of an error its class only.
func (a *app) printPrompt(err error, write func(*prompt.Prompt)) {
	p := prompt.New()
	write(p)
	if err != nil {
		p.Error(err)
	}
	fmt.Fprint(a.out, p.String())
}

// checkTargets refuses the whole line when a part of it cannot be a domain: a
// mistyped command must not make us ask for its arguments.
func checkTargets(domains []string) error {
	for _, domain := range domains {
		if _, _, err := resolve.ParseTarget(domain); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) describeCommand() *cobra.Command {
	var n network
	var shape output
	var curl bool
	cmd := &cobra.Command{
		Use:   "describe DOMAIN|FILE|- KEY",
		Short: "show how to call one capability",
		Long: `describe fetches a domain's full definition of one capability or service.
Copy KEY from the output of "wayfind DOMAIN".

For a file, or "-" for standard input, it shows the document's own definition without
sending a request; copy KEY from the output of "wayfind parse FILE". A name that ends
in .json, .yaml, .yml or .txt is that of a file if there is one, and so is every name
that begins with a slash or a dot.`,
		Example: "  wayfind describe example.com adp:send_email\n  wayfind describe openapi.json openapi:root/createOrder",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 && (!curl || len(args) < 2) {
				return errors.New(`name a domain and a key, for example "wayfind describe example.com adp:send_email"`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if curl {
				return a.curl(cmd, args, &n)
			}
			if namesFile(args[0]) {
				return a.describeFile(cmd, args[0], args[1], &n, &shape)
			}
			return a.describe(cmd, args[0], args[1], &n, &shape)
		},
	}
	n.register(cmd)
	shape.register(cmd, "print JSON")
	cmd.Flags().BoolVar(&curl, "curl", false, "print the request of a call for a shell, with the arguments NAME=VALUE that follow KEY; credentials are left to you")
	return cmd
}

func (a *app) describe(cmd *cobra.Command, domain, key string, n *network, shape *output) error {
	if err := n.named(cmd, domain); err != nil {
		a.fail(domain, err)
		return nil
	}
	c, err := n.open(a)
	if err != nil {
		return err
	}
	defer a.end(c)
	site, err := c.Resolve(cmd.Context(), domain)
	if err != nil && !isPinError(err) { // Describe knows whether it is about KEY
		if shape.prompt {
			a.printPrompt(err, func(*prompt.Prompt) {})
		}
		a.fail(domain, err)
		return nil
	}
	detail, err := c.Describe(cmd.Context(), site, key)
	usable := detail != nil && !isPinError(err)
	switch {
	case shape.prompt && isPinError(err):
		a.printPrompt(err, func(*prompt.Prompt) {})
	case shape.prompt:
		a.printPrompt(err, func(p *prompt.Prompt) { p.Detail(detail) })
	case !usable:
	case shape.json:
		a.printJSON(detail, newFailure(domain, err))
	default:
		a.printDetail(detail)
	}
	switch {
	case err == nil:
	case usable:
		a.tell(err)
	default:
		a.fail(domain, err)
	}
	if errors.Is(err, wayfind.ErrInvalid) && detail == nil {
		fmt.Fprintf(a.err, "see the keys with: wayfind %s\n", show(domain))
	}
	return nil
}
