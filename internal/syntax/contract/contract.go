// Package contract holds the requests of the operations of a document by their parts,
// which the operations share: each schema is written, cleaned and checked once, however
// many operations use it.
package contract

import (
	"sync"
	"sync/atomic"
	"weak"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security/schema"
)

// Shared are the parts of one document. They live as long as a Request uses them.
type Shared struct {
	asking atomic.Pointer[wayfind.Capability] // whose request is read

	mu          sync.Mutex
	request     *Request
	numbers     map[place]int
	groups      map[parse.Node]*group
	pending     []func() // that write definitions
	parts       []part   // by number
	left        int      // bytes that they may still have
	clean       int      // how many are clean
	altered     bool     // a definition was
	checked     int      // how many are in definitions
	definitions schema.Definitions
}

// place is where a part stands in the document.
type place struct {
	at, schema parse.Node
	definition bool
}

// part is a schema. Its text is released when it has been checked.
type part struct {
	keyword, name string
	text          parse.Raw // nil if it cannot be used
	cut           bool
	altered       bool // cleaning changed a name or a value that a call sends
}

// Property is one property of a request.
type Property struct {
	schema.Member
	In string
	// Param is the name of the parameter, in that place.
	Param string
}

// group are the members of a body that become properties of every request that has it.
type group struct {
	properties []Property
	members    []schema.Member
}

// Request is what the schema of an operation's arguments is made of.
type Request struct {
	shared *Shared
	own    []Property
	body   *group
	whole  parse.Node // see Whole
	inFull bool
}

// slot finds the parts of a document as long as they are in use.
type slot struct {
	mu     sync.Mutex
	shared weak.Pointer[Shared]
}

type slotKey struct{}

// maxText is how many bytes the parts of a document may have, beside twice its size:
// places of the document that are within each other are written more than once.
const maxText = 1 << 20

// Of returns the parts of a document.
func Of(in *parse.Input) *Shared {
	s := in.Derived(slotKey{}, func() any { return new(slot) }).(*slot)
	s.mu.Lock()
	defer s.mu.Unlock()
	shared := s.shared.Value()
	if shared == nil {
		shared = &Shared{numbers: make(map[place]int), groups: make(map[parse.Node]*group), left: maxText + 2*len(in.Body)}
		s.shared = weak.Make(shared)
	}
	return shared
}

// Ask calls read, in which a format reads the detail document of a capability. The
// result is nil if the format did not fill it. clean cleans the parts that are new, each
// in a schema of its own, and reports whether that changed a name or a value that a call
// sends.
func (s *Shared) Ask(c *wayfind.Capability, read func() error, clean func(parse.Raw) (parse.Raw, bool)) (*Request, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.request = nil
	s.asking.Store(c)
	defer s.asking.Store(nil)
	err := read()
	if err != nil || s.request == nil {
		return nil, err
	}
	for ; s.clean < len(s.parts); s.clean++ {
		p := &s.parts[s.clean]
		p.rewrite(clean)
		s.altered = s.altered || p.altered && p.keyword == "$defs"
	}
	return s.request, nil
}

// rewrite cleans a part together with its name.
func (p *part) rewrite(clean func(parse.Raw) (parse.Raw, bool)) {
	text := p.text
	if p.text = nil; p.cut {
		return
	}
	text, p.altered = clean(rawjson.Obj(rawjson.Member{Name: p.keyword, Value: rawjson.Obj(rawjson.Member{Name: p.name, Value: text})}))
	root, err := (&parse.Input{Body: text}).JSONObject()
	if err != nil {
		return
	}
	for name, value := range root.Get(p.keyword).Members() {
		p.name, p.text = name, value.Copy()
	}
}

// Asked returns the request that is to be filled instead of a whole capability; nil if
// the capability is to be read as a whole.
func Asked(in *parse.Input, c *wayfind.Capability) *Request {
	if c == nil {
		return nil
	}
	s := Of(in)
	if s.asking.Load() != c {
		return nil // this goroutine does not hold the lock
	}
	if s.request == nil {
		s.request = &Request{shared: s}
	}
	return s.request
}
