// Package npmtest drives the real server with npm's client of the protocol, which
// VS Code's is made of, on real projects. It has nothing but tests.
//
// A scenario is a script of testdata that works as a user would, in the editor of
// testdata/editor.mjs; what lies outside of the editor is checked here.
package npmtest
