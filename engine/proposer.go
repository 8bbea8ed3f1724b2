package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"autocoder/engine/budget"
	"autocoder/engine/event"
	"autocoder/engine/llm"
	"autocoder/engine/llm/anthropic"
	"autocoder/engine/llm/ollama"
	"autocoder/engine/llm/openai"
	"autocoder/engine/llm/transport"
	"autocoder/engine/propose"
	"autocoder/engine/redact"
	"autocoder/engine/repair"
	"autocoder/engine/repair/golang"
	"autocoder/engine/repair/javascript"
	"autocoder/engine/repair/python"
	"autocoder/engine/report"
)

// proposer returns what the settings name, and the language model in it, nil when
// there is none.
func (w *Workspace) proposer(ctx context.Context) (propose.Proposer, *llm.Model, error) {
	w.warnKeys()
	if w.options.Proposer != nil {
		return w.options.Proposer, nil, nil
	}
	name := w.settings.Proposer
	if file, ok := strings.CutPrefix(name, "script:"); ok {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, nil, &UsageError{Message: fmt.Sprintf("read the script of --proposer: %v", err)}
		}
		p, err := propose.Scripted(file, text)
		if err != nil {
			return nil, nil, &UsageError{Message: err.Error()}
		}
		return p, nil, nil
	}
	engine := repair.New(w.options.Now, golang.New(), python.New(), javascript.New())
	switch {
	case name == "null":
		return propose.Null(), nil, nil
	case name == "model":
		model, err := w.model(ctx, engine.Locate)
		return model, model, err
	case name == "auto" && w.settings.Model != "":
		model, err := w.model(ctx, nil)
		if err != nil {
			return nil, nil, err
		}
		return llm.Auto(engine, model, w.options.Now), model, nil
	case name == "auto" || name == "repair":
		return engine, nil, nil
	default:
		return nil, nil, &UsageError{Message: fmt.Sprintf("no proposer is called %q: use auto, repair, model, null or script:FILE", name)}
	}
}

// locate finds where a fault may be.
type locate = func(context.Context, propose.View) (propose.Coverage, error)

// model returns the language model that the settings name; with locate it finds out
// by itself where the fault may be.
func (w *Workspace) model(ctx context.Context, find locate) (*llm.Model, error) {
	o, err := w.modelOptions(ctx)
	if err != nil {
		return nil, err
	}
	if !o.Priced && w.options.CostGiven {
		return nil, &UsageError{Message: fmt.Sprintf(
			"max_cost was set, and the price of %s:%s is not known: give one in the setting prices, as %q = \"PROMPT/COMPLETION\" in dollars per million tokens, or leave max_cost out",
			o.Provider, o.Model, o.Provider+":"+o.Model)}
	}
	o.Locate = find
	return llm.New(o), nil
}

// modelOptions are those of the model that the settings name.
func (w *Workspace) modelOptions(ctx context.Context) (llm.Options, error) {
	s := w.settings
	provider, name, err := llm.ParseModel(s.Model)
	if err != nil {
		return llm.Options{}, &UsageError{Message: err.Error()}
	}
	price, known, err := llm.PriceOf(s.Prices, provider, name)
	if err != nil {
		return llm.Options{}, &UsageError{Message: err.Error()}
	}
	completer := w.completerOf(ctx, provider) // it finds the key that is to be redacted
	return llm.Options{
		Completer: completer, Provider: provider, Model: name, Price: price, Priced: known,
		Context: cmp.Or(s.ModelContext, price.Context), Format: s.ModelFormat, Tools: s.ModelTools, Root: w.root,
		Redact: redact.New(w.secrets()), Mark: rand.Text()[:10], Now: w.options.Now, Sleep: w.patience(),
	}, nil
}

// completerOf returns the provider of that name.
func (w *Workspace) completerOf(ctx context.Context, name string) llm.Completer {
	if w.completer != nil {
		return w.completer
	}
	client := transport.Client(transport.Default(w.options.Environ))
	switch base, key := w.baseURL(name), w.key(ctx, name); name {
	case openai.Name:
		return openai.New(openai.Options{BaseURL: base, Key: key, Client: client})
	case anthropic.Name:
		return anthropic.New(anthropic.Options{BaseURL: base, Key: key, Client: client})
	case ollama.Name:
		return ollama.New(ollama.Options{BaseURL: base, Client: client})
	default:
		panic(fmt.Sprintf("engine: there is no provider %q", name)) // names are parsed
	}
}

// getenv returns the value of a variable of the user's environment.
func (w *Workspace) getenv(name string) string {
	value := ""
	for _, kv := range w.options.Environ {
		if k, v, _ := strings.Cut(kv, "="); k == name {
			value = v
		}
	}
	return strings.TrimSpace(value)
}

// patience is how to wait for a provider; a record needs no waiting for.
func (w *Workspace) patience() func(context.Context, time.Duration) error {
	if w.completer != nil {
		return func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	}
	return sleep
}

// sleep waits, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// spentIn lets the events of a model's turns say what was spent so far.
func spentIn(meter *budget.Meter, sink event.Sink) event.Sink {
	return func(e event.Event) {
		if e.Kind == event.Turned {
			e.Text = meter.Text()
		}
		sink(e)
	}
}

// account adds to a report what the model cost and did.
func (k work) account(r *report.Report) {
	if k.model == nil {
		return
	}
	r.Usage = k.model.Usage()
	r.Usage.Fingerprints = k.model.Fingerprints()
}

// passable are the variables of the user's that a cell may see: never a key of a
// model's provider, whatever the settings say.
func passable(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), providerKey)
}

func providerKey(name string) bool {
	return slices.Contains([]string{openai.KeyName, anthropic.KeyName, "ANTHROPIC_AUTH_TOKEN"}, name)
}

// warnKeys says which variables are kept from the tests.
func (w *Workspace) warnKeys() {
	for _, name := range w.settings.Env {
		if providerKey(name) {
			w.emit(event.Event{Kind: event.Warned, Text: name + " is a key of a model's provider and is not passed on to the tests (env)"})
		}
	}
}
