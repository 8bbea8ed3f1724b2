// Package lsptest is an editor for tests of a language server, stricter than any
// real one.
//
// It speaks the wire by itself and shares no code with the server, so that both
// can't be wrong in the same way. It has buffers, a disk, undo, and a user who
// chooses code actions. It holds every message of the server against the
// protocol: order and lifecycle, what the editor said it can do, versions,
// ranges that lie in the text, edits that do not overlap, progress that begins
// and ends once. What is wrong is a Violation, and a test fails that has one.
//
// Nothing in it sleeps: whoever waits is woken by every message.
package lsptest
