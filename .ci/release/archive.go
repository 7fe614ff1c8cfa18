package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
)

// entry is a file of an archive.
type entry struct {
	name string
	data []byte
	mode fs.FileMode
}

// writeArchive writes a .zip file for Windows and a .tar.gz file for others. The files have no
// times, so the same files result in the same archive.
func writeArchive(name string, p platform, entries []entry) error {
	if p.os == "windows" {
		return create(name+".zip", entries, writeZipFile)
	}
	return create(name+".tar.gz", entries, writeTarFile)
}

func create(name string, entries []entry, write func(io.Writer, []entry) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f, entries); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func writeZipFile(w io.Writer, entries []entry) error {
	z := zip.NewWriter(w)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		h.SetMode(e.mode)
		part, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := part.Write(e.data); err != nil {
			return err
		}
	}
	return z.Close()
}

func writeTarFile(w io.Writer, entries []entry) error {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	for _, e := range entries {
		if err := t.WriteHeader(&tar.Header{Name: e.name, Mode: int64(e.mode), Size: int64(len(e.data)), Format: tar.FormatUSTAR}); err != nil {
			return err
		}
		if _, err := t.Write(e.data); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}
