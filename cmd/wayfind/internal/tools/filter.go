package tools

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// filterFlags are the flags that select the operations that become tools, and name them.
type filterFlags struct {
	only  tools.Filter
	names string
}

func (f *filterFlags) registerFlags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.only.Tags, "tag", nil, "only operations with this `TAG`, or with one of several")
	cmd.Flags().StringArrayVar(&f.only.Paths, "path", nil, "only operations at this `PATH`, such as /orders/{id}; \"*\" is any text within a segment, and a \"/\" at the end means everything below")
	cmd.Flags().StringArrayVar(&f.only.Methods, "method", nil, "only operations with this HTTP `METHOD`, or with one of several")
	cmd.Flags().StringVar(&f.names, "names", "", "name tools as `FILE` says: JSON such as [{\"name\": \"orders\", \"domain\": \"example.com\", \"method\": \"GET\", \"path\": \"/orders\"}], or with \"id\" in the place of method and path")
}

// filters returns the filters of the flags, or nil if no flag selects operations.
func (f *filterFlags) filters() []tools.Filter {
	if len(f.only.Tags)+len(f.only.Paths)+len(f.only.Methods) == 0 && !f.only.ReadOnly {
		return nil
	}
	return []tools.Filter{f.only}
}

// operationNames returns the names in the file of --names, or nil without the flag.
func (f *filterFlags) operationNames(a *ui.App) (list []tools.OperationName, err error) {
	if f.names == "" {
		return nil, nil
	}
	raw, err := document.Read(a, f.names)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		return nil, ui.Usagef("--names %s: %w", f.names, err)
	}
	return list, nil
}
