package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// module is the module path of the packages. A catalogue names them as ./cache.
const module = "github.com/wayfindhq/wayfind"

// catalogue is a list of sentences, each with the tests that prove it.
type catalogue struct {
	sentences []sentence
	ended     map[proof]string // "pass", "fail", "skip"
}

// sentence describes an attack of a hostile site, or a fault.
type sentence struct {
	text   string
	place  string // file and line
	proofs []proof
}

// proof is a test of a package.
type proof struct{ pkg, test string }

// readCatalogue reads sentences. The tests of a sentence follow it, indented with a tab: a
// package such as ./cache and a name. Lines that begin with # or == are for readers.
func readCatalogue(file string) (*catalogue, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c := &catalogue{ended: map[proof]string{}}
	var wrong []error
	places := map[string]string{}
	number := 0
	for line := range strings.Lines(string(b)) {
		number++
		line = strings.TrimSuffix(line, "\n")
		place := fmt.Sprintf("%s:%d", file, number)
		words, indented := strings.CutPrefix(line, "\t")
		switch {
		case line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "=="):
		case !indented:
			if before := places[line]; before != "" {
				wrong = append(wrong, fmt.Errorf("%s: the sentence of %s is repeated", place, before))
			}
			places[line] = place
			c.sentences = append(c.sentences, sentence{text: line, place: place})
		default:
			p, err := readProof(words)
			if err == nil && len(c.sentences) == 0 {
				err = errors.New("a test before the first sentence")
			}
			if err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %w", place, err))
				continue
			}
			last := &c.sentences[len(c.sentences)-1]
			last.proofs = append(last.proofs, p)
		}
	}
	for _, s := range c.sentences {
		if len(s.proofs) == 0 {
			wrong = append(wrong, fmt.Errorf("%s: no test for %q", s.place, s.text))
		}
	}
	if len(c.sentences) == 0 {
		wrong = append(wrong, fmt.Errorf("%s has no sentence", file))
	}
	return c, errors.Join(wrong...)
}

func readProof(words string) (proof, error) {
	dir, test, ok := strings.Cut(words, " ")
	path, local := strings.CutPrefix(dir, "./")
	if !ok || !local || !strings.HasPrefix(test, "Test") || strings.Contains(test, " ") {
		return proof{}, fmt.Errorf("%q is not a package such as ./cache and a test", words)
	}
	return proof{module + "/" + path, test}, nil
}

// add records the result of a test. A test runs more than once, with and without the race
// detector: a pass replaces a skip, and nothing replaces a failure.
func (c *catalogue) add(pkg, test, action string) {
	if c == nil {
		return // not requested
	}
	if key := (proof{pkg, test}); c.ended[key] != "fail" && (action != "skip" || c.ended[key] == "") {
		c.ended[key] = action
	}
}

// verdict prints the tests that prove nothing, each with its sentence, and the totals.
func (c *catalogue) verdict(out io.Writer) error {
	unproved, tests := 0, map[proof]bool{}
	for _, s := range c.sentences {
		proved := true
		for _, p := range s.proofs {
			tests[p] = true
			how := map[string]string{"": "did not run", "fail": "failed", "skip": "was skipped"}[c.ended[p]]
			if how == "" {
				continue
			}
			proved = false
			fmt.Fprintf(out, "%s: %s of .%s %s\n  %s\n", s.place, p.test, strings.TrimPrefix(p.pkg, module), how, s.text)
		}
		if !proved {
			unproved++
		}
	}
	fmt.Fprintf(out, "%d of %d sentences are proved, by %d tests\n", len(c.sentences)-unproved, len(c.sentences), len(tests))
	if unproved > 0 {
		return fmt.Errorf("%d sentences are not proved", unproved)
	}
	return nil
}
