package inspect

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/attach"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/inspect"
)

// inspectProcess shows the requests of a running "wayfind mcp".
func inspectProcess(ctx context.Context, a *ui.App, args []string, f *inspectFlags) error {
	list := attach.Processes(ctx)
	var pid string
	switch {
	case f.html != "" || f.refresh || len(f.against) > 0:
		return ui.Usagef("--attach shows the requests of a process, and goes with --port and --no-browser alone")
	case len(args) == 1:
		pid = args[0]
		if !slices.Contains(list, pid) {
			return ui.Usagef("process %s is no \"wayfind mcp\" of yours that runs", ui.Show(pid))
		}
	case len(list) == 0:
		return ui.Usagef("no \"wayfind mcp\" of yours runs: a host starts one, or start it with --http")
	case len(list) > 1:
		return ui.Usagef("several of them run: name one of the processes %s, for example \"wayfind inspect --attach %s\"", strings.Join(list, ", "), list[0])
	default:
		pid = list[0]
	}
	conn, err := attach.Dial(ctx, filepath.Join(attach.Dir(), pid+".sock"))
	if err != nil {
		return ui.Usage(err)
	}
	defer conn.Close()
	watch, ended, err := inspect.Attach(conn)
	if err != nil {
		return fmt.Errorf("process %s: %w", pid, err)
	}
	i, err := inspect.New(inspect.Options{
		Target: "wayfind mcp, process " + pid, Log: true, Live: true, Watch: watch, Version: strings.Fields(ui.Version())[0], OpenedTwice: func() { tellOpenedTwice(a) },
	})
	if err != nil {
		return err
	}
	go func() {
		<-ended
		i.Ended()
	}()
	return serveInspector(ctx, a, i, f)
}
