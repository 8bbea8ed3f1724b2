package llm

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"autocoder/engine/chat"
)

//go:embed prices.json
var priceTable []byte

// Price is what a model costs, in US dollars per million tokens, and how much it
// can take.
type Price struct {
	Prompt     float64 `json:"prompt"`
	Completion float64 `json:"completion"`
	// Cached is for tokens read from the provider's cache, Written for those that
	// were written to it.
	Cached  float64 `json:"cached"`
	Written float64 `json:"written"`
	// Context is the most tokens of prompt and answer, 0 when it is not known.
	Context int `json:"context"`
}

// Cost is the price of one call.
func (p Price) Cost(u chat.Usage) float64 {
	return (float64(u.Prompt)*p.Prompt + float64(u.Cached)*p.Cached + float64(u.Written)*p.Written + float64(u.Completion)*p.Completion) / 1e6
}

// most is the most that so many tokens may cost.
func (p Price) most(prompt, completion int) float64 {
	return (float64(prompt)*max(p.Prompt, p.Written) + float64(completion)*p.Completion) / 1e6
}

// dated is what may follow a model's name and leave it the same model.
var dated = regexp.MustCompile(`^(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest))?(?::free|:beta)?$`)

// PriceOf looks a model up: in the user's own prices first, "PROMPT/COMPLETION" or
// "PROMPT/COMPLETION/CACHED" by "provider:model" or "model", and then in the table.
// A model that is in neither has no known price; what runs on one's own machine
// costs nothing.
func PriceOf(own map[string]string, provider, model string) (price Price, known bool, err error) {
	price, known = tabled(model)
	for _, name := range []string{provider + ":" + model, model} {
		text, ok := own[name]
		if !ok {
			continue
		}
		p, err := parsePrice(text)
		if err != nil {
			return price, known, fmt.Errorf("prices: %q can't be the price of %s: %w", text, name, err)
		}
		p.Context = price.Context
		return p, true, nil
	}
	if provider == "ollama" {
		return Price{}, true, nil
	}
	return price, known, nil
}

// tabled looks a model up in the table.
func tabled(model string) (Price, bool) {
	var table struct {
		Models map[string]Price `json:"models"`
	}
	if err := json.Unmarshal(priceTable, &table); err != nil {
		panic(fmt.Sprintf("llm: the price table: %v", err)) // it is part of the program
	}
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, form := range []string{name, strings.ReplaceAll(name, ".", "-")} {
		for known, price := range table.Models {
			if rest, ok := strings.CutPrefix(form, known); ok && dated.MatchString(rest) {
				return price, true
			}
		}
	}
	return Price{}, false
}

func parsePrice(text string) (Price, error) {
	parts := strings.Split(text, "/")
	if len(parts) != 2 && len(parts) != 3 {
		return Price{}, fmt.Errorf("expected PROMPT/COMPLETION in dollars per million tokens")
	}
	var n [3]float64
	for i, part := range parts {
		var err error
		if n[i], err = strconv.ParseFloat(strings.TrimSpace(part), 64); err != nil || !(n[i] >= 0 && n[i] < 1e6) {
			return Price{}, fmt.Errorf("expected PROMPT/COMPLETION in dollars per million tokens")
		}
	}
	p := Price{Prompt: n[0], Completion: n[1], Cached: n[0], Written: n[0]}
	if len(parts) == 3 {
		p.Cached = n[2]
	}
	return p, nil
}
