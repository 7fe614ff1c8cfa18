// Release makes a version of wayfind, and first proves that it can be fetched.
//
//	go -C .ci/release run . prepare v0.2.0      # the modules of the repository require this version
//	git commit -am "release v0.2.0"
//	go -C .ci/release run . prove v0.2.0        # fetch and install it from a proxy of files
//	go -C .ci/release run . tag v0.2.0          # one annotated tag for each module
//	go -C .ci/release run . dist v0.2.0 DIR     # files for download
//
// The commands do not push anything. prove and dist read the working tree.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/mod/semver"
)

// mainModule is the path of the main module of the repository.
const mainModule = "github.com/wayfindhq/wayfind"

// commands are the commands of this program. The arguments are the root of the repository, the
// version and the further arguments.
var commands = map[string]func(ctx context.Context, root, version string, args []string) error{
	"prepare": prepare, "prove": prove, "tag": tag, "dist": dist,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) < 2 || commands[args[0]] == nil {
		return errors.New("usage: release prepare|prove|tag|dist VERSION [DIR]")
	}
	version := args[1]
	if semver.Canonical(version) != version {
		return fmt.Errorf("%q is not a version: write it as v0.2.0", version)
	}
	return commands[args[0]](ctx, "../..", version, args[2:])
}
