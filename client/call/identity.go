package call

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/jsonrpc"
	"github.com/wayfindhq/wayfind/parse"
)

const (
	// ucpServices is the place in a profile of a shop (Universal Commerce Protocol) that
	// names its endpoints, and ucpAgent the member of "meta" in the arguments of a call
	// that says who calls.
	ucpServices = "/ucp/services/"
	ucpAgent    = "ucp-agent"
	// ucpField says it over plain HTTP.
	ucpField = "Ucp-Agent"
	// ucpRefuses is the code of a refusal of the caller, whose data name the cause.
	ucpRefuses = -32001
)

// ucpCauses are why a shop refuses the profile of a caller.
func ucpCauses() []string {
	return []string{"invalid_profile_url", "profile_unreachable", "profile_malformed", "version_unsupported"}
}

// checkProfile returns why a URL is no profile of a caller.
func checkProfile(ref string) error {
	u, err := parse.AbsoluteURL(ref)
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

// profile is the URL of the caller's own profile, where the service of a tool wants it; ""
// for any other.
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

// introduced are the arguments of a tool with the caller's profile. A profile that a model
// names does not count: it is the operator's.
func (t *target) introduced() (parse.Raw, error) {
	profile := t.profile()
	if profile == "" {
		return parse.Raw(t.args), nil
	}
	args, err := (&parse.Input{Body: t.args}).JSONObject()
	if err != nil {
		return nil, fail(InvalidArguments, err, "")
	}
	us := parse.Obj(parse.Member{Name: "profile", Value: parse.Quote(profile)})
	return set(args, "meta", set(args.Get("meta"), ucpAgent, us)), nil
}

// set is an object with one member replaced or added. Any other value is an empty object.
func set(obj parse.Node, name string, value parse.Raw) parse.Raw {
	var members []parse.Member
	for member, old := range obj.Members() {
		if member != name {
			members = append(members, parse.Member{Name: member, Value: old.Raw()})
		}
	}
	return parse.Obj(append(members, parse.Member{Name: name, Value: value})...)
}

// unidentified is the error of a shop that refuses the profile of the caller, or wants
// one; nil for any other error. The code and its data decide, because shops send several
// statuses with it. The page where a person can go on is for the program.
func (res *Result) unidentified(e *jsonrpc.Error) *Error {
	if e == nil || e.Code != ucpRefuses {
		return nil
	}
	cause, _ := e.Data.Get("code").Str()
	if !slices.Contains(ucpCauses(), cause) {
		return nil
	}
	page, _ := e.Data.Get("continue_url").Str()
	if u, err := parse.AbsoluteURL(page); err == nil && u.Scheme == "https" {
		res.Program.ContinueURL = page
	}
	return fail(Unidentified, e, cause)
}
