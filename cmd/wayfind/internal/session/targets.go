package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/site/provenance"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security"
)

// OriginOfHost returns the origin of a host that a flag names.
func OriginOfHost(host string) (string, error) {
	return security.ReadOrigin("https://" + host)
}

// NameTargets records the targets of a command line, and returns them as the Client takes them. It returns
// the error of the first word that cannot be a target, so that the arguments of a mistyped command are not
// asked for. It turns --live on if all targets are URLs with a path, because such a URL may be an endpoint
// that no document names.
func NameTargets(a *ui.App, cmd *cobra.Command, n *Network, words ...string) (targets []string, err error) {
	if err := n.Servers.read(); err != nil {
		return words, err
	}
	targets = n.asServers(words)
	n.Targets, n.Source = targets, client.TargetsTyped
	if n.Dev {
		n.Targets = slices.Concat(targets, n.serversOf(cmd.Context(), targets))
	}
	a.Guard = n.DevGuard()
	paths := len(targets) > 0
	for _, s := range targets {
		if document.IsPath(s) { // AddFiles reads it
			paths = false
			continue
		}
		target, err := parseTarget(a, s)
		if err != nil {
			return targets, err
		}
		paths = paths && target.HasURL() && (target.Server || document.HasScheme(s, "https") || a.Guard.IsDev(target.Origin))
	}
	if !cmd.Flags().Changed("live") && (paths || len(n.Servers.specs) > 0) {
		n.Live = true
	}
	return targets, nil
}

// RegisterMCP adds the flags to a command whose targets may be servers, or files of descriptions.
func (n *Network) RegisterMCP(cmd *cobra.Command) {
	cmd.Flags().StringVar(&n.ServerURL, "server-url", "", "call the server at this `URL` in place of those that the file of an API description names")
	cmd.Flags().BoolVar(&n.mcp, "mcp", false, "the URLs that you name are MCP servers: ask them as such, whatever a GET of them shows, and no other place")
}

// asServers returns the targets of --mcp: each word, as the URL of an MCP server.
func (n *Network) asServers(words []string) []string {
	list := slices.Clone(words)
	for i, word := range list {
		switch {
		case !n.mcp || document.IsPath(word) || strings.HasPrefix(word, resolve.ServerPrefix):
		case strings.Contains(word, "://"):
			list[i] = resolve.ServerPrefix + word
		default:
			list[i] = resolve.ServerPrefix + "https://" + word
		}
	}
	return list
}

// DevGuard returns a guard that permits the targets of --dev and --allow-name, and the servers of
// --server.
func (n *Network) DevGuard() *security.Guard {
	guard := &security.Guard{AllowNames: n.allowName}
	for _, port := range n.allowPort {
		guard.AllowPorts = append(guard.AllowPorts, uint16(port))
	}
	guard.AllowDev = n.devOrigins()
	for _, spec := range n.Servers.specs {
		guard.AllowDev = append(guard.AllowDev, spec.Origin())
	}
	return guard
}

// devOrigins returns the origins of the targets of --dev.
func (n *Network) devOrigins() (list []string) {
	for _, s := range n.Targets {
		if origin, err := security.ParseDev(strings.TrimPrefix(s, resolve.ServerPrefix)); n.Dev && err == nil && !slices.Contains(list, origin) {
			list = append(list, origin)
		}
	}
	return list
}

// IsKey reports whether a word looks like the key of a capability, such as adp:send_email, or like
// its name alone, and not like a domain with a port. A name counts if it has no dot, because no
// public domain is like that.
func IsKey(a *ui.App, word string) bool {
	format, name, found := strings.Cut(word, ":")
	if _, err := security.ParseDev(word); err == nil || word == "" || document.NamesSite(word) || IsTarget(a, word) {
		return false
	}
	return !strings.ContainsAny(format, "./[") && (!found || name != "" && format != "")
}

