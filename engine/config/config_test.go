package config

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func file(t *testing.T, kind Kind, text string, trusted bool) Layer {
	t.Helper()
	l, err := ParseFile(kind, "/p/.autocoder.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	l.Trusted = trusted
	return l
}

func source(origins []Origin, name string) string {
	for _, o := range origins {
		if o.Name == name {
			return o.Text + " from " + o.Source
		}
	}
	return ""
}

func TestLayersWinByKind(t *testing.T) {
	t.Parallel()
	user := file(t, User, "patience = 3\nmax_attempts = 7\nmax_time = \"2m\"\ntest_timeout = 4", false)
	user.Source = "/u/config.toml"
	project := file(t, Project, "\uFEFF# ours\n\npatience = 4\nmax_cost = 1\nprotect = [\"gen/**\"]", false)
	env := FromEnvironment([]string{"AUTOCODER_PATIENCE=5", "AUTOCODER_ENV=A, B", "AUTOCODER_PROTECT=gen/**,x/**", "HOME=/u"})
	flags := FromFlags(map[string][]string{"patience": {"6"}, "max_time": {"30"}, "sandbox": {"required"}, "interpreter": {"go test=/go", "pytest=/py"}})

	for _, test := range []struct {
		name   string
		layers []Layer
		want   map[string]string
	}{
		{"nothing", nil, map[string]string{
			"patience": "2 from default", "max_time": "10m from default", "network": "loopback from default", "max_cost": "5 from default",
		}},
		{"user", []Layer{user}, map[string]string{
			"patience": "3 from /u/config.toml:1", "max_time": "2m from /u/config.toml:3", "test_timeout": "4s from /u/config.toml:4",
		}},
		{"project over user", []Layer{project, user}, map[string]string{
			"patience": "4 from /p/.autocoder.toml:3", "max_cost": "1 from /p/.autocoder.toml:4", "max_attempts": "7 from /u/config.toml:2",
		}},
		{"all", []Layer{flags, env, project, user}, map[string]string{
			"patience": "6 from --patience", "max_time": "30s from --max-time", "sandbox": "required from --sandbox",
			"env": "A, B from AUTOCODER_ENV", "interpreter": "go test=/go, pytest=/py from --interpreter",
			"protect": "gen/**, x/** from /p/.autocoder.toml:5, AUTOCODER_PROTECT",
		}},
	} {
		_, origins, warnings, err := Resolve(test.layers)
		if err != nil || len(warnings) > 0 {
			t.Errorf("%s: error %v, warnings %v", test.name, err, warnings)
		}
		for name, want := range test.want {
			if got := source(origins, name); got != want {
				t.Errorf("%s: %s is %q, want %q", test.name, name, got, want)
			}
		}
	}
}

func TestDefaultsAreValid(t *testing.T) {
	t.Parallel()
	s, _, _, err := Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Default(), s); diff != "" {
		t.Error(diff)
	}
}

