package openapi

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/contract"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/schemawriter"
	"github.com/wayfindhq/wayfind/parse"
)

// detail reads one operation in full.
type detail struct {
	*reader
	op          operation
	c           *wayfind.Capability
	contentType string
	// bodyRequired is nil if there is no body.
	bodyRequired *bool
	// template is the path, whose variables are parameters.
	template parse.Template
	// named has the places of the parameters in a request, by their arguments. places has, by the
	// same keys, the nodes of their descriptions and their schemas.
	named  map[string]string
	places map[string][2]parse.Node
	// input writes the schema of all parameters, and views write the schemas of single parameters;
	// views share one budget.
	input      *writer
	views      *schemawriter.Budget
	properties []rawjson.Member
	required   []string
	// encodings are the encodings of the members of the body.
	encodings []wayfind.Encoding
	// serialization is the serialization of the parameters that the document declares.
	serialization []rawjson.Member
	// others is the budget of the schemas other than Input and Output.
	others *schemawriter.Budget
	// params and texts are the facts about parameters and examples that the model has no fields
	// for, by their names.
	params, texts listed
	// requestBody contains the members of the body other than its parameters.
	requestBody []rawjson.Member
	// flatBody is the body whose members are in the request.
	flatBody parse.Node
	// request is filled instead of the capability, except for the names of parameters;
	// nil if the capability is read in full.
	request *contract.Request
}

// parseDetail reads the document again, for one operation. Its diagnostics are about that
// operation.
func parseDetail(in *parse.Input, subject parse.Subject) (*parse.Reading, error) {
	shared, err := commonOf(in)
	if err != nil {
		return nil, err
	}
	op, err := find(in, subject.Capability)
	if err != nil {
		return nil, err
	}
	r := shared.forOne()
	c := r.brief(op)
	service := wayfind.Service{Name: shared.service.Name, Version: shared.service.Version, Sources: parse.SourcesAt(r.Root)}
	if subject.Service == nil || subject.Capability == nil {
		service.Auth = shared.auth() // otherwise the Site has it
	}
	if known := subject.Capability; known != nil {
		// The entry in the Site comes from the same document, and other sources may have made it
		// stricter.
		if known.Auth != nil {
			c.Auth = nil
		}
		if known.Effects != nil {
			c.Effects = nil
		}
	}
	if request := contract.Asked(in, subject.Capability); request != nil {
		r.ask(op, &c, request)
	} else {
		r.fill(op, &c)
	}
	service.Capabilities = []wayfind.Capability{c}
	return &parse.Reading{
		Dialect: parse.DialectDetail, Version: shared.version,
		Services: []wayfind.Service{service}, Diagnostics: r.Diagnostics(),
	}, nil
}

// operationsKey is the key of the index of a document.
type operationsKey struct{}

// index has the operations of a document: the first operation with each ID by that ID, and the
// others with the same ID by their places.
type index struct {
	first  map[string]operation
	others map[string]operation
	total  int
}

func indexOf(in *parse.Input) *index {
	return in.Derived(operationsKey{}, func() any {
		list := &index{first: make(map[string]operation), others: make(map[string]operation)}
		r, err := newReader(in) // a separate reader: the reading of the whole document has the diagnostics
		if err != nil {
			return list
		}
		for op := range r.operations() {
			list.total++
			if _, twice := list.first[op.id]; twice {
				list.others[op.node.Pointer()] = op
			} else {
				list.first[op.id] = op
			}
		}
		return list
	}).(*index)
}

// find returns the operation for a capability: the operation with its ID, or, if two have that
// ID, the one at the place that the capability was read from.
func find(in *parse.Input, c *wayfind.Capability) (operation, error) {
	list := indexOf(in)
	switch {
	case c != nil:
		return list.of(c)
	case list.total == 0:
		return operation{}, parse.Invalid("the document has no operation")
	case list.total > 1:
		return operation{}, parse.Invalid("the document has %d operations, and nothing says which is meant", list.total)
	}
	for _, op := range list.first {
		return op, nil
	}
	return operation{}, nil
}

func (l *index) of(c *wayfind.Capability) (operation, error) {
	for _, source := range c.Sources {
		if op, ok := l.others[source.Pointer]; ok && op.id == c.ID {
			return op, nil
		}
	}
	op, ok := l.first[c.ID]
	if !ok {
		return op, parse.Invalid("the document has no operation %q", c.ID)
	}
	return op, nil
}

// fill adds the facts that the entry in the list does not have.
func (r *reader) fill(op operation, c *wayfind.Capability) {
	d := r.detail(op, c)
	d.readRequest()
	c.Input = d.schema()
	d.reportUnread()
	d.readResponses()
	if c.Invocation != nil {
		c.Invocation.ContentType, c.Invocation.BodyRequired, c.Invocation.Encodings = d.contentType, d.bodyRequired, d.encodings
		if len(c.InputModes) > 1 {
			c.Invocation.ContentTypes = slices.Clone(c.InputModes)
		}
	}
	if d.serialization != nil {
		d.keep("serialization", rawjson.Obj(d.serialization...))
	}
	parse.Keep(&c.Extensions, "parameters", rawjson.Some(d.params))
	parse.Keep(&c.Extensions, "examples", rawjson.Some(d.texts))
	d.keepRest()
	parse.SetExtension(&c.Extensions, "callbacks", op.node.Get("callbacks"))
	parse.SetExtension(&c.Extensions, "externalDocs", op.node.Get("externalDocs"))
	parse.SetExtensions(&c.Extensions, op.node)
}

