package show

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// KeysOf returns the keys that describe takes, each with a description.
func KeysOf(site *wayfind.Site) []string {
	if site == nil {
		return nil
	}
	var keys []string
	for i := range site.Services {
		keys = append(keys, site.Services[i].ID+"\t"+ui.Show(humanize.OneLine(site.Services[i].Name, 60)))
	}
	for _, c := range site.Capabilities() {
		keys = append(keys, ui.Show(c.Key)+"\t"+ui.Show(humanize.OneLine(c.Description, 60)))
	}
	return keys
}

// PlainKeys returns the keys that describe takes, without descriptions.
func PlainKeys(site *wayfind.Site) []string {
	var keys []string
	for _, key := range KeysOf(site) {
		key, _, _ = strings.Cut(key, "\t")
		keys = append(keys, key)
	}
	return keys
}
