package llm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"autocoder/engine/budget"
	"autocoder/engine/chat"
	"autocoder/engine/circuit"
	"autocoder/engine/event"
	"autocoder/engine/propose"
)

const (
	// mostAnswer is how many tokens an answer may have, and leastAnswer how many it
	// must be able to have for a call to make sense.
	mostAnswer, leastAnswer = 8192, 1024
	// mostThought is the most for a model that thinks before it answers, when what is
	// usual did not do.
	mostThought = 4 * mostAnswer
	// longestWait is the most that a provider may ask to wait.
	longestWait = 60 * time.Second
	// overhead is how many tokens a message costs beside its text, and slack how many
	// more a provider may count than there are bytes: its own words around ours.
	overhead, slack = 8, 4096
)

// Turn is one call of the model, as it is recorded.
type Turn struct {
	Index int `json:"index"`
	// Thought is what the model said.
	Thought string        `json:"thought"`
	Calls   []chat.Call   `json:"calls"`
	Results []chat.Result `json:"results"`
	Usage   chat.Usage    `json:"usage"`
	CostUSD *float64      `json:"cost_usd"`
	Model   string        `json:"model"`
	Format  string        `json:"format"`
	// Prompt is the hash of what was sent.
	Prompt string `json:"prompt_sha256"`
	// Reply is the answer as it came, and Error why there is none.
	Reply *chat.Reply `json:"reply,omitempty"`
	Error *chat.Error `json:"error,omitempty"`
}

// ask makes one call: it reserves what the call may cost, tries again what may
// pass, charges what it did cost, and records it.
func (m *Model) ask(ctx context.Context, view propose.View, messages []chat.Message, tools []chat.Tool) (chat.Reply, error) {
	request := chat.Request{Model: m.options.Model, Messages: m.clean(messages), Tools: tools, MaxTokens: cmp.Or(m.mostAnswer, m.thinking, mostAnswer)}
	size := requestSize(request)
	prompt := int(math.Ceil(float64(size)/carefulBytes)) + overhead*len(messages)
	if m.options.Context > 0 {
		request.MaxTokens = min(request.MaxTokens, m.options.Context-prompt)
	}
	if request.MaxTokens < leastAnswer {
		return chat.Reply{}, giveUp("the prompt of about %d tokens leaves no room for an answer in the %d of %s", prompt, m.options.Context, m.Name())
	}
	request.Estimate, request.Context = size/8, prompt+request.MaxTokens
	if err := m.breaker.Context(prompt); err != nil {
		return chat.Reply{}, giveUp("%v", err)
	}
	settle, err := m.hold(view, prompt, &request)
	if err != nil {
		return chat.Reply{}, err
	}
	reply, err := m.persist(ctx, view, request)
	usage := m.honest(view, reply, size, request.MaxTokens)
	if err != nil && reply.Text == "" && len(reply.Calls) == 0 && !reply.Usage.Known {
		usage = chat.Usage{} // nothing came back
	}
	m.charge(settle, usage, err == nil)
	m.record(view, request, reply, usage, err)
	if err != nil {
		return reply, err
	}
	if reply.Stop == chat.Length && tokens(reply.Text) < request.MaxTokens/2 && len(reply.Calls) == 0 {
		m.thinking = min(mostThought, 2*request.MaxTokens) // its thoughts took up the rest
	}
	if reply.Stop == chat.Refused {
		return reply, giveUp("%s refused to answer%s", m.Name(), after(": ", oneLine(reply.Refusal+reply.Text, 300)))
	}
	return reply, nil
}

func after(lead, text string) string {
	if text == "" {
		return ""
	}
	return lead + text
}

// clean takes the secrets out of everything that is sent.
func (m *Model) clean(messages []chat.Message) []chat.Message {
	out := make([]chat.Message, len(messages))
	for i, message := range messages {
		message.Text = m.vault.Hide(message.Text)
		calls := make([]chat.Call, len(message.Calls))
		for k, c := range message.Calls {
			c.Arguments = m.vault.Hide(c.Arguments)
			calls[k] = c
		}
		results := make([]chat.Result, len(message.Results))
		for k, r := range message.Results {
			results[k] = m.hiddenResult(r)
		}
		message.Calls, message.Results = calls, results
		out[i] = message
	}
	return out
}

