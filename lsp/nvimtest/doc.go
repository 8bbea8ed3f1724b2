// Package nvimtest drives real Neovims with our plugin and the real server, on
// real projects. It has nothing but tests.
//
// A scenario is a Lua file of testdata that Neovim runs as its user would work,
// waiting for effects with testdata/harness.lua; what lies outside of the editor
// (the files, the project's own tests) is checked here.
package nvimtest
