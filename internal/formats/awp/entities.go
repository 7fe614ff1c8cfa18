package awp

import (
	"bytes"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// maxDefs bounds the entities in the schemas of all actions, in bytes. Each schema
// contains the entities that it refers to, so a small document with many actions and
// large entities would otherwise grow without limit.
const maxDefs = 1 << 20

// entities are the models that types refer to (§8).
type entities struct {
	index map[string]int
	list  []entity
	left  int // bytes left of maxDefs
}

// entity is one model.
type entity struct {
	id     string
	schema parse.Raw
	refs   references // references to other entities
}

// references are the indexes of the entities that a schema refers to, without
// repetitions.
type references struct {
	list []int
	seen map[int]bool
}

func (f *references) add(i int) {
	if f.seen[i] {
		return
	}
	if f.seen == nil {
		f.seen = make(map[int]bool)
	}
	f.seen[i], f.list = true, append(f.list, i)
}

// readEntities makes the schemas of all entities. They are also kept as written,
// because an entity that no type refers to would be lost.
func (r *reader) readEntities(root parse.Node, service *wayfind.Service) {
	obj := r.Object(root, "entities", parse.Optional, "§8")
	if obj.Len() > 0 {
		parse.SetExtension(&service.Extensions, "entities", obj)
	}
	r.entities = entities{index: make(map[string]int), left: maxDefs}
	var models []parse.Node
	for id, entry := range obj.Members() {
		if entry.Kind() != parse.Object {
			r.wrongType(entry, "§8", parse.Object)
			continue
		}
		r.entities.index[id] = len(r.entities.list)
		r.entities.list = append(r.entities.list, entity{id: id})
		models = append(models, entry)
	}
	for i, entry := range models {
		e := &r.entities.list[i]
		if isSchema(entry) {
			r.Report(ruleJSONSchema.At("§8"), entry, "a JSON Schema stands where fields belong; it was taken as it is")
			r.CheckSchema(entry)
			e.schema = entry.Copy()
			continue
		}
		e.schema = objectSchema(r.properties(r.fields(entry), &e.refs))
	}
}

// fields returns the fields of an entity. Some publishers omit that level.
func (r *reader) fields(entry parse.Node) parse.Node {
	if entry.Get("fields").Exists() || entry.Len() == 0 {
		return r.Object(entry, "fields", parse.Must, "§8")
	}
	r.Report(ruleEntityFields, entry, "the entity has no fields; its members were read as such")
	return entry
}

// defs returns the $defs of a schema with the given references: the entities, the
// entities that they refer to, and so on. It returns nil if there are no references.
// ok is false if they exceed the remaining bytes.
func (e *entities) defs(refs *references) (defs parse.Raw, ok bool) {
	if len(refs.list) == 0 {
		return nil, true
	}
	var all references
	var members []rawjson.Member
	size := 0
	for _, i := range refs.list {
		all.add(i)
	}
	for next := 0; next < len(all.list); next++ {
		model := &e.list[all.list[next]]
		if size += len(model.id) + len(model.schema); size > e.left {
			return nil, false
		}
		members = append(members, rawjson.Member{Name: model.id, Value: model.schema})
		for _, i := range model.refs.list {
			all.add(i)
		}
	}
	e.left -= size
	return rawjson.Obj(members...), true
}

// cutEntities reports a schema whose entities are too large.
func (r *reader) cutEntities(at parse.Node) {
	r.Report(ruleEntitiesCut, at, "the schemas of all actions would hold more than %d bytes of entities; this one names them without their fields", maxDefs)
}

// withDefs adds $defs to the schema of an object.
func withDefs(schema, defs parse.Raw) parse.Raw {
	if defs == nil || len(schema) < len("{}") {
		return schema
	}
	comma := []byte(",")
	if len(schema) == len("{}") {
		comma = nil
	}
	joined := append(bytes.Clone(schema[:len(schema)-1]), comma...)
	joined = append(append(joined, `"$defs":`...), defs...)
	return append(joined, '}')
}
