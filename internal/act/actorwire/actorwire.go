// Package actorwire writes messages to agents of the agent framework: their URLs and
// bodies, in the dialect of the design and in the dialect of the prototype.
package actorwire

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// The tails of the templates of interfaces.
const (
	DesignTail    = "/{actorKey}/messages/{messageId}"
	PrototypeTail = "/{actorKey}/{messageId}"
)

// Agent is the address of an agent.
type Agent struct {
	// Base is the URL up to the key, which follows a slash.
	Base string
	// Short reports that the template has the path of the prototype: there is no other.
	Short bool
}

// Read reads the template of an interface. It has no other variables than the key and the
// identifier, no query and no fragment.
func Read(template string) (a Agent, ok bool) {
	base, design := strings.CutSuffix(template, DesignTail)
	if !design {
		base, ok = strings.CutSuffix(template, PrototypeTail)
	}
	return Agent{base, !design}, (design || ok) && base != "" && !strings.ContainsAny(base, "{}?#") && !urlref.ClimbsUp(base)
}

// Name is the name of the agent: the last segment of its Base, unescaped; "" for one that
// cannot be unescaped.
func (a Agent) Name() string {
	name, err := url.PathUnescape(a.Base[strings.LastIndexByte(a.Base, '/')+1:])
	if err != nil {
		return ""
	}
	return name
}

// Message is a message in the conversation with a key.
type Message struct {
	Key, ID, Method string
	Params          parse.Raw
}

// URL is the place of a message.
func (a Agent) URL(m *Message, prototype bool) string {
	if prototype {
		return a.Base + "/" + m.Key + "/" + m.ID
	}
	return a.Base + "/" + m.Key + "/messages/" + m.ID
}

// Takes reads the answer to a request for the methods of a path: whether the path takes
// messages, and whether the answer is one to remember. A message is never sent to find that
// out: a server may have done its work when it answers with 404.
func Takes(status int, h http.Header) (takes, sure bool) {
	allow := strings.Join(h.Values("Allow"), ",")
	takes = status != http.StatusNotFound && (allow == "" || strings.Contains(strings.ToUpper(allow), http.MethodPost))
	return takes, takes && status < http.StatusInternalServerError
}

// IsMissing reports whether nothing may be at the path of a message, by its answer: the next
// message asks again.
func IsMissing(status int) bool {
	return slices.Contains([]int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed}, status)
}

// Body is the body of a message. The prototype repeats the parts of the path.
func (a Agent) Body(m *Message, prototype bool) []byte {
	var members []rawjson.Member
	if prototype {
		members = []rawjson.Member{{Name: "actorId", Value: rawjson.Quote(a.Name() + "/" + m.Key)}, {Name: "messageId", Value: rawjson.Quote(m.ID)}}
	}
	return rawjson.Obj(append(members, rawjson.Member{Name: "method", Value: rawjson.Quote(m.Method)}, rawjson.Member{Name: "params", Value: m.Params})...)
}
