package call

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/wayfindhq/wayfind/client/tools"
)

const (
	// handleSchema is the name of the format of saved handles.
	handleSchema = "wayfind/handle/1"
	// handleLifetime is the time for which a saved handle can be opened.
	handleLifetime = 7 * 24 * time.Hour
)

// savedHandle is a handle as JSON. Its members are readable, except the sealed ones.
type savedHandle struct {
	handleLabel
	// Sealed is a sealedHandle, encrypted with the key of the Caller and bound to the label.
	Sealed string `json:"sealed"`
}

// handleLabel is the readable part of a saved handle.
type handleLabel struct {
	Schema string `json:"schema"`
	// Domain and Key name the tool, and Definition is the digest of its definition.
	Domain     string    `json:"domain"`
	Key        string    `json:"key,omitempty"`
	Definition string    `json:"definition"`
	Expires    time.Time `json:"expires"`
}

// sealedHandle is the encrypted part of a saved handle: URLs and arguments may contain secrets of
// the user.
type sealedHandle struct {
	Principal string     `json:"principal,omitempty"`
	Tool      string     `json:"tool"` // see toolID
	Form      tools.Form `json:"form,omitzero"`

	// For work that goes on: see handle.
	Kind       workKind    `json:"kind,omitempty"`
	Ref        string      `json:"ref,omitempty"`
	NotBefore  time.Time   `json:"notBefore,omitzero"`
	Extensions http.Header `json:"extensions,omitempty"`
	// Meant and Stored name the intention of the call: see [intention] and target.stored.
	Meant  string `json:"meant,omitempty"`
	Stored string `json:"stored,omitempty"`
	// For a page.
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// Errors of saved handles.
var (
	errHandleForeign = errors.New("the saved handle is none of this Caller, or was changed: a Caller of another process needs the same TicketKey")
	errHandleExpired = errors.New("the saved handle has expired")
	errHandleOther   = errors.New("the saved handle is for another principal or for other definitions of the tools")
)

// Save returns the handle as JSON, for a file or a database. The JSON names the domain, the key of
// the tool, the digest of its definition and a time of expiry. The rest, such as URLs and
// arguments, is encrypted with Options.TicketKey. Credentials are not in it.
func (h *Handle) Save() ([]byte, error) {
	if h == nil || h.seal == nil {
		return nil, errors.New("call: the Handle is nil or zero: Caller.Call and Caller.Open return one")
	}
	return h.seal()
}

// plainForm returns a form without the Box that was rendered, which another process does not have.
func plainForm(f tools.Form) tools.Form { return tools.Form{Vendor: f.Vendor, Strict: f.Strict} }
