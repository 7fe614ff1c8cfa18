package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// namesFile reports whether an argument names a file and not a domain. No top-level domain has the
// name of one of these file extensions.
func namesFile(name string) bool {
	if slices.Contains([]string{"-", ".", ".."}, name) || strings.HasPrefix(name, "/") && !strings.HasPrefix(name, "//") {
		return true
	}
	first, _, isPath := strings.Cut(filepath.ToSlash(name), "/")
	if isPath && (first == "." || first == "..") {
		return true
	}
	if strings.HasPrefix(name, ".") {
		_, err := os.Stat(name)
		return err == nil
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".json", ".yaml", ".yml", ".txt":
		info, err := os.Stat(name)
		return err == nil && info.Mode().IsRegular()
	}
	return false
}

// describeFile shows how to call one capability of a document, without sending a request.
func describeFile(a *ui.App, cmd *cobra.Command, name, key string, n *network, shape *output) error {
	o, err := n.options(a)
	if err != nil {
		return err
	}
	body, err := readInput(a, name)
	if err != nil {
		return err
	}
	result, err := parseNamed(cmd.Context(), name, body, client.ParseOptions{
		Formats: o.Formats, Strict: o.Strict, MaxBytes: o.Limits.MaxBytes, Keys: o.Trust.Keys, Now: o.Lab.Now, SuffixList: o.Policy.SuffixList, Full: true})
	if err != nil {
		return err
	}
	detail := detailOf(result.Site, key)
	switch {
	case !result.Usable && (shape.json || shape.prompt):
		err := wayfind.NewError("describe", "", wayfind.CodeUnusable, errors.New(strings.TrimSpace(fmt.Sprintf("%s: %s %s", inputName(name), result.Verdict, ui.Parenthesis(result.Reason)))))
		if shape.prompt {
			printPrompt(a, err, func(*prompt.Prompt) {})
		}
		a.Fail(name, err)
		return nil
	case !result.Usable:
		printParse(a, result, false, false)
		a.Status = max(a.Status, ui.ExitNothing)
		return nil
	case detail == nil:
		err := ui.Usagef("%s has no capability or service %q", inputName(name), key)
		if near := text.NearestKey(key, plainKeys(result.Site)); near != "" {
			err = ui.Hint(err, fmt.Sprintf("; did you mean %q?", near))
		}
		return ui.Hint(err, "; see the keys with: wayfind parse "+name)
	case shape.prompt:
		printPrompt(a, nil, func(p *prompt.Prompt) { p.Detail(detail) })
	case shape.json:
		a.PrintJSON(detail, nil)
	default:
		printDetail(a, detail)
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
