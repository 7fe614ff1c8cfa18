package formatschema

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
	ours "github.com/wayfindhq/wayfind/security/schema"
)

// texts are the formats whose documents are not JSON.
var texts = []string{"agentsmd", "links", "llmstxt", "robots"}

func all() []*parse.Format { return append(formats.All(), formats.OnRequest()...) }

// fixtures returns the documents of a format that the repository has.
func fixtures(t testing.TB, f *parse.Format) (list []*parse.Input) {
	for _, file := range golden.Files(t, filepath.Join("..", "..", "..", "internal", "formats", f.Name, "testdata"), "*.txtar") {
		for _, doc := range txtar.Parse(golden.Read(t, file)).Files {
			if strings.HasSuffix(doc.Name, ".want") {
				continue
			}
			list = append(list, placed(t, f, formattest.Served(t, "https://shop.example", doc.Name, doc.Data)))
		}
	}
	return list
}

// placed returns a document whose place is not known at one of the format, if the format asks for
// that.
func placed(t testing.TB, f *parse.Format, in *parse.Input) *parse.Input {
	in.MediaType = ""
	for _, l := range f.Locations {
		if in.URL != nil || f.Match(in).Level != parse.None {
			break
		}
		if at := formattest.Input(t, "https://shop.example"+l.Path, "", in.Body); f.Match(at).Level != parse.None {
			return at
		}
	}
	return in
}

// corpus returns the documents that other people publish.
func corpus(t testing.TB) map[string]*parse.Input {
	list := map[string]*parse.Input{}
	root := golden.Corpus(t)
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Dir(path) == root {
			return err
		}
		list[path] = formattest.Input(t, "", "", golden.Read(t, path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// value returns the JSON of a document, and nil if it is none.
func value(in *parse.Input) []byte {
	if root, err := in.JSON(); err == nil {
		return root.Raw()
	}
	if root, err := in.Tree(); err == nil {
		return root.Raw()
	}
	return nil
}

// TestSchemasAreMadeFromTheCode: the embedded schemas are those that the readers make, and each
// format has one unless its documents are texts.
func TestSchemasAreMadeFromTheCode(t *testing.T) {
	for _, f := range all() {
		if slices.Contains(texts, f.Name) {
			continue
		}
		b := &builder{format: f}
		for _, in := range fixtures(t, f) {
			b.add(in)
		}
		made, err := b.write()
		if err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, made, filepath.Join("schemas", f.Name+".json"))
	}
	if len(Names())+len(texts) != len(all()) {
		t.Errorf("schemas: %q", Names())
	}
}

// maxValue is the size of the largest value that the validator takes.
const maxValue = 1 << 20

// compiled returns a schema as validators read it.
func compiled(t *testing.T, format string) *ours.Schema {
	t.Helper()
	s, err := ours.Check(Of(format), ours.Draft202012, nil)
	if err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return s
}

// TestSchemasAcceptWhatIsRight: a document in which the readers find no fault is valid.
func TestSchemasAcceptWhatIsRight(t *testing.T) {
	others := corpus(t)
	for _, f := range all() {
		if slices.Contains(texts, f.Name) {
			continue
		}
		s, right := compiled(t, f.Name), 0
		docs := map[string]*parse.Input{}
		maps.Copy(docs, others)
		for i, in := range fixtures(t, f) {
			docs[fmt.Sprint("fixture ", i)] = in
		}
		for name, in := range docs {
			if diags, ok := read(f, in); !ok || wrong(diags) || value(in) == nil || len(value(in)) > maxValue {
				continue
			}
			right++
			if err := s.Validate(value(in), 0); err != nil {
				t.Errorf("%s: %s: %v", f.Name, name, err)
			}
		}
		t.Logf("%s: %d documents", f.Name, right)
		if right == 0 {
			t.Errorf("%s: no document is right", f.Name)
		}
	}
}

// unread reports a member of an object that a reader looked up, and that has none of the kinds that
// it reads.
func unread(trace *parse.Trace, pointer string) bool {
	cut := strings.LastIndexByte(pointer, '/')
	for a := range trace.Objects() {
		for _, w := range a.Wishes {
			if a.Object.Pointer() == pointer[:cut] && w.Name == pointer[cut+1:] && len(w.Kinds) > 0 {
				return !slices.Contains(w.Kinds, a.Object.Get(w.Name).Kind())
			}
		}
	}
	return false
}

// values returns the members of all objects.
func values(n parse.Node, list []parse.Node) []parse.Node {
	for _, m := range n.Members() {
		list = values(m, append(list, m))
	}
	for _, item := range n.Items() {
		list = values(item, list)
	}
	return list
}

// open are the places that a schema leaves open, because a reader looks names up there that the
// document itself gives: the name of a scheme, a relation, a definition that a reference leads to.
var open = regexp.MustCompile(`^(a2a .*/schemes/|apicatalog /linkset/\d+/[^/]+/|openrpc .*/components/|tdmrep /tdmrep/)`)

// TestSchemasRefuseWrongTypes: where a reader reports a member of a wrong type as an error, the
// schema refuses the document.
func TestSchemasRefuseWrongTypes(t *testing.T) {
	for _, f := range all() {
		if slices.Contains(texts, f.Name) {
			continue
		}
		s, refused := compiled(t, f.Name), 0
		for _, in := range fixtures(t, f) {
			if diags, ok := read(f, in); !ok || wrong(diags) && f.Name != "agentskills" { // each of its indexes has a warning
				continue
			}
			root, err := in.JSON()
			if err != nil {
				continue
			}
			for _, n := range values(root, nil) {
				wrong := `7`
				if n.Kind() == parse.Number {
					wrong = `"seven"`
				}
				body := slices.Concat(in.Body[:n.Offset()], []byte(wrong), in.Body[n.Offset()+len(n.Raw()):])
				changed, trace := (&parse.Input{URL: in.URL, FinalURL: in.FinalURL, Body: body}).Traced()
				diags, _ := read(f, changed)
				for i := range diags {
					if diags[i].Pointer != n.Pointer() || !strings.HasSuffix(diags[i].Code, ".wrong_type") || !unread(trace, n.Pointer()) {
						continue
					}
					if refused++; s.Validate(body, 0) == nil && !open.MatchString(f.Name+" "+n.Pointer()) {
						t.Errorf("%s: %s is accepted as %v", f.Name, n.Pointer(), wrong)
					}
				}
			}
		}
		t.Logf("%s: %d refused", f.Name, refused)
		if refused == 0 && f.Name != "msagents" { // it looks at kinds by itself
			t.Errorf("%s: nothing was refused", f.Name)
		}
	}
}
