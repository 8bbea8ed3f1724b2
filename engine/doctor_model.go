package engine

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"autocoder/engine/llm"
	"autocoder/engine/redact"
	"autocoder/engine/report"
)

// probeTime is how long doctor waits for the server of a model.
const probeTime = 15 * time.Second

// proposers says which proposers are ready. It asks the server of a model that the
// settings name what it has, and the model itself nothing.
func (w *Workspace) proposers(ctx context.Context) []report.DoctorProposer {
	return []report.DoctorProposer{
		{Name: "repair", Ready: true, Detail: "the embedded repair engine: Go, Python and JavaScript"},
		w.probeModel(ctx),
	}
}

func (w *Workspace) probeModel(ctx context.Context) report.DoctorProposer {
	p := report.DoctorProposer{Name: "model"}
	if w.settings.Model == "" {
		p.Detail = "none is named: set model to openai:NAME, anthropic:NAME or ollama:NAME"
		return p
	}
	o, err := w.modelOptions(ctx)
	if err != nil {
		p.Detail = err.Error()
		return p
	}
	p.Name = o.Provider + ":" + o.Model
	limited, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	prober, ok := o.Completer.(llm.Prober)
	if !ok {
		p.Detail = "its server can't be asked"
		return p
	}
	info, err := prober.Probe(limited, o.Model)
	if err != nil {
		if limited.Err() != nil && ctx.Err() == nil {
			err = fmt.Errorf("its server did not answer in %s", probeTime)
		}
		p.Detail = redact.New(w.secrets()).Text(err.Error())
		return p
	}
	p.Ready = true
	p.Detail = fmt.Sprintf("context %s, price %s", contextText(cmp.Or(w.settings.ModelContext, info.Context, o.Context)), priceText(o))
	return p
}

func contextText(tokens int) string {
	if tokens == 0 {
		return "not known (setting model_context)"
	}
	return fmt.Sprintf("%d tokens", tokens)
}

func priceText(o llm.Options) string {
	switch {
	case !o.Priced:
		return "not known (setting prices)"
	case o.Price.Prompt == 0 && o.Price.Completion == 0:
		return "nothing"
	default:
		return fmt.Sprintf("$%g/$%g per million tokens of prompt/answer", o.Price.Prompt, o.Price.Completion)
	}
}