// detail prepares for reading one operation.
func (r *reader) detail(op operation, c *wayfind.Capability) *detail {
	d := &detail{reader: r, op: op, c: c, named: make(map[string]string), places: make(map[string][2]parse.Node), views: new(schemawriter.Budget), others: new(schemawriter.Budget)}
	d.input = r.writer(inRequest, new(schemawriter.Budget))
	d.template, _ = parse.ParseTemplate(op.path)
	d.Outside, d.dropped = "", nil
	return d
}

// reportUnread reports that the arguments need a document that was not read, or that no
// request can contain a required argument.
func (d *detail) reportUnread() {
	if p := d.dropped; p != nil {
		d.Report(ruleUnplacedInput, d.op.node, "the operation requires the parameter %q in %q, and no request can have it", p.name, p.in)
	}
	if d.Outside != "" {
		d.Report(ruleUnreadInput, d.op.node, "the arguments of the operation are not known: %s", d.Outside)
	}
}

// readRequest reads the parameters and the body.
func (d *detail) readRequest() {
	list := d.parameters(d.op)
	d.readParams(list)
	if d.isSwagger() {
		d.readForm(list)
	} else {
		d.readBody()
	}
}

// keep puts a value into the Extensions.
func (d *detail) keep(name string, value parse.Raw) { parse.Keep(&d.c.Extensions, name, value) }

// view returns the self-contained schema of one parameter.
func (d *detail) view(n, schema parse.Node) parse.Raw {
	w := d.writer(inRequest, d.views)
	if n == schema {
		return w.Close(w.items(n))
	}
	return w.Alone(schema)
}

// add adds a parameter to the list, and to the schema of all of them. If a parameter with the
// same name in another place takes the same values, one argument fills both. Otherwise the
// parameter has its own argument.
func (d *detail) add(p wayfind.Param, at, schema parse.Node) {
	required := p.In == "path" || p.Required != nil && *p.Required
	first, twice := d.places[p.Name]
	switch {
	case d.Get(d.flatBody.Get("properties"), p.Name).Exists() && d.request != nil:
		d.request.InFull()
		return
	case twice && bytes.Equal(d.view(first[0], first[1]), d.view(at, schema)):
		d.c.Params = append(d.c.Params, p)
		d.require(p.Name, required)
		return
	case twice:
		p.Argument = d.ownArgument(p)
		d.Report(ruleParamNames, at, "two parameters have the name %q; the argument %q is the one in %q", p.Name, p.Argument, p.In)
	}
	name := cmp.Or(p.Argument, p.Name)
	d.c.Params = append(d.c.Params, p)
	d.named[name], d.places[name] = p.In, [2]parse.Node{at, schema}
	if d.request != nil {
		d.request.Add(p.Name, p.Argument, p.In, required, d.part(p, at, schema))
		return
	}
	d.properties = append(d.properties, rawjson.Member{Name: name, Value: d.input.property(p, at, schema)})
	d.require(name, required)
}

// require makes an argument required.
func (d *detail) require(name string, required bool) {
	switch {
	case !required || slices.Contains(d.required, name):
	case d.request != nil:
		d.request.Require(name)
	default:
		d.required = append(d.required, name)
	}
}

// ownArgument returns a name that no argument has yet.
func (d *detail) ownArgument(p wayfind.Param) string {
	base := p.Name + "_" + p.In
	name := base
	for n := 2; d.named[name] != ""; n++ {
		name = base + "_" + strconv.Itoa(n)
	}
	return name
}

// property writes the schema of a parameter.
func (w *writer) property(p wayfind.Param, at, schema parse.Node) parse.Raw {
	written := p.Schema
	switch {
	case schema.Exists() && at == schema:
		written = w.items(schema)
	case schema.Exists():
		written = w.Schema(schema)
	case written == nil:
		written = schemawriter.Any()
	}
	return described(written, at)
}

// described adds the text of a parameter to its schema, if the schema has none.
func described(schema parse.Raw, at parse.Node) parse.Raw {
	text, _ := at.Get("description").Str()
	root, err := (&parse.Input{Body: schema}).JSON()
	if err != nil || text == "" || root.Kind() != parse.Object || root.Get("description").Exists() {
		return schema
	}
	return schemawriter.Extend(schema, rawjson.Member{Name: "description", Value: rawjson.Quote(text)})
}

// schema returns the schema of all parameters, or nil if there are none.
func (d *detail) schema() parse.Raw {
	if d.properties == nil {
		return nil
	}
	members := []rawjson.Member{{Name: "type", Value: rawjson.Quote("object")}, {Name: "properties", Value: rawjson.Obj(d.properties...)}}
	if d.required != nil {
		members = append(members, rawjson.Member{Name: "required", Value: rawjson.Quotes(d.required)})
	}
	return d.input.Close(rawjson.Obj(members...))
}

// items writes the schema of a parameter of version 2.0 that is itself a schema (Items
// Object).
func (w *writer) items(n parse.Node) parse.Raw {
	var list []rawjson.Member
	for keyword, value := range n.Members() {
		if slices.Contains(itemsMembers(), keyword) {
			list = w.Keyword(list, n, keyword, value)
		}
	}
	if typeOf(n) == "file" {
		list = append(list, rawjson.Member{Name: "format", Value: rawjson.Quote("binary")})
	}
	return rawjson.Obj(list...)
}
