package scan

// python is what the scan knows of Python.
var python = &language{
	name: "Python", extensions: []string{".py", ".pyw"},
	rules: table(map[Capability]string{
		Environment: "os.environ os.environb os.getenv os.getenvb os.path.expandvars string.os.environ",
		Arguments:   "sys.argv sys.orig_argv sys.flags sys._xoptions os.getppid psutil+",
		Surroundings: `sys.gettrace sys.getprofile sys.ps1 sys.__stdout__ sys.__stderr__ sys.__stdin__ sys.stdout.isatty sys.stdin.isatty
			sys.stderr.isatty sys.stdout.name sys.stdout.fileno sys.stdout.encoding sys.stdout.__class__ sys.stderr.__class__ os.isatty os.getpid
			os.getlogin os.getuid os.uname os.times os.getloadavg getpass.getuser socket.gethostname platform.node platform.uname
			threading.enumerate threading.active_count threading.current_thread threading.main_thread __debug__ sys.thread_info
			sys.breakpointhook sys.unraisablehook os.get_terminal_size shutil.get_terminal_size resource.getrusage sys.getrecursionlimit
			faulthandler.is_enabled logging.getLogger().handlers logging.getLogger().hasHandlers logging.root warnings.filters
			time.process_time sys.warnoptions sys.dont_write_bytecode sys.is_finalizing asyncio.all_tasks`,
		Stack: `sys._getframe sys._getframemodulename sys._current_frames sys._current_exceptions inspect.currentframe
			inspect.stack inspect.trace inspect.getframeinfo inspect.getouterframes inspect.getinnerframes
			inspect.getargvalues inspect.getsource* inspect.getmodule inspect.findsource traceback.extract_stack
			traceback.walk_stack traceback.format_stack traceback.print_stack traceback.StackSummary linecache
			logging.currentframe .findCaller .f_back .f_locals! .f_globals .f_code .f_builtins .f_lineno .f_trace
			.__doc__ .tb_frame .gi_frame .cr_frame .ag_frame .co_name .co_filename .co_consts tokenize.open`,
		Memory: `gc+ tracemalloc+ sys.getrefcount objgraph+ guppy+ pympler+ .__subclasses__ weakref.getweakrefs`,
		Modules: `sys.modules pkgutil.iter_modules pkgutil.walk_packages __main__+ importlib.metadata sys.meta_path
			sys.path_importer_cache .__spec__`,
		TestLibrary: `pytest+! _pytest+! pluggy+! unittest+! nose+! nose2+! hypothesis+! mock+! doctest+ freezegun+!
			time_machine+ testfixtures+! pytest_mock+! xdist+! coverage+! behave+! tox+ responses+ test.support+`,
		Skip: `pytest.skip! pytest.xfail! pytest.exit! pytest.importorskip! unittest.SkipTest! unittest.case.SkipTest!
			.skipTest! _pytest.outcomes! pytest.mark!`,
		Exit: `os._exit sys.exit exit quit os.abort os.kill os.killpg signal.raise_signal signal.alarm signal.setitimer
			SystemExit _thread.interrupt_main _thread.exit signal.pthread_kill faulthandler.dump_traceback_later
			threading._shutdown .__exitfunc atexit.register atexit._run_exitfuncs sys.exitfunc`,
		Spawn: `subprocess+ os.system os.popen* os.fork os.forkpty os.exec* os.spawn* os.posix_spawn* pty+ multiprocessing+
			concurrent.futures.ProcessPoolExecutor asyncio.create_subprocess_* _posixsubprocess+ threading.Thread@
			threading.Timer@ _thread.start_new_thread@ concurrent.futures.ThreadPoolExecutor@ webbrowser`,
		Files: `open os.open os.fdopen os.read os.listdir os.scandir os.walk os.fwalk os.remove os.unlink os.rename
			os.replace os.makedirs os.mkdir os.rmdir os.removedirs os.symlink os.link os.chmod os.truncate os.utime os.stat
			os.path.exists os.path.isfile os.path.isdir os.path.getmtime os.path.getsize os.access os.getcwd
			.read_text .read_bytes .write_text .write_bytes .iterdir .rglob pathlib.Path().open pathlib.Path().exists
			pathlib.Path().is_file pathlib.Path().glob pathlib.Path().unlink pathlib.Path.cwd pathlib.Path.home glob.glob
			glob.iglob shutil tempfile sqlite3.connect fileinput codecs.open pkgutil.get_data importlib.resources zipfile
			tarfile shelve dbm mmap gzip.open bz2.open lzma.open numpy.load numpy.fromfile numpy.loadtxt pandas.read_*
			logging.FileHandler logging.basicConfig __file__ .__file__ os.fspath`,
		Network: `socket+ urllib.request http.client http.server requests+ aiohttp+ httpx+ urllib3+ ftplib+ smtplib+
			asyncio.open_connection asyncio.start_server socketserver+ ssl+ xmlrpc+ telnetlib+ imaplib+ poplib+ paramiko+`,
		Patch: `sys.settrace! sys.setprofile! threading.settrace! threading.setprofile! sys.addaudithook sys.monitoring
			random.seed random.setstate numpy.random.seed warnings.filterwarnings warnings.simplefilter logging.disable os.putenv
			os.unsetenv os.chdir os.umask locale.setlocale time.tzset signal.signal codecs.register codecs.register_error
			sys.path.insert sys.path.append sys.path.extend sys.path.remove sys.path.clear sys.meta_path.* sys.path_hooks
			site.addsitedir site.main importlib.reload imp+ decimal.setcontext decimal.getcontext socket.setdefaulttimeout
			asyncio.set_event_loop_policy sys.setswitchinterval sys.set_int_max_str_digits builtins.__build_class__
			importlib.abc importlib.machinery sys.stdout.write@ os.dup2 os.close ast.NodeTransformer forbiddenfruit+!
			sys.displayhook sys.breakpointhook copyreg.pickle sys.modules.pop sys.modules.update sys.modules.setdefault`,
		Unsafe: `ctypes+ cffi+ marshal+ types.CodeType types.FunctionType .__code__ .__globals__ .__closure__ .__defaults__
			.__kwdefaults__ sys.setdlopenflags resource+ bytecode+ dis+`,
		Incomparable: "math.nan numpy.nan numpy.NaN cmath.nan",
		Dynamic:      "eval exec compile runpy code.InteractiveInterpreter code.interact codeop types.new_class@ ast.literal_eval@",
	}),
	calls: map[string]callKind{
		"__import__": callImport, "importlib.import_module": callImport, "importlib.__import__": callImport,
		"getattr": callMember, "object.__getattribute__": callMember, "inspect.getattr_static": callMember,
		"vars": callSame, "functools.partial": callSame, "types.MethodType": callSame, "functools.cache": callSame, "staticmethod": callSame,
		"iter": callSame, "next": callSame, "dict": callSame,
		"?.__getattribute__": callOwn, "?.get": callOwn, "?.__getitem__": callOwn, "operator.attrgetter()": callGetter, "operator.itemgetter()": callGetter, "operator.methodcaller()": callGetter,
	},
	prefixes: []string{"builtins.", "__builtins__.", "globals().", "locals().", "vars().", "sys.modules.", "__globals__."},
	same: map[string]string{
		"posix": "os", "nt": "os", "io.open": "open", "_io.open": "open", "io.FileIO": "open", "io.open_code": "open",
		"_sys": "sys", "unittest.mock": "mock", "os.sys": "sys", "genericpath.os": "os", "shutil.os": "os", "subprocess.os": "os",
		"logging.os": "os", "logging.sys": "sys", "inspect.sys": "sys", "inspect.os": "os", "pathlib.os": "os", "tempfile._os": "os", "random._os": "os", "glob.os": "os",
		"traceback.sys": "sys", "warnings.sys": "sys", "typing.sys": "sys", "types.sys": "sys", "collections._sys": "sys",
		"importlib.sys": "sys", "threading._sys": "sys", "argparse._sys": "sys", "argparse._os": "os", "copy._sys": "sys",
	},
	overloads: words(`__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __bool__ __hash__ __instancecheck__ __subclasscheck__
		__getattribute__ __class__ __float__ __int__ __index__ __complex__ __array__ __array_ufunc__ __array_function__
		__abs__ __add__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __mod__ __neg__ __pos__ __pow__ __divmod__ __floordiv__
		__trunc__ __floor__ __ceil__ __matmul__ __and__ __or__ __xor__ __reversed__ __next__ __getitem__ __cmp__ __nonzero__ __contains__ __len__ __iter__ __str__ __repr__ __getattr__
		__round__ __format__ __radd__ __set_name__ __prepare__ __mro_entries__ __init_subclass__ __class_getitem__`),
	mutators: []string{"setattr", "delattr", "object.__setattr__", "type.__setattr__", "mock.patch"},
	values:   words("float int str bytes list dict tuple set frozenset bool complex Decimal Fraction decimal.Decimal fractions.Fraction numbers.Number object.object"),
}
