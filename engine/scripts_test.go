package engine_test

import (
	"os"
	"strings"
	"testing"

	"autocoder/engine"
	"autocoder/engine/config"
	"autocoder/engine/outcome"
)

// TestScriptsAreRepaired has the repair engine find small bugs of JavaScript and
// TypeScript by itself.
func TestScriptsAreRepaired(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, files string
		// newer means that Node must read types.
		newer bool
		// fixes are lines of which the edit must have one.
		fixes []string
	}{
		{"required", `
-- package.json --
{"name": "ring", "scripts": {"test": "node --test"}}
-- lib/ring.js --
class Ring {
  constructor(size) {
    this.size = size;
    this.items = [];
  }

  push(x) {
    this.items.push(x);
    if (this.items.length >= this.size) this.items.shift();
    return this;
  }
}

module.exports = Ring;
-- test/ring.test.js --
const { test } = require('node:test');
const assert = require('node:assert');
const Ring = require('../lib/ring');

test('keeps as many as fit', () => {
  const r = new Ring(2);
  assert.deepStrictEqual(r.push(1).items, [1]);
  assert.deepStrictEqual(r.push(2).items, [1, 2]);
  assert.deepStrictEqual(r.push(3).items, [2, 3]);
});
test('is empty', () => assert.strictEqual(new Ring(1).items.length, 0));
`, false, []string{"this.items.length > this.size"}},
		{"imported", `
-- package.json --
{"name": "cart", "type": "module", "scripts": {"test": "node --test"}}
-- src/cart.js --
import { rate } from './tax.js';

export async function total(items, load) {
  let sum = 0;
  for (const i of items) sum += (await load(i.name)) * i.count;
  return sum + rate(sum);
}
-- src/tax.js --
export const free = 100;

// What costs more than is free has a tenth on it.
export const rate = (sum) => (sum >= free ? sum / 10 : 0);
-- test/cart.test.js --
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { total } from '../src/cart.js';

const load = async (name) => ({ pen: 10, ink: 50 })[name];

describe('total', () => {
  it('is free of tax', async () => assert.equal(await total([{ name: 'pen', count: 10 }], load), 100));
  it('has tax', async () => assert.equal(await total([{ name: 'ink', count: 4 }], load), 220));
  it('of nothing', async () => assert.equal(await total([], load), 0));
});
`, false, []string{"sum > free"}},
		{"endless", `
-- package.json --
{"name": "digits"}
-- digits.js --
exports.digits = function (n) {
  const out = [];
  while (n > 0) {
    out.unshift(n % 10);
    n = Math.ceil(n / 10);
  }
  return out;
};
-- digits.test.js --
const test = require('node:test');
const assert = require('node:assert');
const { digits } = require('./digits');

test('digits', () => assert.deepStrictEqual(digits(120), [1, 2, 0]));
test('none', () => assert.deepStrictEqual(digits(0), []));
`, false, []string{"Math.floor(n / 10)", "Math.trunc(n / 10)", "n > 1"}},
		{"backtracking", `
-- package.json --
{"name": "words"}
-- words.js --
// good reports whether a text is words with blanks between them.
exports.good = (text) => /^([a-z]+ ?)+$/.test(text);

exports.count = (text) => {
  if (!exports.good(text)) return 0;
  return text.split(' ').length - 1;
};
-- words.test.js --
const test = require('node:test');
const assert = require('node:assert');
const { count } = require('./words');

test('count', () => {
  assert.strictEqual(count('a b c'), 3);
  assert.strictEqual(count('a b'), 2);
  assert.strictEqual(count('aaaaaaaaaaaaaaaaaaaa!'), 0);
});
`, false, []string{"split(' ').length;"}},
		{"typed", `
-- package.json --
{"name": "stock", "type": "module", "scripts": {"test": "node --test"}}
-- src/stock.ts --
export interface Item { name: string; count: number }

export function low(items: Item[], least: number): string[] {
  return items.filter((i) => i.count <= least).map((i): string => i.name);
}
-- test/stock.test.ts --
import assert from 'node:assert/strict';
import test from 'node:test';
import { low, type Item } from '../src/stock.ts';

const items: Item[] = [{ name: 'pen', count: 2 }, { name: 'ink', count: 3 }, { name: 'cap', count: 4 }];

test('low', () => assert.deepEqual(low(items, 3), ['pen']));
test('none', () => assert.deepEqual(low([], 3), []));
`, true, []string{"i.count < least"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, c.files)
			p.need(t, "node")
			if c.newer {
				node := os.Getenv("AUTOCODER_TEST_NODE")
				if node == "" {
					t.Skip("a Node that reads types is missing: AUTOCODER_TEST_NODE names none")
				}
				p.settings.Interpreter = map[string]string{"node --test": node}
			}
			p.settings.Proposer, p.settings.Ambiguous = "repair", config.AmbiguousBest
			r := p.fix(t, engine.FixRequest{})
			if r.Outcome != outcome.Fixed {
				t.Fatalf("outcome %s: %s", r.Outcome, r.Reason)
			}
			for _, fix := range c.fixes {
				if strings.Contains(r.Diff, fix) {
					return
				}
			}
			t.Errorf("the fix is another:\n%s", r.Diff)
		})
	}
}
