package httpcall

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
)

// Locked returns the reason why no caller can meet an authentication, whatever credentials it has: each
// alternative has a scheme of a kind that no grant fits, such as HTTP Digest, or a key in a place where no
// request can have one. The error is an *Error, or nil.
func Locked(auth *wayfind.Auth) error {
	if auth == nil {
		return nil
	}
	if lock := lockOf(auth); lock != nil {
		return lock
	}
	return nil
}

// lockOf returns the same reason. A document that names no place of a key may leave it to the service.
func lockOf(auth *wayfind.Auth) (lock *Error) {
	for _, needed := range auth.Requirements {
		lock = nil
		for _, r := range needed {
			if s, known := auth.Schemes[r.Scheme]; known && lock == nil {
				lock = lockOfScheme(r.Scheme, s)
			}
		}
		if lock == nil {
			return nil
		}
	}
	return lock
}

// lockOfScheme returns the reason why no credential of a scheme can be sent, or nil.
func lockOfScheme(name string, s wayfind.Scheme) *Error {
	switch kind := authkind.Of(s); {
	case kind.NeedsAnother():
		return &Error{Code: CodeScheme, Name: plain(name)}
	case s.In != "" && kind.Members == authkind.PlaceOfKey && fieldname.CheckPlace(s.In, s.Name) != nil:
		return &Error{Code: CodeKeyPlace, In: s.In, Name: plain(name)}
	}
	return nil
}