func (m *Model) hiddenResult(r chat.Result) chat.Result {
	r.ID, r.Name = m.vault.Hide(r.ID), m.vault.Hide(r.Name)
	r.Output, r.Error = m.vault.Hide(r.Output), m.vault.Hide(r.Error)
	return r
}

// complete asks the model; what comes back may be told.
func (m *Model) complete(ctx context.Context, r chat.Request) (chat.Reply, error) {
	reply, err := m.options.Completer.Complete(ctx, r)
	var failed *chat.Error
	if errors.As(err, &failed) {
		told := *failed
		told.Detail = m.vault.Hide(told.Detail)
		err = &told
	}
	return m.vault.hidden(reply), err
}

// requestSize is how many bytes a request has.
func requestSize(r chat.Request) int {
	n := 0
	for _, m := range r.Messages {
		n += len(m.Text)
		for _, c := range m.Calls {
			n += len(c.Name) + len(c.Arguments)
		}
		for _, x := range m.Results {
			n += len(x.Text())
		}
	}
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + 200
	}
	return n
}

// hold reserves the most that a call may cost. A limit of tokens that is near
// makes the answer shorter.
func (m *Model) hold(view propose.View, prompt int, r *chat.Request) (func(budget.Cost), error) {
	if view.Hold == nil {
		return func(budget.Cost) {}, nil
	}
	for {
		c := budget.Cost{Turns: 1, Tokens: prompt + r.MaxTokens, Unpriced: !m.options.Priced}
		if m.options.Priced {
			c.Dollars = m.options.Price.most(prompt, r.MaxTokens)
		}
		settle, err := view.Hold(c)
		var exceeded *budget.Exceeded
		if errors.As(err, &exceeded) && r.MaxTokens > leastAnswer && (exceeded.What == budget.Tokens || exceeded.What == budget.Money) {
			r.MaxTokens = max(leastAnswer, r.MaxTokens/2)
			continue
		}
		return settle, err
	}
}

// charge settles a call.
func (m *Model) charge(settle func(budget.Cost), u chat.Usage, answered bool) {
	c := budget.Cost{Turns: 1, Tokens: u.Total(), Unpriced: !m.options.Priced}
	if m.options.Priced {
		c.Dollars = m.options.Price.Cost(u)
		*m.usage.CostUSD += c.Dollars
	}
	settle(c)
	m.usage.Calls++
	m.usage.PromptTokens += u.Prompt + u.Cached + u.Written
	m.usage.CachedTokens += u.Cached
	m.usage.CompletionTokens += u.Completion
}

// honest is the usage of a call, as the provider tells it where that can be: less
// than the bytes can come to, or more, is a mistake or a lie.
func (m *Model) honest(view propose.View, r chat.Reply, size, most int) chat.Usage {
	u := r.Usage
	written := len(r.Text)
	for _, c := range r.Calls {
		written += len(c.Name) + len(c.Arguments)
	}
	estimate := chat.Usage{Prompt: int(float64(size)/bytesPerToken) + 1, Completion: int(float64(written)/bytesPerToken) + 1, Known: u.Known}
	prompt := u.Prompt + u.Cached + u.Written
	// Each by itself, too: the sum of what is beyond all measure may come out right.
	measured := true
	for _, n := range []int{u.Prompt, u.Cached, u.Written} {
		measured = measured && n >= 0 && n <= size+slack
	}
	switch {
	case !u.Known:
		return estimate
	case measured && prompt >= size/7 && prompt <= size+slack && u.Completion >= written/7 && u.Completion <= most+slack:
		return u
	}
	if !m.lied {
		m.lied = true
		view.Emit(event.Event{Kind: event.Warned, Text: fmt.Sprintf(
			"%s tells of %d tokens of prompt and %d of answer, which can't be for %d and %d bytes: what is counted is an estimate", m.Name(), prompt, u.Completion, size, written)})
	}
	return estimate
}

