package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// platform is an operating system and a processor, in the terms of Go.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "_" + p.arch }

// program returns the file name of the command.
func (p platform) program() string {
	if p.os == "windows" {
		return "wayfind.exe"
	}
	return "wayfind"
}

// here is the platform of this machine.
var here = platform{runtime.GOOS, runtime.GOARCH}

var platforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// dist writes the files for download to a directory: for each platform an archive of the
// command with its manual pages and completion scripts, a bundle for MCP hosts and a bill of
// materials (CycloneDX), and also server.json for registries of MCP servers, and the checksums.
// Further arguments select platforms: "linux_amd64".
func dist(ctx context.Context, root, version string, args []string) error {
	if len(args) == 0 {
		return errors.New("name the directory to write to")
	}
	dir, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	chosen, err := choose(args[1:])
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "wayfind-dist")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	d := distribution{root: root, version: version, dir: dir, work: work}
	if d.env, err = published(ctx, root, work, version); err != nil {
		return err
	}
	if err := d.documents(ctx); err != nil {
		return err
	}
	for _, p := range chosen {
		if err := d.build(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	if err := d.server(); err != nil {
		return err
	}
	return checksums(dir)
}

func choose(words []string) ([]platform, error) {
	if len(words) == 0 {
		return platforms, nil
	}
	var list []platform
	for _, w := range words {
		at := slices.IndexFunc(platforms, func(p platform) bool { return p.String() == w })
		if at < 0 {
			return nil, fmt.Errorf("%q is not one of %v", w, platforms)
		}
		list = append(list, platforms[at])
	}
	return list, nil
}

// distribution is one run of dist.
type distribution struct {
	root, version, dir, work string
	env                      []string // for the go command
	texts                    []entry  // manual pages and completion scripts
	bundles                  []bundle
}

// number returns the version without "v".
func (d *distribution) number() string { return strings.TrimPrefix(d.version, "v") }

// documents runs the command for this machine to write its manual pages and scripts.
func (d *distribution) documents(ctx context.Context) error {
	program, err := d.compile(ctx, here)
	if err != nil {
		return err
	}
	man := filepath.Join(d.work, "man1")
	if _, err := output(ctx, "", nil, program, "man", man); err != nil {
		return err
	}
	pages, err := os.ReadDir(man)
	if err != nil {
		return err
	}
	for _, page := range pages {
		data, err := os.ReadFile(filepath.Join(man, page.Name()))
		if err != nil {
			return err
		}
		d.texts = append(d.texts, entry{"man/man1/" + page.Name(), data, 0o644})
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		script, err := output(ctx, "", nil, program, "completion", shell)
		if err != nil {
			return err
		}
		d.texts = append(d.texts, entry{"completion/wayfind." + shell, []byte(script + "\n"), 0o644})
	}
	for _, name := range []string{"LICENSE", "README.md", "THIRD_PARTY.md"} {
		data, err := os.ReadFile(filepath.Join(d.root, name))
		if err != nil {
			return err
		}
		d.texts = append(d.texts, entry{name, data, 0o644})
	}
	return nil
}

// compile installs the command in the same way as a user of the version, so that it contains
// its version, and returns the file. The file is the same on all machines with the same Go.
func (d *distribution) compile(ctx context.Context, p platform) (string, error) {
	env := append(slices.Clone(d.env), "GOOS="+p.os, "GOARCH="+p.arch)
	if _, err := output(ctx, d.work, env, "go", "install", "-ldflags=-s -w", mainModule+"/cmd/wayfind@"+d.version); err != nil {
		return "", err
	}
	if p == here {
		return filepath.Join(d.work, "bin", p.program()), nil
	}
	return filepath.Join(d.work, "bin", p.String(), p.program()), nil
}

// build writes the files of one platform.
func (d *distribution) build(ctx context.Context, p platform) error {
	program, err := d.compile(ctx, p)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	name := filepath.Join(d.dir, "wayfind_"+d.number()+"_"+p.String())
	command := entry{p.program(), data, 0o755}
	if err := writeArchive(name, p, append([]entry{command}, d.texts...)); err != nil {
		return err
	}
	if err := d.bundle(name+".mcpb", p, command); err != nil {
		return err
	}
	_, err = output(ctx, d.root, nil, "go", "tool", "-modfile=.ci/tools/go.mod", "cyclonedx-gomod",
		"bin", "-json", "-output", name+".cdx.json", "-version", d.version, program)
	return err
}

// checksums writes SHA256SUMS, which "sha256sum -c" reads.
func checksums(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, f := range files {
		if f.Name() == "SHA256SUMS" {
			continue
		}
		sum, err := digest(filepath.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", sum, f.Name())
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(text.String()), 0o644)
}

func digest(file string) (string, error) {
	data, err := os.ReadFile(file)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), err
}
