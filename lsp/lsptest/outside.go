package lsptest

import "os"

// CloseAll closes all buffers at one moment; what was not saved is lost.
func (e *Editor) CloseAll() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.undo = nil
	for _, b := range e.buffers {
		e.close(b)
	}
}

// Overwrite has another program write a file, and the editor load it again, unless its
// user changed it. The editor never sees half of it.
func (e *Editor) Overwrite(path, text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	before, _ := load(path)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return err
	}
	b := e.buffers[path]
	if b == nil || b.Text != before {
		return nil
	}
	text, _ = load(path)
	e.remember(map[string]string{path: b.Text})
	e.replace(b, 0, len(b.Text), text)
	b.Saved = true
	return nil
}
