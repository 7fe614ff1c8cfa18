package privatefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// maxLinks is the number of links that lead to one file.
const maxLinks = 8

// errOthers is the error of a link that another user could change.
var errOthers = errors.New("it is a link, and another user could change where it leads")

// Target returns the name of the file that a name means. It follows links, as programs that keep the
// files of a home directory elsewhere make them, if only this user (or root) can change the link, the
// file, and the folders that contain them. Where this cannot be known it follows none.
func Target(name string) (string, error) {
	followed := false
	for range maxLinks {
		there, err := os.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return name, nil
		case err == nil && there.Mode()&fs.ModeSymlink == 0:
			if followed && !isOwn(there) {
				return "", &fs.PathError{Op: "open", Path: name, Err: errOthers}
			}
			return name, nil
		}
		if err != nil {
			return "", err
		}
		to, err := os.Readlink(name)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			folder, err := filepath.EvalSymlinks(filepath.Dir(name)) // "../x" is that of the folder itself
			if err != nil {
				return "", err
			}
			to = filepath.Join(folder, to)
		}
		if !isOwn(there) || !isOwnFolder(filepath.Dir(name)) || !isOwnFolder(filepath.Dir(to)) {
			return "", &fs.PathError{Op: "open", Path: name, Err: errOthers}
		}
		name, followed = to, true
	}
	return "", &fs.PathError{Op: "open", Path: name, Err: errors.New("too many links")}
}

// isOwnFolder reports whether only this user, or root, can add, replace and remove files of a folder.
func isOwnFolder(name string) bool {
	there, err := os.Stat(name)
	return err == nil && there.IsDir() && isOwn(there) && there.Mode().Perm()&0o022 == 0
}
