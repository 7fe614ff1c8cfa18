package call

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// yesFromTerminal asks the person a question. Any answer except yes means no.
func yesFromTerminal(a *ui.App, question string) bool {
	fmt.Fprint(a.Err, question)
	answer, _ := bufio.NewReader(a.In).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}
