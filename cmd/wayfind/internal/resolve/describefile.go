package resolve

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/show"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// describeFile shows how to call one capability of a document, without sending a request.
func describeFile(a *ui.App, cmd *cobra.Command, name, key string, n *session.Network, shape *output) error {
	o, err := n.Options(a)
	if err != nil {
		return err
	}
	body, err := document.Read(a, name)
	if err != nil {
		return err
	}
	result, err := document.Parse(cmd.Context(), name, body, client.ParseOptions{
		Formats: o.Formats, Strict: o.Strict, MaxBytes: o.Limits.MaxBytes, Keys: o.Trust.Keys, Now: o.Lab.Now, SuffixList: o.Policy.SuffixList, Full: true})
	if err != nil {
		return err
	}
	detail := detailOf(result.Site, key)
	switch {
	case !result.Usable && (shape.json || shape.prompt):
		err := wayfind.NewError("describe", "", wayfind.CodeUnusable, errors.New(strings.TrimSpace(fmt.Sprintf("%s: %s %s", document.Name(name), result.Verdict, ui.Parenthesis(result.Reason)))))
		if shape.prompt {
			show.Prompt(a, err, func(*prompt.Prompt) {})
		}
		a.Fail(name, err)
		return nil
	case !result.Usable:
		show.Document(a, result, false, false)
		a.Status = max(a.Status, ui.ExitNothing)
		return nil
	case detail == nil:
		err := ui.Usagef("%s has no capability or service %q", document.Name(name), key)
		if near := text.NearestKey(key, show.PlainKeys(result.Site)); near != "" {
			err = ui.Hint(err, fmt.Sprintf("; did you mean %q?", near))
		}
		return ui.Hint(err, "; see the keys with: wayfind parse "+name)
	case shape.prompt:
		show.Prompt(a, nil, func(p *prompt.Prompt) { p.Detail(detail) })
	case shape.json:
		a.PrintJSON(detail, nil)
	default:
		show.Detail(a, detail)
	}
	return nil
}

// detailOf returns a Site's definition of a key, or nil if it has none.
func detailOf(site *wayfind.Site, key string) *wayfind.Detail {
	d := &wayfind.Detail{Diagnostics: site.Diagnostics}
	if d.Service, d.Capability = site.Capability(key); d.Capability != nil {
		return d
	}
	if d.Service = site.Service(key); d.Service != nil {
		return d
	}
	return nil
}
