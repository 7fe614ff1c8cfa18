package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
)

// schemaTokens is that of the file of --token-file.
const schemaTokens = "wayfind-tokens/1"

// keptToken is a refresh token, by who gave it to whom and for what.
type keptToken struct {
	Issuer   string `json:"issuer"`
	Resource string `json:"resource"`
	Client   string `json:"client"`
	Refresh  string `json:"refresh"`
}

// tokenFile implements call.TokenStore with a file that only its owner may read.
type tokenFile struct {
	name string

	mu   sync.Mutex
	list []keptToken
}

// openTokens reads a file of tokens; one that is not there has none.
func openTokens(name string) (*tokenFile, error) {
	t := &tokenFile{name: name}
	return t, t.read()
}

// read reads the file.
func (t *tokenFile) read() error {
	name := t.name
	raw, err := readPrivate(name)
	if errors.Is(err, fs.ErrNotExist) {
		t.list = nil
		return nil
	}
	if err != nil {
		return usagef("--token-file: %w", err)
	}
	var file struct {
		Schema string      `json:"schema"`
		Tokens []keptToken `json:"tokens"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return usagef("--token-file: %s is no file of tokens", name) // the text of err may hold one
	}
	if err := checkSchema(file.Schema, schemaTokens, errors.New("it is no file of tokens")); err != nil {
		return usagef("--token-file: %s: %w", name, err)
	}
	t.list = file.Tokens
	return nil
}

// Load implements call.TokenStore.
func (t *tokenFile) Load(issuer, resource, client string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range t.list {
		if k.Issuer == issuer && k.Resource == resource && k.Client == client {
			return k.Refresh, nil
		}
	}
	return "", nil
}

// Save implements call.TokenStore.
func (t *tokenFile) Save(issuer, resource, client, refresh string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.read(); err != nil { // another process may have written it
		return err
	}
	t.list = slices.DeleteFunc(t.list, func(k keptToken) bool {
		return k.Issuer == issuer && k.Resource == resource && k.Client == client
	})
	if refresh != "" {
		t.list = append(t.list, keptToken{issuer, resource, client, refresh})
	}
	return t.write()
}

// write puts a new file in the place of the old one, whole or not at all.
func (t *tokenFile) write() error {
	raw, err := json.Marshal(map[string]any{"schema": schemaTokens, "tokens": t.list})
	if err != nil {
		return err
	}
	next, err := os.CreateTemp(filepath.Dir(t.name), ".wayfind-tokens-*") // 0600
	if err != nil {
		return err
	}
	_, err = next.Write(append(raw, '\n'))
	err = errors.Join(err, next.Sync(), next.Close())
	if err == nil {
		err = os.Rename(next.Name(), t.name)
	}
	if err != nil {
		_ = os.Remove(next.Name())
	}
	return err
}

func (a *app) logoutCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "logout [HOST]",
		Short: "forget the tokens of a file",
		Long: `logout takes refresh tokens out of a file that "wayfind call --token-file" wrote: those
for one host, or all. It sends no request: the authorization server is not told.`,
		Example: "  wayfind logout --token-file ~/.wayfind-tokens api.example.com",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if name == "" {
				return usagef("name the file with --token-file")
			}
			t, err := openTokens(name)
			if err != nil {
				return err
			}
			before := len(t.list)
			t.list = slices.DeleteFunc(t.list, func(k keptToken) bool {
				return len(args) == 0 || k.Resource == "https://"+args[0] || strings.HasPrefix(k.Resource, "https://"+args[0]+"/")
			})
			gone := before - len(t.list)
			if gone > 0 {
				if err := t.write(); err != nil {
					return usagef("--token-file: %w", err)
				}
			}
			fmt.Fprintf(a.err, "forgot %d tokens\n", gone)
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "token-file", "", "the `FILE` of the tokens")
	return cmd
}
