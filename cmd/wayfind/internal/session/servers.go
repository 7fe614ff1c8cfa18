package session

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/stdio"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
)

// serverFlags are the flags for MCP servers that are started by a command.
type serverFlags struct {
	Lines, env []string
	specs      []*stdio.Spec
	Elicits    bool // the servers may ask questions
	ForHosts   bool // hosts show the questions
}

// Register adds the flags to a command.
func (f *serverFlags) Register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.Lines, "server", nil, "start an MCP server that speaks over standard input and output, as `NAME=COMMAND`, such as 'notes=npx -y notes-server'; no shell reads the command")
	cmd.Flags().StringArrayVar(&f.env, "server-env", nil, "hand a variable of the environment on to a --server, as `NAME=env:VARIABLE`; beside such variables the server gets "+strings.Join(stdio.Basics(), ", "))
}

// read reads the flags. It returns an error if a command does not exist, which a host might not
// show.
func (f *serverFlags) read() error {
	f.specs = nil
	for _, line := range f.Lines {
		spec, err := stdio.Parse(line)
		if err != nil {
			return ui.Usagef("--server %q: %w", line, err)
		}
		if f.named(spec.Name) != nil {
			return ui.Usagef("--server: there are two servers with the name %q", spec.Name)
		}
		if _, err := spec.Find(); err != nil {
			return ui.Usagef("--server %s: %w", spec.Name, err)
		}
		f.specs = append(f.specs, spec)
	}
	for _, line := range f.env {
		name, variable, ok := strings.Cut(line, "=env:")
		spec := f.named(name)
		switch {
		case !ok || variable == "":
			return ui.Usagef("--server-env: write NAME=env:VARIABLE, with the name of a --server") // the value may be a secret
		case spec == nil:
			return ui.Usagef("--server-env %s: there is no --server with this name", line)
		}
		spec.Env = append(spec.Env, variable)
	}
	return nil
}

// named returns the server with a name, or nil if there is none.
func (f *serverFlags) named(name string) *stdio.Spec {
	if i := slices.IndexFunc(f.specs, func(s *stdio.Spec) bool { return s.Name == name }); i >= 0 {
		return f.specs[i]
	}
	return nil
}

// Targets reads the flags, and returns the words of a command line with the names of servers
// replaced by their URLs.
func (f *serverFlags) Targets(words []string) (list []string, err error) {
	if err := f.read(); err != nil {
		return nil, err
	}
	for _, word := range words {
		if spec := f.named(word); spec != nil {
			word = spec.URL()
		}
		list = append(list, word)
	}
	return list, nil
}

// With returns targets, followed by the URLs of the servers that are not among them.
func (f *serverFlags) With(targets []string) []string {
	list := slices.Clone(targets)
	for _, spec := range f.specs {
		if !slices.Contains(list, spec.URL()) {
			list = append(list, spec.URL())
		}
	}
	return list
}

// running are the servers of a session.
type running []*stdio.Server

// start lets a Client reach the servers. A server is started for the first request to it. The lines
// that it writes to standard error are printed with its name.
func (f *serverFlags) start(a *ui.App, o *client.Options) (all running) {
	able := rawjson.Obj()
	if f.Elicits || f.ForHosts {
		able = rawjson.Obj(rawjson.Member{Name: "elicitation", Value: rawjson.Obj()})
	}
	for _, spec := range f.specs {
		spec.Ending = a.Ending
		all = append(all, stdio.New(spec, able, func(line string) {
			fmt.Fprintf(a.Err, "%s: %s\n", spec.Name, ui.Show(line))
		}))
	}
	o.Network.Local = all.Reach()
	return all
}

// Reach returns the functions by which a Client connects to the servers, by host.
func (r running) Reach() map[string]func(context.Context) (net.Conn, error) {
	ways := make(map[string]func(context.Context) (net.Conn, error))
	for _, server := range r {
		ways[server.Host()] = server.Dial
	}
	return ways
}

// Close ends the processes, all at the same time.
func (r running) Close() error {
	errs := make([]error, len(r))
	var work sync.WaitGroup
	for i, server := range r {
		work.Go(func() { errs[i] = server.Close() })
	}
	work.Wait()
	return errors.Join(errs...)
}