func TestBadValues(t *testing.T) {
	t.Parallel()
	toml := func(text string) Layer { return file(t, Project, "# first line\n"+text, true) }
	flag := func(name string, values ...string) Layer { return FromFlags(map[string][]string{name: values}) }
	for _, test := range []struct {
		name  string
		layer Layer
		want  string
	}{
		{"word", toml(`max_attempts = "ten"`), `/p/.autocoder.toml:2: max_attempts can't be "ten": expected a whole number of at least 1`},
		{"number as text", toml(`patience = "3"`), `/p/.autocoder.toml:2: patience can't be "3": expected a whole number of at least 1`},
		{"zero", toml(`patience = 0`), `/p/.autocoder.toml:2: patience can't be 0: expected a whole number of at least 1`},
		{"fraction", flag("max_attempts", "1.5"), `--max-attempts: can't be "1.5": expected a whole number of at least 1`},
		{"not a number", flag("max_cost", "NaN"), `--max-cost: can't be "NaN": expected a number of at least 0`},
		{"infinite", flag("max_cost", "Inf"), `--max-cost: can't be "Inf": expected a number of at least 0`},
		{"negative", flag("max_cost", "-1"), `--max-cost: can't be "-1": expected a number of at least 0`},
		{"duration", flag("max_time", "soon"), `--max-time: can't be "soon": expected a duration such as 90s, 10m or 1h30m`},
		{"no time", flag("max_time", "0"), `--max-time: can't be "0": expected a duration such as 90s, 10m or 1h30m`},
		{"mode", flag("sandbox", "bset"), `--sandbox: can't be "bset": expected one of best, required, supervised`},
		{"mode in variable", FromEnvironment([]string{"AUTOCODER_AMBIGUOUS=maybe"}), `AUTOCODER_AMBIGUOUS: can't be "maybe": expected one of ask, best`},
		{"mode of another type", toml(`background = true`), `/p/.autocoder.toml:2: background can't be true: expected one of off, test, fix`},
		{"proposer", flag("proposer", "gpt"), `--proposer: can't be "gpt": expected one of auto, repair, model, null, script:FILE`},
		{"no script", flag("proposer", "script:"), `--proposer: can't be "script:": expected one of auto, repair, model, null, script:FILE`},
		{"report", flag("report", "junit"), `--report: can't be "junit": expected one of junit:GLOB, tap, exit`},
		{"boolean", toml(`revert_on_regression = "yes"`), `/p/.autocoder.toml:2: revert_on_regression can't be "yes": expected true or false`},
		{"glob", flag("protect", "[a"), `--protect: can't be "[a": expected patterns such as **/*.gen.go`},
		{"glob outside", flag("protect", "../x/**"), `--protect: can't be "../x/**": expected patterns of paths in the project, such as **/*.gen.go`},
		{"absolute glob", flag("allow", "/etc/**"), `--allow: can't be "/etc/**": expected patterns of paths in the project, such as **/*.gen.go`},
		{"folder outside", toml(`share = ["a", "../../etc"]`), `/p/.autocoder.toml:2: share can't be [a ../../etc]: expected folders in the project, such as data/large`},
		{"absolute folder", toml(`share = ["/etc"]`), `/p/.autocoder.toml:2: share can't be [/etc]: expected folders in the project, such as data/large`},
		{"folder that goes up", toml(`exclude = ["a/../b"]`), `/p/.autocoder.toml:2: exclude can't be [a/../b]: expected folders in the project, such as data/large`},
		{"no folder", toml(`exclude = [""]`), `/p/.autocoder.toml:2: exclude can't be []: expected folders in the project, such as data/large`},
		{"list", toml(`protect = [1]`), `/p/.autocoder.toml:2: protect can't be [1]: expected a list of texts`},
		{"network", flag("network", "internet"), `--network: can't be "internet": expected one of off, loopback, on, HOST:PORT`},
		{"port", flag("network", "host:0"), `--network: can't be "host:0": expected HOST:PORT with a port from 1 to 65535`},
		{"off and more", flag("network", "off", "host:80"), `--network: can't be "off,host:80": expected off alone, or a list of HOST:PORT`},
		{"variable", flag("env", "A=b"), `--env: can't be "A=b": expected names of variables, without values`},
		{"url", flag("base_url", "example.org"), `--base-url: can't be "example.org": expected a URL that starts with http:// or https://`},
		{"map", toml(`interpreter = "/py"`), `/p/.autocoder.toml:2: interpreter can't be "/py": expected texts by name, as NAME=VALUE`},
		{"map value", toml("[interpreter]\npytest = 1"), `/p/.autocoder.toml:2: interpreter can't be map[pytest:1]: expected texts by name, as NAME=VALUE`},
	} {
		_, _, _, err := Resolve([]Layer{test.layer})
		var bad *BadValue
		if !errors.As(err, &bad) || err.Error() != test.want {
			t.Errorf("%s: got %v\nwant %s", test.name, err, test.want)
		}
	}
}

func TestEveryBadValueIsNamed(t *testing.T) {
	t.Parallel()
	_, _, _, err := Resolve([]Layer{
		file(t, Project, "patience = -1\nmax_cost = \"x\"", false),
		FromFlags(map[string][]string{"sandbox": {"x"}}),
	})
	for _, want := range []string{":1: patience", ":2: max_cost", "--sandbox"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %q", err, want)
		}
	}
}

