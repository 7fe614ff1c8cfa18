package tools

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/commandline"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/hosts"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/stdio"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// knownHost returns the host with a name, which is the value of a flag.
func knownHost(flag, name string) (*hosts.Host, error) {
	if h := hosts.Named(name); h != nil {
		return h, nil
	}
	return nil, ui.Usagef("--%s %q is no host; write one of %s", flag, name, strings.Join(hosts.Names(), ", "))
}

// printConfig prints the configuration of a host that starts this command with the flags of this
// command line.
func printConfig(a *ui.App, cmd *cobra.Command, f *mcpFlags) error {
	host, err := knownHost("print-config", f.config)
	if err != nil {
		return err
	}
	entry, err := f.entry(cmd, host)
	if err != nil {
		return err
	}
	text, err := host.Print(entry, func(name string) string { return "the value of " + name })
	if err != nil {
		return err
	}
	where := "write this into " + host.Where
	if host.Name == "claude-code" {
		where = host.Where
	}
	fmt.Fprintf(a.Err, "%s (%s)\n", where, host.Docs)
	if needs := host.Needs(entry); len(needs) > 0 {
		fmt.Fprintf(a.Err, "put in the values of %s: the host takes no references to variables (--install does it)\n", strings.Join(needs, ", "))
	}
	fmt.Fprintln(a.Out, text)
	return nil
}

// entry returns the entry for a host that uses the server of this command line.
func (f *mcpFlags) entry(cmd *cobra.Command, host *hosts.Host) (*hosts.Entry, error) {
	e, err := new(hosts.Entry), error(nil)
	if f.http != "" {
		err = f.remote(e)
	} else {
		err = local(e, cmd)
	}
	if err == nil && !host.Takes(e) {
		err = ui.Usagef("%s starts its servers itself; leave out --http", host.Name)
	}
	return e, err
}

// remote fills in the entry of a server that listens at --http.
func (f *mcpFlags) remote(e *hosts.Entry) error {
	at, err := f.address()
	if err != nil {
		return err
	}
	if at.Port() == 0 {
		return ui.Usagef("--http %q: a configuration needs the port", f.http)
	}
	if f.token == "" {
		return ui.Usagef("a configuration needs the token of --http: write --token env:NAME, or none")
	}
	e.URL = "http://" + at.String() + "/mcp"
	e.Token, err = f.tokenVariable() // hosts read the variable themselves
	return err
}

// address returns the value of --http, which must be an address of this machine.
func (f *mcpFlags) address() (netip.AddrPort, error) {
	at, err := netip.ParseAddrPort(strings.Replace(f.http, "localhost", "127.0.0.1", 1))
	if err != nil || !at.Addr().IsLoopback() {
		return at, ui.Usagef("--http %q: write an address of this machine with a port, such as 127.0.0.1:8765", f.http)
	}
	return at, nil
}

// local fills in the entry of a server that the host starts.
func local(e *hosts.Entry, cmd *cobra.Command) (err error) {
	if e.Command, err = executable(); err != nil {
		return err
	}
	if cmd.Flags().Changed("header") {
		return ui.Usagef("-H is not written into a configuration, because its value may be a secret: start the command by hand, with --http")
	}
	e.Args = []string{"mcp"}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		variable := commandline.VariableOf(flag.Name)
		fromEnv := !flag.Changed && slices.Contains(commandline.EnvironmentFlags(), flag.Name) && os.Getenv(variable) != ""
		switch {
		case !flag.Changed && !fromEnv, slices.Contains([]string{"print-config", "install"}, flag.Name):
		case fromEnv && strings.Contains(flag.Value.String(), "@") && strings.Contains(flag.Value.String(), "://"):
			e.Env = append(e.Env, variable) // a URL with a password must not be an argument
		default:
			e.Args = append(e.Args, words(flag)...)
		}
	})
	for _, word := range e.Args {
		if m := variableWord.FindStringSubmatch(word); m != nil && !slices.Contains(e.Env, m[1]) {
			e.Env = append(e.Env, m[1])
		}
	}
	return nil
}

// variableWord matches an argument that names an environment variable.
var variableWord = regexp.MustCompile(`(?:^|=)env:([A-Za-z_][A-Za-z0-9_]*)$`)

// executable returns the path of this command. It returns an error if "go run" built it.
func executable() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "wayfind", nil
	}
	built := slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), func(part string) bool { return strings.HasPrefix(part, "go-build") })
	if built && !strings.HasSuffix(path, ".test") {
		return "", ui.Usagef("this command is in a directory of \"go run\", which goes away; install it first (go install github.com/wayfindhq/wayfind/cmd/wayfind@latest)")
	}
	return path, nil
}

// words returns a flag as it is written on a command line, valid in any directory.
func words(flag *pflag.Flag) (list []string) {
	slice, isSlice := flag.Value.(pflag.SliceValue)
	switch text := flag.Value.String(); {
	case isSlice:
		for _, v := range slice.GetSlice() {
			list = append(list, "--"+flag.Name, absolute(flag, v))
		}
		return list
	case flag.Value.Type() == "bool" && text == "true":
		return []string{"--" + flag.Name}
	case flag.Value.Type() == "bool":
		return []string{"--" + flag.Name + "=false"}
	default:
		return []string{"--" + flag.Name, absolute(flag, text)}
	}
}

// absolute returns the value of a flag with the absolute path of the file that it names, because a
// host starts the command in another directory.
func absolute(flag *pflag.Flag, value string) string {
	if flag.Name == "server" {
		if spec, err := stdio.Parse(value); err == nil {
			return spec.Elsewhere()
		}
	}
	scheme, path, isFile := strings.Cut(value, "=file:")
	if isFile {
		scheme += "=file:"
	} else {
		scheme, path = "", value
	}
	kind, _ := pflag.UnquoteUsage(flag)
	if path == "" || !isFile && kind != "FILE" && kind != "DIR" || path == "none" || strings.Contains(path, "://") {
		return value
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return value
	}
	return scheme + whole
}
