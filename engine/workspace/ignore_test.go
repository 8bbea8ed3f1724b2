package workspace

import (
	"bytes"
	"errors"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// ignoreCases are folders with ignore files. Every path in them is asked of git
// and of us.
var ignoreCases = map[string]files{
	"names":    {".gitignore": "*.log\nbuild\n/top\n#comment\n\\#hash\n\\!bang\n", "a.log": "", "d/a.log": "", "build/x": "", "d/build/x": "", "top": "", "d/top": "", "#hash": "", "!bang": "", "#comment": ""},
	"negation": {".gitignore": "*.log\n!keep.log\nout/\n!out/keep.log\n", "a.log": "", "keep.log": "", "out/keep.log": "", "d/keep.log": ""},
	"nested":   {".gitignore": "*.x\n", "d/.gitignore": "!a.x\n/b\n", "d/a.x": "", "d/b": "", "d/e/b": "", "a.x": "", "d/e/a.x": ""},
	"deeper wins over shallower": {
		".gitignore": "!a\n", "d/.gitignore": "a\n", "d/a": "", "d/e/a": "", "d/e/.gitignore": "!a\n", "a": "",
	},
	"folders only": {".gitignore": "t/\nu/v/\n", "t/x": "", "d/t": "", "e/t/x": "", "u/v/x": "", "d/u/v/x": ""},
	"anchoring":    {".gitignore": "a/b\n/c\nd/*\n", "a/b": "", "x/a/b": "", "c": "", "x/c": "", "d/e/f": "", "x/d/e": ""},
	"stars": {
		".gitignore": "**/foo\nbar/**\na/**/z\nq**r\n/s**t\n***.m\n", "foo": "", "x/y/foo": "", "bar/x/y": "", "x/bar/y": "",
		"a/z": "", "a/b/z": "", "a/b/c/z": "", "x/a/z": "", "q1r": "", "d/q/r": "", "st": "", "s/t": "", "x.m": "",
	},
	"stars after text": {
		".gitignore": "foo**/bar\nq***/z\n****/deep\nesc\\/aped\n", "foo/x/bar": "", "foox/y/bar": "", "foobar": "", "q/z": "", "q1/2/z": "", "a/b/deep": "", "esc/aped": "", "x/esc/aped": "",
	},
	"empty range": {".gitignore": "[b-a]\n", "a": "", "b": "", "-": ""},
	"whole":       {".gitignore": "**\n!a\n", "a": "", "b": "", "c/a": ""},
	"star, then folders back": {
		".gitignore": "/*\n!/keep\n/keep/*\n!/keep/x\n", "a": "", "keep/x": "", "keep/y": "",
	},
	"question and class": {
		".gitignore": "?.a\n[abc].b\n[!abc].c\n[a-c]x.d\n[]].e\n[^a].f\n[[:digit:]].g\n[\\]].h\n[a\n", "1.a": "", "12.a": "", "é.a": "", "a.b": "", "d.b": "", "a.c": "", "d.c": "",
		"bx.d": "", "dx.d": "", "].e": "", "a.f": "", "b.f": "", "5.g": "", "x.g": "", "].h": "", "[a": "",
	},
	"spaces":     {".gitignore": "a \nb\\ \nc d\n\te\n", "a": "", "a ": "", "b ": "", "b": "", "c d": "", "e": "", "\te": ""},
	"line ends":  {".gitignore": "a\r\nb/\r\n\r\nc", "a": "", "b/x": "", "c": ""},
	"bom":        {".gitignore": "\xef\xbb\xbfa\nb\n", "a": "", "b": ""},
	"escapes":    {".gitignore": "\\*.x\n\\a\nb\\\nc\\?d\n", "*.x": "", "q.x": "", "a": "", "b": "", "b\\": "", "c?d": "", "cxd": ""},
	"braces":     {".gitignore": "{a,b}.x\n", "a.x": "", "{a,b}.x": ""},
	"odd names":  {".gitignore": "caf*\n*\xff*\n", "café": "", "x\xffy": "", "new\nline": ""},
	"just slash": {".gitignore": "/\n//\n!\n", "a": "", "d/b": ""},
	"exclude":    {".git/info/exclude": "a\nb\n", ".gitignore": "!b\n", "a": "", "b": "", "d/a": ""},
}

func TestIgnoreAsGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	for name, f := range ignoreCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := folder(t, nil)
			run := func(stdin string, args ...string) string {
				cmd := exec.Command(git, append([]string{"-C", root}, args...)...)
				cmd.Env = []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "HOME=" + root}
				cmd.Stdin = strings.NewReader(stdin)
				var out, errs bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &errs
				if err := cmd.Run(); err != nil {
					if e := (*exec.ExitError)(nil); !errors.As(err, &e) || e.ExitCode() != 1 {
						t.Fatalf("git %q: %v\n%s", args, err, &errs)
					}
				}
				return out.String()
			}
			run("", "init", "-q")
			f.Write(t, root)
			var asked []string
			for p := range f {
				if !strings.HasPrefix(p, ".git/") {
					asked = append(asked, p)
				}
			}
			slices.Sort(asked)
			answer := run(strings.Join(asked, "\x00")+"\x00", "check-ignore", "-z", "--stdin", "--no-index")
			want := strings.Split(strings.TrimSuffix(answer, "\x00"), "\x00")
			if answer == "" {
				want = nil
			}
			got := ignoredPaths(f, asked)
			if !slices.Equal(got, want) {
				t.Errorf("rules %q: ignored are\n got %q\nwant %q", f[".gitignore"], got, want)
			}
		})
	}
}

// ignoredPaths asks the rules, folder by folder as the walk does.
func ignoredPaths(f files, asked []string) []string {
	var ignored []string
	for _, p := range asked {
		var g *ignores
		if text, ok := f[".git/info/exclude"]; ok {
			g = g.with("", []byte(text))
		}
		dir := ""
		elements := strings.Split(p, "/")
		for i, e := range elements {
			if text, ok := f[path.Join(dir, ".gitignore")]; ok {
				g = g.with(dir, []byte(text))
			}
			dir = path.Join(dir, e)
			if g.ignored(dir, i < len(elements)-1) {
				ignored = append(ignored, p)
				break
			}
		}
	}
	return ignored
}
