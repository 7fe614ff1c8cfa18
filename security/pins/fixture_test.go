package pins

import (
	"errors"

	"github.com/wayfindhq/wayfind"
)

// code returns the code of an error, "" for nil and "?" for a foreign one.
func code(err error) wayfind.Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*wayfind.Error](err); ok && e.Kind != nil {
		return e.Code
	}
	return "?"
}
