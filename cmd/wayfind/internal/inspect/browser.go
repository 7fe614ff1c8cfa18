package inspect

import (
	"context"
	process "os/exec"
	"runtime"
)

// openBrowser opens a page of this program in the user's browser.
func openBrowser(ctx context.Context, url string) error {
	command := []string{"xdg-open", url}
	switch runtime.GOOS {
	case "darwin":
		command[0] = "open"
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", url}
	}
	cmd := process.CommandContext(ctx, command[0], command[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // the page can be opened by hand if the browser failed
	return nil
}
