package scan

import golangparser "autocoder/engine/verify/scan/golang"

// golang is what the scan knows of Go.
var golang = &language{
	name: "Go", extensions: []string{".go"}, slashes: true, parse: golangparser.Parse,
	rules: table(map[Capability]string{
		Environment:  "os.Getenv os.LookupEnv os.Environ os.ExpandEnv syscall.Getenv syscall.Environ",
		Arguments:    "os.Args flag.CommandLine flag.Parsed flag.Args flag.Arg flag.NArg flag.NFlag flag.Visit* os.Executable os.Getppid runtime/debug.ReadBuildInfo debug/buildinfo",
		Surroundings: "os.Hostname os.Getpid os.Getuid os.Stdin.Stat os.Stdout.Stat os.Stderr.Stat os.Stdout.Name os.Stdout.Fd runtime.NumGoroutine os/user.Current os.TempDir runtime/metrics.Read runtime.Version expvar+",
		TestAware:    "testing.Testing! testing.Short! testing.Verbose! testing.CoverMode! flag.Lookup testing.Benchmark",
		Stack:        "runtime.Caller* runtime.Callers runtime.CallersFrames runtime.FuncForPC runtime.Frame* runtime.Stack log.Lshortfile log.Llongfile runtime/debug.Stack runtime/debug.PrintStack runtime/debug.SetTraceback runtime/pprof runtime.GoroutineProfile",
		Memory:       "runtime.SetFinalizer runtime.AddCleanup runtime.GC runtime.ReadMemStats runtime/debug.SetGCPercent runtime/debug.FreeOSMemory runtime/debug.SetMemoryLimit runtime/debug.WriteHeapDump runtime.MemProfile weak+",
		TestLibrary:  "testing+! testing/* github.com/stretchr/* github.com/onsi/* gotest.tools/* github.com/google/go-cmp/* github.com/frankban/* go.uber.org/goleak+",
		Exit:         "os.Exit syscall.Exit log.Fatal* log.Default().Fatal* runtime.Goexit syscall.Kill .Fatal .Fatalf .Fatalln golang.org/x/sys/unix.Exit os.FindProcess",
		Incomparable: "math.NaN",
		Spawn:        "time.AfterFunc@ time.NewTimer@ time.NewTicker@ os/exec+ os.StartProcess syscall.ForkExec syscall.Exec syscall.StartProcess",
		Files: `os.Open* os.Create* os.ReadFile os.WriteFile os.ReadDir os.Remove* os.Rename os.Mkdir* os.Symlink os.Link os.Stat
			os.Lstat os.Chmod os.Chtimes os.DirFS os.Truncate os.NewFile os.Getwd os.OpenRoot io/ioutil.* embed+
			path/filepath.Walk* path/filepath.Glob path/filepath.EvalSymlinks go/parser+ go/build+ plugin.Open`,
		Network: "net.Dial* net.Listen* net.Lookup* net.Resolve* net.File* net/http.Get net/http.Post* net/http.Head net/http.Listen* net/http.Serve* net/http.DefaultClient net/http.Client net/rpc+ net/smtp+ net/http/httptest+",
		Patch: `os.Setenv os.Unsetenv os.Clearenv os.Chdir os/signal.Notify os/signal.Ignore os/signal.Reset log.SetOutput
			math/rand.Seed flag.Set flag.Var* runtime.GOMAXPROCS runtime/debug.SetMaxStack runtime/debug.SetPanicOnFault
			runtime/debug.SetMaxThreads log/slog.SetDefault runtime.LockOSThread`,
		Unsafe: "unsafe+ syscall+ golang.org/x/sys/* plugin+ C+ runtime/cgo+ reflect.NewAt reflect.SliceHeader reflect.StringHeader .UnsafePointer .UnsafeAddr runtime/coverage+ runtime/trace+",
	}),
	overloads: words("Equal Is As Compare Cmp Less Unwrap MarshalJSON MarshalText"),
}
