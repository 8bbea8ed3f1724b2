package scan

import javascriptparser "autocoder/engine/verify/scan/javascript"

// javascript is what the scan knows of JavaScript and TypeScript.
var javascript = &language{
	name: "JavaScript", slashes: true, parse: javascriptparser.Parse,
	extensions: []string{".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"},
	rules: table(map[Capability]string{
		Environment:  "process.env Deno.env Bun.env import.meta.env process.features process.config process.report",
		Arguments:    "process.argv process.argv0 process.execArgv process.title process.mainModule process.ppid process.channel process.connected process.stdin@ process.allowedNodeEnvironmentFlags",
		Surroundings: "process.pid process.stdout.isTTY process.stderr.isTTY process.stdin.isTTY process.stdout.constructor process.stdout.fd os.hostname os.userInfo process.uptime process.release process.cpuUsage process.resourceUsage process.stdout.columns process.listenerCount process.listeners process.rawListeners process.eventNames",
		Stack: `Error().stack Error.prepareStackTrace! Error.captureStackTrace Error.stackTraceLimit .callee.caller
			arguments.callee util.getCallSite* util.getCallSites TypeError().stack RangeError().stack SyntaxError().stack
			EvalError().stack ReferenceError().stack URIError().stack AggregateError().stack caught().stack console.trace .caller.arguments`,
		Memory:  "v8+ inspector+ FinalizationRegistry gc WeakRef process.memoryUsage process.getActiveResourcesInfo process._getActiveHandles process._getActiveRequests async_hooks+ diagnostics_channel+ perf_hooks.monitorEventLoopDelay",
		Modules: "require.cache require.main module.children module.parent module.paths process.moduleLoadList Module._cache Module.Module._cache import.meta.resolve require.resolve import.meta.main",
		TestLibrary: `test+! test/reporters+! vitest+! vitest/* jest+! @jest/* mocha+! chai+! sinon+! ava+! tap+! jasmine+! supertest+! @testing-library/*
			describe! it! expect! jest! vi! beforeEach! afterEach! beforeAll! afterAll! suite! before! after! mocha! cy! QUnit!`,
		Exit: `process.exit process.reallyExit process.abort process.kill process.exitCode process._kill Deno.exit Bun.exit process.emit process._rawDebug
			process.disconnect`,
		Spawn: "child_process+ worker_threads+ cluster+ Worker setTimeout@ setInterval@ setImmediate@ queueMicrotask@ process.nextTick@ Promise.resolve().then@ Bun.spawn* Deno.Command",
		Files: "fs fs/promises Deno.readTextFile* Deno.readFile* Deno.writeTextFile* Bun.file __filename __dirname import.meta.url import.meta.filename import.meta.dirname process.cwd import.meta.dir",
		Network: `net+ dgram+ tls+ http.request http.get http.createServer https.request https.get https.createServer http2+ fetch
			XMLHttpRequest WebSocket EventSource undici+ axios+ dns+ node-fetch+ got+`,
		Patch: `process.on process.once process.addListener process.prependListener process.prependOnceListener process.off
			process.removeAllListeners process.removeListener process.setUncaughtExceptionCaptureCallback! process.chdir process.umask
			process.binding process.setSourceMapsEnabled Module.register! Module.registerHooks! Module._load! Module._resolveFilename! Module._extensions!
			module._compile Module.prototype! Module.Module! Module.syncBuiltinESMExports! Module.wrap module.constructor require.extensions! process.hrtime@
			Error.prototype console.log.bind@ process.loadEnvFile process.stdout._write process.openStdin`,
		Overload:     "Proxy",
		Swallow:      "domain+",
		Incomparable: "NaN Number.NaN",
		Unsafe:       "vm+ process.dlopen process._linkedBinding process.binding! ffi+ ffi-napi+ SharedArrayBuffer@ Atomics.wait wasi+",
		Dynamic:      "eval Function GeneratorFunction AsyncFunction .constructor.constructor vm.* importScripts WebAssembly",
	}),
	calls: map[string]callKind{
		"require": callImport, "import": callImport, "process.getBuiltinModule": callImport, "module.require": callImport,
		"Module.createRequire()": callImport, "process.mainModule.require": callImport, "Module.Module._load": callImport, "Module._load": callImport,
		"Reflect.get": callMember, "?.bind": callObject, "Object": callSame, "Object.values": callSame, "Object.entries": callSame,
		"util.promisify": callSame, "util.callbackify": callSame, "Object.keys": callSame, "Object.create": callSame, "Object.freeze": callSame,
	},
	prefixes: []string{"globalThis.", "global.", "window.", "self.", "node:", "top.", "root.", "GLOBAL."},
	same: map[string]string{
		"fs.promises": "fs/promises", "process.process": "process", "require.main.require": "require", "module.exports": "exports",
		"assert/strict": "assert",
	},
	overloads: words(`valueOf toString toJSON Symbol.toPrimitive Symbol.hasInstance Symbol.toStringTag Symbol.iterator Symbol.asyncIterator
		Symbol.species Symbol.isConcatSpreadable then equals asymmetricMatch $$typeof constructor.name inspect nodejs.util.inspect.custom length has get includes indexOf size every some`),
	mutators: []string{
		"Object.defineProperty", "Object.defineProperties", "Object.assign", "Object.setPrototypeOf", "Reflect.set",
		"Reflect.defineProperty", "Reflect.setPrototypeOf", "Reflect.deleteProperty", "Object.__defineGetter__",
	},
	values: words("Number String Boolean Array Object Date Map Set Proxy"),
}
