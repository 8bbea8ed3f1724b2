package llm

import (
	"fmt"
	"strings"

	"autocoder/engine/redact"
)

// vault keeps secrets back: what goes out has names in their place, and what comes
// in has them again. So a file with a secret in it can be edited by a model that
// never sees it.
type vault struct {
	redact redact.Redactor
	names  map[string]string
}

func newVault(r redact.Redactor) *vault { return &vault{redact: r, names: map[string]string{}} }

// hide returns a text that may leave the machine.
func (v *vault) hide(text string) string {
	return v.redact.Mask(text, func(secret string) string {
		if v.names[secret] == "" {
			v.names[secret] = fmt.Sprintf("[secret-%d]", len(v.names)+1)
		}
		return v.names[secret]
	})
}

// restore puts the secrets back into a text that stays here.
func (v *vault) restore(text string) string {
	if !strings.Contains(text, "[secret-") {
		return text
	}
	for secret, name := range v.names {
		text = strings.ReplaceAll(text, name, secret)
	}
	return text
}
