// Package parse has the verbs about documents and their formats: parse and formats.
package parse

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/show"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/parse"
)

// Command returns the verb parse.
func Command(a *ui.App) *cobra.Command {
	var o client.ParseOptions
	var asJSON bool
	var now, keys string
	cmd := &cobra.Command{
		Use:     "parse FILE|-",
		Short:   "read one document offline",
		Long:    "parse reads one document from a file, or from standard input with \"-\", without\nsending a request. The content decides the format; of a file that it does not decide,\nthe name does, as for llms.txt. --full shows each capability as\n\"wayfind describe FILE KEY\" does: with parameters, bodies and schemas, as far as the\ndocument itself has them.",
		Example: "  wayfind parse agent.json\n  curl -s https://example.com/.well-known/agent | wayfind parse --url https://example.com/.well-known/agent -",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New(`name one file, or "-" for standard input`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.MaxBytes <= 0 {
				return ui.Usagef("--max-bytes takes values above zero")
			}
			if o.Now, err = session.ParseNow(now); err != nil {
				return err
			}
			if o.Keys, err = session.ReadKeys(keys); err != nil {
				return err
			}
			return runParse(a, cmd, args[0], &o, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Format, "format", "", "read it as the format of this `NAME`, regardless of its content")
	f.StringVar(&o.URL, "url", "", "the `URL` it is from")
	f.StringVar(&o.ContentType, "content-type", "", "the media `TYPE` it came with")
	f.Int64Var(&o.MaxBytes, "max-bytes", parse.DefaultBytes, "read at most this `NUMBER` of bytes of a document whose format has no limit of its own")
	f.BoolVar(&o.Strict, "strict", false, "refuse a document that breaks a MUST of its specification")
	f.StringVar(&keys, "keys", "", session.KeysHelp)
	f.BoolVar(&o.Full, "full", false, "read the details of all capabilities that are in the document")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	f.StringVar(&now, "now", "", "use this `TIME` (RFC 3339) as the present, for reproducible output")
	return cmd
}

func runParse(a *ui.App, cmd *cobra.Command, name string, o *client.ParseOptions, asJSON bool) error {
	body, err := document.Read(a, name)
	if err != nil {
		return err
	}
	result, err := document.Parse(cmd.Context(), name, body, *o)
	if err != nil {
		return err
	}
	if asJSON {
		a.PrintJSON(result, nil)
	} else {
		show.Document(a, result, o.Full, o.URL == "")
	}
	if !result.Usable {
		tellOwnOutput(a, name, body)
		a.Ends(ui.ExitNothing)
	}
	return nil
}

// tellOwnOutput says what a file is good for that this program has written.
func tellOwnOutput(a *ui.App, name string, body []byte) {
	var own struct{ Schema string }
	if json.Unmarshal(body, &own) != nil || !strings.HasPrefix(own.Schema, "wayfind/") {
		return
	}
	told := fmt.Sprintf("wayfind: %s is a result that wayfind printed (%s), and no document of a site; \"wayfind diff\" compares such results", document.Name(name), ui.Show(own.Schema))
	for _, line := range ui.Wrap(told, ui.WidthOf(a.Err)) {
		fmt.Fprintln(a.Err, line)
	}
}

// Schemas returns the schemas of parse and formats.
func Schemas() []ui.Schema {
	return []ui.Schema{
		{Name: "wayfind/document/1", By: "`parse`", About: "The content of one document. A document that no format reads is a result too: `verdict` and `reason` say why.", Value: client.ParseResult{}},
		{Name: "wayfind/formats/1", By: "`formats`", About: "Which formats are read, and where they are looked for.", Value: formatList{}},
	}
}
