package inspect

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/inspect"
)

// maxHAR is the maximum size of a HAR file, in bytes.
const maxHAR = 256 << 20

// isHAR reports whether a word names a log of requests.
func isHAR(word string) bool {
	info, err := os.Stat(word)
	return err == nil && info.Mode().IsRegular() && strings.EqualFold(filepath.Ext(word), ".har")
}

// inspectLog shows a log of requests.
func inspectLog(ctx context.Context, a *ui.App, args []string, f *inspectFlags) error {
	file := args[0]
	switch {
	case len(args) > 1:
		return ui.Usagef("%s is a log of requests, and has no domain to choose", ui.Show(file))
	case f.html != "":
		return ui.Usagef("--html writes the answer of a domain, and %s is a log of requests", ui.Show(file))
	}
	info, err := os.Stat(file)
	if err != nil {
		return ui.Usage(err)
	}
	if info.Size() > maxHAR {
		return ui.Usagef("%s has more than %d MiB", ui.Show(file), maxHAR>>20)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return ui.Usage(err)
	}
	watch, err := inspect.ReadHAR(raw)
	if err != nil {
		return ui.Usagef("%s: %w", file, err)
	}
	i, err := inspect.New(inspect.Options{Target: filepath.Base(file), Log: true, Watch: watch, Version: strings.Fields(ui.Version())[0], OpenedTwice: func() { tellOpenedTwice(a) }})
	if err != nil {
		return err
	}
	return serveInspector(ctx, a, i, f)
}
