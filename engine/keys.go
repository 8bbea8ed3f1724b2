package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"

	"autocoder/engine/event"
	"autocoder/engine/keyring"
	"autocoder/engine/llm/anthropic"
	"autocoder/engine/llm/ollama"
	"autocoder/engine/llm/openai"

	"github.com/bmatcuk/doublestar/v4"
)

// provider is what is known of a provider of language models beside its protocol.
type provider struct {
	// key and url are the variables for its key, empty for one without, and for its
	// base URL; official is its own server.
	key, url, official string
}

func providers() map[string]provider {
	return map[string]provider{
		openai.Name:    {openai.KeyName, openai.URLName, openai.DefaultURL},
		anthropic.Name: {anthropic.KeyName, anthropic.URLName, anthropic.DefaultURL},
		ollama.Name:    {"", ollama.URLName, ollama.DefaultURL},
	}
}

// KeyAccount is what the system's secret store knows a provider's key by: the
// provider's name, and the host where it is not the provider's own, so that a key is
// sent to nobody but whom it was kept for.
func KeyAccount(name, baseURL string) (string, error) {
	p, known := providers()[name]
	if !known || p.key == "" {
		return "", &UsageError{Message: fmt.Sprintf("there is no key to keep for %q: the providers with one are %s and %s", name, openai.Name, anthropic.Name)}
	}
	if baseURL == "" {
		return name, nil
	}
	u, err := url.Parse(baseURL)
	own, err2 := url.Parse(p.official)
	switch {
	case err != nil || u.Host == "" || err2 != nil:
		return "", &UsageError{Message: fmt.Sprintf("%q is no URL of a server (base_url)", baseURL)}
	case strings.EqualFold(u.Host, own.Host) && u.Scheme == own.Scheme:
		return name, nil
	default:
		return name + "@" + strings.ToLower(u.Host), nil
	}
}

// baseURL is where a provider's server is, empty for its own.
func (w *Workspace) baseURL(name string) string {
	return cmp.Or(w.settings.BaseURL, w.getenv(providers()[name].url))
}

// key is the key of a provider: that of the user's environment, or of the system's
// secret store.
func (w *Workspace) key(ctx context.Context, name string) string {
	p := providers()[name]
	if key := w.getenv(p.key); key != "" || p.key == "" || w.completer != nil {
		return key
	}
	account, err := KeyAccount(name, w.baseURL(name))
	if err != nil {
		return "" // the provider says what is wrong with its URL
	}
	key, err := keyring.Open(w.options.Environ).Read(ctx, account)
	key = strings.TrimSpace(key)
	switch {
	case err == nil && key != "":
		w.found = []string{p.key + "=" + key}
	case errors.Is(err, keyring.ErrNone), errors.Is(err, keyring.ErrNoStore), ctx.Err() != nil, err == nil:
	default:
		w.emit(event.Event{Kind: event.Warned, Text: fmt.Sprintf("no key of %s could be read: %v", account, err)})
	}
	return key
}

// secrets is the user's environment with the key that was found elsewhere, what the
// base URL holds, and what stands in the secret files that the settings include: what
// is taken out of everything that is written or sent.
func (w *Workspace) secrets() []string {
	return slices.Concat(w.options.Environ, w.found, []string{"BASE_URL=" + w.settings.BaseURL}, w.included())
}

const (
	// mostIncluded is how many secret files are read for what they hold, largestIncluded
	// the size of one.
	mostIncluded    = 50
	largestIncluded = 64 << 10
)

// included are the secrets in files that the tests may see because the settings say so,
// as variables: that is no leave to send them to a model.
func (w *Workspace) included() []string {
	tree := os.DirFS(w.root)
	var found []string
	for _, pattern := range w.settings.Include {
		for _, form := range []string{pattern, "**/" + pattern} {
			files, err := doublestar.Glob(tree, strings.TrimPrefix(form, "/"), doublestar.WithFilesOnly(), doublestar.WithNoFollow())
			if err != nil {
				continue // it was checked where it was set
			}
			for _, f := range files[:min(len(files), mostIncluded)] {
				found = append(found, held(tree, f)...)
			}
		}
	}
	return found
}

// held are the values in a file of settings, NAME=value or one a line, as variables.
func held(tree fs.FS, file string) []string {
	info, err := fs.Stat(tree, file)
	if err != nil || info.Size() > largestIncluded {
		return nil
	}
	text, err := fs.ReadFile(tree, file)
	if err != nil {
		return nil
	}
	var found []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "export "))
		value := line
		if _, after, named := strings.Cut(line, "="); named {
			value = strings.Trim(strings.TrimSpace(after), `"'`)
		}
		if value == "" || strings.HasPrefix(line, "#") || strings.Contains(value, " ") {
			continue
		}
		found = append(found, "INCLUDED_SECRET="+value)
	}
	return found
}
