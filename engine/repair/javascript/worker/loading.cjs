// Loads the project's own files anew for each trial, in this realm, from the text
// that the engine has woven. What is not the project's own is loaded once, by
// Node itself.
'use strict';

const Module = require('node:module');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const vm = require('node:vm');

const builtin = new Set(Module.builtinModules);
const scripts = ['.js', '.cjs', '.mjs', '.jsx', '.ts', '.tsx', '.mts', '.cts', '.json'];
// What TypeScript calls by the name of what it becomes.
const sources = { '.js': ['.ts', '.tsx', '.jsx'], '.mjs': ['.mts'], '.cjs': ['.cts'], '.jsx': ['.tsx'] };

const head = '(function (exports, require, module, __filename, __dirname, $autocoder) {';

// compile makes the function of a module; a source that is none throws.
function compile(code, file) {
  return new vm.Script(`${head}${code}\n})`, { filename: file }).runInThisContext();
}

class Loader {
  constructor(root, fuel) {
    this.root = root;
    this.fuel = fuel;
    // files are what the engine has told of, needed what it must be asked for, late
    // what only import() loads.
    this.files = new Map();
    this.needed = new Set();
    this.late = new Map();
    this.external = new Map();
    this.native = new Map();
    this.resolved = new Map();
    // replaced is a candidate's function, by file; given are modules that stand in
    // for others.
    this.replaced = new Map();
    this.given = new Map();
    this.modules = new Map();
    this.requires = new Map();
  }

  own(file) {
    return file.startsWith(this.root + path.sep) && !file.slice(this.root.length).split(path.sep).includes('node_modules');
  }

  resolve(from, spec) {
    const key = `${from}\0${spec}`;
    let found = this.resolved.get(key);
    if (found === undefined) {
      found = this.find(from, spec);
      this.resolved.set(key, found);
    }
    return found;
  }

  find(from, spec) {
    let native = this.native.get(from);
    if (!native) {
      native = Module.createRequire(from);
      this.native.set(from, native);
    }
    if (spec.startsWith('file:')) spec = require('node:url').fileURLToPath(spec);
    try {
      return native.resolve(spec);
    } catch (error) {
      if (!spec.startsWith('.') && !path.isAbsolute(spec)) {
        try {
          return Module.createRequire(from).resolve(`${spec}/package.json`) && spec;
        } catch {
          throw error;
        }
      }
      const full = path.resolve(path.dirname(from), spec);
      const extension = path.extname(full);
      const bare = full.slice(0, full.length - extension.length);
      const tries = [...(sources[extension] ?? []).map((x) => bare + x), ...scripts.map((x) => full + x), ...scripts.map((x) => path.join(full, `index${x}`))];
      for (const file of tries) {
        try {
          return native.resolve(file);
        } catch {
          // The next may be there.
        }
      }
      throw error;
    }
  }

  // begin forgets all modules of the project.
  begin() {
    this.modules.clear();
  }

  require(file) {
    const loaded = this.modules.get(file);
    if (loaded) return loaded.exports;
    const known = this.files.get(file);
    if (!known) {
      this.needed.add(file);
      throw new Error(`autocoder: ${file} is not known yet`);
    }
    if (known.external) return this.outside(file, file);
    const module = { exports: {}, id: file, filename: file, path: path.dirname(file), loaded: false, children: [], paths: [], require: this.requireOf(file) };
    this.modules.set(file, module);
    if (file.endsWith('.json')) {
      module.exports = JSON.parse(known.code);
      return module.exports;
    }
    const fn = this.replaced.get(file) ?? (known.fn ??= compile(known.code, file));
    try {
      fn.call(module.exports, module.exports, module.require, module, file, module.path, this.fuel);
    } catch (error) {
      this.modules.delete(file);
      throw error;
    }
    module.loaded = true;
    return module.exports;
  }

  requireOf(from) {
    let own = this.requires.get(from);
    if (own) return own;
    own = (spec) => {
      spec = String(spec);
      const given = this.given.get(spec);
      if (given) return given();
      if (spec.startsWith('node:') || builtin.has(spec)) return require(spec);
      const file = this.resolve(from, spec);
      return this.own(file) ? this.require(file) : this.outside(file, from);
    };
    own.resolve = (spec) => (builtin.has(spec) ? spec : this.resolve(from, spec));
    own.cache = {};
    own.extensions = {};
    own.main = undefined;
    this.requires.set(from, own);
    return own;
  }

  outside(file, from) {
    if (this.external.has(file)) return this.external.get(file);
    const late = this.late.get(file);
    if (late instanceof Error) throw late;
    let exports;
    try {
      exports = Module.createRequire(from)(file);
    } catch (error) {
      if (error?.code !== 'ERR_REQUIRE_ESM' && error?.code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED' && error?.code !== 'ERR_REQUIRE_ASYNC_MODULE') throw error;
      this.late.set(file, null);
      throw error;
    }
    this.external.set(file, exports);
    return exports;
  }

  // wait imports what can only be imported, and reports whether there was any.
  async wait() {
    let any = false;
    for (const [file, state] of this.late) {
      if (state !== null) continue;
      any = true;
      try {
        this.external.set(file, await import(path.isAbsolute(file) ? pathToFileURL(file).href : file));
        this.late.delete(file);
      } catch (error) {
        this.late.set(file, error instanceof Error ? error : new Error(String(error)));
      }
    }
    return any;
  }
}

module.exports = { Loader, compile };
