package prompt

import (
	"slices"
	"strconv"
	"strings"
)

// leftOver is the number of omitted things of a kind.
type leftOver struct {
	kind string // in the plural
	n    int
}

// entry writes a part of a block that must stay whole: a capability with its warnings, for
// example. If an entry does not fit, all later entries are omitted too, so no warning is
// separated from its subject.
func (b *promptBlock) entry(kind string, write func()) {
	p := b.prompt
	if p.full {
		p.leave(kind, 1)
		return
	}
	begin := b.out.Len()
	write()
	if b.out.Len()+len(p.mark)+len("</>\n") > p.budget {
		b.out.Truncate(begin)
		p.full = true
		p.leave(kind, 1)
		return
	}
	b.entries++
}

// leave counts omitted entries.
func (p *Prompt) leave(kind string, n int) {
	i := slices.IndexFunc(p.left, func(l leftOver) bool { return l.kind == kind })
	if i < 0 {
		i = len(p.left)
		p.left = append(p.left, leftOver{kind: kind})
	}
	p.left[i].n += n
}

// tell reports the omissions since its last call.
func (p *Prompt) tell() {
	if len(p.left) == 0 {
		return
	}
	parts := make([]string, len(p.left))
	for i, l := range p.left {
		parts[i] = l.kind + " (" + strconv.Itoa(l.n) + ")"
	}
	p.body.WriteString("\nleft out, because this text is full: " + strings.Join(parts, ", ") + "\n")
	p.left = nil
}
