// Package lsp is the language server: it shows autocoder in an editor.
//
// It turns messages of the protocol into calls of package engine, and what comes
// back into edits, diagnostics and messages. It decides nothing about repairs.
//
// What must hold:
//   - Messages are read in order by one goroutine, which never waits: requests
//     are answered from memory, and whatever takes time is a job.
//   - The editor is asked (workspace/applyEdit and the like) by jobs only.
//     Notifications go through the outbox, in order.
//   - A panic ends the request or the job that had it, never the server.
//   - Everything that changes is in the Server, under one mutex, and no message is
//     sent and no file is read while it is held.
//   - Nothing runs because a folder or a file was opened. No file of the user's is
//     written.
//   - Only this package knows URIs, UTF-16 and the forms of the protocol; the
//     engine speaks of bytes and of paths relative to the workspace.
package lsp
