package llm

import (
	"fmt"
	"strings"

	"autocoder/engine/chat"
	"autocoder/engine/redact"
)

// vault keeps secrets back: what goes out has names in their place, and what comes
// in has them again. So a file with a secret in it can be edited by a model that
// never sees it.
type vault struct {
	redact redact.Redactor
	names  map[string]string
	// forms are other ways to write the secrets, by the names of those.
	forms map[string]string
}

func newVault(r redact.Redactor) *vault {
	return &vault{redact: r, names: map[string]string{}, forms: map[string]string{}}
}

// hide returns a text that may leave the machine, or be told.
func (v *vault) hide(text string) string {
	text = v.redact.Mask(text, v.name)
	for form, name := range v.forms {
		if strings.Contains(text, form) {
			text = strings.ReplaceAll(text, form, name)
		}
	}
	return text
}

// name is the name of a secret.
func (v *vault) name(secret string) string {
	if v.names[secret] == "" {
		v.names[secret] = fmt.Sprintf("[secret-%d]", len(v.names)+1)
		// A tool may write it in another way, which nobody needs to get back.
		for _, form := range redact.Forms(secret) {
			if _, known := v.names[form]; !known && len(form) >= shortestForm {
				v.forms[form] = "[encoded-" + v.names[secret][1:]
			}
		}
	}
	return v.names[secret]
}

// shortestForm is the length from which an encoded secret is looked for.
const shortestForm = 10

// hidden is an answer that may be told: a model may have got at a secret, and its
// words go into records and before people.
func (v *vault) hidden(r chat.Reply) chat.Reply {
	r.Text, r.Refusal = v.hide(r.Text), v.hide(r.Refusal)
	calls := make([]chat.Call, len(r.Calls))
	for i, c := range r.Calls {
		calls[i] = chat.Call{ID: v.hide(c.ID), Name: v.hide(c.Name), Arguments: v.hide(c.Arguments)}
	}
	if len(calls) > 0 {
		r.Calls = calls
	}
	return r
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
