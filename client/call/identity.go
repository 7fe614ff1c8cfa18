package call

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/jsonrpc"
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

// profile returns the URL of the caller's own profile if the service of a tool uses it,
// otherwise "".
func (t *target) profile() string {
	s := t.tool.Service
	if s == nil || t.caller.opts.AgentProfile == "" {
		return ""
	}
	for _, f := range s.Interfaces {
		if slices.ContainsFunc(f.Sources, func(r wayfind.Ref) bool { return strings.HasPrefix(r.Pointer, ucpServices) }) {
			return t.caller.opts.AgentProfile
		}
	}
	return ""
}

// introduced returns the arguments of a tool with the caller's profile. It replaces a profile
// that a model names, because the profile belongs to the operator.
func (t *target) introduced() (parse.Raw, error) {
	profile := t.profile()
	if profile == "" {
		return parse.Raw(t.args), nil
	}
	args, err := (&parse.Input{Body: t.args}).JSONObject()
	if err != nil {
		return nil, fail(InvalidArguments, err, "")
	}
	us := rawjson.Obj(rawjson.Member{Name: "profile", Value: rawjson.Quote(profile)})
	return set(args, "meta", set(args.Get("meta"), ucpAgent, us)), nil
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

// unidentified returns the error of a shop that refuses the profile of the caller or demands
// one; nil for any other error. Only the code and its data determine the result, because shops
// send them with different statuses. The page where a person can continue is for the program.
func (res *Result) unidentified(e *jsonrpc.Error) *Error {
	if e == nil || e.Code != ucpRefuses {
		return nil
	}
	cause, _ := e.Data.Get("code").Str()
	if !slices.Contains(ucpCauses(), cause) {
		return nil
	}
	page, _ := e.Data.Get("continue_url").Str()
	if u, err := urlref.AbsoluteURL(page); err == nil && u.Scheme == "https" {
		res.Program.ContinueURL = page
	}
	return fail(Unidentified, e, cause)
}