// InOrder returns the words of "DOMAIN KEY …", of which the first two may be in the order "KEY
// DOMAIN".
func InOrder(a *ui.App, args []string) []string {
	if len(args) < 2 || !IsKey(a, args[0]) {
		return args
	}
	if _, err := security.ParseDev(args[1]); err != nil && !IsTarget(a, args[1]) && !document.NamesSite(args[1]) {
		return args
	}
	return append([]string{args[1], args[0]}, args[2:]...)
}

// TargetError returns the error of a word that names no domain, or nil if it names one.
func TargetError(a *ui.App, domain string) error {
	_, err := parseTarget(a, domain)
	return err
}

func parseTarget(a *ui.App, word string) (resolve.Target, error) {
	if err := document.Absent(word); err != nil {
		return resolve.Target{}, err
	}
	target, _, err := resolve.ParseTargetFor(word, a.Guard)
	return target, err
}

// IsTarget reports whether a word names a domain.
func IsTarget(a *ui.App, domain string) bool { return TargetError(a, domain) == nil }

// serversOf returns the servers that files among the words name, so that --dev allows those of this machine.
func (n *Network) serversOf(ctx context.Context, words []string) (urls []string) {
	if n.ServerURL != "" {
		return []string{n.ServerURL}
	}
	for _, word := range words {
		if !document.IsPath(word) {
			continue
		}
		body, err := os.ReadFile(word)
		if err != nil {
			continue // AddFiles returns the error
		}
		read, err := document.Parse(ctx, word, body, client.ParseOptions{})
		if err != nil {
			continue
		}
		for u := range provenance.Addresses(read.Site) {
			if document.HasScheme(u, "http") { // https is asked without --dev
				urls = append(urls, u)
				break
			}
		}
	}
	return urls
}

// Absolute returns the words with absolute paths in place of relative ones.
func Absolute(words []string) ([]string, error) {
	list := slices.Clone(words)
	for i, word := range list {
		if !document.IsPath(word) {
			continue
		}
		whole, err := filepath.Abs(word)
		if err != nil {
			return nil, ui.Usage(err)
		}
		list[i] = whole
	}
	return list, nil
}

// AddFiles gives the Client the documents that words name as files, and returns the words with their
// targets in place of the files.
func (s *Session) AddFiles(ctx context.Context, words []string) ([]string, error) {
	list := slices.Clone(words)
	if s.server != "" && !slices.ContainsFunc(list, document.IsPath) {
		return nil, errServerURL
	}
	for i, word := range list {
		if !document.IsPath(word) {
			continue
		}
		target, err := s.addFile(ctx, word, filepath.Base(word))
		if err == nil && slices.Contains(list[:i], target) {
			target, err = s.addFile(ctx, word, fmt.Sprintf("%d/%s", i+1, filepath.Base(word)))
		}
		if err != nil {
			return nil, err
		}
		list[i] = target
	}
	return list, nil
}

// errServerURL is the error of --server-url without a file.
var errServerURL = ui.Usagef("--server-url is for the file of an API description, such as ./openapi.yaml")

// CheckServerURL returns an error if --server-url is given and no file is named.
func (n *Network) CheckServerURL(file bool) error {
	if n.ServerURL != "" && !file {
		return errServerURL
	}
	return nil
}

func (s *Session) addFile(ctx context.Context, name, as string) (target string, err error) {
	body, err := document.Read(s.app, name)
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return "", ui.Usage(err)
	}
	s.files = append(s.files, root)
	target, err = s.AddDocument(ctx, &client.Document{Name: as, Body: body, Files: root.FS(), Server: s.server})
	if err != nil {
		return "", ui.Usagef("%s: %w; see: wayfind parse %s", ui.Show(name), err, ui.Show(name))
	}
	fmt.Fprintf(s.app.Err, "wayfind: file %s is read as %s\n", ui.Show(name), ui.Show(target))
	return target, nil
}
