// Typecheck reports the type errors of all packages of a module and of their tests, as they are
// built for other operating systems. It reads these packages and all that they import from
// source, so nothing is compiled.
//
//	go -C .ci/typecheck run . ../.. windows/amd64,darwin/arm64
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: typecheck MODULE GOOS/GOARCH,…")
		os.Exit(2)
	}
	var wrong []error
	for platform := range strings.SplitSeq(os.Args[2], ",") {
		wrong = append(wrong, check(os.Stdout, os.Args[1], platform))
	}
	if err := errors.Join(wrong...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// check prints the number of packages. The error contains all errors of these packages, and
// of packages that they import.
func check(out io.Writer, module, platform string) error {
	system, arch, _ := strings.Cut(platform, "/")
	list, err := packages.Load(&packages.Config{
		Dir:   module,
		Mode:  packages.LoadAllSyntax,
		Tests: true,
		Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0"),
	}, "./...")
	if err != nil {
		return fmt.Errorf("%s: %w", platform, err)
	}
	if len(list) == 0 {
		return fmt.Errorf("%s: no packages", platform)
	}
	var wrong []error
	for p := range packages.Postorder(list) {
		for _, e := range p.Errors {
			wrong = append(wrong, fmt.Errorf("%s: %w", platform, e))
		}
	}
	fmt.Fprintf(out, "%s: %d packages\n", platform, len(list))
	return errors.Join(wrong...)
}
