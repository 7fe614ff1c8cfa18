package document

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// Choose returns a word that names either a file or a domain, and not both: a person at a terminal is asked.
// A folder of a stranger may have a file with the name of a bank.
func Choose(a *ui.App, word string) (string, error) {
	if !IsBoth(word) {
		return word, nil
	}
	if !ui.IsTerminal(a.In) || !ui.IsTerminal(a.Err) {
		return "", ui.Usagef("%q is the name of a file here, and may be a domain: write ./%[2]s for the file, or https://%[2]s for the domain", word, ui.Show(word))
	}
	fmt.Fprintf(a.Err, "%q is the name of a file here, and may be a domain. Read the (f)ile, or ask the (d)omain? ", word)
	answer, err := bufio.NewReader(a.In).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "f", "file":
		return "./" + word, nil
	case "d", "domain":
		return word, nil
	}
	if err != nil {
		return "", ui.Usage(err)
	}
	return "", ui.Usagef("write f or d")
}
