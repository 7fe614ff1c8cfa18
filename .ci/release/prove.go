package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// prove fetches each module separately into an empty module, compiles a program that imports
// it, and installs the command, as users do after the tags are pushed.
func prove(ctx context.Context, root, version string, _ []string) error {
	work, err := os.MkdirTemp("", "wayfind-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	env, err := published(ctx, root, work, version)
	if err != nil {
		return err
	}
	list, err := modules(root)
	if err != nil {
		return err
	}
	for _, m := range list {
		if err := fetch(ctx, work, env, m, version); err != nil {
			return fmt.Errorf("%s: %w", m.path, err)
		}
		fmt.Println("go get", m.path+"@latest:", version)
	}
	return install(ctx, work, env, version)
}

// published writes a proxy of files with the version to a directory, and returns the
// environment in which the go command uses it.
func published(ctx context.Context, root, work, version string) ([]string, error) {
	list, err := modules(root)
	if err == nil {
		err = prepared(root, version, list)
	}
	if err == nil {
		err = writeProxy(root, filepath.Join(work, "proxy"), version, list)
	}
	if err != nil {
		return nil, err
	}
	return environment(ctx, work)
}

// environment returns the environment in which the go command uses the proxy of files for our
// modules. All others come from the module cache. A version that an earlier run has left there
// is ignored.
func environment(ctx context.Context, work string) ([]string, error) {
	cache, err := output(ctx, "", nil, "go", "env", "GOMODCACHE")
	if err != nil {
		return nil, err
	}
	proxies := []string{
		"file://" + filepath.Join(work, "proxy"), "file://" + filepath.Join(cache, "cache", "download"),
	}
	asked, err := output(ctx, "", nil, "go", "env", "GOPROXY")
	if err != nil {
		return nil, err
	}
	return []string{
		"GOPROXY=" + strings.Join(append(proxies, asked), ","), "GONOSUMDB=" + mainModule, "GOWORK=off",
		"GOMODCACHE=" + filepath.Join(work, "mod"), "GOPATH=" + work, "GOBIN=", "CGO_ENABLED=0",
		// Compiled packages do not depend on the place of their source.
		"GOFLAGS=-modcacherw -trimpath",
	}, nil
}

// imported contains a package of each module that a program imports to prove that the module
// compiles. A module that consists of examples is fetched with its dependencies, but nothing
// imports it.
var imported = map[string]string{mainModule: mainModule + "/client", mainModule + "/client/otel": mainModule + "/client/otel"}

func fetch(ctx context.Context, work string, env []string, m released, version string) error {
	dir, err := os.MkdirTemp(work, "user")
	if err != nil {
		return err
	}
	if _, err := output(ctx, dir, env, "go", "mod", "init", "example.com/user"); err != nil {
		return err
	}
	if _, err := output(ctx, dir, env, "go", "get", m.path+"@latest"); err != nil {
		return err
	}
	got, err := output(ctx, dir, env, "go", "list", "-m", "-f", "{{.Version}}", m.path, mainModule)
	if err != nil {
		return err
	}
	for one := range strings.FieldsSeq(got) {
		if one != version {
			return fmt.Errorf("version %s was fetched, not %s", one, version)
		}
	}
	if imported[m.path] == "" {
		return nil
	}
	program := "package main\n\nimport _ " + fmt.Sprintf("%q", imported[m.path]) + "\n\nfunc main() {}\n"
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644); err != nil {
		return err
	}
	_, err = output(ctx, dir, env, "go", "run", "-mod=mod", ".")
	return err
}

// install installs the command and checks the version that it prints.
func install(ctx context.Context, work string, env []string, version string) error {
	if _, err := output(ctx, work, env, "go", "install", mainModule+"/cmd/wayfind@latest"); err != nil {
		return err
	}
	said, err := output(ctx, work, nil, filepath.Join(work, "bin", "wayfind"), "--version")
	if err != nil {
		return err
	}
	if !strings.Contains(said, version) {
		return fmt.Errorf("wayfind --version prints %q", said)
	}
	fmt.Println("go install", mainModule+"/cmd/wayfind@latest:", said)
	return nil
}

// output runs a program and returns its output, without space at the ends. The error contains
// its error output.
func output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var out, failure bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failure
	if err := cmd.Run(); err != nil {
		return "", errors.Join(fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err), errors.New(failure.String()))
	}
	return strings.TrimSpace(out.String()), nil
}
