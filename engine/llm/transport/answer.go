package transport

import (
	"context"
	"strings"

	"autocoder/engine/chat"
)

const (
	// bytesPerToken is more than any token has in the mean: an answer with more bytes
	// for its tokens does not keep to its limit. slack is for answers of few tokens.
	bytesPerToken = 16
	slack         = 1 << 16
	// mostCalls is how many tool calls one answer may have.
	mostCalls = 64
)

// Answer puts an answer together from the parts in which it comes, whatever the
// protocol, and no more of it than was asked for.
type Answer struct {
	text, refusal strings.Builder
	calls         map[int64]*call
	order         []*call
	usage         chat.Usage
	stop          chat.Stop
	size, most    int
}

// call is a tool call that comes in pieces.
type call struct {
	id, name  string
	arguments strings.Builder
}

// NewAnswer begins an answer to a request.
func NewAnswer(r chat.Request) *Answer {
	return &Answer{calls: map[int64]*call{}, most: bytesPerToken*r.MaxTokens + slack}
}

// Say adds to the text.
func (a *Answer) Say(text string) {
	a.text.WriteString(text)
	a.size += len(text)
}

// Refuse adds to the words with which the model refuses.
func (a *Answer) Refuse(text string) {
	a.refusal.WriteString(text)
	a.size += len(text)
}

// Think counts what a model says to itself, which is not kept.
func (a *Answer) Think(text string) { a.size += len(text) }

// Call adds to the call of that index: its id and its name come once, or are empty,
// its arguments in pieces.
func (a *Answer) Call(index int64, id, name, arguments string) {
	c := a.calls[index]
	if c == nil {
		c = &call{}
		a.calls[index] = c
		a.order = append(a.order, c)
	}
	if id != "" {
		c.id = id
	}
	c.name += name
	c.arguments.WriteString(arguments)
	a.size += len(id) + len(name) + len(arguments)
}

// Calls is how many calls there are.
func (a *Answer) Calls() int { return len(a.order) }

// Use notes what the provider says of the cost so far.
func (a *Answer) Use(u chat.Usage) { a.usage = u }

// Usage is what was noted last.
func (a *Answer) Usage() chat.Usage { return a.usage }

// End notes that the answer is whole, and why it ends. Usage may still follow.
func (a *Answer) End(stop chat.Stop) { a.stop = stop }

// Ended reports whether the answer is whole.
func (a *Answer) Ended() bool { return a.stop != chat.InvalidStop }

// Bounds is ErrOversized when there is more than any honest answer has.
func (a *Answer) Bounds() error {
	if a.size > a.most || len(a.order) > mostCalls {
		return ErrOversized
	}
	return nil
}

// Reply is the answer so far, in which a peer's key does not stand.
func (a *Answer) Reply(p Peer) chat.Reply {
	r := chat.Reply{Text: p.hide(a.text.String()), Refusal: p.hide(a.refusal.String()), Usage: a.usage, Stop: a.stop}
	if r.Refusal != "" {
		r.Stop = chat.Refused
	}
	for _, c := range a.order {
		arguments := p.hide(c.arguments.String())
		if arguments == "" {
			arguments = "{}"
		}
		r.Calls = append(r.Calls, chat.Call{ID: p.hide(c.id), Name: p.hide(c.name), Arguments: arguments})
	}
	return r
}

// Stream is an answer that comes in parts, as the providers' SDKs have it.
type Stream[T any] interface {
	Next() bool
	Current() T
	Err() error
	Close() error
}

// Protocol is how a provider's parts are read.
type Protocol[T any] struct {
	// Take adds a part to the answer, and Explain turns an error of the provider's SDK
	// into ours.
	Take    func(*Answer, T)
	Explain func(context.Context, error) error
}

// Collect reads a whole answer as it comes.
func Collect[T any](ctx context.Context, p Peer, r chat.Request, s Stream[T], how Protocol[T]) (chat.Reply, error) {
	a := NewAnswer(r)
	err := s.Err()
	if err == nil { // else there is nothing to close
		defer s.Close()
	}
	for err == nil && s.Next() {
		how.Take(a, s.Current())
		err = a.Bounds()
	}
	if err == nil {
		err = s.Err()
	}
	switch {
	case ctx.Err() != nil:
		return a.Reply(p), ctx.Err()
	case err != nil:
		return a.Reply(p), how.Explain(ctx, err)
	default:
		return Whole(p, a)
	}
}

// Whole is an answer to which nothing more comes.
func Whole(p Peer, a *Answer) (chat.Reply, error) {
	if !a.Ended() {
		return a.Reply(p), p.Fault(chat.Broken, "the answer ended before its end mark")
	}
	return a.Reply(p), nil
}
