package parse

import (
	"strings"
)

// Keep puts a value into the Extensions of the model, unless it is nil. It replaces a value of
// the same name.
func Keep(extensions *map[string]Raw, name string, value Raw) {
	if value == nil {
		return
	}
	if *extensions == nil {
		*extensions = make(map[string]Raw)
	}
	(*extensions)[name] = value
}

// SetExtension keeps a copy of a value of the document, as [Keep] does. A missing value is not
// kept.
func SetExtension(extensions *map[string]Raw, name string, value Node) {
	Keep(extensions, name, value.Copy())
}

// SetExtensions keeps the members whose names begin with "x-", which the OpenAPI and OpenRPC
// specifications leave to extensions.
func SetExtensions(extensions *map[string]Raw, obj Node) {
	for member, value := range obj.members() {
		if strings.HasPrefix(member, "x-") {
			SetExtension(extensions, member, value)
		}
	}
}
