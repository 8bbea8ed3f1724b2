package llm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Providers are the names of the providers.
var providers = []string{"openai", "anthropic", "ollama"}

// wellKnown are names of models that say by themselves whose they are.
var wellKnown = []struct {
	form     *regexp.Regexp
	provider string
}{
	{regexp.MustCompile(`^claude-`), "anthropic"},
	{regexp.MustCompile(`^(?:gpt-|o\d\b|chatgpt-)`), "openai"},
}

// ParseModel reads "provider:model", or the bare name of a well-known model.
func ParseModel(text string) (provider, model string, err error) {
	provider, model, ok := strings.Cut(text, ":")
	switch {
	case text == "":
		return "", "", fmt.Errorf("no model is named: give --model openai:NAME, anthropic:NAME or ollama:NAME")
	case ok && slices.Contains(providers, provider) && model != "":
		return provider, model, nil
	}
	for _, w := range wellKnown {
		if w.form.MatchString(text) {
			return w.provider, text, nil
		}
	}
	return "", "", fmt.Errorf("%q names no model: give it as openai:NAME, anthropic:NAME or ollama:NAME (any server that speaks OpenAI's protocol is openai, with base_url)", text)
}
