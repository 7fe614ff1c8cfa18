package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/security"
)

// ReadSite reads a file that "wayfind resolve --json" wrote for one domain.
func ReadSite(name string) (*wayfind.Site, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, ui.Usagef("%w", err)
	}
	site, err := parseSite(data)
	if err != nil {
		return nil, ui.Usage(wayfind.NewError("diff", "", wayfind.CodeStored, fmt.Errorf("%q: %w", name, err)))
	}
	return site, nil
}

// parseSite reads one Site. A Site without a schema was written by a Go program.
func parseSite(data []byte) (*wayfind.Site, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	var stored struct {
		Schema string `json:"schema"`
		wayfind.Site
	}
	if err := d.Decode(&stored); err != nil {
		return nil, fmt.Errorf("line %d: %w", lineAt(data, d.InputOffset()), err)
	}
	noSite := errors.New("it is no Site as \"wayfind resolve --json\" prints one")
	if stored.Schema != "" {
		if err := ui.CheckSchema(stored.Schema, ui.SchemaSite, noSite); err != nil {
			return nil, err
		}
	}
	if _, err := security.ReadOrigin(stored.Origin); err != nil {
		return nil, noSite
	}
	if origin, err := url.Parse(stored.Origin); err != nil || !(*security.SuffixList)(nil).SameSite(stored.Host, origin.Hostname()) {
		stored.Host = "" // the host of a file is a claim
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: there is more than one Site in it", lineAt(data, d.InputOffset()))
	}
	return &stored.Site, nil
}

// lineAt returns the line of an offset, from 1.
func lineAt(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(int64(len(data)), offset)], []byte("\n"))
}
