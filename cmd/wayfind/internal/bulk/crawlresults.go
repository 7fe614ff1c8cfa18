package bulk

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// resultShape selects the form in which results are written.
type resultShape struct {
	csv     string
	summary bool
}

// writer returns a function that writes one result, and a function to call after the last result.
func (s resultShape) writer(to io.Writer) (write func(crawl.Result) error, end func() error, err error) {
	none := func() error { return nil }
	switch {
	case s.csv != "" && s.summary:
		return nil, nil, ui.Usagef("--csv and --summary are two shapes of a result: choose one")
	case s.summary:
		return func(r crawl.Result) error { return summarized(to, r.Data) }, none, nil
	case s.csv == "":
		return func(r crawl.Result) error { _, err := to.Write(append(bytes.TrimSpace(r.Data), '\n')); return err }, none, nil
	case s.csv != "domains" && s.csv != "capabilities":
		return nil, nil, ui.Usagef("--csv %q: write domains or capabilities", s.csv)
	}
	table := csv.NewWriter(to)
	head, rows := domainHead(), domainRows
	if s.csv == "capabilities" {
		head, rows = capabilityHead(), capabilityRows
	}
	if err := table.Write(head); err != nil {
		return nil, nil, err
	}
	write = func(r crawl.Result) error {
		var have storedResult
		if err := json.Unmarshal(r.Data, &have); err != nil {
			return fmt.Errorf("the result of %s: %w", ui.Show(r.Target), err)
		}
		for _, row := range rows(&have) {
			for i, cell := range row {
				row[i] = cellOf(cell)
			}
			if err := table.Write(row); err != nil {
				return err
			}
		}
		return nil
	}
	return write, func() error { table.Flush(); return table.Error() }, nil
}

// summarized writes a result without the places that were asked and without diagnostics.
func summarized(to io.Writer, data []byte) error {
	var have storedResult
	if err := json.Unmarshal(data, &have); err != nil {
		return err
	}
	if have.Site != nil {
		have.Site.Probes, have.Site.Diagnostics = nil, nil
	}
	line, err := ui.EncodeJSON(ui.SchemaResult, have.result, have.Error, false)
	if err == nil {
		_, err = to.Write(line)
	}
	return err
}

// cellOf returns foreign text for a cell of a table. A spreadsheet program must not read it as a
// formula.
func cellOf(s string) string {
	s = text.Printable(s)
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

func domainHead() []string {
	return []string{"domain", "result", "kind", "services", "capabilities", "formats", "not_before", "message"}
}

// domainRows returns the row of a domain.
func domainRows(r *storedResult) [][]string {
	row := []string{r.Target, causeOf(r.Error, r.Incomplete), "", "0", "0", "", "", ""}
	if r.Error != nil {
		row[2], row[7] = r.Error.Kind, r.Error.Message
		if !r.Error.NotBefore.IsZero() {
			row[6] = r.Error.NotBefore.UTC().Format("2006-01-02T15:04:05Z")
		}
	}
	if r.Site == nil {
		return [][]string{row}
	}
	var formats []string
	for _, d := range r.Site.Sources {
		if !slices.Contains(formats, d.Format) {
			formats = append(formats, d.Format)
		}
	}
	n := 0
	for range r.Site.Capabilities() {
		n++
	}
	row[3], row[4], row[5] = fmt.Sprint(len(r.Site.Services)), fmt.Sprint(n), strings.Join(formats, " ")
	return [][]string{row}
}

func capabilityHead() []string {
	return []string{"domain", "service", "key", "kind", "call", "description"}
}

// capabilityRows returns a row for each capability of a domain.
func capabilityRows(r *storedResult) (rows [][]string) {
	if r.Site == nil {
		return nil
	}
	for service, c := range r.Site.Capabilities() {
		rows = append(rows, []string{r.Target, service.Name, c.Key, string(c.Kind), humanize.Call(c), c.Description})
	}
	return rows
}
