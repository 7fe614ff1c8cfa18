package prompt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// TestAPromptWithoutAMarkWritesNothing uses a nil and a zero Prompt.
func TestAPromptWithoutAMarkWritesNothing(t *testing.T) {
	site := &wayfind.Site{Origin: "https://shop.example", Services: []wayfind.Service{{ID: "a"}}}
	for name, p := range map[string]*prompt.Prompt{"nil": nil, "zero": {}} {
		for method, do := range map[string]func(){
			"Mark":   func() { p.Mark() },
			"String": func() { _ = p.String() },
			"Blocks": func() { p.Blocks() },
			"Text":   func() { p.Text("label", "text", prompt.Provenance{}) },
			"JSON":   func() { p.JSON("label", []byte("{}"), prompt.Provenance{}) },
			"Error":  func() { p.Error(wayfind.ErrNotFound) },
			"Site":   func() { p.Site(site) },
			"Detail": func() { p.Detail(&wayfind.Detail{Service: &site.Services[0]}) },
		} {
			t.Run(name+"/"+method, func(t *testing.T) {
				defer func() {
					if said := fmt.Sprint(recover()); !strings.Contains(said, "prompt.New") {
						t.Errorf("it does not name prompt.New: %s", said)
					}
				}()
				do()
			})
		}
	}
}
