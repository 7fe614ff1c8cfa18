package call

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

const (
	// ucpServices is the JSON pointer to the endpoints in the profile of a shop (Universal
	// Commerce Protocol). ucpAgent is the member of "meta" in the arguments of a call that
	// identifies the caller.
	ucpServices = "/ucp/services/"
	ucpAgent    = "ucp-agent"
	// ucpField is the header field that identifies the caller over plain HTTP.
	ucpField = "Ucp-Agent"
	// ucpRefuses is the error code if a shop refuses the caller. The data of the error name
	// the cause.
	ucpRefuses = -32001
)

// ucpCauses returns the reasons why a shop refuses the profile of a caller.
func ucpCauses() []string {
	return []string{"invalid_profile_url", "profile_unreachable", "profile_malformed", "version_unsupported"}
}

// checkProfile returns the reason why a URL cannot be the profile of a caller.
func checkProfile(ref string) error {
	u, err := urlref.AbsoluteURL(ref)
	switch {
	case ref == "":
		return nil
	case err != nil:
		return fmt.Errorf("call: AgentProfile: %w", err)
	case u.Scheme != "https" || u.User != nil || u.Fragment != "" || strings.ContainsAny(ref, "\"\\ "):
		return errors.New("call: AgentProfile is not an https URL without user and fragment")
	}
	return nil
}

// set returns an object with one member replaced or added. A value that is not an object is
// treated as an empty object.
func set(obj parse.Node, name string, value parse.Raw) parse.Raw {
	var members []rawjson.Member
	for member, old := range obj.Members() {
		if member != name {
			members = append(members, rawjson.Member{Name: member, Value: old.Raw()})
		}
	}
	return rawjson.Obj(append(members, rawjson.Member{Name: name, Value: value})...)
}
