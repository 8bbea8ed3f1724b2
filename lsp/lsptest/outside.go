package lsptest

import "maps"

// CloseAll closes all buffers at one moment; what was not saved is lost.
func (e *Editor) CloseAll() {
	e.mu.Lock()
	defer e.mu.Unlock()
	open := maps.Clone(e.buffers)
	clear(e.buffers)
	e.undo = nil
	for _, b := range open {
		e.closed[b.Path] = max(e.closed[b.Path], b.Version)
		e.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": b.URI}})
	}
}

// Reload shows what another program made of a file that had the text before. A buffer
// with another text than that has changes of the user's, and is left.
func (e *Editor) Reload(path, before string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.buffers[path]
	if b == nil || b.Text != before {
		return
	}
	text, exists := load(path)
	e.remember(map[string]string{path: b.Text})
	e.replace(b, 0, len(b.Text), text)
	b.Saved = exists
}
