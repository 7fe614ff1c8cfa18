package arch

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

const parseImport = golden.Module + "/parse"

// ruleFamilies returns the functions that make a rule for a code that is not known beforehand,
// each with the reason.
func ruleFamilies() map[string]string {
	return map[string]string{
		"reading.DocumentRule":     "a document can fail for any reason that an error names",
		"provenance.SignatureRule": "so can a signature",
	}
}

// TestDiagnosticsHaveOneMaker checks that each diagnostic is made from a rule, so that it has a
// severity and an explanation for publishers.
func TestDiagnosticsHaveOneMaker(t *testing.T) {
	for _, p := range load(t) {
		for _, f := range p.production() {
			if f.path == "parse/rule.go" {
				continue
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if lit, ok := n.(*ast.CompositeLit); ok && madeByHand(p, f, lit) {
					t.Errorf("%s: makes a diagnostic by hand; Rule.Diagnostic and Reader.Report know the rule", f.at(lit))
				}
				return true
			})
		}
	}
}

// madeByHand reports whether a literal is wayfind.Diagnostic{…} with members, also as an
// element of a list that names the type.
func madeByHand(p *pkg, f *source, lit *ast.CompositeLit) bool {
	is := func(e ast.Expr) bool { return p.dir != "." && isRoot(f, e, "Diagnostic") }
	if is(lit.Type) {
		return len(lit.Elts) > 0
	}
	list, ok := lit.Type.(*ast.ArrayType)
	return ok && is(list.Elt) && slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool { _, bare := e.(*ast.CompositeLit); return bare })
}

// declaredRule is one package variable of type parse.Rule.
type declaredRule struct {
	name   string
	fields map[string]ast.Expr
	at     string
}

// TestRulesAreValues checks that each rule is a package variable with all its members and a
// unique code, and that the list of the package contains it, so that it is explained.
func TestRulesAreValues(t *testing.T) {
	whole := map[string]string{}
	for _, p := range load(t) {
		if strings.HasPrefix(p.dir, "examples/") {
			continue
		}
		rules, problems := rulesOf(p)
		for _, problem := range problems {
			t.Error(problem)
		}
		own := map[string]bool{}
		for _, r := range rules {
			code := text(r.fields["Code"])
			if own[code] || whole[code] != "" {
				t.Errorf("%s: the code %q has another rule, too", r.at, code)
			}
			own[code] = true
			if strings.Contains(code, ".") {
				whole[code] = r.at
			}
			for _, field := range []string{"Code", "Severity", "Means", "Mend"} {
				if r.fields[field] == nil {
					t.Errorf("%s: %s has no %s", r.at, r.name, field)
				}
			}
			for _, field := range []string{"Means", "Mend"} {
				if word := awkward.FindString(text(r.fields[field])); word != "" {
					t.Errorf("%s: %s says %q: name the subject", r.at, r.name, word)
				}
			}
		}
		listed := listedRules(p)
		for _, r := range rules {
			if !listed[r.name] {
				t.Errorf("%s: %s is in no list of rules of its package", r.at, r.name)
			}
		}
	}
	if len(whole) < 50 {
		t.Errorf("only %d rules of no format were found", len(whole))
	}
}

// awkward matches words that hide the subject of a sentence.
var awkward = regexp.MustCompile(`(?i)\b(nobody|whoever|anybody|everybody|what is|what stands)\b`)

