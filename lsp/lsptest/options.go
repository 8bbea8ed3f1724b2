package lsptest

import "time"

// Apply is what the editor does with an edit of the server's.
type Apply uint8

// The ways to treat an edit.
const (
	_ Apply = iota
	// Take makes the edit.
	Take
	// Decline answers that the user did not want it.
	Decline
	// Hide makes the edit in a buffer that it does not tell of, until it is saved.
	Hide
	// Lie answers that it made the edit, and does not.
	Lie
	// Fail answers with an error.
	Fail
)

// Options say what the editor can do and has open.
type Options struct {
	// Folders are the paths of the folders that it has open.
	Folders []string
	// Can are the client's capabilities. Those that the editor reads are: workDone,
	// configuration, applyEdit, documentChanges and so on, by Capable.
	Can map[string]any
	// UTF8 counts positions in bytes.
	UTF8 bool
	// Initial are the initializationOptions, and Settings answers
	// workspace/configuration.
	Initial, Settings any
	// SettingsOf are those of folders, by path, that have their own.
	SettingsOf map[string]any
	// Silent are requests of the server's that are never answered.
	Silent []string
	// Lines has an editor in which an empty file is one empty line, and in which the last
	// line of a new file has an end.
	Lines bool
	// NoWatch refuses to watch files for the server, whatever Can says.
	NoWatch bool
	// Timeout is how long a Wait may take.
	Timeout time.Duration
}

// Capable are the capabilities of an editor that can everything the server uses.
func Capable() map[string]any {
	return map[string]any{
		"workspace": map[string]any{
			"applyEdit": true, "configuration": true, "workspaceFolders": true,
			"workspaceEdit": map[string]any{"documentChanges": true, "resourceOperations": []string{"create", "delete", "rename"}},
			"codeLens":      map[string]any{"refreshSupport": true},
		},
		"window": map[string]any{"workDoneProgress": true, "showDocument": map[string]any{"support": true}},
		"textDocument": map[string]any{
			"codeAction": map[string]any{
				"codeActionLiteralSupport": map[string]any{"codeActionKind": map[string]any{"valueSet": []string{"quickfix", "source"}}},
				"dataSupport":              true,
				"resolveSupport":           map[string]any{"properties": []string{"edit"}},
			},
			"publishDiagnostics": map[string]any{
				"relatedInformation": true, "versionSupport": true, "tagSupport": map[string]any{"valueSet": []int{1, 2}},
			},
		},
	}
}
