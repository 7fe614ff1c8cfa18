package stdio

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ending"
)

// Spec is an MCP server as a person names it on a command line.
type Spec struct {
	// Name is the name of the server, which is a label of a host name.
	Name string
	// Command is the program and its arguments. It has at least one element.
	Command []string
	// Env are the names of the environment variables that the process gets in addition to [Basics].
	Env []string
	// Ending is told of the process; nil if a hard end need not kill it.
	Ending *ending.Process
}

// serverName matches the name of a server, a label of a host name.
var serverName = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,29}[a-z0-9])?$`)

// Parse reads "NAME=COMMAND ARGUMENT…". No shell reads the command. Words end at blanks, and
// quotation marks and backslashes protect blanks, as in a shell. Everything that a shell would
// replace or run is an error.
func Parse(text string) (*Spec, error) {
	name, command, ok := strings.Cut(text, "=")
	switch {
	case strings.Contains(text, "://") && !serverName.MatchString(name):
		return nil, errors.New("a server that is reached by its URL is named with --domain")
	case !ok || !serverName.MatchString(name):
		return nil, errors.New("write NAME=COMMAND, with a name of lower-case letters, digits and hyphens, such as 'notes=npx -y notes-server'")
	}
	words, err := split(command)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("there is no command after the name")
	}
	return &Spec{Name: name, Command: words}, nil
}

// Origin returns the origin at which a Client reaches the server.
func (s *Spec) Origin() string { return "http://" + s.Host() }

// Host returns the host of the Origin.
func (s *Spec) Host() string { return s.Name + ".localhost" }

// URL returns the endpoint of the server.
func (s *Spec) URL() string { return s.Origin() + path }

// Find returns the path of the program of the command.
func (s *Spec) Find() (string, error) { return exec.LookPath(s.Command[0]) }

// String returns the name and the program of the server for an error. It leaves out arguments,
// which may contain secrets.
func (s *Spec) String() string { return s.Name + " (" + s.Command[0] + ")" }

// Elsewhere returns the server in the form NAME=COMMAND for a command line in another directory.
// Paths of files are made absolute.
func (s *Spec) Elsewhere() string {
	words := make([]string, len(s.Command))
	for i, word := range s.Command {
		info, err := os.Stat(word)
		isPath := err == nil && info.Mode().IsRegular() && (i > 0 || strings.ContainsAny(word, `/\`))
		if whole, err := filepath.Abs(word); isPath && err == nil {
			word = whole
		}
		words[i] = quoted(word)
	}
	return s.Name + "=" + strings.Join(words, " ")
}

// inQuotes escapes a text for quotation marks, as split reads it.
var inQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// quoted returns a word in the form that split reads.
func quoted(word string) string {
	if word != "" && !strings.ContainsAny(word, special+" \t\"'\\") {
		return word
	}
	return `"` + inQuotes.Replace(word) + `"`
}

// special are the characters with a meaning in a shell outside quotation marks.
const special = "|&;<>()$`*?[]{}~#!"

// split reads the words of a command. A backslash escapes the next character only if that is a
// blank, a quotation mark or a backslash, because paths of Windows contain backslashes before other
// characters.
func split(text string) (words []string, err error) {
	var word strings.Builder
	open, quote := false, rune(0) // whether a word has begun, and which mark ends a quotation
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == '\\' && quote != '\'' && i+1 < len(runes) && strings.ContainsRune(" \t\"'\\", runes[i+1]):
			i++
			open = true
			word.WriteRune(runes[i])
		case r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			open, quote = true, r
		case r == ' ' || r == '\t':
			if open {
				words = append(words, word.String())
			}
			open = false
			word.Reset()
		case r < ' ' || strings.ContainsRune(special, r):
			return nil, fmt.Errorf("no shell runs the command, so %q means nothing in it; put it into quotation marks if it is part of a word", r)
		default:
			open = true
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quotation that begins with %c does not end", quote)
	}
	if open {
		words = append(words, word.String())
	}
	return words, nil
}

// Basics returns the environment variables that every process gets, such as the paths of programs,
// of the home directory and of temporary files. They are the defaults of the SDKs of MCP.
func Basics() []string {
	if runtime.GOOS == "windows" {
		return []string{"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE", "PROGRAMFILES"}
	}
	return []string{"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"}
}

// environ returns the environment of the process.
func (s *Spec) environ() (list []string) {
	list = []string{} // not nil, which would mean the environment of this process
	for _, name := range slices.Concat(Basics(), s.Env) {
		if value, ok := os.LookupEnv(name); ok {
			list = append(list, name+"="+value)
		}
	}
	return list
}
