package show

import (
	"fmt"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// Prompt prints a result for a language model. Of an error it prints only the class.
func Prompt(a *ui.App, err error, write func(*prompt.Prompt)) {
	p := prompt.New()
	write(p)
	if err != nil {
		p.Error(err)
	}
	fmt.Fprint(a.Out, p.String())
}
