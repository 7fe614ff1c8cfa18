package ui

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/itchyny/gojq"
	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/internal/run/privatefile"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// outputFlags are the flags for the output of a command.
type outputFlags struct {
	jq   string
	file string
}

// RegisterOutput adds --jq and --out to the commands that can print JSON, and to call. A command
// with its own flag --out keeps it.
func (a *App) RegisterOutput(root *cobra.Command) {
	for _, c := range root.Commands() {
		a.RegisterOutput(c)
		if !PrintsJSON(c) || c.Name() == "demo" {
			continue
		}
		if c.Flags().Lookup("out") == nil {
			c.Flags().StringVarP(&a.output.file, "out", "o", "", "write the result to `FILE`, which is replaced when all is written")
		}
		if c.Name() != "results" { // it copies each result as it is
			c.Flags().StringVar(&a.output.jq, "jq", "", "print what this `FILTER` in the language of jq makes of the JSON; a text is printed without quotes")
		}
	}
}

// Filters reports whether a filter is given.
func (a *App) Filters() bool { return a.output.jq != "" }

// PrintsJSON reports whether a command can print JSON.
func PrintsJSON(c *cobra.Command) bool {
	return c.Flags().Lookup("json") != nil || c.Annotations[AlwaysJSON] != "" || c.Annotations[ResultJSON] != ""
}

// Redirect makes a command write its result as its flags demand. [App.End] writes the rest.
func (a *App) Redirect(cmd *cobra.Command) error {
	a.finish = func() error { return nil }
	if slices.Contains([]string{"json", "yaml", "wide", "table", "csv"}, a.output.file) {
		return Usagef("-o %s names a file; --json prints JSON, and --out ./%s writes to a file of that name", a.output.file, a.output.file)
	}
	to := a.Out
	if a.output.file != "" {
		file, whole := a.output.file, &bytes.Buffer{}
		a.finish = func() error {
			if whole.Len() == 0 {
				return nil // without a result, an existing file is kept
			}
			return a.Replace(cmd.Context(), file, whole.Bytes())
		}
		to = whole
	}
	if a.output.jq != "" {
		if f := cmd.Flags().Lookup("json"); f != nil && f.Value.Type() == "bool" {
			if err := f.Value.Set("true"); err != nil {
				return err
			}
			a.JSON = true
		}
		query, err := gojq.Parse(a.output.jq)
		if err != nil && err.Error() == io.ErrUnexpectedEOF.Error() {
			return Usagef("--jq %q: the filter ends too early", a.output.jq)
		}
		if err != nil {
			return Usagef("--jq %q: %w", a.output.jq, err)
		}
		code, err := gojq.Compile(query)
		if err != nil {
			return Usagef("--jq %q: %w", a.output.jq, err)
		}
		before := a.finish
		filter := &filtered{code: code, to: to, lines: cmd.Name() == "batch"}
		a.finish = func() error { return errors.Join(filter.end(), before()) }
		to = filter
	}
	a.Out = to
	return nil
}

// Replace replaces a file by the result of a command. If the command was interrupted, the file stays as
// it is: the result is only a part.
func (a *App) Replace(ctx context.Context, file string, content []byte) error {
	if !errors.Is(context.Cause(ctx), context.Canceled) {
		return privatefile.Write(file, privatefile.Bytes(content))
	}
	state := "is as it was"
	if _, err := os.Lstat(file); err != nil {
		state = "is not written"
	}
	fmt.Fprintf(a.Err, "wayfind: interrupted: %s %s\n", Show(file), state)
	a.saidInterrupted = true
	a.Ends(ExitInterrupted)
	return nil
}

// filtered applies a filter of jq to each JSON value that is written to it, and writes the results.
// If the filter fails on a value, the next one is filtered all the same.
type filtered struct {
	code   *gojq.Code
	to     io.Writer
	lines  bool // each value is a line, and is filtered at once
	all    bytes.Buffer
	failed error // of the filter, on the first value on which it failed
	times  int   // number of values on which it failed
}

// Write implements io.Writer.
func (f *filtered) Write(p []byte) (int, error) {
	_, _ = f.all.Write(p) // never fails
	if i := bytes.LastIndexByte(f.all.Bytes(), '\n'); f.lines && i >= 0 {
		if err := f.filter(bytes.NewReader(f.all.Next(i + 1))); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// end filters the values that are left. Its error is also that of the filter, on any value.
func (f *filtered) end() error {
	if err := f.filter(&f.all); err != nil {
		return err
	}
	if f.times > 1 {
		return Usagef("--jq: %w (the filter fails on %d results)", f.failed, f.times)
	}
	if f.failed != nil {
		return Usagef("--jq: %w", f.failed)
	}
	return nil
}

// filter filters values. Its error is not that of the filter.
func (f *filtered) filter(from io.Reader) error {
	values := json.NewDecoder(from)
	values.UseNumber()
	for {
		var v any
		switch err := values.Decode(&v); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("--jq: the result is not JSON: %w", err)
		}
		if err := f.one(v); err != nil {
			return err
		}
	}
}

// one filters one value and writes the results.
func (f *filtered) one(v any) error {
	results := f.code.Run(v)
	for {
		result, ok := results.Next()
		if !ok {
			return nil
		}
		if err, failed := result.(error); failed {
			f.failed = cmp.Or(f.failed, err)
			f.times++
			return nil
		}
		line, isText := result.(string)
		if !isText {
			raw, err := gojq.Marshal(result)
			if err != nil {
				return err
			}
			line = string(text.EscapeJSON(raw))
		} else {
			line = text.Printable(line)
		}
		if _, err := fmt.Fprintln(f.to, line); err != nil {
			return err
		}
	}
}
