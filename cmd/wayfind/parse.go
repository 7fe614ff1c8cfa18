package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/resolve"
)

// maxInput returns the largest size of a document of any format, in bytes.
func maxInput() (most int64) {
	for _, f := range slices.Concat(formats.All(), formats.OnRequest()) {
		most = max(most, f.Limits.WithDefaults().Bytes)
	}
	return most
}

func parseCommand(a *ui.App) *cobra.Command {
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
			if o.Now, err = parseNow(now); err != nil {
				return err
			}
			if o.Keys, err = readKeys(keys); err != nil {
				return err
			}
			return runParse(a, cmd, args[0], &o, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Format, "format", "", "read it as the format of this `NAME`, regardless of its content")
	f.StringVar(&o.URL, "url", "", "the `URL` it is from")
	f.StringVar(&o.ContentType, "content-type", "", "the media `TYPE` it came with")
	f.BoolVar(&o.Strict, "strict", false, "refuse a document that breaks a MUST of its specification")
	f.StringVar(&keys, "keys", "", keysHelp)
	f.BoolVar(&o.Full, "full", false, "read the details of all capabilities that are in the document")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	f.StringVar(&now, "now", "", "use this `TIME` (RFC 3339) as the present, for reproducible output")
	return cmd
}

func runParse(a *ui.App, cmd *cobra.Command, name string, o *client.ParseOptions, asJSON bool) error {
	body, err := readInput(a, name)
	if err != nil {
		return err
	}
	result, err := parseNamed(cmd.Context(), name, body, *o)
	if err != nil {
		return err
	}
	if asJSON {
		a.PrintJSON(result, nil)
	} else {
		printParse(a, result, o.Full, o.URL == "")
	}
	if !result.Usable {
		tellOwnOutput(a, name, body)
		a.Status = max(a.Status, ui.ExitNothing)
	}
	return nil
}

// tellOwnOutput says what a file is good for that this program has written.
func tellOwnOutput(a *ui.App, name string, body []byte) {
	var own struct{ Schema string }
	if json.Unmarshal(body, &own) != nil || !strings.HasPrefix(own.Schema, "wayfind/") {
		return
	}
	told := fmt.Sprintf("wayfind: %s is a result that wayfind printed (%s), and no document of a site; \"wayfind diff\" compares such results", inputName(name), ui.Show(own.Schema))
	for _, line := range ui.Wrap(told, ui.WidthOf(a.Err)) {
		fmt.Fprintln(a.Err, line)
	}
}

// readInput reads a file, or standard input for "-". It returns an error if the input is empty or
// larger than any format accepts.
func readInput(a *ui.App, name string) ([]byte, error) {
	r := a.In
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, ui.Hint(ui.Usage(err), notAFile(name, err))
		}
		defer f.Close()
		r = f
	}
	body, err := io.ReadAll(io.LimitReader(r, maxInput()+1))
	switch {
	case err != nil:
		return nil, ui.Usagef("cannot read %s: %w", name, err)
	case len(body) == 0:
		return nil, ui.Usagef("%s is empty: give a document to read", inputName(name))
	case int64(len(body)) > maxInput():
		return nil, ui.Usagef("%s is larger than %d MiB, which no format reads", inputName(name), maxInput()>>20)
	}
	return body, nil
}

// notAFile returns a hint how to read a name that is a URL or a domain and not a file.
func notAFile(name string, err error) string {
	_, _, wrong := resolve.ParseTarget(name)
	switch known := []string{".json", ".jsonl", ".yaml", ".yml", ".md", ".txt", ".html"}; {
	case !errors.Is(err, fs.ErrNotExist), wrong != nil, slices.Contains(known, strings.ToLower(path.Ext(name))) && !hasScheme(name, "https"):
		return ""
	case hasScheme(name, "https"):
		return `; "wayfind lint" reads URLs`
	}
	return fmt.Sprintf("; a document of a site is named by its URL, such as https://%[1]s/.well-known/agent; \"wayfind %[1]s\" asks all places", name)
}

func inputName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return fmt.Sprintf("%q", name)
}

// parseSchemas returns the schemas of parse and formats.
func parseSchemas() []ui.Schema {
	return []ui.Schema{
		{Name: "wayfind/document/1", By: "`parse`", About: "The content of one document. A document that no format reads is a result too: `verdict` and `reason` say why.", Value: client.ParseResult{}},
		{Name: "wayfind/formats/1", By: "`formats`", About: "Which formats are read, and where they are looked for.", Value: formatList{}},
	}
}
