package ui

import (
	"os"
	"runtime/debug"
	"strings"
)

// Version returns the version of the module, or the revision of the checkout that it was built
// from.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && (v == "" || v == "(devel)") {
			v = "devel " + s.Value[:min(12, len(s.Value))]
		}
	}
	if v == "" {
		v = "(devel)"
	}
	return v + " " + info.GoVersion
}

// Program returns the command line that starts this program, so that printed lines can be copied.
// "go run" leaves no binary behind.
func Program() string {
	if strings.Contains(os.Args[0], "go-build") && !strings.HasSuffix(os.Args[0], ".test") {
		return "go run ./cmd/wayfind"
	}
	return "wayfind"
}