func TestNotAFile(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"patience = 2\nmax_cost == 1": "/p/.autocoder.toml:2: not a settings file: ",
		"a = 1\na = 2":                "/p/.autocoder.toml:",
		"\x00\xff":                    "/p/.autocoder.toml:1: not a settings file: ",
	} {
		if _, err := ParseFile(Project, "/p/.autocoder.toml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s…", text, err, want)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		layer Layer
		want  string
	}{
		{file(t, Project, "\npatiense = 3", false), "/p/.autocoder.toml:2: unknown setting patiense: did you mean patience?"},
		{file(t, Project, "max-attempts = 3", false), "/p/.autocoder.toml:1: unknown setting max-attempts: did you mean max_attempts?"},
		{file(t, Project, "[tool.autocoder]\npatience = 3", false), "/p/.autocoder.toml:1: unknown setting tool"},
		{FromEnvironment([]string{"AUTOCODER_PATIENC=3"}), "AUTOCODER_PATIENC: is not a setting: did you mean patience?"},
	} {
		s, _, warnings, err := Resolve([]Layer{test.layer})
		if err != nil || len(warnings) != 1 || warnings[0].String() != test.want || s.Patience != 2 {
			t.Errorf("got %v, %v, want %q", warnings, err, test.want)
		}
	}
}

// everything sets each setting to something that is not its default.
const everything = `
proposer = "null"
model = "ollama:m"
base_url = "http://localhost:1"
model_tools = true
model_format = "whole"
model_context = 1
max_attempts = 11
patience = 3
max_time = "11m"
max_cost = 5.5
max_tokens = 200001
max_turns = 31
max_test_runs = 10001
max_candidates = 1000001
test_timeout = "11s"
revert_on_regression = false
ambiguous = "best"
allow_unverified = true
sandbox = "supervised"
network = ["on"]
env = ["HOME"]
include = [".env"]
read = ["/srv"]
memory = 100
processes = 100
share = ["data"]
protect = ["gen/**"]
allow = ["conftest.py"]
exclude = ["old"]
runner = "pytest"
test_command = "true"
report = "exit"
background = "fix"
background_model = true
keep_runs = 1
keep_days = 1
[interpreter]
pytest = "/py"
[prices]
"ollama:m" = "1/2"
`

