package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// released is a module that users can fetch: the main module, client/otel or an example. The
// modules in .ci and internal are for the project only.
type released struct {
	path string // "github.com/wayfindhq/wayfind/client/otel"
	dir  string // below the root, with slashes: "client/otel"; "." for the main module
}

// tag returns the tag for a version of the module (https://go.dev/ref/mod#vcs-version).
func (m released) tag(version string) string { return path.Join(m.dir, version) }

// modules returns the modules that are released. The main module is the first.
func modules(root string) ([]released, error) {
	var list []released
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		dir, _ := filepath.Rel(root, name)
		switch {
		case d.IsDir() && hidden(filepath.ToSlash(dir)):
			return fs.SkipDir
		case d.Name() != "go.mod":
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		list = append(list, released{modfile.ModulePath(data), filepath.ToSlash(filepath.Dir(dir))})
		return nil
	})
	slices.SortFunc(list, func(a, b released) int { return strings.Compare(a.dir, b.dir) })
	if err == nil && (len(list) == 0 || list[0].path != mainModule) {
		err = errors.New("the root has no go.mod of " + mainModule)
	}
	return list, err
}

// hidden reports whether a directory contains no module for users.
func hidden(dir string) bool {
	base := path.Base(dir)
	return dir == "internal" || base == "testdata" || base == "node_modules" || base != "." && strings.HasPrefix(base, ".")
}

// prepare makes each module require the version of the main module. A replacement leads to the
// directory in the repository, so builds there do not change. Users of the module get the
// required version, because a replacement is only used in the main module
// (https://go.dev/ref/mod#go-mod-file-replace).
func prepare(_ context.Context, root, version string, _ []string) error {
	list, err := modules(root)
	if err != nil {
		return err
	}
	for _, m := range list[1:] {
		if err := require(filepath.Join(root, m.dir, "go.mod"), version); err != nil {
			return err
		}
		fmt.Println(m.dir, "requires", mainModule, version)
	}
	return nil
}

func require(file, version string) error {
	f, err := readModFile(file)
	if err != nil {
		return err
	}
	if err := f.AddRequire(mainModule, version); err != nil {
		return err
	}
	text, err := f.Format()
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

func readModFile(file string) (*modfile.File, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(file, data, nil)
}

// prepared returns an error if a module does not require the version.
func prepared(root, version string, list []released) error {
	for _, m := range list[1:] {
		f, err := readModFile(filepath.Join(root, m.dir, "go.mod"))
		if err != nil {
			return err
		}
		at := slices.IndexFunc(f.Require, func(r *modfile.Require) bool { return r.Mod.Path == mainModule })
		if at < 0 || f.Require[at].Mod.Version != version {
			return fmt.Errorf("%s/go.mod does not require %s %s: run prepare first", m.dir, mainModule, version)
		}
	}
	return nil
}

// tag creates one annotated tag for each module at HEAD. The tree must have no changes, and
// CHANGELOG.md must have a section for the version.
func tag(ctx context.Context, root, version string, _ []string) error {
	list, err := modules(root)
	if err == nil {
		err = prepared(root, version, list)
	}
	if err == nil {
		err = described(root, version)
	}
	if err != nil {
		return err
	}
	changes, err := output(ctx, root, nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changes != "" {
		return errors.New("the working tree has changes that are not committed")
	}
	var tags []string
	for _, m := range list {
		if _, err := output(ctx, root, nil, "git", "tag", "-a", "-m", m.path+" "+version, m.tag(version)); err != nil {
			return err
		}
		tags = append(tags, m.tag(version))
	}
	fmt.Println("git push origin HEAD", strings.Join(tags, " "))
	return nil
}

// described returns an error if the change log has no section for the version.
func described(root, version string) error {
	log, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err == nil && !strings.Contains(string(log), "\n## ["+strings.TrimPrefix(version, "v")+"]") {
		err = fmt.Errorf("CHANGELOG.md has no section [%s]", strings.TrimPrefix(version, "v"))
	}
	return err
}
