package main

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
	"github.com/wayfindhq/wayfind/internal/privatefile"
)

// install writes the entry of this line into the configuration of a host, after it has shown
// the difference.
func (a *app) install(cmd *cobra.Command, f *mcpFlags) error {
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
			return usagef("%s takes no references to variables, and %s is empty", host.Name, name)
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
		fmt.Fprintf(a.err, "%s has the entry already\n", file)
		return nil
	}
	fmt.Fprintf(a.out, "%s\n%s", file, masked(difference(string(old), string(next)), host.Needs(entry)))
	return replace(file, next, len(host.Needs(entry)) > 0)
}

// configFile is the configuration of a host. A link is followed: the file that it leads to is
// replaced.
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

// replace puts a new file in the place of the old one. It is the owner's alone if it holds a
// secret, and keeps its mode otherwise.
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

// difference is the lines that a new text has and an old one has not, after "+", and those
// that it has no longer, after "-".
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

// masked is a text without the values of variables.
func masked(text string, names []string) string {
	for _, name := range names {
		quoted := fmt.Sprintf("%q", os.Getenv(name))
		text = strings.ReplaceAll(text, quoted[1:len(quoted)-1], "(the value of "+name+")")
	}
	return text
}
