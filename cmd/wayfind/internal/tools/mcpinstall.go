package tools

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/hosts"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/run/privatefile"
)

// runInstall prints the difference and then writes the entry of this command line into the
// configuration of a host.
func runInstall(a *ui.App, cmd *cobra.Command, f *mcpFlags) error {
	host, err := knownHost("install", f.install)
	if err != nil {
		return err
	}
	entry, err := f.entry(cmd, host)
	if err != nil {
		return err
	}
	for _, name := range host.Needs(entry) {
		if os.Getenv(name) == "" {
			return ui.Usagef("%s takes no references to variables, and %s is empty", host.Name, name)
		}
	}
	file, err := configFile(host)
	if err != nil {
		return err
	}
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	next, err := host.Set(old, entry, os.Getenv)
	if err != nil {
		return fmt.Errorf("%s is left as it is: %w; use --print-config %s", file, err, host.Name)
	}
	if bytes.Equal(old, next) {
		fmt.Fprintf(a.Err, "%s has the entry already\n", file)
		return nil
	}
	fmt.Fprintf(a.Out, "%s\n%s", file, difference(host.Shown(old), host.Shown(next)))
	return replace(file, next, len(host.Needs(entry)) > 0)
}

// configFile returns the path of the configuration of a host. If it is a symbolic link, the path is
// that of its target.
func configFile(host *hosts.Host) (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	working, err := os.Getwd()
	if err != nil {
		return "", err
	}
	file := host.File(home, config, working)
	if target, err := filepath.EvalSymlinks(file); err == nil {
		return target, nil
	}
	return file, nil
}

// replace replaces a file. If the text contains a secret, only the owner may access the new file.
// Otherwise the file keeps its mode.
func replace(file string, text []byte, isSecret bool) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	mode := fs.FileMode(0o600)
	if was, err := os.Stat(file); err == nil && !isSecret {
		mode = was.Mode().Perm()
	}
	if err := privatefile.Write(file, privatefile.Bytes(text)); err != nil || mode == 0o600 {
		return err
	}
	return os.Chmod(file, mode)
}

// difference returns the removed lines of a text after "-", and the added lines after "+".
func difference(old, next string) string {
	a, b := strings.SplitAfter(old, "\n"), strings.SplitAfter(next, "\n")
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	a, b = a[same:], b[same:]
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	var out strings.Builder
	put := func(sign string, lines []string) {
		for _, line := range lines {
			if line != "" {
				out.WriteString(sign + strings.TrimSuffix(line, "\n") + "\n")
			}
		}
	}
	put("- ", a)
	put("+ ", b)
	return out.String()
}