// rulesOf returns the rules that a package declares, and mistakes in the way in which it makes
// rules.
func rulesOf(p *pkg) (rules []declaredRule, problems []string) {
	for _, f := range p.production() {
		for _, d := range f.ast.Decls {
			family := false
			if fn, ok := d.(*ast.FuncDecl); ok {
				family = ruleFamilies()[f.ast.Name.Name+"."+fn.Name.Name] != ""
			}
			declared := map[*ast.CompositeLit]bool{}
			if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.VAR {
				for _, spec := range gen.Specs {
					spec := spec.(*ast.ValueSpec)
					for i, value := range spec.Values {
						if lit, ok := value.(*ast.CompositeLit); ok && isRule(p, f, lit.Type) {
							declared[lit] = true
							rules = append(rules, declaredRule{spec.Names[i].Name, fieldsOf(lit), f.at(lit)})
						}
					}
				}
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if lit, ok := n.(*ast.CompositeLit); ok && isRule(p, f, lit.Type) && len(lit.Elts) > 0 && !declared[lit] && !family {
					problems = append(problems, f.at(lit)+": a rule is made where it is used; make it a package variable")
				}
				return true
			})
		}
	}
	return rules, problems
}

// isRule reports whether an expression is the type parse.Rule.
func isRule(p *pkg, f *source, e ast.Expr) bool {
	if e == nil {
		return false
	}
	if p.dir == "parse" {
		return types.ExprString(e) == "Rule"
	}
	local := f.localName(parseImport)
	return local != "" && types.ExprString(e) == local+".Rule"
}

// fieldsOf returns the members of a literal by name.
func fieldsOf(lit *ast.CompositeLit) map[string]ast.Expr {
	fields := map[string]ast.Expr{}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok {
				fields[key.Name] = kv.Value
			}
		}
	}
	return fields
}

// text returns the value of a string literal.
func text(e ast.Expr) string {
	if lit, ok := e.(*ast.BasicLit); ok {
		return unquote(lit)
	}
	return ""
}

// listedRules returns the names in the lists of rules of a package.
func listedRules(p *pkg) map[string]bool {
	listed := map[string]bool{}
	for _, f := range p.production() {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if list, ok := lit.Type.(*ast.ArrayType); ok && isRule(p, f, list.Elt) {
				for _, e := range lit.Elts {
					listed[types.ExprString(e)] = true
				}
			}
			return true
		})
	}
	return listed
}

// TestRulesAreExercised checks that each package of a format compares its rules with the
// diagnostics of its documents. Package client does this for the other rules.
func TestRulesAreExercised(t *testing.T) {
	for _, p := range load(t) {
		if rules, _ := rulesOf(p); len(rules) == 0 || !strings.HasPrefix(p.dir, "internal/formats/") {
			continue
		}
		held := false
		for _, f := range p.files {
			f.selectors(parseImport+"/parsetest", func(sel *ast.SelectorExpr) {
				held = held || sel.Sel.Name == "Explains" || sel.Sel.Name == "Rules"
			})
		}
		if !held {
			t.Errorf("%s: no test calls parsetest.Explains", p.dir)
		}
	}
}

func TestRulesMadeByHandAreCaught(t *testing.T) {
	p := parseText(t, `package x

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

var (
	ruleA = parse.Rule{Code: "a", Means: "Nobody knows."}
	ruleB = parse.Rule{Code: "b"}
)

var all = []parse.Rule{ruleA}

func f() []wayfind.Diagnostic {
	_ = parse.Rule{}
	_ = parse.Rule{Code: "c"}
	_ = []wayfind.Diagnostic{}
	_ = wayfind.Diagnostic{}
	_ = wayfind.Diagnostic{Code: "x"}
	return []wayfind.Diagnostic{{Code: "y"}}
}
`)
	rules, problems := rulesOf(p)
	if len(rules) != 2 || len(problems) != 1 || text(rules[0].fields["Code"]) != "a" || awkward.FindString(text(rules[0].fields["Means"])) == "" {
		t.Errorf("rules %v, problems %q", rules, problems)
	}
	if listed := listedRules(p); !listed["ruleA"] || listed["ruleB"] {
		t.Errorf("listed: %v", listed)
	}
	made := 0
	ast.Inspect(p.files[0].ast, func(n ast.Node) bool {
		if lit, ok := n.(*ast.CompositeLit); ok && madeByHand(p, p.files[0], lit) {
			made++
		}
		return true
	})
	if made != 2 {
		t.Errorf("caught %d diagnostics made by hand, want 2", made)
	}
}
