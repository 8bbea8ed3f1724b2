// Package javascript is the repair engine's knowledge of JavaScript and
// TypeScript, JSX included.
package javascript
