// Package vscodetest drives a real VS Code with our extension as it is packed, on
// real projects. It has nothing but tests.
//
// VS Code is served to a Chromium by code-server. A scenario of testdata/host runs
// where extensions run and uses VS Code's own interface; one of testdata/page works
// in the window, as a user does, and sees what a user sees. Both wait for effects.
// One VS Code and one Chromium serve all scenarios, one after the other, by
// testdata/driver.mjs; what lies outside of the editor (the files, the project's
// own tests) is checked here.
package vscodetest
