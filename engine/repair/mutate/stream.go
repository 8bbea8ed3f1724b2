package mutate

import (
	"container/heap"
	"hash/maphash"
	"math"
	"slices"
	"strings"

	"autocoder/engine/repair/node"
	"autocoder/engine/textedit"
)

const (
	// locality is what a line that nothing speaks for costs more than the most
	// suspicious one.
	locality = 3.0
	// leastPrior is what every template costs, whatever speaks for it.
	leastPrior = 0.1
	// spread is how far behind the cut edits are kept: a boost may bring them in.
	spread = 0.6
	// maxPending bounds the memory of a stream; the dearest half goes when it is
	// reached.
	maxPending = 200_000
)

// remoteness is what an edit costs for how little speaks against its line. In a large
// suite the line at fault is run by many tests that pass: it must stay within reach.
func remoteness(score float64) float64 { return locality * (1 - math.Sqrt(max(0, score))) }

// File is a file to edit.
type File struct {
	Path string
	Info *node.Info
	// Score says how suspicious a line is, from 0 to 1; lines with 0 are left alone.
	Score map[int]float64
}

// Options steer a stream.
type Options struct {
	// Cut is the cost beyond which edits are not made.
	Cut float64
	// Near are strings that the tests mention: literals one or two characters away
	// from one may be meant to be it.
	Near []string
	// Asserted is code of the failing tests: an edit that brings a name of which they speak
	// is likelier than others.
	Asserted string
	// Errors are those that the tests speak of, the likeliest first.
	Errors []Error
	// Differing are texts that the failing tests got and did not want.
	Differing []Differing
	// Missing are the names that the tests' errors say are not there.
	Missing Missing
	// Hints are how much earlier than by their priors templates are tried, by name.
	Hints map[string]float64
	// Careful leaves lines alone that delete, write, spawn or connect.
	Careful bool
}

// Found is an edit of one of the stream's files.
type Found struct {
	Path string
	Edit
}

// Stream yields the edits of a set of files, the cheapest first. It makes them as
// they are asked for: a template is asked about a node only when nothing cheaper
// is left.
type Stream struct {
	options Options
	queue   queue
	seen    map[uint64]struct{}
	seed    maphash.Seed
	adjust  map[spotted]float64
	next    int
	sources map[string]*source
}

type spotted struct {
	path string
	line int
}

// pending is a template that has not been asked about a node, or an edit that has
// not been yielded.
type pending struct {
	// cost is what it is without what was learnt, place the part of it that is due to
	// the line, key what it is sorted by.
	cost, place, key float64
	order            int
	source           *source
	n                *node.Node
	template         *Template
	edit             *Edit
}

type source struct {
	File
	facts *file
}

// NewStream makes a stream over files.
func NewStream(files []File, options Options) *Stream {
	s := &Stream{options: options, seen: map[uint64]struct{}{}, seed: maphash.MakeSeed(), adjust: map[spotted]float64{}, sources: map[string]*source{}}
	byKind := map[node.Kind][]*Template{}
	for _, t := range Templates() {
		for _, k := range t.Kinds {
			byKind[k] = append(byKind[k], &t)
		}
	}
	for _, f := range files {
		s.add(f, byKind)
	}
	heap.Init(&s.queue)
	return s
}

// add queues every template for every suspicious node of a file.
func (s *Stream) add(f File, byKind map[node.Kind][]*Template) {
	src := &source{File: f, facts: newFile(f.Info, s.options)}
	s.sources[f.Path] = src
	node.Walk(f.Info.Root, func(n *node.Node) bool {
		score := src.score(n)
		if score <= 0 || s.options.Careful && src.dangerous(n) {
			return true
		}
		for _, t := range byKind[n.Kind] {
			where := remoteness(score)
			cost := max(leastPrior, t.Prior-s.options.Hints[t.Name])
			s.push(pending{cost: cost + where, place: where, source: src, n: n, template: t})
		}
		return true
	})
}

// score is how suspicious a node is: as its own line, or the first of its
// statement, since coverage knows a statement of several lines by its first. What a
// function does as a whole counts as its worst line.
func (src *source) score(n *node.Node) float64 {
	if n.Kind == node.Function {
		best := 0.0
		for line, s := range src.Score {
			if line >= n.Line && line <= n.EndLine {
				best = max(best, s)
			}
		}
		return best
	}
	best := src.Score[n.Line]
	if st := src.Info.Statement(n); st != nil {
		best = max(best, src.Score[st.Line])
	}
	return best
}

// dangerous reports whether the statement of n has something that must not be
// tried where cells are not confined.
func (src *source) dangerous(n *node.Node) bool {
	st := src.Info.Statement(n)
	if st == nil {
		return n.Kind == node.Function && src.dangerousText(src.Info.Text(n))
	}
	end := st.End
	if b := node.Body(st); b != nil {
		end = b.Start
	}
	return src.dangerousText(src.Info.Between(st.Start, end))
}

func (src *source) dangerousText(text string) bool {
	return slices.ContainsFunc(src.Info.Dialect.Dangerous, func(d string) bool { return strings.Contains(text, d) })
}

// Offer adds an edit of one of the files that no template makes. Its cost grows
// with how unlikely its line is to be at fault.
func (s *Stream) Offer(path string, e Edit) {
	src := s.sources[path]
	if src == nil || s.options.Careful && slices.ContainsFunc(e.Edits, func(x textedit.Edit) bool { return src.dangerousText(x.New) }) || s.repeated(src, e.Edits) {
		return
	}
	where := remoteness(src.Score[e.Line])
	s.push(pending{cost: e.Cost + where, place: where, source: src, n: &node.Node{Line: e.Line}, edit: &e})
	heap.Init(&s.queue)
}