// persist makes the call, again while it may pass and the breaker allows.
func (m *Model) persist(ctx context.Context, view propose.View, r chat.Request) (chat.Reply, error) {
	var said error
	for try := 0; ; try++ {
		if err := m.breaker.Allow(m.options.Provider); err != nil {
			return chat.Reply{}, tripped(err, said)
		}
		reply, err := m.complete(ctx, r)
		if err == nil {
			m.breaker.Success(m.options.Provider)
			return reply, nil
		}
		if ctx.Err() != nil {
			return reply, ctx.Err()
		}
		var failed *chat.Error
		if errors.As(err, &failed) && m.shorter(failed, &r) {
			continue
		}
		if failed == nil || !failed.Fault.Passing() {
			return reply, err
		}
		said = err
		m.breaker.Failure(m.options.Provider, failed.Fault.String())
		wait := time.Second << try
		if failed.After > 0 {
			wait = failed.After
		}
		if end, ok := ctx.Deadline(); wait > longestWait || ok && m.options.Now().Add(wait).After(end) {
			return reply, fmt.Errorf("%w; it would be asked again only in %s", err, wait)
		}
		if m.breaker.Allow(m.options.Provider) == nil {
			view.Emit(event.Event{Kind: event.Warned, Text: fmt.Sprintf("%v; asking again in %s", err, wait)})
			if err := m.options.Sleep(ctx, wait); err != nil {
				return reply, err
			}
		}
	}
}

var number = regexp.MustCompile(`\d+`)

// shorter asks for shorter answers from then on, where a server says that its
// model can't give as long ones: once in a run.
func (m *Model) shorter(failed *chat.Error, r *chat.Request) bool {
	if failed.Fault != chat.Rejected && failed.Fault != chat.TooLong || m.mostAnswer > 0 || !strings.Contains(failed.Detail, "max") || !strings.Contains(failed.Detail, "token") {
		return false
	}
	for _, digits := range number.FindAllString(failed.Detail, -1) {
		n, err := strconv.Atoi(digits)
		if err == nil && n >= leastAnswer && n < r.MaxTokens {
			m.mostAnswer = max(m.mostAnswer, n)
		}
	}
	if m.mostAnswer > 0 {
		r.MaxTokens = m.mostAnswer
	}
	return m.mostAnswer > 0
}

// tripped is the end of a run by the breaker.
func tripped(err, said error) error {
	var open *circuit.Open
	if said != nil && errors.As(err, &open) {
		// Why it failed belongs to the record, too.
		return &end{fmt.Sprintf("%v: %v", err, said), errors.Join(propose.ErrNothingLeft, said)}
	}
	return giveUp("%v", err)
}

// record tells of a call.
func (m *Model) record(view propose.View, r chat.Request, reply chat.Reply, u chat.Usage, err error) {
	turn := Turn{
		Index: m.turns, Thought: reply.Text, Calls: reply.Calls, Usage: u, Model: m.Name(), Format: m.format.String(), Prompt: promptHash(r),
	}
	if m.options.Priced {
		cost := m.options.Price.Cost(u)
		turn.CostUSD = &cost
	}
	detail := oneLine(reply.Text, 80)
	if err != nil {
		var failed *chat.Error
		if errors.As(err, &failed) {
			turn.Error = failed
		}
		detail = err.Error()
	} else {
		turn.Reply = &reply
	}
	if len(reply.Calls) > 0 {
		var names []string
		for _, c := range reply.Calls {
			names = append(names, oneLine(c.Name, 40))
		}
		detail = "calls " + strings.Join(names, ", ")
	}
	m.turns++
	if len(reply.Calls) > 0 && len(r.Tools) > 0 {
		m.pending, m.detail = &turn, detail // told with its results
		return
	}
	m.emitTurn(view, turn, detail)
}

func (m *Model) emitTurn(view propose.View, t Turn, detail string) {
	blob, err := json.Marshal(t)
	if err != nil {
		blob = nil // texts and numbers can be marshalled
	}
	view.Emit(event.Event{Kind: event.Turned, N: t.Index, Detail: detail, Blob: blob})
}

func promptHash(r chat.Request) string {
	h := sha256.New()
	for _, m := range r.Messages {
		fmt.Fprintf(h, "%s %q", m.Role, m.Text)
		for _, c := range m.Calls {
			fmt.Fprintf(h, "%q%q", c.Name, c.Arguments)
		}
		for _, x := range m.Results {
			fmt.Fprintf(h, "%q", x.Text())
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
