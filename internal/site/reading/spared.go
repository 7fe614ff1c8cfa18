package reading

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/textpos"
	"github.com/wayfindhq/wayfind/security"
)

// addressRules are the rules of all formats that demand a public address over https, without the
// names of the formats.
func addressRules() []string {
	return []string{"api_host", "api_scheme", "base_url_host", "base_url_scheme", "detail_url_scheme", "endpoint_host", "endpoint_scheme", "server_host", "server_scheme", "url_scheme"}
}

// Spared leaves out the diagnostics about addresses of the server under development that the
// document came from: its public address will be another one.
func (d *Contents) Spared(at At, diags []wayfind.Diagnostic) []wayfind.Diagnostic {
	if at.dev() == nil || d.input == nil {
		return diags
	}
	text, origin := textpos.New(d.input.Body), security.Origin(at.Anchor())
	lines := text.Lines()
	return slices.DeleteFunc(diags, func(d wayfind.Diagnostic) bool {
		_, rule, _ := strings.Cut(d.Code, ".")
		switch {
		case !slices.Contains(addressRules(), rule):
			return false
		case strings.Contains(d.Message, origin): // the document may have left the address out
			return true
		case d.Pointer != "":
			raw := string(text.At(d.Pointer).Raw())
			return strings.Contains(raw, origin) || raw != "" && !strings.Contains(raw, "://") // a relative address
		}
		return d.Line > 0 && d.Line <= len(lines) && strings.Contains(lines[d.Line-1], origin)
	})
}