// push appends to the queue, which is then no heap until it is made one.
func (s *Stream) push(p pending) {
	if p.cost > s.options.Cut+spread {
		return
	}
	p.order = s.next
	p.key = p.cost + s.adjust[spotted{p.source.Path, p.n.Line}]
	s.next++
	s.queue = append(s.queue, p)
}

// Next yields up to n edits. Fewer mean that there are no more.
func (s *Stream) Next(n int) []Found {
	var out []Found
	for len(out) < n && len(s.queue) > 0 && s.queue[0].key <= s.options.Cut {
		p := heap.Pop(&s.queue).(pending)
		if p.edit == nil {
			s.expand(p)
			continue
		}
		e := *p.edit
		if d := p.source.Info.Dialect; d.Complete != nil {
			e.Edits = append(slices.Clone(e.Edits), d.Complete(p.source.Info.Content, e.Edits)...)
			slices.SortStableFunc(e.Edits, func(a, b textedit.Edit) int { return a.Start - b.Start })
		}
		// What was learnt decides when an edit is tried, not how good it is.
		e.Cost, e.Place = p.cost, p.place
		out = append(out, Found{Path: p.source.Path, Edit: e})
	}
	return out
}

// expand asks a template about a node and queues what it makes.
func (s *Stream) expand(p pending) {
	fn := p.source.facts.in(p.n)
	g := &site{function: fn, n: p.n}
	g.out = func(e Edit) {
		c := p.cost + e.Cost
		if c > s.options.Cut+spread {
			return
		}
		if s.options.Careful && slices.ContainsFunc(e.Edits, func(x textedit.Edit) bool { return p.source.dangerousText(x.New) }) {
			return
		}
		if c += fn.effect(e.Edits) + fn.levelling(fn.Statement(p.n), e.Edits) + fn.idleCondition(p.n, e.Edits); c > s.options.Cut+spread || s.repeated(p.source, e.Edits) {
			return
		}
		e.Template, e.Suspicious = p.template.Name, e.Suspicious || p.template.Suspicious
		s.push(pending{cost: c, place: p.place, source: p.source, n: p.n, template: p.template, edit: &e})
		s.queue.up(len(s.queue) - 1)
	}
	p.template.generate(g)
	if len(s.queue) > maxPending {
		slices.SortFunc(s.queue, func(a, b pending) int {
			if s.queue.less(a, b) {
				return -1
			}
			return 1
		})
		s.queue = slices.Clone(s.queue[:maxPending/2])
	}
}

// repeated reports whether an edit that gives the same text was queued before.
func (s *Stream) repeated(src *source, edits []textedit.Edit) bool {
	var h maphash.Hash
	h.SetSeed(s.seed)
	h.WriteString(src.Path)
	start, end, text := trim(src.Info.Content, merge(src.Info.Content, edits))
	for _, v := range [2]int{start, end} {
		for k := range 8 {
			h.WriteByte(byte(v >> (8 * k)))
		}
	}
	h.WriteString(text)
	key := h.Sum64()
	if _, ok := s.seen[key]; ok || start == end && text == "" {
		return true
	}
	s.seen[key] = struct{}{}
	return false
}

// merge makes one edit of several.
func merge(content []byte, edits []textedit.Edit) textedit.Edit {
	if len(edits) == 1 {
		return edits[0]
	}
	var text strings.Builder
	at := edits[0].Start
	for _, e := range edits {
		text.Write(content[at:e.Start])
		text.WriteString(e.New)
		at = e.End
	}
	return textedit.Edit{Start: edits[0].Start, End: at, New: text.String()}
}

// trim gives edits that have the same effect the same form: what both texts begin
// and end with is left out, and an insertion is moved as far back as it can be.
func trim(content []byte, e textedit.Edit) (start, end int, text string) {
	start, end, text = e.Start, e.End, e.New
	for end > start && text != "" && content[end-1] == text[len(text)-1] {
		end, text = end-1, text[:len(text)-1]
	}
	for end > start && text != "" && content[start] == text[0] {
		start, text = start+1, text[1:]
	}
	for start == end && text != "" && start > 0 && content[start-1] == text[len(text)-1] {
		text = string(content[start-1]) + text[:len(text)-1]
		start, end = start-1, end-1
	}
	return start, end, text
}

// Boost brings the remaining edits of a line forward by some cost: an edit there
// changed how the tests fail. A negative amount puts them back.
func (s *Stream) Boost(path string, line int, by float64) {
	at := spotted{path, line}
	s.adjust[at] -= by
	for k := range s.queue {
		if p := &s.queue[k]; p.source.Path == path && p.n.Line == line {
			p.key = p.cost + s.adjust[at]
		}
	}
	heap.Init(&s.queue)
}

// queue is a heap of what is pending.
type queue []pending

func (q queue) less(a, b pending) bool {
	if a.key != b.key {
		return a.key < b.key
	}
	return a.order < b.order
}

// up moves the last element of a heap to its place, as heap.Push does, without an
// allocation for each.
func (q queue) up(k int) {
	for k > 0 {
		above := (k - 1) / 2
		if !q.less(q[k], q[above]) {
			return
		}
		q.Swap(k, above)
		k = above
	}
}

// Len, Less, Swap, Push and Pop are those of heap.Interface.
func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q.less(q[i], q[j]) }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(pending)) }

// Pop takes the last element off.
func (q *queue) Pop() any {
	old := *q
	p := old[len(old)-1]
	old[len(old)-1] = pending{}
	*q = old[:len(old)-1]
	return p
}
