package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// writeProxy writes the modules below dir in the form that a module proxy serves
// (https://go.dev/ref/mod#goproxy-protocol). A zip file contains the files that the go command
// takes from a tag, without other modules and directories of version control.
func writeProxy(root, dir, version string, list []released) error {
	for _, m := range list {
		if err := writeModule(filepath.Join(root, m.dir), dir, module.Version{Path: m.path, Version: version}); err != nil {
			return err
		}
	}
	return nil
}

func writeModule(source, dir string, m module.Version) error {
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	versions := filepath.Join(dir, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(versions, 0o755); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{m.Version, time.Unix(0, 0).UTC()})
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{"list": []byte(m.Version + "\n"), m.Version + ".info": info, m.Version + ".mod": mod} {
		if err := os.WriteFile(filepath.Join(versions, name), data, 0o644); err != nil {
			return err
		}
	}
	return writeZip(filepath.Join(versions, m.Version+".zip"), source, m)
}

func writeZip(file, source string, m module.Version) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := zip.CreateFromDir(f, m, source); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
