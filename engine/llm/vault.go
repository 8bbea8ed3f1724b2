package llm

import (
	"cmp"
	"fmt"
	"slices"
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
	// forms are all ways in which the secrets are written that were seen so far, the
	// longest first.
	forms []form
}

// form is one way to write a secret, and what stands for it.
type form struct{ text, name string }

func newVault(r redact.Redactor) *vault {
	return &vault{redact: r, names: map[string]string{}}
}

// Hide returns a text that may leave the machine, or be told. A secret that was once
// known by where it stood is one wherever else it stands.
func (v *vault) Hide(text string) string {
	text = v.redact.Mask(text, v.name)
	for _, f := range v.forms {
		if strings.Contains(text, f.text) {
			text = strings.ReplaceAll(text, f.text, f.name)
		}
	}
	return text
}

// name is the name of a secret.
func (v *vault) name(secret string) string {
	if v.names[secret] == "" {
		v.names[secret] = fmt.Sprintf("[secret-%d]", len(v.names)+1)
		v.learn(secret)
	}
	return v.names[secret]
}

// learn notes how a secret may be written.
func (v *vault) learn(secret string) {
	for _, text := range redact.Forms(secret) {
		if len(text) < shortestForm || slices.ContainsFunc(v.forms, func(f form) bool { return f.text == text }) {
			continue
		}
		name := v.names[secret]
		if text != secret {
			name = fmt.Sprintf("[encoded-%d-%s", len(v.forms)+1, name[1:])
		}
		v.forms = append(v.forms, form{text, name})
	}
	slices.SortStableFunc(v.forms, func(a, b form) int { return cmp.Compare(len(b.text), len(a.text)) })
}

// shortestForm is the length from which a secret is looked for where its place does not
// give it away.
const shortestForm = 10

// hidden is an answer that may be told: a model may have got at a secret, and its
// words go into records and before people.
func (v *vault) hidden(r chat.Reply) chat.Reply {
	r.Text, r.Refusal = v.Hide(r.Text), v.Hide(r.Refusal)
	calls := make([]chat.Call, len(r.Calls))
	for i, c := range r.Calls {
		calls[i] = chat.Call{ID: v.Hide(c.ID), Name: v.Hide(c.Name), Arguments: v.Hide(c.Arguments)}
	}
	if len(calls) > 0 {
		r.Calls = calls
	}
	return r
}

// Restore puts the secrets back into a text that stays here.
func (v *vault) Restore(text string) string {
	if !strings.Contains(text, "secret-") {
		return text
	}
	for _, f := range v.forms {
		text = strings.ReplaceAll(text, f.name, f.text)
	}
	for secret, name := range v.names {
		text = strings.ReplaceAll(text, name, secret)
	}
	return text
}