func TestUntrustedProject(t *testing.T) {
	t.Parallel()
	open := []string{
		"ambiguous", "exclude", "patience", "protect", "revert_on_regression", "runner", "share", "test_timeout",
	}
	for _, kind := range []Kind{Project, EditorWorkspace} {
		l := file(t, kind, everything, false)
		if diff := cmp.Diff(l.keys(), slices.Sorted(slices.Values(Names()))); diff != "" {
			t.Fatalf("the test does not set every setting: %s", diff)
		}
		_, origins, warnings, err := Resolve([]Layer{l})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range origins {
			if o.Source != "default" {
				got = append(got, o.Name)
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(open, got); diff != "" {
			t.Errorf("an untrusted project set: %s", diff)
		}
		if len(warnings) != len(l.Values)-len(open) {
			t.Errorf("%d warnings for %d ignored settings", len(warnings), len(l.Values)-len(open))
		}
		l.Trusted = true
		_, origins, warnings, err = Resolve([]Layer{l})
		if err != nil || len(warnings) > 0 {
			t.Errorf("trusted: %v, %v", warnings, err)
		}
		for _, o := range origins {
			if o.Source == "default" {
				t.Errorf("trusted: %s was not set", o.Name)
			}
		}
	}
	_, _, warnings, err := Resolve([]Layer{file(t, User, everything, false), file(t, Editor, everything, false)})
	if err != nil || len(warnings) > 0 {
		t.Errorf("the user's own files need no trust: %v, %v", warnings, err)
	}
}

func TestUntrustedProjectMayLowerLimits(t *testing.T) {
	t.Parallel()
	user := FromFlags(map[string][]string{"max_time": {"2m"}})
	user.Kind = User
	s, _, warnings, err := Resolve([]Layer{user, file(t, Project, "max_attempts = 3\nmax_time = \"5m\"\nmax_cost = 0.5", false)})
	if err != nil || s.MaxAttempts != 3 || s.MaxTime != 2*time.Minute || s.MaxCost != 0.5 {
		t.Errorf("got %d, %v, %v, %v", s.MaxAttempts, s.MaxTime, s.MaxCost, err)
	}
	want := "/p/.autocoder.toml:2: max_time is above 2m and ignored until you trust this folder: autocoder trust"
	if len(warnings) != 1 || warnings[0].String() != want {
		t.Errorf("got %v, want %s", warnings, want)
	}
}

func TestProjectNeverRemovesProtection(t *testing.T) {
	t.Parallel()
	user := file(t, User, `protect = ["secret/**"]`, false)
	for _, text := range []string{`protect = []`, `protect = ["other/**"]`} {
		for _, trusted := range []bool{false, true} {
			s, _, _, err := Resolve([]Layer{user, file(t, Project, text, trusted)})
			if err != nil || !slices.Contains(s.Protect, "secret/**") {
				t.Errorf("%s, trusted %v: protected are %v, %v", text, trusted, s.Protect, err)
			}
		}
	}
}

func TestTrustHash(t *testing.T) {
	t.Parallel()
	hash := func(text string) string { return TrustHash(file(t, Project, text, false)) }
	base := hash("env = [\"A\"]\npatience = 1")
	if base != hash("# moved\npatience = 9\nnosuch = 1\n\nenv = [\"A\"]") {
		t.Error("trust ends when an unrestricted setting changes")
	}
	for _, text := range []string{`env = ["A", "B"]`, `env = ["B"]`, ``, "env = [\"A\"]\nmax_cost = 9"} {
		if base == hash(text) {
			t.Errorf("trust outlives the change to %q", text)
		}
	}
	if diff := cmp.Diff([]string{"env", "max_cost"}, Restricted(file(t, Project, "env = []\nmax_cost = 1\npatience = 1", false))); diff != "" {
		t.Error(diff)
	}
}

func TestDocs(t *testing.T) {
	t.Parallel()
	docs := Docs()
	if len(docs) != len(Names()) {
		t.Fatalf("%d documents for %d settings", len(docs), len(Names()))
	}
	for i, d := range docs {
		if d.Name != Names()[i] || !strings.HasSuffix(d.Text, ".") || d.Values == "" {
			t.Errorf("%+v is not documented", d)
		}
	}
	for _, f := range fields() {
		if f.class != "" && !slices.Contains([]string{"restricted", "limit", "adds"}, f.class) {
			t.Errorf("%s is of unknown class %q", f.name, f.class)
		}
		if m, ok := f.in(new(Default())).Addr().Interface().(interface{ UnmarshalText([]byte) error }); ok {
			for _, v := range f.values {
				if err := m.UnmarshalText([]byte(v)); err != nil {
					t.Errorf("%s documents %s, which it does not take", f.name, v)
				}
			}
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"TestAd": "a/b.TestAdd", "test_sub": "sub/test_x.py::test_sub", "aply": "apply", "apply": "apply", "in_place": "in-place", "opnly": "only", "zzzz": "", "x": "", "": "", "yltnaz": "",
	} {
		if got, ok := Nearest(word, []string{"apply", "in-place", "only", "json", "a/b.TestAdd", "sub/test_x.py::test_sub"}); got != want || ok != (want != "") {
			t.Errorf("Nearest(%q) is %q, %v, want %q", word, got, ok, want)
		}
	}
}

// TestSecretOfAddressIsNotShown: what says where a setting came from is shown to
// others, and the setting itself keeps the whole address.
func TestSecretOfAddressIsNotShown(t *testing.T) {
	t.Parallel()
	const address = "https://me:s3cret@models.example/v1?x=1"
	settings, origins, _, err := Resolve([]Layer{FromFlags(map[string][]string{"base_url": {address}})})
	if err != nil {
		t.Fatal(err)
	}
	if settings.BaseURL != address {
		t.Errorf("the address is %q", settings.BaseURL)
	}
	for _, o := range origins {
		if o.Name == "base_url" && (o.Text != "https://hidden@models.example/v1?x=1" || o.Value != o.Text) {
			t.Errorf("shown: %q, in JSON %q", o.Text, o.Value)
		}
	}
}
