package lsp

import (
	"slices"

	"go.lsp.dev/protocol"
)

// clientCaps is what the editor can do. It is flat because every level of what
// editors send may be missing.
type clientCaps struct {
	// encoding is how positions are counted.
	encoding encoding
	// applyEdit: the editor answers workspace/applyEdit.
	applyEdit bool
	// documentChanges: edits may carry versions and make and delete files. Editors
	// that can do so and don't say so are common; only a plain no counts.
	documentChanges bool
	create, remove  bool
	// annotations: edits may say what they are for.
	annotations bool
	// literals: code actions may be more than commands. resolveEdit: their edits may
	// come when one is chosen.
	literals, resolveEdit bool
	// tags: code actions may be marked as made by a language model.
	tags            bool
	workDone        bool
	configuration   bool
	showDocument    bool
	related         bool
	refreshLenses   bool
	watchFiles      bool
	diagnosticTags  bool
	versionedErrors bool
}

// endsLinesWithFeeds reports whether an editor is known to end lines with "\n" alone,
// though the protocol wants it to end them with "\r" too.
func endsLinesWithFeeds(editor string) bool {
	return slices.Contains([]string{"Neovim", "coc.nvim", "vim-lsp", "Emacs"}, editor)
}

// capsOf reads what an editor said of itself.
func capsOf(c protocol.ClientCapabilities) clientCaps {
	caps := clientCaps{encoding: utf16, documentChanges: true, create: true, remove: true}
	if g := c.General; g != nil && slices.Contains(g.PositionEncodings, protocol.PositionEncodingKindUTF8) {
		caps.encoding = utf8Bytes
	}
	if w := c.Window; w != nil {
		caps.workDone = yes(w.WorkDoneProgress)
		caps.showDocument = w.ShowDocument != nil && w.ShowDocument.Support
	}
	if w := c.Workspace; w != nil {
		caps.readWorkspace(w)
	}
	if d := c.TextDocument; d != nil {
		caps.readDocument(d)
	}
	return caps
}

func (c *clientCaps) readWorkspace(w *protocol.WorkspaceClientCapabilities) {
	c.applyEdit, c.configuration = yes(w.ApplyEdit), yes(w.Configuration)
	c.refreshLenses = w.CodeLens != nil && yes(w.CodeLens.RefreshSupport)
	c.watchFiles = w.DidChangeWatchedFiles != nil && yes(w.DidChangeWatchedFiles.DynamicRegistration)
	e := w.WorkspaceEdit
	if e == nil {
		return
	}
	c.documentChanges = e.DocumentChanges == nil || *e.DocumentChanges
	c.annotations = c.documentChanges && e.ChangeAnnotationSupport != nil
	if !c.documentChanges || e.ResourceOperations != nil {
		c.create = c.documentChanges && slices.Contains(e.ResourceOperations, protocol.ResourceOperationKindCreate)
		c.remove = c.documentChanges && slices.Contains(e.ResourceOperations, protocol.ResourceOperationKindDelete)
	}
}

func (c *clientCaps) readDocument(d *protocol.TextDocumentClientCapabilities) {
	if a := d.CodeAction; a != nil {
		c.literals = a.CodeActionLiteralSupport.CodeActionKind.ValueSet != nil
		c.resolveEdit = yes(a.DataSupport) && slices.Contains(a.ResolveSupport.Properties, "edit")
		c.tags = slices.Contains(a.TagSupport.ValueSet, protocol.CodeActionTagLLMGenerated)
	}
	if p := d.PublishDiagnostics; p != nil {
		c.related, c.versionedErrors = yes(p.RelatedInformation), yes(p.VersionSupport)
		c.diagnosticTags = slices.Contains(p.TagSupport.ValueSet, protocol.DiagnosticTagUnnecessary)
	}
}

func yes(b *bool) bool { return b != nil && *b }

func ptr[T any](v T) *T { return &v }
