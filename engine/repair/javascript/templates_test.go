package javascript

import (
	"testing"

	"autocoder/engine/repair/node"
	"autocoder/engine/repair/repairtest"
)

// What each template makes of JavaScript.
func TestTemplates(t *testing.T) {
	t.Parallel()
	cases := []repairtest.Case{
		// Operators and constants.
		{Template: "comparison", Source: "const f = (a, b) => a ‹<|<=› b;\n", Rank: 3},
		{Template: "comparison", Source: "function f(a, b) {\n  return a ‹==|===› b;\n}\n", Rank: 6},
		{Template: "slice bound", Source: "function f(a, i) {\n  return ‹a.slice(i)|a.slice(0, i)›;\n}\n", Rank: 60},
		{Template: "variable", Source: "function f(chunk) {\n  const text = decode(‹chnk|chunk›);\n  return text;\n}\n", Rank: 20},
		{Template: "arithmetic", Source: "function f(a, b) {\n  return a ‹+|-› b;\n}\n", Rank: 12},
		{Template: "boolean", Source: "function f(a, b) {\n  return a > 1 ‹&&|¦¦› b > 1;\n}\n", Rank: 20},
		{Template: "nullish", Source: "function f(a, b) {\n  return a ‹¦¦|??› b;\n}\n", Rank: 12},
		{Template: "number", Source: "function f(a) {\n  return a[‹1|0›];\n}\n", Rank: 6},
		{Template: "character code", Source: "function f(s) {\n  return s.charCodeAt(0) < ‹100|91›;\n}\n", Rank: 60},
		{Template: "whole quotient", Source: "function f(a, b) {\n  return ‹a / b|Math.floor(a / b)›;\n}\n", Rank: 20},
		{Template: "string", Source: "function f(a) {\n  return a === '‹(|[›';\n}\n", Rank: 30},
		{Template: "query", Source: "function f(db, d) {\n  return db.all('SELECT a FROM t WHERE due ‹<|<=› ? ORDER BY due', d);\n}\n", Rank: 20},
		{Template: "query", Source: "function f(db, d) {\n  return db.all('SELECT a FROM t ORDER BY due‹| DESC›', d);\n}\n", Rank: 30},
		{Template: "missing state", Source: "function f(g, s, n) {\n  if (s[n] === 1) throw new Error('cycle');\n  if (s[n] === 2) return;\n  s[n] = 1;\n  for (const m of g[n]) f(g, s, m);\n‹|  s[n] = 2;\n›}\n", Rank: 400},
		{Template: "pattern flags", Source: "function f(s) {\n  return s.replace(/[^a-z]+/‹|g›, '-');\n}\n", Rank: 60},
		{Template: "pattern", Source: "function f(s) {\n  return /^\\d‹|+›$/.test(s);\n}\n", Rank: 60},
		{Template: "as its neighbour", Source: "class A {\n  get(k) {\n    this.log.push('get');\n    return this.m[k];\n  }\n  put(k, v) {\n    ‹|this.log.push('put');\n    ›this.m[k] = v;\n  }\n}\n", Rank: 60},
		// Slips.
		{Template: "in place", Source: "function f(xs) {\n  return ‹xs|[...xs]›.sort((a, b) => a - b);\n}\n", Rank: 40},
		{Template: "repeated", Source: "function f(n) {\n  return ‹new Array(n).fill([])|Array.from({ length: n }, () => [])›;\n}\n", Rank: 20},
		{Template: "raise", Source: "function f(x) {\n  if (x < 0) {\n    ‹return|throw› new Error('neg');\n  }\n  return x;\n}\n", Rank: 30},
		{Template: "raise", Source: "function f(cb) {\n  try {\n    return cb();\n  } catch (e) {\n    ‹return|throw› e;\n  }\n}\n", Rank: 30},
		{Template: "whose this", Source: "class A {\n  f() {\n    setTimeout(‹function () |() => ›{\n      this.x = 1;\n    }, 0);\n  }\n}\n", Rank: 40},
		{Template: "receiver", Source: "class A {\n  constructor(r) {\n    this.rate = r;\n  }\n  f(x) {\n    return x * ‹|this.›rate;\n  }\n}\n", Rank: 60},
		{Template: "result unused", Source: "function f(xs) {\n  return xs.map(x => { ‹|return ›x * 2; });\n}\n", Rank: 60},
		{Template: "as well", Source: "class A {\n  eq(o) {\n    return this.x === o.x‹| && this.y === o.y›;\n  }\n  s() {\n    return this.x + this.y;\n  }\n}\n", Rank: 90},
		{Template: "chained", Source: "function f(s) {\n  return s.split('')‹|.reverse()›.join('');\n}\n", Rank: 150},
		{Template: "argument drop", Source: "class A {\n  get size() {\n    return this.m.size;\n  }\n  full() {\n    return this.size‹()|› >= 3;\n  }\n}\n", Rank: 120},
		{Template: "object check", Source: "function f(x) {\n  if (‹|x && ›typeof x === 'object') {\n    return x.y;\n  }\n  return x;\n}\n", Rank: 40},
		// Names, calls and values.
		{Template: "pattern", Source: "function f(s, re) {\n  return new RegExp(`^${re}‹|$›`).test(s);\n}\n", Rank: 60},
		{Template: "grouping", Source: "function f(m, k, n) {\n  return ‹m.get(k) ?? 0 + n|(m.get(k) ?? 0) + n›;\n}\n", Rank: 120},
		{Template: "grouping", Source: "function f(a, b) {\n  return !‹a in b|(a in b)›;\n}\n", Rank: 120},
		{Template: "call", Source: "function f(x, key) {\n  return typeof key === 'function' ? ‹key|key(x)› : x[key];\n}\n", Rank: 200},
		{Template: "remainder from zero", Source: "function f(a, n) {\n  return ‹a % n|(a % n + n) % n›;\n}\n", Rank: 200},
		{Template: "variable", Source: "function f(a, b) {\n  return ‹a|b› + 1 - a;\n}\n", Rank: 20},
		{Template: "sibling", Source: "function f(s) {\n  return s.‹toLowerCase|toUpperCase›();\n}\n", Rank: 6},
		{Template: "argument swap", Source: "function f(a, b) {\n  return f(‹a|b›, ‹b|a›);\n}\n", Rank: 20},
		{Template: "wrap", Source: "function f(a, b) {\n  return ‹a - b|Math.abs(a - b)›;\n}\n", Rank: 90},
		{Template: "unwrap", Source: "function f(a, b) {\n  return ‹Math.abs(a - b)|a - b›;\n}\n", Rank: 60},
		{Template: "off by one", Source: "function f(a, i) {\n  return a[‹i|i + 1›];\n}\n", Rank: 30},
		{Template: "slice add", Source: "function f(a) {\n  a.push(1);\n  return f(‹a|a.slice(1)›);\n}\n", Rank: 120},
		{Template: "keyword add", Source: "function f(a) {\n  return a.sort(‹|(a, b) => a - b›);\n}\n", Rank: 60},
		{Template: "form", Source: "function f(a) {\n  a.push(1);\n  return ‹a|[...new Set(a)]›;\n}\n", Rank: 120},
		{Template: "alike", Source: "const f = (a, b) => [...new Set(a)]‹|.sort()›.join() === [...new Set(b)]‹|.sort()›.join();\n", Rank: 400},
		{Template: "optional", Source: "function f(a) {\n  return a‹.b|?.b›;\n}\n", Rank: 60},
		{Template: "otherwise", Source: "function f(a, k) {\n  return ‹a[k]|a[k] ?? 0›;\n}\n", Rank: 120},
		{Template: "await", Source: "async function f(a) {\n  const b = ‹a()|await a()›;\n  return b;\n}\n", Rank: 60},
		{Template: "member test", Source: "function f(a, b) {\n  b.push(1);\n  if (‹a === b|b.includes(a)›) return 1;\n  return 2;\n}\n", Rank: 300},
		{Template: "lambda body", Source: "function f(a) {\n  return a.filter((x) => ‹x|x > 0›);\n}\n", Rank: 900},
		// Statements.
		{Template: "loop kind", Source: "function f(a) {\n  for (const x ‹in|of› a) {\n    f(x);\n  }\n}\n", Rank: 30},
		{Template: "loop bounds", Source: "function f(n) {\n  for (let i = ‹0|1›; i ‹<|<=› n; i++) {\n    f(i);\n  }\n}\n", Rank: 120},
		{Template: "declared constant", Source: "function f(a) {\n  ‹const|let› n = 0;\n  for (const x of a) n += x;\n  return n;\n}\n", Rank: 60},
		{Template: "body if", Source: "function f(a, n) {\n  for (const x of a) ‹|if (x === n) ›f(x);\n}\n", Rank: 900},
		{Template: "assignment operator", Source: "function f(a, b) {\n  a ‹+=|-=› b;\n  return a;\n}\n", Rank: 20},
		{Template: "missing statement", Source: "function f(xs) {\n  let n = 0;\n  for (const x of xs) {\n    f(x);\n‹|    n++;\n›  }\n  return n;\n}\n", Rank: 300},
		{Template: "missing return", Source: "function f(a) {\n  const b = a + 1;\n‹|  return b;\n›}\n", Rank: 60},
		{Template: "missing guard", Source: "function f(a) {\n‹|  if (!a) {\n    return 0;\n  }\n›  return a.b;\n}\n", Rank: 900},
		{Template: "step", Source: "function f(n, d) {\n  while (n) {\n    f(n % d);\n‹|    n = n % d;\n›  }\n}\n", Rank: 300},
		{Template: "missing separator", Source: "function f(xs) {\n  let s = '';\n  for (let i = 0; i < xs.length; i++) {\n‹|    if (i > 0) {\n      s += ' ';\n    }\n›    s += xs[i];\n  }\n  return s;\n}\n", Rank: 200},
		{Template: "branches", Source: "function f(a) {\n  if (a) {\n    f(‹1|2›);\n  } else {\n    f(‹2|1›);\n  }\n}\n", Rank: 200},
		{Template: "literals swapped", Source: "function f(a) {\n  if (a.x) return ‹true|false›;\n  if (a.y) return ‹true|false›;\n  return ‹false|true›;\n}\n", Rank: 60},
	}
	repairtest.Run(t, node.JavaScript(), func(source []byte) (*node.Node, error) { return parse("a.js", source) }, cases)
}

// What templates make of TypeScript.
func TestTypedTemplates(t *testing.T) {
	t.Parallel()
	repairtest.Run(t, node.JavaScript(), func(source []byte) (*node.Node, error) { return parse("a.ts", source) }, []repairtest.Case{
		{Template: "optional", Source: "function f(a: { b?: string }) {\n  return a.b‹!|?›.trim();\n}\n", Rank: 60},
		{Template: "optional", Source: "function f(a: { b?: string }) {\n  return a.b‹|?›.trim();\n}\n", Rank: 60},
	})
}
